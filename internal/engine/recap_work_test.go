package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/outcome"
	"remanence/internal/views"
)

// outcomesOf plays turns of a session a minute apart and returns what came of it, newest first, as "title (state)".
func outcomesOf(t *testing.T, s *stage, turns ...[]mem.Event) []string {
	t.Helper()
	return outcomesAfter(t, s, 0, turns...)
}

// outcomesAfter is outcomesOf with a time between two turns.
func outcomesAfter(t *testing.T, s *stage, pause time.Duration, turns ...[]mem.Event) []string {
	t.Helper()
	began := s.clock
	s.play(start("startup"))
	for _, turn := range turns {
		for _, ev := range turn {
			s.clock = s.clock.Add(time.Minute)
			s.play(ev)
		}
		s.clock = s.clock.Add(pause)
	}
	s.clock = s.clock.Add(time.Minute)
	s.play(mem.Event{Kind: mem.SessionEnd, Source: "prompt_input_exit"})
	got, err := s.Views.Recap(t.Context(), views.RecapRequest{ProjectRef: shop, Since: began.Add(-time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range got.Days {
		for _, o := range d.Outcomes {
			out = append(out, o.Title+" ("+o.State+")")
		}
	}
	return out
}

const (
	feeFile    = "/home/dev/shop/fee.go"
	exportFile = "/home/dev/shop/export.go"
)

func roundFee(id string) []mem.Event {
	return []mem.Event{
		prompt(id, "round the card fee half up"), edited(id, id+"e", feeFile, "x / 1000", "(x + 500) / 1000"),
		stop(id, "The card fee is rounded half up now, because the division cut the remainder off."),
	}
}

func TestARecapSaysWhereEachPieceOfWorkStands(t *testing.T) {
	fee := "The card fee is rounded half up now, because the division cut the remainder off"
	made := "[main 0a1b2c3] fee: round half up\n 1 file changed\n"
	commit := func(id, command, output string) []mem.Event {
		return []mem.Event{prompt(id, "commit this"), ran(id, id+"c", command, output), stop(id, "Committed.")}
	}
	push := func(id string, ev mem.Event) []mem.Event {
		return []mem.Event{prompt(id, "push it"), ev, stop(id, "Done.")}
	}
	for name, c := range map[string]struct {
		turns [][]mem.Event
		want  []string
	}{
		"changed": {[][]mem.Event{roundFee("p1")}, []string{fee + " (not committed by the agent)"}},
		"committed": {
			[][]mem.Event{roundFee("p1"), commit("p2", "git commit -am 'fee: round half up'", made)},
			[]string{"fee: round half up (committed 0a1b2c3)"},
		},
		"committed, and git prints nothing": {
			[][]mem.Event{roundFee("p1"), commit("p2", "git commit -q -am 'fee: round half up'", "")},
			[]string{"fee: round half up (committed)"},
		},
		"the commit failed": {
			[][]mem.Event{roundFee("p1"), {
				prompt("p2", "commit this"),
				failed("p2", "c", "git commit -am 'fee: round half up'", "Exit code 1\nlint: fee.go:3"), stop("p2", "It failed."),
			}},
			[]string{fee + " (not committed: the commit failed)"},
		},
		"the push is rejected": {
			[][]mem.Event{
				roundFee("p1"), commit("p2", "git commit -am 'fee: round half up'", made),
				push("p3", failed("p3", "u", "git push", "Exit code 1\n ! [rejected] main -> main (fetch first)")),
			},
			[]string{"fee: round half up (committed 0a1b2c3, push failed)"},
		},
		"the push is rejected behind a pipe": {
			[][]mem.Event{
				roundFee("p1"), commit("p2", "git commit -am 'fee: round half up'", made),
				push("p3", ran("p3", "u", "git push 2>&1 | tail -3", "To shop.git\n ! [rejected] main -> main (fetch first)\n")),
			},
			[]string{"fee: round half up (committed 0a1b2c3, push failed)"},
		},
		"a commit and a push in one line that fails": {
			[][]mem.Event{roundFee("p1"), push("p2", failed("p2", "u", "git commit -am 'fee: round half up' && git push",
				"Exit code 1\n"+made+" ! [rejected] main -> main (fetch first)"))},
			[]string{"fee: round half up (committed 0a1b2c3, push failed)"},
		},
		"pushed at the second attempt": {
			[][]mem.Event{
				roundFee("p1"), commit("p2", "git commit -am 'fee: round half up'", made),
				push("p3", failed("p3", "u", "git push", "Exit code 1\n ! [rejected] main -> main (fetch first)")),
				push("p4", ran("p4", "v", "git push --force-with-lease", "To shop.git\n   1..2 main -> main\n")),
			},
			[]string{"fee: round half up (committed 0a1b2c3, pushed)"},
		},
		"a publication that fails": {
			[][]mem.Event{
				roundFee("p1"), commit("p2", "git commit -am 'fee: round half up'", made),
				{
					prompt("p3", "publish it"), failed("p3", "u", "npm publish", "Exit code 1\nnpm error 403"),
					stop("p3", "Version 1.2.0 is published."),
				},
			},
			[]string{"fee: round half up (committed 0a1b2c3, `npm publish` failed)"},
		},
		"a check that fails": {
			[][]mem.Event{append(roundFee("p1")[:2],
				failed("p1", "f", "go test ./fee", "Exit code 1\nfee_test.go:9: 87, want 88"),
				stop("p1", "The card fee is rounded half up now, because the division cut the remainder off."))},
			[]string{fee + " (not committed by the agent, `go test ./fee` fails)"},
		},
		"a check that fails and then passes": {
			[][]mem.Event{append(roundFee("p1")[:2],
				failed("p1", "f", "go test ./fee", "Exit code 1\nfee_test.go:9: 87, want 88"),
				ran("p1", "g", "go test ./...", "ok"),
				stop("p1", "The card fee is rounded half up now, because the division cut the remainder off."))},
			[]string{fee + " (not committed by the agent)"},
		},
		"one piece is committed, the next is not": {
			[][]mem.Event{roundFee("p1"), commit("p2", "git commit -am 'fee: round half up'", made), {
				prompt("p3", "show the fee in the export"), edited("p3", "e3", exportFile, "sum", "sum, fee"),
				stop("p3", "The CSV export has a column for the fee now, so that the sums can be checked."),
			}},
			[]string{
				"The CSV export has a column for the fee now, so that the sums can be checked (not committed by the agent)",
				"fee: round half up (committed 0a1b2c3)",
			},
		},
		"changed again after the commit": {
			[][]mem.Event{append(roundFee("p1")[:2],
				ran("p1", "c", "git commit -am 'fee: round half up'", made), edited("p1", "e2", feeFile, "500", "499"),
				stop("p1", "The card fee is rounded half up now, because the division cut the remainder off."))},
			[]string{"fee: round half up (committed 0a1b2c3, changed again since)"},
		},
		"interrupted after it said something": {
			[][]mem.Event{append(roundFee("p1")[:2], mem.Event{
				Kind: mem.Stop, PromptID: "p1", Source: mem.Interrupted,
				Text: "The export shows that the card fee is cut off, because the division has no remainder.",
			})},
			[]string{"changed fee.go; asked for: round the card fee half up (not committed by the agent)"},
		},
		"what is said of the commit": {
			[][]mem.Event{roundFee("p1"), {
				prompt("p2", "commit this"), ran("p2", "c", "git commit -am 'fee: round half up'", made),
				stop("p2", "The hook also picks up the tests of the old clones, since they are in the same directory."),
			}},
			[]string{"fee: round half up (committed 0a1b2c3)"},
		},
		"changed by a script": {
			[][]mem.Event{{
				prompt("p1", "round the card fee half up"), ran("p1", "e", "sed -i 's/x/x + 500/' fee.go", ""),
				ran("p1", "f", "sed -i 's/x/x + 500/' /tmp/fee.go", ""),
				stop("p1", "The card fee is rounded half up now, because the division cut the remainder off."),
			}},
			[]string{fee + " (not committed by the agent)"},
		},
		"interrupted": {
			[][]mem.Event{roundFee("p1")[:2]},
			[]string{"changed fee.go; asked for: round the card fee half up (not committed by the agent)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.common = "/home/dev/shop/.git"
			if got := outcomesOf(t, s, c.turns...); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
	t.Run("without a repository", func(t *testing.T) {
		if got, want := outcomesOf(t, newStage(t), roundFee("p1")), []string{fee + " ()"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestARecapOfSomeDaysReadsOnlyTheirCommits(t *testing.T) {
	s := newStage(t)
	s.common = "/home/dev/shop/.git"
	var asked []time.Time
	s.Views.Log = func(_ context.Context, _ string, since time.Time, _ []string) (outcome.History, error) {
		asked = append(asked, since)
		return outcome.History{}, nil
	}
	s.play(start("startup"))
	s.play(roundFee("p1")...)
	s.clock = s.clock.Add(72 * time.Hour)
	day := s.clock.Local().Truncate(24 * time.Hour)
	s.play(roundFee("p2")...)
	got, err := s.Views.Recap(t.Context(), views.RecapRequest{ProjectRef: shop, Limit: 1})
	if err != nil || len(got.Days) != 1 || !got.Cut {
		t.Fatalf("got %+v, %v, want one day of two", got, err)
	}
	if len(asked) != 1 || asked[0].Before(day.Add(-24*time.Hour)) {
		t.Errorf("read the commits since %v, want those since %v", asked, day)
	}
}

// eventQueries records what events are asked for.
type eventQueries struct {
	mem.Store
	asked []mem.EventQuery
}

func (s *eventQueries) Events(ctx context.Context, q mem.EventQuery) ([]mem.Event, error) {
	s.asked = append(s.asked, q)
	return s.Store.Events(ctx, q)
}

// Calls after the period would take the places of its own: only so many are read.
func TestARecapReadsNoCallsAfterItsPeriod(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"))
	s.play(roundFee("p1")...)
	until := s.clock.Add(time.Hour)
	asked := &eventQueries{Store: s.store}
	s.Views.Store = asked
	must(s.Views.Recap(t.Context(), views.RecapRequest{ProjectRef: shop, Until: until}))
	if len(asked.asked) != 1 || !asked.asked[0].Before.Equal(until) {
		t.Errorf("asked for %+v, want the calls before %v", asked.asked, until)
	}
}

func TestAHandoffReadsTheCommitsOfItsSessionsOnce(t *testing.T) {
	s := newStage(t)
	s.common = "/home/dev/shop/.git"
	var asked []time.Time
	s.Views.Log = func(_ context.Context, _ string, since time.Time, _ []string) (outcome.History, error) {
		asked = append(asked, since)
		return outcome.History{}, nil
	}
	first := s.clock
	for _, session := range []string{"one", "two"} {
		s.inSession = session
		s.play(start("startup"))
		s.play(roundFee("p1")...)
		s.clock = s.clock.Add(time.Hour)
	}
	got := must(s.Views.Handoff(t.Context(), shop))
	if len(got.Sessions) != 2 || !strings.HasSuffix(got.Sessions[0].Outcome, "(not committed)") ||
		!strings.HasSuffix(got.Sessions[1].Outcome, "(not committed)") {
		t.Errorf("sessions are %+v, want the state of both", got.Sessions)
	}
	if len(asked) != 1 || asked[0].Before(first) || asked[0].After(first.Add(time.Minute)) {
		t.Errorf("asked for the commits since %v, want once, since %v", asked, first)
	}
}

func TestACommitThatIsMadeAfterItFailedIsNoDeadEnd(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"))
	s.play(roundFee("p1")...)
	s.play(prompt("p2", "commit this"),
		failed("p2", "c1", `git add fee.go dist && git commit -m "fee: round half up"`, "Exit code 1\ndist is ignored"),
		ran("p2", "c2", `git add fee.go && git commit -m "fee: round half up"`, "[main 0a1b2c3] fee: round half up\n"),
		stop("p2", "Committed."))
	got, err := s.Views.Handoff(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	want := "fee: round half up (committed 0a1b2c3)"
	if len(got.Sessions) != 1 || got.Sessions[0].Outcome != want {
		t.Errorf("sessions %+v, want the state of the work", got.Sessions)
	}
	if len(got.DeadEnds) > 0 || len(got.Blockers) > 0 {
		t.Errorf("dead ends %+v, blockers %q, want none", got.DeadEnds, got.Blockers)
	}
}

// An answer that begins with what was wrong, or names only what was there before, is summed up by what was changed.
func TestARecapSaysWhatWasChangedAndNotWhatWasWrong(t *testing.T) {
	for answer, want := range map[string]string{
		"**Root cause**: the division cut the remainder off.\n\n`fee.go`: Added `roundHalfUp()` for all amounts.": "" +
			"`fee.go`: Added `roundHalfUp()` for all amounts",
		"The fee: `cardFee` was only computed once for each month, not for each card.\n\nI replaced it with `roundHalfUp`, " +
			"which runs for each card.": "I replaced it with `roundHalfUp`, which runs for each card",
		"The card fee is rounded half up now, for all cards.\n\nI added `roundHalfUp` for that.": "" +
			"The card fee is rounded half up now, for all cards",
	} {
		got := outcomesOf(t, newStage(t), []mem.Event{
			prompt("p1", "round the card fee half up"),
			edited("p1", "e", feeFile, "cardFee = x / 1000", "cardFee = roundHalfUp(x)"), stop("p1", answer),
		})
		if want += " ()"; !slices.Equal(got, []string{want}) {
			t.Errorf("%s:\ngot  %q\nwant %q", answer, got, want)
		}
	}
}

func TestAPieceOfWorkOfTwoDaysStandsOnceInARecap(t *testing.T) {
	got := outcomesAfter(t, newStage(t), 24*time.Hour, roundFee("p1"), []mem.Event{
		prompt("p2", "commit this"),
		ran("p2", "c", "git commit -am 'fee: round half up'", "[main 0a1b2c3] fee: round half up\n"),
		stop("p2", "Committed."),
	})
	if len(got) != 1 || !strings.HasSuffix(got[0], "(committed 0a1b2c3)") {
		t.Errorf("done: %q", got)
	}
}
