package outcome

import (
	"slices"
	"strings"
	"time"

	"remanence/internal/extract"
	"remanence/internal/rank"
)

// Exchange is what the person asked for in a turn, and how the turn ended.
type Exchange struct {
	Prompt string // its id
	Asked  string // in one line; empty if that may not be said
	Answer string // empty if that may not be said
	At     time.Time
	Ended  bool   // by the agent; else it was interrupted
	Plan   string // title of a plan that the agent wrote
	Checks []Check
	// Question is what the agent asked by a tool and had no answer to; empty if it did not.
	Question string
}

// End is something that a session left open.
type End struct {
	Prompt string // id of the turn that left it
	At     time.Time
	Text   string
	Person bool // only the person can do it
	Minor  bool // other lines come first

	Session string // short id, where ends of several sessions are listed
}

// Line says what was left open, and to whom only the person can do.
func (e End) Line(person string) string {
	if e.Person {
		return "for " + person + ": " + e.Text
	}
	return e.Text
}

// Last returns the time of the last exchange; the zero time if none is known.
func (s *Session) Last() time.Time {
	if len(s.Exchanges) == 0 {
		return time.Time{}
	}
	return s.Exchanges[len(s.Exchanges)-1].At
}

// Asked returns what the person asked for, oldest first.
func (s *Session) Asked() (out []string) {
	for _, x := range s.Exchanges {
		out = append(out, x.Asked)
	}
	return out
}

// interrupted reports whether a turn is known to have been interrupted.
func (s *Session) interrupted(prompt string) bool {
	return slices.ContainsFunc(s.Exchanges, func(x Exchange) bool { return x.Prompt == prompt && !x.Ended })
}

// AskedIn returns what the person asked for in a turn; empty if that is not known.
func (s *Session) AskedIn(prompt string) string {
	i := slices.IndexFunc(s.Exchanges, func(x Exchange) bool { return x.Prompt == prompt })
	if i < 0 {
		return ""
	}
	return s.Exchanges[i].Asked
}

// Ends returns what a session that is over left open: a plan that was not carried out, the last request if it was not,
// the last question if it was not answered, what only the person can do, and checks by hand. later is what was asked
// for in sessions since. pieces are those of the session.
func (s *Session) Ends(pieces []Piece, later []string) (out []End) {
	if len(s.Exchanges) == 0 || s.GoesOn {
		return nil
	}
	plan, ok := s.plan(later)
	if ok {
		out = append(out, plan)
	}
	if request, ok := s.request(pieces, later); ok && plan.Prompt != request.Prompt && s.asksByTool() == "" {
		out = append(out, request)
	}
	if question, ok := s.question(later); ok && plan.Prompt != question.Prompt {
		out = append(out, question)
	}
	out = append(out, s.duties(later)...)
	if checks, ok := s.checks(later); ok {
		out = append(out, checks)
	}
	return out
}

// plan returns the last plan of a session if nothing of the project was changed since, and nobody asked for it.
func (s *Session) plan(later []string) (End, bool) {
	for i, x := range slices.Backward(s.Exchanges) {
		changed := slices.ContainsFunc(s.Edits, func(e Edit) bool { return e.Prompt == x.Prompt && !Outside(e.File) })
		if changed {
			return End{}, false
		}
		if x.Plan == "" {
			continue
		}
		for _, next := range s.Exchanges[i+1:] {
			later = append(slices.Clone(later), next.Asked)
		}
		if slices.ContainsFunc(later, func(asked string) bool { return strings.Contains(asked, x.Plan) }) {
			return End{}, false
		}
		return End{Prompt: x.Prompt, At: x.At, Text: "a plan that was not carried out: " + x.Plan}, true
	}
	return End{}, false
}

// request returns the last request of a session if it was not carried out: the turn was interrupted, or it asked for a
// commit and made none, or it changed nothing and its answer announces what comes next or asks back.
func (s *Session) request(pieces []Piece, later []string) (end End, ok bool) {
	x := s.Exchanges[len(s.Exchanges)-1]
	asked := s.asked()
	if asked == "" {
		return end, false
	}
	end = End{Prompt: x.Prompt, At: x.At}
	changed := s.changedIn(x.Prompt)
	commits := extract.AsksToCommit(x.Asked)
	switch {
	case commits && s.handedOver(x.Prompt, pieces):
		return end, false
	case !x.Ended && len(changed) > 0:
		end.Text = "interrupted after " + Piece{files: changed}.Changed("") + ": " + asked
	case !x.Ended:
		end.Text = "interrupted: " + asked
	case x.Answer == "" || len(changed) > 0:
		return end, false
	case commits:
		end.Text = "asked for, not done: " + asked
	case s.ran(x.Prompt), laysDown(asked):
		return end, false
	case strings.TrimSpace(extract.WithoutNarration(x.Answer)) == "" && !extract.Asks(x.Answer):
		end.Text = "asked for, not done: " + asked
	default:
		return end, false
	}
	// Looked up last, because most requests were carried out: the same was asked for again, or the plan was handed on.
	again := func(l string) bool { return x.Plan != "" && strings.Contains(l, x.Plan) || sameRequest(asked, l) }
	return end, !slices.ContainsFunc(later, again)
}

