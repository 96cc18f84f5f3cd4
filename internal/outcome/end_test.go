package outcome

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
)

// talk adds what was asked for and answered in the turns of a session. Without an answer a turn was interrupted.
func (s *Session) talk(lines ...string) *Session {
	for i, l := range lines {
		asked, answer, ended := strings.Cut(l, " > ")
		s.Exchanges = append(s.Exchanges, Exchange{
			Prompt: fmt.Sprint("p", i+1), Asked: asked, Answer: answer, At: at(10*i + 9), Ended: ended,
		})
	}
	return s
}

const rounded = "round the card fee > The card fee is rounded."

func (s *Session) open(later ...string) string {
	var out []string
	for _, e := range s.Ends(s.Pieces(at(1000), false), later) {
		out = append(out, cmp.Or(e.Line("you"), "an empty line"))
	}
	return strings.Join(out, " | ")
}

func TestALastRequestThatWasNotCarriedOutIsOpen(t *testing.T) {
	fee := []string{"fee.go"}
	for name, c := range map[string]struct {
		s     *Session
		later string
		want  string
	}{
		"answered":    {s: session(nil).talk("how does the fee work > It is rounded half up.")},
		"changed":     {s: session(fee).talk("round the card fee > The card fee is rounded half up now.")},
		"interrupted": {s: session(nil).talk("round the card fee"), want: "interrupted: round the card fee"},
		"interrupted after a change": {
			s: session(fee).talk("round the card fee"), want: "interrupted after changed fee.go: round the card fee",
		},
		"interrupted before the next request": {
			s: session(nil, fee).talk("round the card fee", "round it half up > The fee is rounded half up now."),
		},
		"told to go on, and interrupted again": {
			s: session(nil, nil).talk("round the card fee", "continue"), want: "interrupted: round the card fee",
		},
		"asked for again in a later session": {
			s: session(nil).talk("round the card fee half up"), later: "please round the card fee half up",
		},
		"only announced": {
			s:    session(nil).talk("round the card fee > Let me look at the file first."),
			want: "asked for, not done: round the card fee",
		},
		"a rule that was noted": {
			s: session(nil).talk("retries wait 60 seconds from now on > Let me note that."),
		},
		"announced, and done":      {s: session(fee).talk("round the card fee > Let me look at the file first.")},
		"an answer not to be said": {s: session(nil).talk("round the card fee > ")},
		"a commit that was not made": {
			s:    session(fee, nil).talk(rounded, "commit this > Let me look at the diff."),
			want: "asked for, not done: commit this",
		},
		"thanks":            {s: session(fee, nil).talk(rounded, "thanks > You're welcome.")},
		"not to be said":    {s: session(nil).talk("")},
		"nothing was asked": {s: session(fee)},
	} {
		var later []string
		if c.later != "" {
			later = []string{c.later}
		}
		if got := c.s.open(later...); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestARequestWhosePlanAnotherSessionHasIsNotOpen(t *testing.T) {
	s := session(nil).talk("find a way to show the fee")
	s.Exchanges[0].Plan, s.Exchanges[0].Ended = "Fee in the Header", false
	if got := s.open("Implement the following plan: Fee in the Header"); got != "" {
		t.Errorf("got %q", got)
	}
	if got := s.open("Implement the following plan: Refunds"); got == "" {
		t.Error("nothing is open, though no other session has the plan")
	}
}

func TestACommitThatWasMadeIsNotOpen(t *testing.T) {
	s := session([]string{"fee.go"}, nil).talk(rounded, "commit this > I look at the diff.")
	s.Log = NewLog(History{Commits: []Logged{{ID: "9999999", At: at(30), Files: []string{"fee.go"}}}})
	if got := s.open(); got != "" {
		t.Errorf("committed by the person: %s", got)
	}
	s = session([]string{"fee.go"}, nil).talk(rounded, "commit this")
	s.run(t, 15, "git commit -am fee", "[main 1111111] fee\n", false)
	if got := s.open(); got != "" {
		t.Errorf("committed by the agent: %s", got)
	}
	s = session([]string{"fee.go"}, nil).talk(rounded, "commit this > A hook changed the message.")
	s.run(t, 15, "git add fee.go && git commit -m fee", "FAILED: git commit\n", false)
	if got, want := s.open(), "asked for, not done: commit this"; got != want {
		t.Errorf("tried by the agent in vain: got %q, want %q", got, want)
	}
	if s.Log = nil; s.open() != "" {
		t.Errorf("tried by the agent, and the repository is not known: %s", s.open())
	}
}

func TestAnEarlierCommitIsNotTheOneThatWasAskedFor(t *testing.T) {
	s := session([]string{"fee.go", "export.go"}, nil).talk(rounded, "commit this > Let me look at the diff.")
	s.run(t, 5, "git add fee.go && git commit -m fee", "[main 1111111] fee\n", false)
	if got, want := s.open(), "asked for, not done: commit this"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatATurnTriedIsSaidByTheStateOfTheWork(t *testing.T) {
	const asked = "deliver the fee > Let me deliver it."
	for line, failed := range map[string]bool{"git push": false, "npm publish": true, "go test ./...": true} {
		s := session(nil, nil).talk("what is a fee > A part.", asked)
		if s.run(t, 15, line, "", failed); s.open() != "" {
			t.Errorf("%s: got %q", line, s.open())
		}
	}
	for minute, line := range map[int]string{5: "git push", 15: "go test ./..."} { // in another turn; no delivery
		s := session(nil, nil).talk("what is a fee > A part.", asked)
		s.run(t, minute, line, "", false)
		if got, want := s.open(), "asked for, not done: deliver the fee"; got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

func TestRequestsForTheSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"round the card fee half up", "please round the card fee half up now", true},
		{"round the card fee half up", "round half up the fee of a card", true},
		{"fee", "what is a fee", true}, // word for word
		{"fee", "fees", true},
		{"round the card fee half up", "round the order total", false},
		{"round the card fee", "show the card number", false},
		{"commit this", "now commit it", true},
		{"commit this", "show this", false},
		{"round the fee", "name the currency on the invoice, then round the total, the fee and the refund of the day", false},
	} {
		if got := sameRequest(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: got %v", c.a, c.b, got)
		}
	}
}

func TestASessionThatGoesOnLeavesNothingOpen(t *testing.T) {
	s := session(nil).talk("round the card fee")
	if s.GoesOn = true; s.open() != "" {
		t.Errorf("got %s", s.open())
	}
}

func TestAPlanThatNobodyCarriedOutIsOpen(t *testing.T) {
	s := session([]string{"/home/dev/.agent/plans/fee.md"}, nil)
	s.talk("round the card fee", "how long will it take > An hour.")
	s.Exchanges[0].Plan = "Round the card fee"
	if got, want := s.open(), "a plan that was not carried out: Round the card fee"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.open("Implement the following plan: Round the card fee"); got != "" {
		t.Errorf("carried out in a later session: got %q", got)
	}
	s = session([]string{"fee.go"}).talk("round the card fee > It is rounded.")
	s.Exchanges[0].Plan = "Round the card fee"
	if got := s.open(); got != "" {
		t.Errorf("carried out in the same turn: got %q", got)
	}
}

func TestWhatIsLeftToThePersonIsOpenUntilItIsSpokenOf(t *testing.T) {
	said := "upload the export > The export is uploaded now.\n\nYou need to set `S3_KEY` in the console."
	want := "for you: You need to set `S3_KEY` in the console"
	if got := session([]string{"export.go"}).talk(said).open(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := session([]string{"export.go"}, nil).talk(said, "what is a bucket > A place for files.").open(); got != want {
		t.Errorf("after a question: got %q, want %q", got, want)
	}
	for name, s := range map[string]*Session{
		"a later prompt names it": session([]string{"export.go"}, nil).talk(said, "S3_KEY is there > It passes."),
		"no work was done":        session(nil).talk(said),
	} {
		if got := s.open(); got != "" {
			t.Errorf("%s: got %q", name, got)
		}
	}
	const restart = "show the fee > The page shows the fee now.\n\nRestart the dev server to see it."
	s := session(nil).talk(restart)
	s.run(t, 5, "go test ./...", "ok", false)
	if got, want := s.open(), "for you: Restart the dev server to see it"; got != want {
		t.Errorf("after a command, without a name: got %q, want %q", got, want)
	}
	if got := session([]string{"fee.go"}, nil).talk(restart, "what is a fee > A part.").open(); got != "" {
		t.Errorf("without a name, in an earlier turn: got %q", got)
	}
	if got := session([]string{"export.go"}).talk(said).open("i have set S3_KEY"); got != "" {
		t.Errorf("a later session names it: got %q", got)
	}
}
