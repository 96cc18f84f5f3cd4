package hook_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"remanence/internal/agent"
	"remanence/internal/hook"
	"remanence/internal/mem"
)

// playScene is what a hook process of these tests does.
func runScenario(scene string) {
	c := newFixture("", alwaysHasText(mem.Reply{Context: strings.Repeat("c", 9000)})).Config
	c.Dialect = agent.Claude{}
	c.Stdin, c.Stdout, c.Getenv, c.Exit = os.Stdin, os.Stdout, func(string) string { return "" }, os.Exit
	switch scene {
	case "waits for input":
		c.Slack = 0
	case "panic":
		c.Handler = hook.FirstOf(handler(panics), handler(panics), busy)
	case "signal":
		c.Handler = handler(func(context.Context, mem.Event) (mem.Reply, error) {
			self, _ := os.FindProcess(os.Getpid())
			for _, s := range []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP} {
				_ = self.Signal(s)
				time.Sleep(time.Millisecond)
			}
			return mem.Reply{Context: "survived"}, nil
		})
	}
	hook.Run(c)
}

func start(t *testing.T, scene string) (cmd *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOOK_TEST_SCENE="+scene)
	stderr = &bytes.Buffer{}
	cmd.Stderr = stderr
	return cmd, stderr
}

func TestProcessExitsZeroWithoutStderr(t *testing.T) {
	for _, c := range []struct{ scene, in, want string }{
		{"plain", promptPayload, `{"hookSpecificOutput"`},
		{"panic", promptPayload, ""},
		{"signal", promptPayload, `survived`},
		{"plain", "", ""},
		{"plain", "{", ""},
		{"plain", strings.Repeat(`{"a":`, 20000), ""},
	} {
		cmd, stderr := start(t, c.scene)
		cmd.Stdin = strings.NewReader(c.in)
		out, err := cmd.Output()
		if err != nil || stderr.Len() > 0 || !strings.Contains(string(out), c.want) || c.want == "" && len(out) > 0 {
			t.Errorf("%s with %.40q: %v, stdout %.80q, stderr %q; want status 0 and %q", c.scene, c.in, err, out, stderr, c.want)
		}
	}
}

func TestProcessWithEndlessInputExits(t *testing.T) {
	cmd, stderr := start(t, "waits for input")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(in, promptPayload[:20])
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 { // closes the pipe only afterwards
		t.Errorf("ended with %v, stderr %q; want status 0", err, stderr)
	}
}

func TestProcessSurvivesAClosedOutput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	defer w.Close()
	cmd, stderr := start(t, "plain")
	cmd.Stdin, cmd.Stdout = strings.NewReader(promptPayload), w
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("ended with %v, stderr %q; want status 0", err, stderr)
	}
}
