package views

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/outcome"
)

// newRecap returns an empty recap whose sessions are all of one project.
func newRecap() *recap {
	return &recap{
		days: map[[2]string]*RecapDay{}, made: map[string][]mem.Commit{},
		projects: map[string]mem.Project{}, did: map[string]*recapSession{},
		session: func(id string) mem.Session { return mem.Session{ID: id, Short: id, Project: "p_shop"} },
	}
}

// A commit that the summary of its turn lists is known; each other one is looked for in the repository once.
func TestARecapLooksOnlyForCommitsThatNoSummaryLists(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	var looked []string
	e := event.New(event.Config{Commits: func(_ mem.Project, prefix string) []mem.Commit {
		looked = append(looked, prefix)
		return []mem.Commit{{ID: prefix + "ffff", Committed: at, Authored: at}}
	}})
	r := newRecap()
	r.made["one"] = []mem.Commit{{ID: "1111111aaaa"}}
	r.projects["p_shop"] = mem.Project{Key: "p_shop", Common: "/home/dev/shop/.git"}
	call := func(printed string) {
		t.Helper()
		in, err1 := json.Marshal(map[string]string{"command": "git commit -am work"})
		out, err2 := json.Marshal(map[string]string{"stdout": printed})
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		r.call(e, mem.Event{
			Kind: mem.PostToolUse, Session: "one", At: at, Tool: mem.ToolShell, Input: in, Response: out,
		})
	}
	call("[main 1111111] client\n")
	if len(looked) > 0 {
		t.Errorf("looked for %v, which the summary lists", looked)
	}
	call("[main 1111111] client\n[main 2222222] server\n")
	if want := []string{"2222222"}; !slices.Equal(looked, want) {
		t.Errorf("looked for %v, want %v", looked, want)
	}
	var ids []string
	for _, d := range r.days {
		for _, c := range d.Commits {
			ids = append(ids, c.ID)
		}
	}
	if want := []string{"1111111aaaa", "1111111aaaa", "2222222ffff"}; !slices.Equal(ids, want) {
		t.Errorf("the commits are %v, want %v", ids, want)
	}
}

// What is laid down again in another session of the day stands once.
func TestADecisionThatIsRepeatedStandsOnceInARecap(t *testing.T) {
	r := newRecap()
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for i, title := range []string{"always run make check", "Always run make check", "never push on a Friday"} {
		r.add(mem.Memory{
			ID: string(rune('a' + i)), Kind: mem.Decision, Trust: mem.TrustUser, Project: "p_shop", Title: title, Created: at,
			Source: mem.Source{Session: string(rune('x' + i))},
		})
	}
	for _, d := range r.days {
		if len(d.Decisions) != 2 || d.Decisions[0].ID != "a" || d.Decisions[1].ID != "c" {
			t.Errorf("decided: %v", d.Decisions)
		}
	}
}

func TestADecisionOfARecapRepeatsNoOutcome(t *testing.T) {
	const named = "I decided to wait by a timer"
	d := &RecapDay{
		done: []recapOutcome{
			{item: RecapItem{Title: "Round the card fee half up in the export"}},
			{item: RecapItem{Title: named + " (not committed)"}},
			{item: RecapItem{Title: "Add detection of dead webhooks as section 10.4 of the delivery guide"}},
		},
		Open: []RecapItem{
			{Title: "interrupted: make the fee visible at the top"},
			{Title: "a plan that was not carried out: Fee", prompt: "p9", asked: "always show the fee on the page, please"},
		},
		Decisions: []RecapItem{
			{Title: "Round the card fee half up: keep three digits in between"},
			{Title: "round the card fee half up"},
			{Title: "Add one new section 10.4, Dead Webhooks, to `guides/delivery.md`."},
			{Title: "make the fee visible at the top"},
			{Title: "always show the fee on the page", prompt: "p9"},
			{Title: "Taxes: never rounded before the sum"},
			{Title: named + "."},
		},
	}
	d.finish(outcome.Runs{})
	var got []string
	for _, item := range d.Decisions {
		got = append(got, item.Title)
	}
	want := []string{"keep three digits in between", "Taxes: never rounded before the sum", named + "."}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What worked later is not known any more after the events were deleted.
func TestAnOldFailureIsOnlyListedIfItIsKnownToBeOver(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for days, want := range map[int]string{-1: "[make fee make export]", 1: "[make export]"} {
		r := newRecap()
		r.kept = at.AddDate(0, 0, days)
		for _, m := range []mem.Memory{{Command: "make fee"}, {Command: "make export", Resolved: true}} {
			m.Kind, m.Key, m.Created, m.Updated, m.Repeats = mem.Command, "failed:"+m.Command, at, at, 8
			r.add(m)
		}
		for _, d := range r.days {
			var got []string
			for _, f := range d.Failures {
				got = append(got, f.Command)
			}
			if fmt.Sprint(got) != want {
				t.Errorf("with events since %d days after it: got %v, want %s", days, got, want)
			}
		}
	}
}

func TestATurnThatOnlyTriedToCommitIsNoOutcome(t *testing.T) {
	at := time.Date(2026, 3, 2, 23, 50, 0, 0, time.Local)
	summary := func(prompt, text string, minutes int) mem.Memory {
		return mem.Memory{
			ID: prompt, Kind: mem.Summary, Key: "turn:" + prompt, Session: "one", Project: "p_shop",
			Created: at.Add(time.Duration(minutes) * time.Minute), Summary: &mem.SummaryText{Completed: text},
			Source: mem.Source{PromptID: prompt},
		}
	}
	work := summary("p1", "The fee is rounded", 0)
	work.Modified = []string{"fee.go"}
	r := newRecap()
	for _, m := range []mem.Memory{summary("p2", "The hook changed the message", 20), work} { // newest first
		r.add(m)
	}
	r.did["one"].Commands = []outcome.Command{failedCommit(t, "p2", at.Add(15*time.Minute))}
	r.outcomes()
	var got []string
	for _, d := range r.days {
		d.finish(outcome.Runs{})
		for _, o := range d.Outcomes {
			got = append(got, o.Title)
		}
	}
	if fmt.Sprint(got) != "[The fee is rounded]" {
		t.Errorf("the outcomes are %q, want the work alone", got)
	}
}

func failedCommit(t *testing.T, prompt string, at time.Time) outcome.Command {
	t.Helper()
	c, ok := outcome.Read(outcome.Call{
		At: at, Prompt: prompt, Line: "git commit -m fee", Output: "Exit code 1", Failed: true,
	})
	if !ok {
		t.Fatal("a failed commit is of no use")
	}
	return c
}