// laysDown reports whether a prompt is a rule or a choice and asks for nothing: "retries wait 60 seconds from now on".
func laysDown(asked string) bool {
	_, ok := extract.Instruction(asked)
	return ok
}

// asked returns the last request of a session: the last prompt that does more than agree.
func (s *Session) asked() string {
	for _, x := range slices.Backward(s.Exchanges) {
		if x.Asked == "" {
			return ""
		}
		if extract.AsksToCommit(x.Asked) || !extract.Agrees(x.Asked) {
			return x.Asked
		}
		if x.Ended && x.Prompt == s.Exchanges[len(s.Exchanges)-1].Prompt { // "thanks" was answered
			return ""
		}
	}
	return ""
}

// changedIn returns the files of the project that a turn changed.
func (s *Session) changedIn(prompt string) (files []string) {
	for _, e := range s.Edits {
		if e.Prompt == prompt && !Outside(e.File) {
			files = extract.AppendNew(files, e.File, maxFiles)
		}
	}
	return files
}

// ran reports whether a turn ran a command that was to commit or to deliver something, or one that failed: the state of
// the work says what became of it.
func (s *Session) ran(prompt string) bool {
	return slices.ContainsFunc(s.Commands, func(c Command) bool {
		return c.prompt == prompt && (strings.Contains(c.line, "git commit") || c.delivery != "" || c.failed)
	})
}

// handedOver reports whether a turn that was asked for a commit made one, or nothing is left to commit. Whether an
// attempt was in vain says the state of the work, as far as the repository is known.
func (s *Session) handedOver(prompt string, pieces []Piece) bool {
	left, known := len(pieces) == 0, false
	for _, p := range pieces {
		open := strings.HasPrefix(p.State, "not committed")
		left = left || open || len(p.missing) > 0
		known = known || open && !strings.HasPrefix(p.State, byAgent) && !strings.HasPrefix(p.State, commitFailed)
	}
	committed := slices.ContainsFunc(s.Commands, func(c Command) bool { return c.prompt == prompt && c.committed })
	return committed || !left || s.ran(prompt) && !known
}

// sameRequest reports whether two prompts ask for the same.
func sameRequest(a, b string) bool {
	if extract.AsksToCommit(a) {
		return extract.AsksToCommit(b)
	}
	x, y := rank.Terms(a), rank.Terms(b)
	n := extract.CountShared(x, y)
	return strings.Contains(b, a) || n >= 2 && 3*n >= 2*min(len(x), len(y)) && 3*n >= max(len(x), len(y))
}

// duties returns what the answers of a session that did some work leave to the person, without what a later prompt or
// answer speaks of again.
func (s *Session) duties(later []string) (out []End) {
	ran := func(name string) bool {
		return slices.ContainsFunc(s.Ran, func(line string) bool { return strings.Contains(line, name) })
	}
	for i, x := range s.Exchanges {
		if !x.Ended || !s.worked(x.Prompt) {
			continue
		}
		left := duties(x.Answer, ran)
		if len(left) == 0 { // as a rule
			continue
		}
		since := slices.Clone(later)
		for _, next := range s.Exchanges[i+1:] {
			since = append(since, next.Asked, next.Answer)
		}
		for _, said := range left {
			names := codeIn(said)
			over := len(names) == 0 && i+1 < len(s.Exchanges) || slices.ContainsFunc(since, func(l string) bool {
				return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(l, n) })
			})
			if !over && len(out) < maxDuties {
				out = append(out, End{Prompt: x.Prompt, At: x.At, Text: said, Person: true})
			}
		}
	}
	return out
}

// worked reports whether a turn changed or ran something.
func (s *Session) worked(prompt string) bool {
	return slices.ContainsFunc(s.Edits, func(e Edit) bool { return e.Prompt == prompt }) ||
		slices.ContainsFunc(s.Commands, func(c Command) bool { return c.prompt == prompt })
}
