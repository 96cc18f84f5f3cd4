package views

import (
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/outcome"
)

func TestARecapLeavesOutWhatIsNotWorthTelling(t *testing.T) {
	d := RecapDay{
		Commits: []RecapCommit{
			{Hash: "0a1b2c3", Subject: "fee: round half up"}, {Hash: "9f9f9f9", Subject: "export: write it"},
		},
		Outcomes: []RecapItem{{Title: "committed 9f9f9f9: export: write it"}},
		Failures: []outcome.Failure{
			{Command: "sed -n '1,9p' fee.go", Times: 1},
			{Command: "git status", Times: 2},
			{Command: `git commit -m "$(cat <<'EOF' fee: round half up Signed-off-by: Ada EOF )"`, Times: 1},
			{Command: `git commit -m "$(cat <<'EOF' never made Signed-off-by: Ada EOF )"`, Times: 1},
			{Command: "make", Times: 1},
			{Command: "make fee", Times: 1, Resolved: true, Fix: "fee.go: add 500", FixedAfterS: 40},
			{Command: "grep -r fee", Times: 1, Fix: "`grep -r fee` failed (exit 2), done by `rg fee`"},
		},
	}
	d.settle()
	got := ""
	for _, l := range d.Lines(5) {
		got += l.Section + " " + l.Text + "\n"
	}
	want := "done committed 9f9f9f9: export: write it\n" +
		"failed git commit -m; failed the last time\n" +
		"failed make; failed the last time\n" +
		"failed grep -r fee; fixed: `grep -r fee` failed (exit 2), done by `rg fee`\n" +
		"commit 0a1b2c3 fee: round half up\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A rebase gives a commit another hash than git reported.
func TestARecapListsNoCommitThatAPieceOfWorkNames(t *testing.T) {
	d := RecapDay{
		Outcomes: []RecapItem{{Title: "fee: round; The fee is whole", Session: "s_1", State: "committed 3333333"}},
		Commits: []RecapCommit{
			{Hash: "1111111", Subject: "fee: round", Session: "s_1"},
			{Hash: "4444444", Subject: "fee: round", Session: "s_2"},
			{Hash: "5555555", Subject: "export: write it", Session: "s_1"},
		},
	}
	var got []string
	for _, l := range d.Lines(9) {
		if l.Section == "commit" {
			got = append(got, l.Text)
		}
	}
	if want := []string{"5555555 export: write it", "4444444 fee: round"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// ran returns that a command worked in projects, so many hours after a time.
func ran(command string, projects map[string]int, at time.Time) (out outcome.Runs) {
	for project, hours := range projects {
		call := extract.Call{Command: command, Plain: command}
		c, _ := outcome.Read(outcome.Call{Line: command})
		out.Add(project, at.Add(time.Duration(hours)*time.Hour), call, c)
	}
	return out
}

func TestAFailureSaysThatALaterRunHidItsStatus(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for output, want := range map[string]string{
		"FAIL\n":        "make gen, 9 times; failed the last time",
		"?\n":           "make gen, 9 times; a later run hid whether it works",
		"exit status 0": "make gen, 9 times; works now",
	} {
		d, runs := RecapDay{}, outcome.Runs{}
		d.fail(mem.Memory{Command: "make gen", Updated: at, Repeats: 8})
		call := extract.Call{Command: "make gen | tail -1", Plain: "make gen", Output: output}
		runs.Add("", at.Add(time.Hour), call, outcome.Command{})
		d.finish(runs)
		if got := d.Failures[0].String(); got != want {
			t.Errorf("after %q: got %s, want %s", output, got, want)
		}
	}
}

// Each session knows what it saw of a command; that it worked later in another one counts too.
func TestACommandThatWorkedLaterIsNotBroken(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for hours, want := range map[int]bool{-1: false, 1: true} {
		d := RecapDay{Project: "p_1"}
		d.fail(mem.Memory{Session: "two", Command: "make", Updated: at.Add(-2 * time.Hour)})
		d.fail(mem.Memory{Session: "one", Command: "make", Updated: at})
		d.finish(ran("make", map[string]int{"p_1": hours, "p_2": 9}, at))
		if got := d.Failures[0]; got.Resolved != want || got.Times != 2 {
			t.Errorf("worked %d h later: %+v, want resolved %v", hours, got, want)
		}
	}
}

func TestAFixThatNamesTheCommandIsPreferred(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	fix := func(minutes int, title string) mem.Memory {
		later := at.Add(time.Duration(minutes) * time.Minute)
		return mem.Memory{Session: "one", Command: "rtk test", Title: title, Created: later}
	}
	d := RecapDay{fixes: []mem.Memory{ // newest first
		fix(9, "`rtk test` failed (exit 2), done by `bun test`"), fix(5, "The change is done."),
	}}
	d.fail(mem.Memory{Session: "one", Command: "rtk test", Created: at})
	if f := d.Failures[0]; f.Fix != "`rtk test` failed (exit 2), done by `bun test`" || f.FixedAfterS != 540 {
		t.Errorf("got %+v", f)
	}
}

func TestAFixOfSomethingElseIsNotSaidOfAFailure(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	failed := mem.Memory{
		Session: "one", Command: "rtk bun run test", Created: at,
		Title: "Command failed (exit 2): rtk bun run test | Error: unrecognized subcommand 'bun'",
	}
	for title, about := range map[string]bool{
		"The panels now stand behind a guard, and run only in debug mode.": false,
		"The subcommand has to be proxied.":                                true,
		"`rtk bun run test` failed (exit 2), done by `bun run test`":       true,
	} {
		d := RecapDay{fixes: []mem.Memory{{
			Session: "one", Command: failed.Command, Title: title, Created: at.Add(time.Minute),
		}}}
		if d.fail(failed); (d.Failures[0].Fix == title) != about {
			t.Errorf("%q: got the fix %q, is it about the failure: %v", title, d.Failures[0].Fix, about)
		}
	}
}

func TestACheckThatAnotherCommandPassedLaterIsNotBroken(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for hours, want := range map[int]int{-1: 1, 1: 0} {
		d := RecapDay{Project: "p_1"}
		d.fail(mem.Memory{Session: "one", Command: "go test ./fee", Updated: at})
		d.finish(ran("go test ./...", map[string]int{"p_1": hours}, at))
		if len(d.Failures) != want {
			t.Errorf("passed %d h later: %+v, want %d", hours, d.Failures, want)
		}
	}
}

func TestFilesOutsideOfTheProjectComeLast(t *testing.T) {
	d := RecapDay{files: map[string]int{
		"/home/dev/.notes/plan.md": 9, "/home/dev/.notes/plans/fee.md": 9, "fee.go": 1, "../other/a.go": 4,
	}}
	d.finish(outcome.Runs{})
	if got := strings.Join(d.Files, " "); got != "fee.go /home/dev/.notes/plan.md ../other/a.go" {
		t.Errorf("got %s", got)
	}
}

func TestAFailedCommitIsListedOnlyIfNoWorkSaysWhatBecameOfIt(t *testing.T) {
	for state, want := range map[string]int{"": 1, "not committed: the commit failed": 0} {
		d := RecapDay{
			Outcomes: []RecapItem{{Title: "The fee is rounded", State: state}},
			Failures: []outcome.Failure{{Command: "git add fee.go && git commit -m fee", Times: 1}},
		}
		if d.settle(); len(d.Failures) != want {
			t.Errorf("with the state %q: %v, want %d", state, d.Failures, want)
		}
	}
}
