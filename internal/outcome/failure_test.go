package outcome

import (
	"testing"
	"time"

	"remanence/internal/extract"
	"remanence/internal/mem"
)

func TestAFailureSaysWhatBecameOfIt(t *testing.T) {
	for _, c := range []struct {
		f    Failure
		want string
	}{
		{Failure{Command: "make", Times: 1}, "make; failed the last time"},
		{Failure{Command: "make", Times: 1, Resolved: true}, "make; works now"},
		{Failure{Command: "make", Times: 1, Fix: "x"}, "make; fixed: x"},
		{Failure{Command: "make", Times: 1, Fix: "x", FixedAfterS: 700}, "make; fixed after 11 min: x"},
		{
			Failure{Command: "rtk bun test", Times: 7, Resolved: true, WorksAs: "bun test"},
			"rtk bun test, 7 times; works as bun test",
		},
	} {
		if got := c.f.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestOnlyFailuresThatOccupiedASessionAreListed(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	failed := func(session, command string, repeats, minutes int, resolved bool) mem.Memory {
		return mem.Memory{
			Session: session, Command: command, Repeats: repeats, Resolved: resolved, Created: at,
			Updated: at.Add(time.Duration(minutes) * time.Minute),
		}
	}
	misused := failed("one", "rtk bun test", 0, 0, true)
	misused.Body = "error: unrecognized subcommand 'bun'"
	for name, c := range map[string]struct {
		of    []mem.Memory
		minor bool
	}{
		"works again soon":             {[]mem.Memory{failed("one", "make fee", 2, 4, true)}, true},
		"works again late":             {[]mem.Memory{failed("one", "make fee", 1, 5, true)}, false},
		"works again after many times": {[]mem.Memory{failed("one", "make fee", 3, 1, true)}, false},
		"works again soon in each of many sessions": {[]mem.Memory{
			failed("one", "make fee", 2, 4, true), failed("two", "make fee", 2, 4, true),
		}, true},
		"called wrongly":                   {[]mem.Memory{misused}, true},
		"called wrongly again and again":   {[]mem.Memory{misused, misused, misused, misused}, false},
		"still fails":                      {[]mem.Memory{failed("one", "make fee", 0, 0, false)}, false},
		"a check, as the state says":       {[]mem.Memory{failed("works", "go test ./fee", 0, 0, false)}, true},
		"a check of a session without one": {[]mem.Memory{failed("one", "go test ./fee", 0, 0, false)}, false},
		"a check that took long":           {[]mem.Memory{failed("works", "go test ./fee", 9, 30, false)}, false},
		"written for one call":             {[]mem.Memory{failed("one", "python3 -", 0, 0, false)}, true},
		"a script":                         {[]mem.Memory{failed("one", "python3 gen.py", 0, 0, false)}, false},
		"only looked":                      {[]mem.Memory{failed("one", "git status", 1, 0, false)}, true},
	} {
		f := NewFailure(c.of[0], nil)
		for _, m := range c.of[1:] {
			f.Join(NewFailure(m, nil))
		}
		if got := f.Minor(func(session string) bool { return session == "works" }); got != c.minor {
			t.Errorf("%s: minor %v, want %v", name, got, c.minor)
		}
	}
}

func TestAFailureNamesTheCallThatWorked(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for line, want := range map[string]string{
		"bun run test": "bun run test", "rtk bun run test": "", "bun run lint": "",
	} {
		var runs Runs
		c, _ := Read(Call{Line: line})
		runs.Add("p", at.Add(time.Minute), extract.Call{Command: line, Plain: line}, c)
		f := NewFailure(mem.Memory{Command: "rtk bun run test", Resolved: true, Updated: at}, nil)
		if f.Settle("p", runs); f.WorksAs != want || !f.Resolved {
			t.Errorf("after %q: works as %q, want %q", line, f.WorksAs, want)
		}
	}
}
