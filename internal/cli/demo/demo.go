// Package demo plays recorded sessions through the real hook, daemon and store, and shows what comes of them.
package demo

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"remanence/internal/api"
	"remanence/internal/chars"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/hookclient"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/redact"
	"remanence/internal/setup"
)

//go:embed *.jsonl
var sessions embed.FS

// pause is the time between two events, for the eye.
const pause = 220 * time.Millisecond

// idle ends the daemon of a demo that was killed before it could stop it. If
// it ends too early, after a suspended demo, the next hook starts another.
const idle = "2s"

// Options are what the person chose, and how a command of the program is run.
type Options struct {
	Fast    bool // without pauses
	Keep    bool // leave the directory there
	Sys     config.System
	Execute func(context.Context, config.System) int
}

// player plays the demo in a scratch home.
type player struct {
	Options
	out      *ui.Printer
	exe      string
	dir      string
	project  string
	redactor redact.Redactor // as the hook's, to show what it does
	report   Report
}

// Play plays the demo and prints it.
func Play(ctx context.Context, out *ui.Printer, o Options) (err error) {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program: %w", err)
	}
	dir, err := os.MkdirTemp("", "remanence-demo-")
	if err != nil {
		return fmt.Errorf("make the demo's directory: %w", err)
	}
	s := &player{Options: o, out: out, exe: exe, dir: dir, project: filepath.Join(dir, "ledger")}
	defer func() {
		if cerr := s.clear(); err == nil {
			err = cerr
		}
	}()
	if err := os.MkdirAll(s.project, 0o700); err != nil {
		return fmt.Errorf("make the demo's project: %w", err)
	}
	if !out.Flags.JSON && !out.Flags.JSONLines {
		return s.play(ctx)
	}
	s.Fast, s.out = true, &ui.Printer{Out: io.Discard, Err: out.Err, Width: out.Width, Now: out.Now}
	s.report = Report{Dir: dir, Kept: o.Keep, Steps: []Step{}, Memories: []mem.Memory{}}
	if err := s.play(ctx); err != nil {
		return err
	}
	return out.Show(s.report)
}

func (s *player) play(ctx context.Context) error {
	p := s.out
	read, err := s.yesterday(ctx)
	if err != nil {
		return err
	}
	if err := s.kept(ctx); err != nil {
		return err
	}
	if err := s.today(ctx, read); err != nil {
		return err
	}
	p.Line("\n%s", p.Style(ui.Bold, "4  You see everything, and you have the last word."))
	for _, args := range [][]string{{"why"}, {"search", "fake clock"}} {
		if err := s.command(ctx, args...); err != nil {
			return err
		}
	}
	return s.forgetAndRestore(ctx)
}

// yesterday plays the first session and returns the tokens of the files read in it.
func (s *player) yesterday(ctx context.Context) (int, error) {
	p := s.out
	p.Line("%s", p.Style(ui.Bold, "1  A developer fixed a flaky test yesterday. Watch what the hook sees."))
	events, err := s.events("yesterday")
	if err != nil {
		return 0, err
	}
	read := 0
	for _, e := range events {
		took, _, err := s.hook(ctx, e)
		if err != nil {
			return 0, err
		}
		var in struct {
			Response struct{ File struct{ Content string } } `json:"tool_response"`
		}
		_ = json.Unmarshal(e, &in) // other tools answer in other shapes
		read += chars.Tokens(in.Response.File.Content)
		s.note(1, e, took, "")
		p.Line("   %-20s %-46s %5.1f ms", s.what(e), ui.Clip(ui.OneLine(s.detail(e)), 46), took.Seconds()*1000)
		for _, what := range s.takenOut(e) {
			p.Line("   %20s %s", "", p.Style(ui.Dim, what+" was taken out before anything was written"))
		}
		s.wait()
	}
	return read, nil
}

