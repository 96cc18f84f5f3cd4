//go:build unix

// Package world is a machine for tests of whole processes: the built program,
// and persons with homes in which its hooks, its worker and its commands run.
// Nothing of it touches the home directory of the person who runs the tests.
package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/spool"
)

// Binary is the built program, once Main has run.
var Binary string

// Slack is what hooks of Binary, and what they receive, have on top of their
// limits, such as "20s". A package whose tests are of what hooks answer, not when,
// sets it before Main: a busy machine must not turn those over. Half of it is what
// a hook waits for a worker that does not come.
var Slack string

// root is the module's directory.
var root string

// Main builds the program and runs a package's tests:
//
//	func TestMain(m *testing.M) { os.Exit(world.Main(m)) }
func Main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "remanence-world-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "remanence").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "find the module:", err)
		return 1
	}
	root = strings.TrimSpace(string(out))
	Binary = filepath.Join(dir, "remanence")
	if err := Build(Binary); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// Build builds the program as it is released, but for Slack, into file. Flags come after those.
func Build(file string, flags ...string) error {
	args := append([]string{"build", "-trimpath", "-ldflags", "-s -w -X main.slack=" + Slack}, flags...)
	cmd := exec.Command("go", append(args, "-o", file, "remanence/cmd/remanence")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// Unhurried is the program with hooks that have seconds on top of their limits,
// for single tests of what a hook answers where others of the package are of when.
func Unhurried(t testing.TB) string {
	t.Helper()
	program, err := unhurried()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// unhurried builds it, once.
var unhurried = sync.OnceValues(func() (program string, err error) {
	program = filepath.Join(filepath.Dir(Binary), "unhurried")
	return program, Build(program, "-ldflags", "-s -w -X main.slack=6s")
})

// Person is a user with a home directory and one project in it.
type Person struct {
	T       testing.TB
	Home    string
	Project string   // a repository, as far as its files show
	Program string   // what hooks and commands run; "" is Binary
	Env     []string // more variables, after those that every process gets
}

// NewPerson returns a person whose state directory is that of an installed Remanence. Their daemon is stopped after the
// test, and no process of theirs may be left then.
func NewPerson(t testing.TB) *Person {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &Person{T: t, Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "till")}
	p.furnish()
	t.Cleanup(p.leave)
	return p
}

func (p *Person) furnish() {
	git := filepath.Join(p.Project, ".git")
	for _, d := range []string{filepath.Join(git, "objects"), filepath.Join(git, "refs/heads"), p.State()} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			p.T.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"HEAD":            "ref: refs/heads/main\n",
		"refs/heads/main": strings.Repeat("1f", 20) + "\n",
		"config": "[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = " +
			"https://git.example.org/shop/till.git\n",
	} {
		if err := os.WriteFile(filepath.Join(git, name), []byte(text), 0o600); err != nil {
			p.T.Fatal(err)
		}
	}
}

// leave ends what runs with the person's home: the worker by asking it, and each
// that comes up late, and what is left after that, which fails the test, by
// killing it.
func (p *Person) leave() {
	var out []byte
	var err error
	gone := func() bool {
		if len(p.Processes()) == 0 {
			return true
		}
		out, err = p.Command("daemon", "stop").CombinedOutput()
		return len(p.Processes()) == 0
	}
	if p.Eventually(gone) {
		return
	}
	if err != nil {
		p.T.Logf("stop the worker: %v\n%s", err, out)
	}
	for pid, what := range p.Processes() {
		p.T.Errorf("left behind: %d %s", pid, what)
		if proc, err := os.FindProcess(pid); err == nil {
			_ = proc.Kill()
		}
	}
}

// State is the directory of worker, spool and log. Data is that of the database.
func (p *Person) State() string { return filepath.Join(p.Home, ".local/state/remanence") }

// Data is the directory of the database.
func (p *Person) Data() string { return filepath.Join(p.Home, ".local/share/remanence") }

// RuntimeFile is what the worker writes for its hooks.
func (p *Person) RuntimeFile() string { return filepath.Join(p.State(), "run", "runtime.json") }

// Spool is the person's spool.
func (p *Person) Spool() *spool.Spool {
	return spool.Open(spool.Config{Dir: filepath.Join(p.State(), "spool")})
}

// Environ is the whole environment of the person's processes.
func (p *Person) Environ(more ...string) []string {
	env := []string{"HOME=" + p.Home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	return append(append(env, p.Env...), more...)
}

// Command is a call of the program, in the person's project, not yet started.
func (p *Person) Command(args ...string) *exec.Cmd {
	program := p.Program
	if program == "" {
		program = Binary
	}
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = p.Environ(), p.Project
	return cmd
}

// Run runs a command that has to end well and returns what it printed.
func (p *Person) Run(args ...string) string {
	p.T.Helper()
	cmd := p.Command(args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		p.T.Fatalf("remanence %s: %v\n%s%s", strings.Join(args, " "), err, out, errs.Bytes())
	}
	return string(out)
}

// Answer is how a hook call ended.
type Answer struct {
	Status int // of the exit
	Stdout []byte
	Stderr []byte
	Took   time.Duration
}

// HookCommand is a hook call with its input, not yet started. The environment
// names the project, as that of the client does.
func (p *Person) HookCommand(payload []byte) *exec.Cmd {
	cmd := p.Command("hook", "claude-code")
	cmd.Env = append(cmd.Env, "CLAUDECODE=1", "CLAUDE_PROJECT_DIR="+p.Project)
	cmd.Stdin = bytes.NewReader(payload)
	return cmd
}

// Hook calls a hook and returns its answer. A hook that cannot be run at all
// fails the test.
func (p *Person) Hook(payload []byte) Answer {
	p.T.Helper()
	return p.Await(p.HookCommand(payload))
}

// Await runs a prepared call. Standard output and error must not be set.
func (p *Person) Await(cmd *exec.Cmd) Answer {
	p.T.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	begun := time.Now()
	err := cmd.Run()
	a := Answer{Stdout: out.Bytes(), Stderr: errs.Bytes(), Took: time.Since(begun), Status: cmd.ProcessState.ExitCode()}
	if cmd.ProcessState == nil {
		p.T.Fatalf("run %s: %v", cmd.Path, err)
	}
	return a
}

// Events names the recorded payloads that Payload knows.
func Events(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "internal/agent/testdata/events/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded payloads: %v", err)
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".json"))
	}
	return names
}

