package cli

import (
	"bytes"
	"context"
	"errors"
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
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/doctor"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/spool"
	"remanence/internal/store/sqlite"
	"remanence/internal/store/stored"
	"remanence/internal/team"
	"remanence/internal/views"
)

// machine is a machine of its own whose store doctor looks at without a daemon.
type machine struct {
	*app
	t *testing.T
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	getenv := environment(map[string]string{"HOME": t.TempDir()})
	p, err := config.FindPaths(getenv, "")
	if err == nil {
		err = p.MakeWork()
	}
	if err != nil {
		t.Fatal(err)
	}
	sys := config.System{
		Getenv: getenv, Now: time.Now, Slack: time.Minute, Stdin: strings.NewReader(""),
		Stdout: io.Discard, Stderr: io.Discard,
	}
	a := &app{Connection: &daemon.Connection{Sys: sys, Paths: p, Close: func() {}, NoDaemon: true}}
	a.out = ui.NewPrinter(sys, a.flags)
	t.Cleanup(func() { a.Close() })
	return &machine{a, t}
}

// store opens the machine's store for a moment.
func (p *machine) store(f func(h *daemon.Daemon)) {
	p.t.Helper()
	h, err := daemon.New(p.t.Context(), p.Sys, p.Paths, discard(), daemon.Extension{})
	if err != nil {
		p.t.Fatal(err)
	}
	f(h)
	if err := h.Store.Close(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *machine) apply(batches ...mem.Batch) {
	p.t.Helper()
	p.store(func(h *daemon.Daemon) {
		if _, err := h.Store.Apply(p.t.Context(), batches...); err != nil {
			p.t.Fatal(err)
		}
	})
}

// configure writes the configuration.
func (p *machine) configure(toml string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.Paths.Config), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.Paths.Config, []byte(toml), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// file writes a file below the data directory.
func (p *machine) file(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.Paths.Data, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		p.t.Fatal(err)
	}
}

// happens keeps an event.
func (p *machine) happens(id string) {
	p.t.Helper()
	p.apply(mem.Batch{
		Event:   &mem.Event{ID: id, Kind: mem.Stop, Session: "s", At: time.Now()},
		Session: &mem.SessionChange{Agent: "claude-code"},
	})
}

// remember stores a memory without redaction.
func (p *machine) remember(body string) {
	p.apply(mem.Batch{Memories: []mem.Memory{{
		Scope: mem.ScopeUser, Kind: mem.Fact, Title: "a fact", Body: body,
		Trust: mem.TrustUser,
	}}})
}

// faultsIn are the codes of what doctor warns of or fails.
func faultsIn(checks []doctor.Check) []string {
	var codes []string
	for _, c := range checks {
		if c.State == setup.Fail || c.State == setup.Warn {
			codes = append(codes, ui.Deref(c.Code))
		}
	}
	return codes
}