// kept shows the memories made of the first session.
func (s *player) kept(ctx context.Context) error {
	p := s.out
	inner := s.inner()
	defer func() { inner.Close() }()
	found, err := daemon.Ask(ctx, inner, api.Search, recall.SearchRequest{
		ProjectRef: inner.ProjectRef(),
		Query:      mem.Query{Limit: 50, NotKinds: []mem.Kind{mem.Change, mem.Command, mem.Snapshot}},
	})
	if err != nil {
		return err
	}
	p.Line("\n%s", p.Style(ui.Bold, fmt.Sprintf("2  %s worth keeping, found by rule. No model was used.",
		ui.Plural(len(found.Hits), "memory", "memories"))))
	for i := len(found.Hits) - 1; i >= 0; i-- {
		m := found.Hits[i].Memory
		s.report.Memories = append(s.report.Memories, m)
		p.Line("   %s %-10s %s", m.ID, m.Kind, ui.OneLine(m.Title))
		p.Line("       %s", p.Style(ui.Dim, ui.OneLine(ui.Provenance(m, s.Sys.Now()))))
		s.wait()
	}
	return nil
}

// today plays the second session and shows the injections.
func (s *player) today(ctx context.Context, read int) error {
	p := s.out
	p.Line("\n%s", p.Style(ui.Bold, "3  Today a new session opens."))
	p.Line("   Without memory it gets nothing, and would read the same files again: about")
	p.Line("   %d tokens of them in yesterday's session (estimate). With Remanence:", read)
	s.report.ReadTokens = read
	events, err := s.events("today")
	if err != nil {
		return err
	}
	for _, e := range events {
		took, out, err := s.hook(ctx, e)
		if err != nil {
			return err
		}
		p.Line("\n   %-20s %-46s %5.1f ms", s.what(e), ui.Clip(ui.OneLine(s.detail(e)), 46), took.Seconds()*1000)
		said := contextOf(out)
		s.note(2, e, took, said)
		if said == "" {
			p.Line("   (nothing to add: it was injected already)")
			continue
		}
		for line := range strings.Lines(said) {
			p.Line("   │ %s", strings.TrimRight(ui.Safe(line), "\n"))
		}
		p.Line("   %d tokens", chars.Tokens(said))
		s.wait()
	}
	return nil
}

// forgetAndRestore shows that a memory can be taken back, and that again.
func (s *player) forgetAndRestore(ctx context.Context) error {
	inner := s.inner()
	defer func() { inner.Close() }()
	found, err := daemon.Ask(ctx, inner, api.Search, recall.SearchRequest{
		ProjectRef: inner.ProjectRef(),
		Query:      mem.Query{Kinds: []mem.Kind{mem.Decision}, Limit: 1},
	})
	if err != nil {
		return err
	}
	if len(found.Hits) == 0 {
		return fault.Other.Because("the demo kept no decision")
	}
	id := found.Hits[0].Memory.ID
	if err := s.command(ctx, "forget", id, "--yes"); err != nil {
		return err
	}
	return s.command(ctx, "restore", id)
}

// events are the payloads of a session, as the client sent them.
func (s *player) events(name string) ([][]byte, error) {
	b, err := sessions.ReadFile(name + ".jsonl")
	if err != nil {
		return nil, fmt.Errorf("read the demo: %w", err)
	}
	b = bytes.ReplaceAll(b, []byte("@PROJECT@"), ui.InJSON(s.project))
	b = bytes.ReplaceAll(b, []byte("@HOME@"), ui.InJSON(s.home()))
	var out [][]byte
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		out = append(out, bytes.Clone(sc.Bytes()))
	}
	return out, sc.Err()
}

func (s *player) home() string { return filepath.Join(s.dir, "home") }

// getenv is the scratch home's environment: nothing of the person's own.
func (s *player) getenv(name string) string {
	switch name {
	case "HOME", "USERPROFILE":
		return s.home()
	case "CLAUDE_PROJECT_DIR":
		return s.project
	case config.EnvName("worker.idle_exit"):
		return idle
	case "PATH", "TMPDIR", "LANG", "LC_ALL", "TZ", "TERM", "NO_COLOR", "CLICOLOR_FORCE", "SystemRoot", "TEMP", "TMP":
		return s.Sys.Getenv(name)
	}
	return ""
}

