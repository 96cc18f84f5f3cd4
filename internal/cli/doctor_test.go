package cli

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/spool"
)

// machine is a machine of its own whose store doctor looks at without a daemon.
type machine struct {
	*app
	t *testing.T
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	getenv := environment(map[string]string{"HOME": t.TempDir()})
	p, err := pathsFrom(getenv, "")
	if err != nil {
		t.Fatal(err)
	}
	sys := System{Getenv: getenv, Now: time.Now, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}
	a := &app{sys: sys, paths: p, close: func() {}, flags: flags{noDaemon: true}}
	a.out = newPrinter(sys, a.flags)
	t.Cleanup(func() { a.close() })
	return &machine{a, t}
}

// store opens the machine's store for a moment.
func (p *machine) store(f func(h *house)) {
	p.t.Helper()
	h, err := build(p.t.Context(), p.sys, p.paths, discard())
	if err != nil {
		p.t.Fatal(err)
	}
	f(h)
	if err := h.store.Close(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *machine) apply(batches ...mem.Batch) {
	p.t.Helper()
	p.store(func(h *house) {
		if _, err := h.store.Apply(p.t.Context(), batches...); err != nil {
			p.t.Fatal(err)
		}
	})
}

// remember keeps a memory past the door.
func (p *machine) remember(body string) {
	p.apply(mem.Batch{Memories: []mem.Memory{{Scope: mem.ScopeUser, Kind: mem.Fact, Title: "a fact", Body: body, Trust: mem.TrustUser}}})
}

// faults are the codes of what doctor warns of or fails.
func faultsIn(checks []checkItem) []string {
	var codes []string
	for _, c := range checks {
		if c.State == setup.Fail || c.State == setup.Warn {
			codes = append(codes, deref(c.Code))
		}
	}
	return codes
}

// seeds are the faults that need no process of their own, with what mends them
// where that is safe. Others are seeded in the scripts of the command.
var seeds = map[string]struct {
	seed func(p *machine)
	safe bool
}{
	"REM-D005": {seed: func(p *machine) {
		long := time.Now().Add(-time.Hour)
		p.apply(mem.Batch{Jobs: []mem.Job{{ID: "j_1", Kind: "digest", Created: long}}})
	}},
	"REM-D006": {safe: true, seed: func(p *machine) {
		e := mem.Event{Kind: mem.Stop, Session: "s", Agent: "claude-code", At: time.Now(), Text: "done"}
		e.Identify("n")
		if _, err := spool.Open(spool.Config{Dir: p.paths.Spool()}).Handle(p.t.Context(), e); err != nil {
			p.t.Fatal(err)
		}
	}},
	"REM-S006": {safe: true, seed: func(p *machine) {
		p.remember("the keeper counts herons")
		spoilIndex(p.t, p.paths.Database())
	}},
	"REM-S007": {safe: true, seed: func(p *machine) {
		p.remember("the keeper counts herons")
		if err := os.Chmod(p.paths.Database(), 0o644); err != nil {
			p.t.Fatal(err)
		}
		if err := os.Chmod(p.paths.Data, 0o755); err != nil {
			p.t.Fatal(err)
		}
	}},
	"REM-S008": {seed: func(p *machine) {
		ahead := time.Now().Add(2 * time.Hour)
		p.apply(mem.Batch{
			Event:   &mem.Event{ID: "e_1", Kind: mem.Stop, Session: "s", At: ahead},
			Session: &mem.SessionChange{Agent: "claude-code"},
		})
	}},
	"REM-S012": {seed: func(p *machine) { p.remember("of <private>the bank</private>") }},
	"REM-P001": {seed: func(p *machine) { p.remember("use AKIA" + "IOSFODNN7EXAMPLQ for the bucket") }},
	"REM-H014": {safe: true, seed: func(p *machine) {
		spool.Open(spool.Config{Dir: p.paths.Spool()}).Count("test")
	}},
	"REM-C001": {seed: func(p *machine) {
		if err := os.MkdirAll(filepath.Dir(p.paths.Config), 0o700); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(p.paths.Config, []byte("[hooks]\nnope = 1\n"), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}},
}

// spoilIndex turns a word of the index, which knows herons by their stem, into another.
func spoilIndex(t *testing.T, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	spoilt := regexp.MustCompile(`heron([^s])`).ReplaceAll(b, []byte("heroi$1"))
	if bytes.Equal(b, spoilt) {
		t.Fatal("the index does not hold the word")
	}
	if err := os.WriteFile(file, spoilt, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAHealthyMachineShowsNoFault(t *testing.T) {
	p := newMachine(t)
	for _, when := range []string{"new", "used"} {
		if got := faultsIn(p.examine(t.Context())); len(got) > 0 {
			t.Errorf("%s: got %v, want none", when, got)
		}
		p.close()
		p.close = func() {}
		p.remember("the keeper counts herons")
	}
}

func TestEverySeededFaultIsFoundAndTheSafeOnesAreMended(t *testing.T) {
	for code, c := range seeds {
		t.Run(code, func(t *testing.T) {
			p := newMachine(t)
			c.seed(p)
			checks := p.examine(t.Context())
			if got := faultsIn(checks); !slices.Equal(got, []string{code}) {
				t.Fatalf("got %v, want %s alone", got, code)
			}
			i := slices.IndexFunc(checks, func(item checkItem) bool { return deref(item.Code) == code && item.State != setup.Info })
			if item := checks[i]; item.SafeFix != c.safe || item.Why == nil || len(item.Fix) == 0 {
				t.Errorf("got %+v, want a cause, a fix, safe %v", item, c.safe)
			}
			did := p.repair(t.Context(), checks)
			if !c.safe {
				if len(did) > 0 {
					t.Errorf("did %v unasked", did)
				}
				return
			}
			if got := faultsIn(p.examine(t.Context())); len(got) > 0 || len(did) != 1 {
				t.Errorf("after the fix: got %v, done %v, want none, one", got, did)
			}
		})
	}
}

// judged are faults whose sign comes from elsewhere: what is judged by a sign
// is shown with the signs in TestChecksOfWhatTheDaemonTells.
var judged = map[string]checkItem{
	"REM-S005": diskItem(100<<20, true),
	"REM-H010": checkHooks(mem.Overview{Health: mem.Health{Hooks: 9, HookP95MS: 400}}),
	"REM-H016": checkFiring([]setup.Record{{When: time.Unix(0, 0)}}, mem.Overview{}, time.Unix(1e9, 0)),
	"REM-H013": briefingItem(mem.Receipt{}),
	"REM-D008": portTaken(),
}

// unfolded is what is said of a log that nobody can fold in.
func unfolded(t *testing.T) checkItem {
	p := newMachine(t)
	if err := os.MkdirAll(p.paths.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.paths.Database()+"-wal", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(p.paths.Database()+"-wal", 1<<30); err != nil {
		t.Fatal(err)
	}
	return p.checkLog()
}

func portTaken() checkItem {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return checkItem{}
	}
	defer l.Close()
	items := httpItem(1, api.Runtime{HTTPFault: "address in use"})
	return items[0]
}

// TestEveryFaultThatDoctorCanShowHasASeed fails when a code is shown by doctor
// and no test makes it come.
func TestEveryFaultThatDoctorCanShowHasASeed(t *testing.T) {
	judged := maps.Clone(judged)
	judged["REM-S018"] = unfolded(t)
	for code, item := range judged {
		if deref(item.Code) != code || item.State == setup.OK {
			t.Errorf("%s: got %s %s", code, item.State, deref(item.Code))
		}
	}
	scripts, err := filepath.Glob("../../cmd/remanence/testdata/doctor*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%v, %v", scripts, err)
	}
	seen := map[string]bool{}
	for _, s := range scripts {
		b, err := os.ReadFile(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^stdout .*(REM-[A-Z]\d{3})`).FindAllStringSubmatch(string(b), -1) {
			seen[m[1]] = true
		}
	}
	for _, f := range Faults() {
		_, seeded := seeds[f.Code]
		_, known := judged[f.Code]
		if !seeded && !known && !seen[f.Code] && !slices.Contains(notOfDoctor(), f.Code) {
			t.Errorf("%s %s: no test seeds it", f.Code, f.What)
		}
	}
}

// notOfDoctor are the faults of commands: what somebody asked for did not work.
// A check shows none of them by itself.
func notOfDoctor() []string {
	return []string{
		"REM-U000", "REM-U001", "REM-U002", "REM-U003", "REM-U004", "REM-U005", "REM-U006", "REM-U007",
		"REM-C003", "REM-C004", "REM-C005", "REM-D007", "REM-H000", "REM-H015",
		"REM-S010", "REM-S011", "REM-S013", "REM-S014", "REM-S015", "REM-S016", "REM-S017",
	}
}

func TestAFixThatDoesNotWorkIsSaidAndNotCountedAsDone(t *testing.T) {
	p := newMachine(t)
	c := bad("modes", true, faultModes.because("x")).safely(func(context.Context) error { return io.ErrUnexpectedEOF })
	if did := p.repair(t.Context(), []checkItem{c}); len(did) > 0 {
		t.Errorf("got %v, want nothing done", did)
	}
}
