//go:build e2e

// Package e2e drives the real Claude Code client, offline, against a scripted
// model, with the built binary as its hooks. `make e2e` installs the client.
package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var binary string // the built program

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "remanence-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "remanence")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, "remanence/cmd/remanence")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// user is one person at one machine: a home, and the projects in it.
type user struct {
	t    *testing.T
	dir  string
	home string
	runs int
}

// newUser returns a person with an empty home. The worker that the hooks
// started is stopped at the end, and nothing of it may be left.
func newUser(t *testing.T) *user {
	t.Helper()
	dir := t.TempDir()
	u := &user{t: t, dir: dir, home: filepath.Join(dir, "home")}
	t.Cleanup(func() {
		pid := u.workerPID()
		if out, err := u.try("daemon", "stop"); err != nil {
			t.Errorf("stop the daemon: %v\n%s", err, out)
		}
		if pid > 0 && alive(pid) {
			t.Errorf("worker %d is left behind", pid)
		}
	})
	return u
}

func (u *user) workerPID() int {
	b, err := os.ReadFile(filepath.Join(u.home, ".local/state/remanence/run/runtime.json"))
	if err != nil {
		return 0
	}
	var rt struct{ PID int }
	_ = json.Unmarshal(b, &rt)
	return rt.PID
}

// alive reports whether a process of the binary under test has this pid.
func alive(pid int) bool {
	for range 40 {
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if err != nil || !strings.Contains(exe, "remanence") {
			return false
		}
		time.Sleep(50 * time.Millisecond)
	}
	return true
}

// session is one run of the client.
type session struct {
	project  string            // name of the project directory
	script   string            // file in testdata, or a script as JSON
	settings string            // "" registers every hook under the lint
	args     string            // more arguments of the client
	env      map[string]string // more variables of the bench
	prompts  []string
	fails    bool // the client's own exit status is not 0
}

// ran is what a session left behind.
type ran struct {
	t   *testing.T
	out string
}

// run plays a session and fails the test if an expectation of the script or a
// rule of the lint was broken.
func (u *user) run(s session) ran {
	u.t.Helper()
	u.runs++
	out := filepath.Join(u.dir, fmt.Sprintf("run%d", u.runs))
	if err := os.MkdirAll(out, 0o755); err != nil {
		u.t.Fatal(err)
	}
	script := filepath.Join("testdata", s.script)
	if strings.HasPrefix(s.script, "{") {
		script = filepath.Join(out, "turns.json")
		if err := os.WriteFile(script, []byte(s.script), 0o644); err != nil {
			u.t.Fatal(err)
		}
	}
	settings := s.settings
	if settings == "" {
		settings = "../client/settings.under-test.json"
	}
	cmd := exec.Command("../client/run.sh", append([]string{abs(u.t, script), abs(u.t, settings)}, s.prompts...)...)
	cmd.Env = append(os.Environ(),
		"CC_OUT="+out, "CC_HOME="+u.home, "CC_CWD="+u.project(s.project), "CC_LINT=1",
		"CC_TEST_CMD="+binary+" hook claude-code", "CC_ARGS="+s.args,
	)
	for k, v := range s.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	log, err := cmd.CombinedOutput()
	code := cmd.ProcessState.ExitCode()
	if s.fails && code != 0 && code != 90 {
		err = nil
	}
	if err != nil {
		u.t.Fatalf("session %d: %v\n%s", u.runs, err, log)
	}
	return ran{u.t, out}
}

func (u *user) project(name string) string {
	if name == "" {
		name = "project"
	}
	return filepath.Join(u.dir, name)
}

func abs(t *testing.T, p string) string {
	t.Helper()
	a, err := filepath.Abs(p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// remanence runs a command of the person's in the default project and returns what it printed.
func (u *user) remanence(args ...string) string {
	u.t.Helper()
	out, err := u.try(args...)
	if err != nil {
		u.t.Fatalf("remanence %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (u *user) try(args ...string) (string, error) {
	cmd := exec.Command(binary, args...)
	cmd.Dir = u.project("")
	if _, err := os.Stat(cmd.Dir); err != nil {
		cmd.Dir = u.dir
	}
	cmd.Env = []string{"HOME=" + u.home, "PATH=/usr/local/bin:/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// lines decodes a JSON-lines file of the run.
func (r ran) lines(name string) []map[string]any {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join(r.out, name))
	if err != nil {
		r.t.Fatal(err)
	}
	var out []map[string]any
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		var m map[string]any
		if err := json.Unmarshal(sc.Bytes(), &m); err != nil {
			r.t.Fatalf("%s: %v", name, err)
		}
		out = append(out, m)
	}
	return out
}

// asked is the text of every request of the main conversation, in order.
func (r ran) asked() []string {
	r.t.Helper()
	var out []string
	for _, m := range r.lines("requests.jsonl") {
		if m["kind"] == "main" {
			out = append(out, texts(m["body"]))
		}
	}
	return out
}

// texts joins every string of a JSON value.
func texts(v any) string {
	switch x := v.(type) {
	case string:
		return x + "\n"
	case []any:
		var sb strings.Builder
		for _, y := range x {
			sb.WriteString(texts(y))
		}
		return sb.String()
	case map[string]any:
		var sb strings.Builder
		for _, y := range x {
			sb.WriteString(texts(y))
		}
		return sb.String()
	}
	return ""
}

// hooks are the finished calls of our hook, by event.
func (r ran) hooks() map[string][]map[string]any {
	r.t.Helper()
	out := map[string][]map[string]any{}
	for _, m := range r.lines("hooks.jsonl") {
		if m["phase"] == "end" {
			name, _ := m["event"].(string)
			out[name] = append(out[name], m)
		}
	}
	return out
}

// printed joins what our hook printed on an event.
func (r ran) printed(event string) string {
	var sb strings.Builder
	for _, m := range r.hooks()[event] {
		s, _ := m["stdout"].(string)
		sb.WriteString(s)
	}
	return sb.String()
}

func wants(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s: %q is missing in\n%s", what, w, clip(text))
		}
	}
}

func wantsNot(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if i := strings.Index(text, w); i >= 0 {
			t.Errorf("%s: %q is there: …%s…", what, w, text[max(0, i-80):min(len(text), i+len(w)+80)])
		}
	}
}

func clip(s string) string {
	if i := strings.Index(s, "<remanence-context"); i > 0 {
		s = s[i:]
	}
	return s[:min(len(s), 3000)]
}
