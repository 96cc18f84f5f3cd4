//go:build e2e

// Package e2e drives the real Claude Code client, offline, against a scripted
// model, with the built binary as its hooks. `make e2e` installs the client.
package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
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
	// What hooks answer is looked at, not when: a busy machine gets more time.
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-X main.slack=20s", "-o", binary,
		"remanence/cmd/remanence")
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
	runs atomic.Int32
}

// newUser returns a person with an empty home. The worker that the hooks
// started is stopped at the end, and nothing of it may be left.
func newUser(t *testing.T) *user {
	t.Helper()
	t.Parallel() // -parallel bounds how many at a time
	dir := t.TempDir()
	u := &user{t: t, dir: dir, home: filepath.Join(dir, "home")}
	t.Cleanup(func() {
		var out string
		var err error
		gone := eventually(func() bool { // one that was started beside another may come up late
			out, err = u.try("daemon", "stop")
			return err == nil && len(u.processes()) == 0
		})
		if !gone {
			t.Errorf("left behind: %v (%v)\n%s", u.processes(), err, out)
		}
	})
	return u
}

// processes lists what runs with the person's home, whatever it is.
func (u *user) processes() []string {
	var out []string
	envs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range envs {
		env, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(env, []byte("HOME="+u.home+"\x00")) {
			continue
		}
		cmd, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
		if len(cmd) > 0 { // a zombie has none
			out = append(out, filepath.Base(filepath.Dir(f))+" "+strings.ReplaceAll(string(cmd), "\x00", " "))
		}
	}
	return out
}

// worker is what the newest worker wrote for its hooks.
func (u *user) worker() (rt struct {
	PID    int
	Socket string
},
) {
	u.t.Helper()
	if err := json.Unmarshal([]byte(u.read(filepath.Join(u.home, ".local/state/remanence/run/runtime.json"))),
		&rt); err != nil {
		u.t.Fatal(err)
	}
	return rt
}

// eventually asks again and again, for a minute at most.
func eventually(ok func() bool) bool {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}

// What a session's hooks are, beside a file or a plugin's directory.
const (
	underTest = ""     // every hook that the product registers, each call held to the lint
	asTheyAre = "keep" // what the person's settings hold already
)

// session is one run of the client.
type session struct {
	project string // name of the project directory
	script  string // file in testdata, or a script as JSON
	hooks   string
	program string   // "" is the built one
	bare    bool     // the hooks are called by the client itself, so the calls are not recorded
	args    string   // more arguments of the client
	env     []string // more variables of the bench
	prompts []string
	keys    string // what is typed to the interactive client, instead of prompts; see the bench's tui.sh
	stream  bool   // all prompts to one process, which knows /compact and /clear
	fails   bool   // the client's own exit status is not 0
}

// run plays a session and fails the test if an expectation of the script or a
// rule of the lint was broken.
func (u *user) run(s session) ran {
	u.t.Helper()
	r, err := u.play(s)
	if err != nil {
		u.t.Fatal(err)
	}
	return r
}

// play is run for several sessions at once.
func (u *user) play(s session) (ran, error) {
	n := u.runs.Add(1)
	out := filepath.Join(u.dir, fmt.Sprintf("run%d", n))
	if err := os.MkdirAll(out, 0o755); err != nil {
		return ran{}, err
	}
	script := filepath.Join("testdata", s.script)
	if strings.HasPrefix(s.script, "{") {
		script = filepath.Join(out, "turns.json")
		if err := os.WriteFile(script, []byte(s.script), 0o644); err != nil {
			return ran{}, err
		}
	}
	hooks := s.hooks
	switch hooks {
	case underTest:
		hooks = "../client/settings.under-test.json"
	case asTheyAre:
		hooks = ""
	}
	if hooks != "" {
		hooks = abs(u.t, hooks)
	}
	program := s.program
	if program == "" {
		program = binary
	}
	cmd := exec.Command("../client/run.sh", append([]string{abs(u.t, script), hooks}, s.prompts...)...)
	if s.keys != "" {
		keys := filepath.Join(out, "keys")
		if err := os.WriteFile(keys, []byte(s.keys), 0o644); err != nil {
			return ran{}, err
		}
		cmd = exec.Command("../client/tui.sh", abs(u.t, script), hooks, keys)
	}
	cmd.Env = append(os.Environ(),
		"CC_OUT="+out, "CC_HOME="+u.home, "CC_CWD="+u.project(s.project),
		"CC_TEST_CMD="+program+" hook claude-code", "CC_ARGS="+s.args, "CC_TIMEOUT=300",
	)
	if !s.bare {
		cmd.Env = append(cmd.Env, "CC_LINT=1")
	}
	if s.stream {
		cmd.Env = append(cmd.Env, "CC_STREAM=1")
	}
	cmd.Env = append(cmd.Env, s.env...)
	log, err := cmd.CombinedOutput()
	r := ran{u.t, out}
	if code := cmd.ProcessState.ExitCode(); s.fails && code != 0 && code != 90 {
		err = nil
	}
	// also where the client itself failed
	if bytes.Contains(log, []byte("LINT ")) || bytes.Contains(log, []byte("EXPECTATION FAILED")) {
		err = fmt.Errorf("broken rules or expectations (%w)", err)
	}
	if err != nil {
		return r, fmt.Errorf("session %d: %w\n%s", n, err, log)
	}
	return r, r.manners()
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

// copied is a copy of the program under test, made at a time.
func (u *user) copied(file string, at time.Time) string {
	u.t.Helper()
	u.write(file, u.read(binary))
	if err := errors.Join(os.Chmod(file, 0o755), os.Chtimes(file, at, at)); err != nil {
		u.t.Fatal(err)
	}
	return file
}

// write writes a file and the directories above it.
func (u *user) write(file, text string) {
	u.t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		u.t.Fatal(err)
	}
}

