//go:build unix

package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"remanence/internal/mem"
)

// TestMain makes the test itself a claude command, if it is injected to be one.
func TestMain(m *testing.M) {
	if how := os.Getenv("FAKE_CLAUDE"); how != "" {
		fakeClaude(how)
		return
	}
	os.Exit(m.Run())
}

// run is what a command saw of its start.
type run struct {
	Args  []string
	Env   []string
	Dir   string
	Stdin string
	Child int
}

func fakeClaude(how string) {
	ask, _ := io.ReadAll(os.Stdin)
	saw := run{Args: os.Args[1:], Env: os.Environ(), Stdin: string(ask)}
	saw.Dir, _ = os.Getwd()
	if how == "hang" || how == "leave a child" {
		child := exec.Command("sleep", "600")
		child.Stdout = os.Stdout // and holds the pipe open
		if child.Start() == nil {
			saw.Child = child.Process.Pid
		}
	}
	b, _ := json.Marshal(saw)
	_ = os.WriteFile(filepath.Join(saw.Dir, "saw.tmp"), b, 0o600)
	_ = os.Rename(filepath.Join(saw.Dir, "saw.tmp"), filepath.Join(saw.Dir, "saw.json"))
	answer := func(text string) {
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{
			"type": "result", "subtype": "success", "is_error": false,
			"result": text, "usage": map[string]int{"input_tokens": 3000, "output_tokens": 100},
		})
	}
	switch how {
	case "hang":
		time.Sleep(10 * time.Minute)
	case "nonsense":
		fmt.Println("not JSON")
	case "flood":
		for range 100 {
			fmt.Print(strings.Repeat("x", maxBytes/10))
		}
	case "logged out":
		fmt.Fprintln(os.Stderr, "Invalid API key", string(ask))
		fmt.Println(`{"type":"result","is_error":true,"result":"Please run /login"}`)
		os.Exit(1)
	case "crash":
		os.Exit(7)
	default:
		answer(goodTags)
	}
}

func command(t *testing.T, how string, within time.Duration) (*Model, string) {
	t.Helper()
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Config{
		Kind: Claude, Remote: true, Timeout: within, Key: func() string { return "k-123" }, URL: "http://127.0.0.1:9/gateway",
		Command: Command{Program: exe, Dir: dir, Env: []string{
			"FAKE_CLAUDE=" + how, "PATH=" + os.Getenv("PATH"),
			"HOME=" + dir,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m, dir
}

func sawOf(t *testing.T, dir string) (r run) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "saw.json"))
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCommandRunsWithoutToolsAndHooks(t *testing.T) {
	t.Setenv("SECRET_OF_THE_PERSON", "x")
	m, dir := command(t, "answer", time.Minute)
	d, err := m.Digest(t.Context(), "Asked:\nfix the login")
	if err != nil || len(d.Observations) != 1 || d.Tokens != 3100 {
		t.Fatalf("got %+v, %v", d, err)
	}
	saw := sawOf(t, dir)
	for _, want := range []string{
		"-p", "--no-session-persistence", "--strict-mcp-config", `{"disableAllHooks":true}`,
		"haiku",
	} {
		if !slices.Contains(saw.Args, want) {
			t.Errorf("started with %q, want %s", saw.Args, want)
		}
	}
	if i := slices.Index(saw.Args, "--tools"); i < 0 || saw.Args[i+1] != "" {
		t.Errorf("it has tools: %q", saw.Args)
	}
	for _, want := range []string{
		"REMANENCE_DEPTH=1", "ANTHROPIC_API_KEY=k-123",
		"ANTHROPIC_BASE_URL=http://127.0.0.1:9/gateway", "HOME=" + dir,
	} {
		if !slices.Contains(saw.Env, want) {
			t.Errorf("its environment lacks %s", want)
		}
	}
	if slices.Contains(saw.Env, "SECRET_OF_THE_PERSON=x") {
		t.Error("it inherits our environment")
	}
	if !strings.Contains(saw.Stdin, "fix the login") || strings.Contains(strings.Join(saw.Args, " "), "fix the login") {
		t.Error("the turn stands in the arguments, where everybody can read it")
	}
	if real, _ := filepath.EvalSymlinks(dir); saw.Dir != dir && saw.Dir != real {
		t.Errorf("it works in %s, want %s", saw.Dir, dir)
	}
}

func TestErrorsOfTheCommandAreDistinguished(t *testing.T) {
	for how, c := range map[string]struct {
		later, paid bool
		says        string
	}{
		"nonsense":   {false, true, "not what was asked for"},
		"flood":      {false, true, "too long"},
		"logged out": {true, false, "no answer (status 1)"},
		"crash":      {true, false, "status 7"},
	} {
		m, _ := command(t, how, time.Minute)
		_, err := m.Digest(t.Context(), "Asked:\nfix it")
		var later mem.RetryLater
		var paid mem.UnusableAnswer
		if errors.As(err, &later) != c.later || errors.As(err, &paid) != c.paid ||
			!strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: got %v", how, err)
		}
	}
	m, err := New(Config{Kind: Claude, Remote: true, Command: Command{Program: "/nowhere/claude"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Digest(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "cannot be started") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// gone waits until a process has ended, also if its parent has not waited for it.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 1000 {
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err := syscall.Kill(pid, 0); err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("process %d is left", pid)
}

func TestWhatTheCommandStartedEndsWithIt(t *testing.T) {
	m, dir := command(t, "leave a child", time.Minute)
	if d, err := m.Digest(t.Context(), "x"); err != nil || len(d.Observations) != 1 {
		t.Errorf("got %+v, %v", d, err)
	}
	gone(t, sawOf(t, dir).Child)

	for within := time.Second; within < time.Minute; within *= 4 { // a busy machine starts it late
		m, dir = command(t, "hang", within)
		_, err := m.Digest(t.Context(), "x")
		var later mem.RetryLater
		var paid mem.UnusableAnswer
		if !errors.As(err, &later) || !errors.As(err, &paid) {
			t.Errorf("got %v", err)
		}
		if _, err := os.Stat(filepath.Join(dir, "saw.json")); err == nil {
			break
		}
	}
	gone(t, sawOf(t, dir).Child)
}