// hook runs the real hook on one payload.
func (s *player) hook(ctx context.Context, payload []byte) (time.Duration, []byte, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, s.exe, "hook", "claude-code")
	cmd.Env = append(hookclient.Environ(s.getenv), "CLAUDE_PROJECT_DIR="+s.project)
	cmd.Dir, cmd.Stdin, cmd.Stdout = s.project, bytes.NewReader(payload), &out
	begun := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, nil, fmt.Errorf("run the hook: %w", err)
	}
	return time.Since(begun), out.Bytes(), nil
}

// command runs one of our commands in the scratch home and shows it.
func (s *player) command(ctx context.Context, args ...string) error {
	p := s.out
	p.Line("\n   $ remanence %s", strings.Join(quoted(args), " "))
	var out bytes.Buffer
	sys := s.Sys
	sys.Args, sys.Getenv, sys.Stdout, sys.Stderr, sys.Stdin = args, s.getenv, &out, &out, strings.NewReader("")
	code := s.Execute(ctx, sys)
	for line := range strings.Lines(out.String()) {
		p.Line("   %s", strings.TrimRight(line, "\n"))
	}
	s.wait()
	if code != 0 {
		return fault.Other.Because("remanence %s ended with %d", args[0], code)
	}
	return nil
}

func quoted(args []string) []string {
	out := make([]string, 0, len(args))
	for _, a := range args {
		if strings.Contains(a, " ") {
			a = `"` + a + `"`
		}
		out = append(out, a)
	}
	return out
}

// inner connects to the daemon of the scratch home.
func (s *player) inner() *daemon.Connection {
	sys := s.Sys
	sys.Getenv, sys.Stdout = s.getenv, io.Discard
	in := &daemon.Connection{Sys: sys, Close: func() {}}
	in.Paths, _ = config.FindPaths(s.getenv, "") // HOME is set
	return in
}

// clear stops the daemon the demo started and removes its directory.
func (s *player) clear() error {
	p := s.out
	ctx, stop := context.WithTimeout(context.Background(), daemon.StartTimeout)
	defer stop()
	in := s.inner()
	if rt, err := hookclient.ReadRuntime(in.Paths); err == nil {
		if err := rt.Client(config.Version).Drain(ctx); err != nil {
			p.Say("the demo's daemon could not be stopped: %v", err)
		}
	}
	if s.Keep {
		p.Line("\n%s", p.Style(ui.Bold, "5  Everything was written below "+s.dir+" (kept)."))
		p.Line("   look at it: remanence --data-dir %s --project all search", in.Paths.Data)
		return nil
	}
	if err := removeSoon(ctx, s.dir); err != nil {
		return fmt.Errorf("remove the demo's directory: %w", err)
	}
	p.Line("\n%s", p.Style(ui.Bold, "5  Nothing was written outside "+s.dir+" (removed)."))
	s.goOn()
	return nil
}

// removeSoon removes a directory that a process on its way out may still write to.
func removeSoon(ctx context.Context, dir string) error {
	for {
		err := os.RemoveAll(dir)
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// goOn names the next commands for this machine.
func (s *player) goOn() {
	p := s.out
	agents := setup.Detect(setup.FromEnv(s.Sys.Getenv("HOME"), s.Sys.Getenv))
	if len(agents) == 0 {
		p.Line("   Next: remanence install claude-code    once Claude Code is here")
	}
	for _, found := range agents {
		p.Line("   Next: remanence install %s --dry-run    %s is here, with %s", found.ID, found.Name,
			ui.Plural(found.Sessions, "past session", "past sessions"))
	}
	p.Line("         remanence help")
}

func (s *player) wait() {
	if !s.Fast {
		time.Sleep(pause)
	}
}
