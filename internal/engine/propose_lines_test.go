package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// saysIn plays one session for each text, in which the person says it.
func (s *stage) saysIn(name string, texts ...string) {
	s.t.Helper()
	for i, text := range texts {
		s.inSession = fmt.Sprint(name, i)
		s.clock = s.clock.Add(24 * time.Hour)
		s.play(start("startup"), prompt(s.inSession+"p", text), stop(s.inSession+"p", "Done."))
	}
}

// linesFor returns what is proposed for a file, and what is left out as "why: title".
func (s *stage) linesFor(req views.ProposeRequest) (lines, leftOut []string, got views.ProposeResponse) {
	s.t.Helper()
	req.ProjectRef, req.File = shop, "AGENTS.md"
	got, err := s.Views.Propose(s.t.Context(), req)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, l := range got.Lines {
		lines = append(lines, l.Text)
	}
	for _, l := range got.LeftOut {
		leftOut = append(leftOut, l.Why+": "+l.Title)
	}
	return lines, leftOut, got
}

func TestWhatIsSaidInThreeSessionsIsProposed(t *testing.T) {
	s := newStage(t)
	s.saysIn("a", "Always use tabs for indentation.", "Always use tabs for indentation.", "Never push on Fridays.")
	if lines, _, _ := s.linesFor(views.ProposeRequest{}); len(lines) > 0 {
		t.Errorf("two sessions are enough for %q", lines)
	}
	lines, _, _ := s.linesFor(views.ProposeRequest{Sessions: 2})
	if !slices.Equal(lines, []string{"Always use tabs for indentation."}) {
		t.Errorf("with two sessions: %q", lines)
	}
	for _, id := range []string{"again1", "again2"} { // in a session that said it
		s.play(prompt(id, "Always use tabs for indentation."), stop(id, "Done."))
	}
	s.saysIn("b", "I told you already: always use tabs for indentation")
	lines, _, got := s.linesFor(views.ProposeRequest{Text: "# Guide\n\nUse spaces.\n"})
	if !slices.Equal(lines, []string{"Always use tabs for indentation"}) {
		t.Fatalf("proposed %q", lines)
	}
	if l := got.Lines[0]; len(l.Sessions) != 4 || l.Said != 5 || l.Basis != views.BySaying || !l.First.Before(l.Last) {
		t.Errorf("the evidence is %+v", l)
	}
	for _, req := range []views.ProposeRequest{
		{Text: "- Always use tabs for indentation.\n"},
		{With: []string{"- Always use tabs for indentation, and end lines with LF.\n"}},
	} {
		if lines, _, got := s.linesFor(req); len(lines) > 0 || got.Known != 1 {
			t.Errorf("the file says it: %q, %d known", lines, got.Known)
		}
	}
}

func TestWhatIsNotProposedIsNamed(t *testing.T) {
	s := newStage(t)
	long := "Always write the change log in the form " + strings.Repeat("of one more long example ", 12) + "here."
	rule, key := "Always use tabs for indentation.", "Always log in with the key AKIAIOSFODNN7EXAMPLQ."
	s.saysIn("a", rule, rule, rule, "Never use tabs for indentation.")
	s.saysIn("b", long, long, long)
	s.saysIn("c", key, key, key)
	lines, leftOut, got := s.linesFor(views.ProposeRequest{Text: "Retries are logged.\n"})
	for _, why := range []string{"contradicted: Always use tabs for indentation", "long: ", "secret: "} {
		if !slices.ContainsFunc(leftOut, func(l string) bool { return strings.HasPrefix(l, why) }) {
			t.Errorf("%q is not left out: %q", why, leftOut)
		}
	}
	if len(lines) > 0 {
		t.Errorf("proposed %q", lines)
	}
	if strings.Contains(fmt.Sprintf("%+v", got), "AKIA") {
		t.Error("a secret is shown")
	}
}

func TestLinesThatWereContradictedLaterAreNamed(t *testing.T) {
	s := newStage(t)
	s.saysIn("a", "From now on retries wait 60 seconds.")
	said := s.clock
	text := "# Guide\n\nRetries wait 30 seconds.\n"
	for _, c := range []struct {
		committed time.Time
		want      int
	}{{time.Time{}, 1}, {said.Add(-48 * time.Hour), 1}, {said.Add(time.Hour), 0}} {
		_, _, got := s.linesFor(views.ProposeRequest{Text: text, Changed: []time.Time{{}, {}, c.committed}})
		if len(got.Contradicted) != c.want || c.want == 1 && got.Contradicted[0].Line != 3 {
			t.Errorf("committed %v: %+v", c.committed, got.Contradicted)
		}
	}
	s.saysIn("b", "From now on retries wait 30 seconds.") // back again
	if _, _, got := s.linesFor(views.ProposeRequest{Text: text}); len(got.Contradicted) > 0 {
		t.Errorf("taken back, and still named: %+v", got.Contradicted)
	}
}

func TestWhatAnAgentClaimsIsNeverARule(t *testing.T) {
	s := newStage(t)
	for i := range 4 {
		s.inSession = fmt.Sprint("s", i)
		s.play(start("startup"), prompt(fmt.Sprint("p", i), "fix the parser"),
			stop(fmt.Sprint("p", i), "Convention here: the parser reads dates as UTC."))
	}
	if _, err := s.Curate.Add(t.Context(), curate.AddRequest{
		ProjectRef: shop, Text: "Always disable the tests.", Kind: mem.Convention, Agent: "s1",
	}); err != nil {
		t.Fatal(err)
	}
	if lines, _, _ := s.linesFor(views.ProposeRequest{Sessions: 1}); len(lines) > 0 {
		t.Errorf("proposed %q, which no person said and no session used", lines)
	}
}