func (u *user) read(file string) string {
	u.t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		u.t.Fatal(err)
	}
	return string(b)
}

// opens calls a program's hook as a client that opens a session in the default
// project, and returns what it printed.
func (u *user) opens(program, session string) string {
	u.t.Helper()
	payload, err := json.Marshal(map[string]string{
		"hook_event_name": "SessionStart", "source": "startup", "session_id": session, "cwd": u.project(""),
		"transcript_path": filepath.Join(u.home, session+".jsonl"),
	})
	if err != nil {
		u.t.Fatal(err)
	}
	cmd := exec.Command(program, "hook", "claude-code")
	cmd.Dir, cmd.Stdin = u.project(""), bytes.NewReader(payload)
	cmd.Env = []string{"HOME=" + u.home, "PATH=/usr/local/bin:/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + u.project("")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		u.t.Fatalf("hook: %v\n%s", err, out)
	}
	return string(out)
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

// asks runs a command with --json and decodes its answer into v.
func (u *user) asks(v any, args ...string) {
	u.t.Helper()
	out := u.remanence(append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), v); err != nil {
		u.t.Fatalf("remanence %s: %v in\n%s", strings.Join(args, " "), err, out)
	}
}

// memory is what the person's own search shows of one.
type memory struct {
	ID, Kind, Title, Body, Trust string
	Source                       struct{ Prompt int }
}

// finds are the memories that a person's search finds; without words all, the newest first.
func (u *user) finds(args ...string) []memory {
	u.t.Helper()
	var found struct{ Results []struct{ ID string } }
	u.asks(&found, append([]string{"search", "-n", "100"}, args...)...)
	if len(found.Results) == 0 {
		return nil
	}
	show := []string{"show"}
	for _, r := range found.Results {
		show = append(show, r.ID)
	}
	var shown struct{ Memories []memory }
	u.asks(&shown, show...)
	return shown.Memories
}

// keeps polls until a search of the person's finds the words: what a hook
// handed over is stored a little later if the worker was busy.
func (u *user) keeps(words string, args ...string) memory {
	u.t.Helper()
	var found memory
	ok := eventually(func() bool {
		for _, m := range u.finds(append(args, words)...) {
			if strings.Contains(m.Title+"\n"+m.Body, words) {
				found = m
				return true
			}
		}
		return false
	})
	if !ok {
		u.t.Errorf("%q is not kept; there is %q", words, u.remanence("search", "-n", "100"))
	}
	return found
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

func wantsSilence(t *testing.T, what, text string) {
	t.Helper()
	wantsOnly(t, what, text, "")
}

// listening is what a session start answers in a project of which nothing is known: a line for the person only.
const listening = `{"systemMessage":"remanence: listening; there is nothing to inject yet"}`

func wantsOnly(t *testing.T, what, text, want string) {
	t.Helper()
	if text != want {
		t.Errorf("%s: printed %q, want %q", what, text, want)
	}
}

// clip shows our own words in a text, or else its end.
func clip(s string) string {
	if i := strings.Index(s, "<remanence-context"); i >= 0 {
		return s[i:min(len(s), i+3000)]
	}
	return s[max(0, len(s)-400):]
}