// Payload is a recorded payload, such as "PostToolUse.Bash", with fields of it
// set, in the person's project.
func (p *Person) Payload(name string, set map[string]any) []byte {
	p.T.Helper()
	b, err := os.ReadFile(filepath.Join(root, "internal/agent/testdata/events", name+".json"))
	if err != nil {
		p.T.Fatal(err)
	}
	var recorded struct{ Stdin map[string]any }
	if err := json.Unmarshal(b, &recorded); err != nil {
		p.T.Fatalf("%s: %v", name, err)
	}
	if recorded.Stdin == nil { // a report of which none was recorded
		recorded.Stdin = map[string]any{"hook_event_name": strings.SplitN(name, ".", 2)[0], "session_id": "none"}
	}
	recorded.Stdin["cwd"] = p.Project
	recorded.Stdin["transcript_path"] = filepath.Join(p.Home, "none.jsonl")
	maps.Copy(recorded.Stdin, set)
	b, err = json.Marshal(recorded.Stdin)
	if err != nil {
		p.T.Fatal(err)
	}
	return b
}

// Runtime is what the newest worker wrote for its hooks.
func (p *Person) Runtime() (api.Runtime, error) { return api.ReadRuntime(p.RuntimeFile()) }

// StartWorker starts the worker and waits for its answer.
func (p *Person) StartWorker() api.Runtime {
	p.T.Helper()
	p.Run("daemon", "start")
	rt, err := p.Runtime()
	if err != nil {
		p.T.Fatal(err)
	}
	return rt
}

// StopWorker ends the worker, and each that was started beside it and would take
// its place.
func (p *Person) StopWorker() {
	p.T.Helper()
	if !p.Eventually(func() bool { p.Run("daemon", "stop"); return len(p.Workers()) == 0 }) {
		p.T.Fatalf("these workers do not end: %v", p.Workers())
	}
}

// Workers are the pids of the person's running workers.
func (p *Person) Workers() []int {
	var pids []int
	for pid, cmd := range p.Processes() {
		if strings.Contains(cmd, "daemon run") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Processes are those that run with the person's home: pid and command line.
// Zombies do not count. Without /proc there are none to see, and the tests say
// so by failing where they expect one.
func (p *Person) Processes() map[int]string {
	out := map[int]string{}
	envs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range envs {
		env, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(env, []byte("HOME="+p.Home+"\x00")) {
			continue
		}
		dir := filepath.Dir(f)
		cmd, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && len(cmd) > 0 {
			out[pid] = strings.TrimSpace(strings.ReplaceAll(string(cmd), "\x00", " "))
		}
	}
	return out
}

// Crowd is how many programs wanted to run in the last minute, for each core; 0
// where the system does not report it.
func Crowd() float64 {
	b, _ := os.ReadFile("/proc/loadavg")
	load, _, _ := strings.Cut(string(b), " ")
	n, _ := strconv.ParseFloat(load, 64)
	return n / float64(runtime.NumCPU())
}

// Crowded is how many programs for a core leave none of them its time.
const Crowded = 4

// Stretched is a time that is long enough on a busy machine, the longer the more
// programs want to run on it.
func Stretched(d time.Duration) time.Duration {
	return time.Duration(float64(d) * max(1, Crowd()/Crowded))
}

// Eventually asks again and again, for a minute at most.
func (p *Person) Eventually(ok func() bool) bool {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}

// Traces lists the files below the person's home in which any of the words
// stands, byte by byte as they are.
func (p *Person) Traces(words ...string) []string {
	p.T.Helper()
	var found []string
	err := filepath.WalkDir(p.Home, func(file string, d os.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a running worker took it away meanwhile
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for _, w := range words {
			if bytes.Contains(b, []byte(w)) {
				found = append(found, file+": "+w)
			}
		}
		return err
	})
	if err != nil {
		p.T.Fatal(err)
	}
	return found
}
