//go:build fire

package privacy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"remanence/test/world"
)

// Where nothing was configured that asks a server, no process of ours connects to
// anything but our own socket: seen at the calls of the system, over a whole
// session with its digest, a search and a check-up.
func TestNoConnectionLeavesTheMachineUnasked(t *testing.T) {
	if out, err := exec.Command("strace", "-f", "-o", os.DevNull, "-e", "trace=connect",
		"true").CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("strace does not work here, and nothing is proved without it: %v\n%s", err, out)
		}
		t.Skipf("NOT PROVED: strace does not work here: %v\n%s", err, out)
	}
	p := world.NewPerson(t)
	p.Env = append(p.Env, "ANTHROPIC_API_KEY=sk-nobody", "OPENAI_API_KEY=sk-nobody") // a key alone switches nothing on
	log := filepath.Join(t.TempDir(), "calls")
	n := 0
	watched := func(cmd *exec.Cmd) *exec.Cmd {
		n++
		cmd.Args = append([]string{
			"strace", "-f", "-qq", "-o", fmt.Sprintf("%s.%d", log, n), "-e",
			"trace=connect,sendto,sendmsg", "--",
		}, append([]string{cmd.Path}, cmd.Args[1:]...)...)
		cmd.Path, _ = exec.LookPath("strace")
		return cmd
	}
	worker := watched(p.Command("daemon", "run"))
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	if !p.Eventually(func() bool { _, err := p.Runtime(); return err == nil }) {
		t.Fatal("the worker does not come up")
	}
	rt, err := p.Runtime()
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{"SessionStart.startup", "UserPromptSubmit", "PostToolUse.Bash", "Stop", "SessionEnd"} {
		name := event
		for _, known := range world.Events(t) {
			if strings.HasPrefix(known, event) {
				name = known
				break
			}
		}
		if a := p.Await(watched(p.HookCommand(p.Payload(name,
			map[string]any{"session_id": "one", "prompt_id": "p1"})))); a.Status != 0 {
			t.Errorf("%s: %d %s", event, a.Status, a.Stderr)
		}
	}
	for _, args := range [][]string{{"add", "the porter counts the keys"}, {"search", "keys"}, {"status"}, {"doctor"}} {
		_ = watched(p.Command(args...)).Run() // doctor may find fault with a machine like this
	}
	p.StopWorker()
	_ = worker.Wait()
	files, err := filepath.Glob(log + ".*")
	if err != nil || len(files) != n {
		t.Fatalf("%d logs of %d processes, %v", len(files), n, err)
	}
	family, own := regexp.MustCompile(`sa_family=(AF_\w+)`), 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(b), "\n") {
			switch m := family.FindStringSubmatch(line); {
			case m == nil:
			case m[1] == "AF_UNIX" && strings.Contains(line, `"`+rt.Socket+`"`):
				own++
			default:
				t.Errorf("a connection to elsewhere: %s", line)
			}
		}
	}
	if own == 0 {
		t.Error("not even our own socket was asked: nothing was watched")
	}
	t.Logf("%d processes, %d connections, all to our own socket", n, own)
}
