package views

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/outcome"
)

func TestASessionWithoutChangesIsToldByItsSummaryOrItsNewestTurn(t *testing.T) {
	turn := func(n int, key string) mem.Memory {
		at := time.Date(2026, 3, 2, n, 0, 0, 0, time.UTC)
		return mem.Memory{
			ID: fmt.Sprint("m_", n), Kind: mem.Summary, Key: key, Created: at, Session: "one",
			Summary: &mem.SummaryText{Completed: fmt.Sprint("m_", n)},
		}
	}
	for want, turns := range map[string][]mem.Memory{ // newest first
		"m_9": {turn(9, "turn:3"), turn(8, "turn:2")},
		"m_7": {turn(9, "turn:3"), turn(7, "session:turn:1"), turn(6, "session:turn:0")},
	} {
		r := newRecap()
		for _, m := range turns {
			r.add(m)
		}
		r.outcomes()
		for _, d := range r.days {
			if d.finish(outcome.Runs{}); len(d.Outcomes) != 1 || d.Outcomes[0].ID != want {
				t.Errorf("got %v, want %s", d.Outcomes, want)
			}
		}
	}
}

func TestABusyDayIsToldInTwentyLines(t *testing.T) {
	var d RecapDay
	for i := range 30 {
		item := RecapItem{Title: fmt.Sprint("item ", i)}
		d.Outcomes, d.Decisions, d.Open = append(d.Outcomes, item), append(d.Decisions, item), append(d.Open, item)
		d.Failures = append(d.Failures, outcome.Failure{Command: fmt.Sprint("make ", i), Times: 2})
		d.Commits = append(d.Commits, RecapCommit{Hash: fmt.Sprint(i), Subject: "s"})
		d.Files = append(d.Files, fmt.Sprint(i, ".go"))
	}
	counts := map[string]int{}
	for _, l := range d.Lines(0) {
		if !strings.HasPrefix(l.Text, "and ") {
			counts[l.Section]++
		}
	}
	if got, want := fmt.Sprint(counts), "map[commit:2 decided:5 done:10 failed:2 files:1 open:4]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := len(d.Lines(1)); n != 11 { // one of each, "and 29 more", and one line of files
		t.Errorf("%d lines with one item each, want 11", n)
	}
}

func TestWhatIsUnfinishedOfTheRestIsCounted(t *testing.T) {
	var d RecapDay
	for i, state := range []string{"committed 1111111", "pushed", "not committed", "committed 2222222, push failed", ""} {
		d.Outcomes = append(d.Outcomes, RecapItem{Title: fmt.Sprint("item ", i), State: state})
	}
	if got, want := d.Lines(2)[2].Text, "and 3 more, 2 of them unfinished"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := d.Lines(4)[4].Text, "and 1 more"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestACommitThatAnOutcomeNamesIsListedOnce(t *testing.T) {
	d := RecapDay{
		Outcomes: []RecapItem{{Title: "sign the release", State: "committed 1111111", Session: "s_1"}},
		Commits: []RecapCommit{
			{Hash: "1111111", Subject: "sign the release", Session: "s_1"},
			{Hash: "2222222", Subject: "sign the release", Session: "s_2"},
		},
	}
	want := "[{done sign the release (committed 1111111)} {commit 2222222 sign the release}]"
	if got := fmt.Sprint(d.Lines(0)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