// seeds are the faults that need no process of their own, with what repairs them
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
		if _, err := spool.Open(spool.Config{Dir: p.Paths.Spool()}).Handle(p.t.Context(), e); err != nil {
			p.t.Fatal(err)
		}
	}},
	"REM-S006": {safe: true, seed: func(p *machine) {
		p.remember("the keeper counts herons")
		spoilIndex(p.t, p.Paths.Database())
	}},
	"REM-S019": {seed: func(p *machine) {
		p.happens("e_unreadable")
		respell(p.t, p.Paths.Database(), `{"id":"e_unreadable"`, `x"id":"e_unreadable"`)
	}},
	"REM-S007": {safe: true, seed: func(p *machine) {
		p.remember("the keeper counts herons")
		if err := os.Chmod(p.Paths.Database(), 0o644); err != nil {
			p.t.Fatal(err)
		}
		if err := os.Chmod(p.Paths.Data, 0o755); err != nil {
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
		spool.Open(spool.Config{Dir: p.Paths.Spool()}).Count("test")
	}},
	"REM-C001": {seed: func(p *machine) { p.configure("[hooks]\nnope = 1\n") }},
	"REM-N004": {seed: func(p *machine) {
		p.configure("[digest]\nprovider = \"openai\"\nmodel = \"m\"\ndaily_tokens = 9000\nkey_env = \"NO_SUCH_VARIABLE\"\n")
	}},
	"REM-V001": {seed: func(p *machine) { p.file("vault/memory", "not a folder") }},
	"REM-V002": {seed: func(p *machine) { p.configure("[vault]\ndir = \"/no/such/folder\"\n") }},
	"REM-V003": {seed: func(p *machine) {
		p.file("vault/memory/fact_a.md", "a")
		p.file("vault/memory/fact_a.conflict-1.md", "b")
	}},
	"REM-V004": {seed: func(p *machine) {
		p.file("vault/USER.md", "Ada")
		p.configure("[vault]\ncritical = [\"fact_of_old\"]\n")
	}},
	"REM-N003": {seed: func(p *machine) { p.configure("[embed]\nprovider = \"ollama\"\nurl = \"http://127.0.0.1:1\"\n") }},
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

// respell changes a text in a file, wherever it stands there, to one as long.
func respell(t *testing.T, file, from, to string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	spelt := bytes.ReplaceAll(b, []byte(from), []byte(to))
	if bytes.Equal(b, spelt) || len(b) != len(spelt) {
		t.Fatalf("%q is not in the file, or %q is not as long", from, to)
	}
	if err := os.WriteFile(file, spelt, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A row that is in its table and not in an index of it is found only by comparing both.
func TestARowThatDoesNotFitItsIndexIsFoundAndRepaired(t *testing.T) {
	p := newMachine(t)
	p.happens("e_lighthouse")
	disagree(t, p.Paths.Database(), "e_lighthouse")
	if got := faultsIn(p.checks().Examine(t.Context())); !slices.Equal(got, []string{"REM-S002"}) {
		t.Fatalf("got %v, want REM-S002", got)
	}
	p.Close()
	p.Close = func() {}
	plan, err := p.planRestore(t.Context(), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.restore(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if got := faultsIn(p.checks().Examine(t.Context())); len(got) > 0 {
		t.Errorf("after the restore: got %v, want none", got)
	}
}

// disagree changes a word in one of the places where the file has it, so that
// table and index do not say the same.
func disagree(t *testing.T, file, word string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for at := range b {
		if !bytes.HasPrefix(b[at:], []byte(word)) {
			continue
		}
		b[at+len(word)-1] ^= 1
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := sqlite.Inspect(t.Context(), file); errors.Is(err, mem.ErrCorrupt) {
			return
		}
		b[at+len(word)-1] ^= 1
	}
	t.Fatalf("%q is in no index", word)
}

func TestRowsThatCannotBeReadAreLeftBehindByASalvage(t *testing.T) {
	p := newMachine(t)
	seeds["REM-S019"].seed(p)
	v, err := p.audit(t.Context(), true)
	if err != nil || v.OK || len(v.Spoilt) != 1 || !strings.Contains(v.Spoilt[0], "e_unreadable") {
		t.Fatalf("got %+v, %v, want the row named", v, err)
	}
	p.Close()
	p.Close = func() {}
	plan, err := p.planRestore(t.Context(), nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.restore(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if got := faultsIn(p.checks().Examine(t.Context())); len(got) > 0 {
		t.Errorf("after the salvage: got %v, want none", got)
	}
}

// What stands behind damage is not looked at, and nothing is said of it.
func TestPartsThatWereNotLookedAtAreNotCalledWhole(t *testing.T) {
	for _, c := range []struct {
		name string
		got  sqlite.Audit
		full bool
		oks  int
		want []string
	}{
		{"a quick look", sqlite.Audit{}, false, 3, []string{"not looked at: rows"}},
		{"a full look", sqlite.Audit{}, true, 4, nil},
		{
			"damage",
			sqlite.Audit{Damage: []string{"row 3 missing"}},
			true, 0,
			[]string{"fail", "row 3 missing", "not looked at: references", "not looked at: rows", "not looked at: index"},
		},
		{"a row", sqlite.Audit{Unreadable: []string{"event 7"}}, true, 3, []string{
			"fail", "event 7", "REM-S019",
			"restore --salvage",
		}},
	} {
		p := newMachine(t)
		var out bytes.Buffer
		p.Sys.Stdout = &out
		p.out = ui.NewPrinter(p.Sys, p.flags)
		if err := p.out.Show(p.checked(c.got, c.full)); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: got %q, want %q in it", c.name, out.String(), want)
			}
		}
		if n := strings.Count(out.String(), "✓ ok"); n != c.oks {
			t.Errorf("%s: got %d parts called whole, want %d:\n%s", c.name, n, c.oks, out.String())
		}
	}
}

// Who only looks leaves nothing behind where Remanence does not live.
func TestLookingDoesNotMoveIn(t *testing.T) {
	p := newMachine(t)
	p.NoDaemon = false
	home := p.Sys.Getenv("HOME")
	if err := os.RemoveAll(filepath.Join(home, ".local")); err != nil {
		t.Fatal(err)
	}
	checks := p.checks().Examine(t.Context())
	if got := faultsIn(checks); len(got) > 0 || checks[0].State != setup.Info {
		t.Errorf("doctor: got %v and %+v, want no fault and a daemon that is not started", got, checks[0])
	}
	if _, err := p.state(t.Context()); err != nil {
		t.Errorf("status: %v", err)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// After an uninstall that kept the data they are looked at without a daemon.
func TestWhatWasKeptIsLookedAtWithoutADaemon(t *testing.T) {
	p := newMachine(t)
	p.NoDaemon, p.Project = false, "all"
	p.remember("the keeper counts herons")
	if err := p.Paths.MarkUninstalled(); err != nil {
		t.Fatal(err)
	}
	o, err := p.state(t.Context())
	if err != nil || o.Stats.Memories != 1 || !p.NoDaemon {
		t.Errorf("got %+v, %v, without daemon %v, want the one memory, read here", o.Stats, err, p.NoDaemon)
	}
}

func TestAHealthyMachineShowsNoFault(t *testing.T) {
	p := newMachine(t)
	for _, when := range []string{"new", "used"} {
		if got := faultsIn(p.checks().Examine(t.Context())); len(got) > 0 {
			t.Errorf("%s: got %v, want none", when, got)
		}
		p.Close()
		p.Close = func() {}
		p.remember("the keeper counts herons")
	}
}

// The file holds no secret: keys are named by their variable there.
func TestAPersonsOwnConfigurationMayBeReadByOthers(t *testing.T) {
	p := newMachine(t)
	p.configure("profile = \"full\"\n")
	if err := os.Chmod(p.Paths.Config, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := p.checks().CheckModes(); got.State != setup.OK {
		t.Errorf("got %+v, want ok", got)
	}
}

func TestEverySeededFaultIsFoundAndTheSafeOnesAreRepaired(t *testing.T) {
	for code, c := range seeds {
		t.Run(code, func(t *testing.T) {
			p := newMachine(t)
			c.seed(p)
			checks := p.checks().Examine(t.Context())
			if got := faultsIn(checks); !slices.Equal(got, []string{code}) {
				t.Fatalf("got %v, want %s alone", got, code)
			}
			i := slices.IndexFunc(checks, func(item doctor.Check) bool {
				return ui.Deref(item.Code) == code && item.State != setup.Info
			})
			if item := checks[i]; item.SafeFix != c.safe || item.Why == nil || len(item.Fix) == 0 {
				t.Errorf("got %+v, want a cause, a fix, safe %v", item, c.safe)
			}
			did := p.checks().Repair(t.Context(), checks)
			if !c.safe {
				if len(did) > 0 {
					t.Errorf("did %v unasked", did)
				}
				return
			}
			if got := faultsIn(p.checks().Examine(t.Context())); len(got) > 0 || len(did) != 1 {
				t.Errorf("after the fix: got %v, done %v, want none, one", got, did)
			}
		})
	}
}

// judged are faults whose sign comes from elsewhere: what is judged by a sign
// is shown with the signs in TestChecksOfTheDaemonsStatus.
var judged = map[string]doctor.Check{
	"REM-S005": doctor.DiskItem(100<<20, true),
	"REM-H010": doctor.CheckHooks(views.StatusResponse{Health: views.Health{Hooks: 9, HookP95MS: 400}}),
	"REM-H016": doctor.CheckFiring([]setup.Record{{When: time.Unix(0, 0)}}, views.StatusResponse{}, time.Unix(1e9, 0)),
	"REM-H013": doctor.BriefingItem(mem.Receipt{}),
	"REM-D008": portTaken(),
	"REM-N002": doctor.DigestItems(event.Digesting{
		Provider: "openai", Model: "m", Limit: 900,
		Today: mem.Spending{Tokens: 900},
	})[0],
}

// unfolded returns the check of a log that cannot be folded in.
func unfolded(t *testing.T) doctor.Check {
	p := newMachine(t)
	if err := os.MkdirAll(p.Paths.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Paths.Database()+"-wal", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(p.Paths.Database()+"-wal", 1<<30); err != nil {
		t.Fatal(err)
	}
	return p.checks().CheckLog()
}

func portTaken() doctor.Check {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return doctor.Check{}
	}
	defer l.Close()
	items := doctor.HTTPItem(1, api.Runtime{HTTPFault: "address in use"})
	return items[0]
}

// TestEveryFaultThatDoctorCanShowHasASeed fails when a code is shown by doctor
// and no test makes it come.
func TestEveryFaultThatDoctorCanShowHasASeed(t *testing.T) {
	judged := maps.Clone(judged)
	judged["REM-S018"] = unfolded(t)
	judged["REM-S020"] = doctor.StoreItem(daemon.StoreHealth{}, mem.ErrAway)
	judged["REM-S024"] = doctor.TeamItems(&team.Health{Error: "away"})[0]
	judged["REM-S022"] = doctor.ServerItems(stored.Server{Superuser: true, Durable: true, Local: true})[1]
	for code, item := range judged {
		if ui.Deref(item.Code) != code || item.State == setup.OK {
			t.Errorf("%s: got %s %s", code, item.State, ui.Deref(item.Code))
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
	for _, f := range fault.All() {
		_, seeded := seeds[f.Code]
		_, known := judged[f.Code]
		if !seeded && !known && !seen[f.Code] && !slices.Contains(notOfDoctor(), f.Code) {
			t.Errorf("%s %s: no test seeds it", f.Code, f.What)
		}
	}
}

// notOfDoctor returns the faults of commands that failed.
// A check shows none of them by itself.
func notOfDoctor() []string {
	return []string{
		"REM-U000", "REM-U001", "REM-U002", "REM-U003", "REM-U004", "REM-U005", "REM-U006", "REM-U007", "REM-U008",
		"REM-U009", "REM-U010",
		"REM-C003", "REM-C004", "REM-C005", "REM-D007", "REM-H000", "REM-H015",
		"REM-S010", "REM-S011", "REM-S013", "REM-S014", "REM-S015", "REM-S016", "REM-S017", "REM-S021", "REM-S023",
		"REM-N001", "REM-P003", "REM-P004", "REM-P005",
	}
}

func TestAFixThatDoesNotWorkIsSaidAndNotCountedAsDone(t *testing.T) {
	p := newMachine(t)
	c := doctor.Bad("modes", true, fault.Modes.Because("x")).Safely(func(context.Context) error {
		return io.ErrUnexpectedEOF
	})
	if did := p.checks().Repair(t.Context(), []doctor.Check{c}); len(did) > 0 {
		t.Errorf("got %v, want nothing done", did)
	}
}
