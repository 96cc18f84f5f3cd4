package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/remote"
)

// WholeSession is more turns than a session has.
const WholeSession = 10000

// Tainted returns the change of a turn that text from outside entered: its trust, and that of all memories made in
// it, is the lowest.
func Tainted() Changes {
	return Changes{Turn: mem.TurnChange{Tainted: true, Taint: mem.TrustNone}}
}

// TaintByCall taints the turn if a tool call brought in text from outside: directly, from our own store, or by a
// background process that has read such text since. It is called before anything is made of the call.
func (e *Service) TaintByCall(ctx context.Context, m Context, c extract.Call) (Changes, error) {
	outside, err := e.outside(ctx, m, c)
	if err != nil || !outside {
		return Changes{}, err
	}
	ch := Tainted()
	if m.Turn.Trust == mem.TrustNone {
		return ch, nil
	}
	ch.Edits, err = e.demoteJoined(ctx, m)
	return ch, err
}

func (e *Service) outside(ctx context.Context, m Context, c extract.Call) (bool, error) {
	switch {
	case extract.OwnTool(m.Tool):
		return e.shows(ctx, extract.ResponseText(m.Response)+"\n"+m.Error, true)
	case remote.BringsText(m.Tool, c.Command):
		return true, nil
	case extract.RunsRemanence(c.Command):
		return e.shows(ctx, extract.ResponseText(m.Response)+"\n"+m.Error, false)
	case extract.ReturnsEarlierOutput(m.Tool, m.Input):
		worst, err := e.WorstSince(ctx, m.Session, "")
		return worst == mem.TrustNone, err
	}
	return false, nil
}

// taintByExcluded stores only one fact of an excluded call: that it brought in text from outside.
func (e *Service) taintByExcluded(ctx context.Context, m Context) error {
	if m.Kind != mem.PostToolUse && m.Kind != mem.PostToolUseFailure {
		return nil
	}
	ch, err := e.TaintByCall(ctx, m, e.ReadCall(m.Event, m.Project))
	if err != nil || !ch.Turn.Tainted {
		return err
	}
	m.Tool, m.Input, m.Response, m.Error, m.ResponseTokens = "", nil, nil, "", 0
	ch.Session = mergeSession(m.SessionChange(), ch.Session)
	_, err = e.Store.Apply(ctx, m.Batch(ch))
	return err
}

// demoteJoined lowers the trust of memories made from the tainted turn and later ones: fixes, and the summaries
// that name them. If events arrive in order there are none yet. A fix that is found again keeps its first date, so
// the last change decides. A summary may belong to a session end that was reported late, and is then dated before
// the turn.
func (e *Service) demoteJoined(ctx context.Context, m Context) ([]mem.Edit, error) {
	if m.Turn.At.IsZero() { // it has no memories yet
		return nil, nil
	}
	joined, err := e.Store.List(ctx, mem.Query{
		Session: m.Session, Kinds: []mem.Kind{mem.ErrorFix, mem.Summary}, Hidden: true, Within: "*", Limit: WholeSession,
	})
	if err != nil {
		return nil, fmt.Errorf("what was joined: %w", err)
	}
	none := mem.TrustNone
	var edits []mem.Edit
	for _, j := range joined {
		later := !j.Updated.Before(m.Turn.At) && j.Source.PromptID != m.PromptID
		if j.Trust > none && j.Trust < mem.TrustUser && (later || strings.HasPrefix(j.Key, extract.SessionKey)) {
			edits = append(edits, mem.Edit{ID: j.ID, Trust: &none})
		}
	}
	return edits, nil
}

// shows reports whether a text of our own contains memories from outside, or memories of unknown origin. A
// complete answer names its memories, so an unknown id counts as none. The output of a command may be truncated.
func (e *Service) shows(ctx context.Context, text string, whole bool) (bool, error) {
	ids := strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	ids = slices.DeleteFunc(ids, func(w string) bool { return !strings.HasPrefix(w, "m_") || len(w) > 20 })
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		ms, err := e.Store.List(ctx, mem.Query{IDs: []string{id}, Hidden: true, Within: "*"})
		if ctx.Err() != nil {
			return true, fmt.Errorf("what was shown: %w", err)
		}
		if whole && errors.Is(err, mem.ErrNotFound) {
			continue
		}
		if err != nil || slices.ContainsFunc(ms, func(mm mem.Memory) bool {
			return mm.Trust == mem.TrustNone || showsProposal(text, mm)
		}) {
			return true, nil
		}
	}
	return false, nil
}

// showsProposal reports whether a text contains a proposal of the memory that an agent made after it read text
// from outside.
func showsProposal(text string, mm mem.Memory) bool {
	return slices.ContainsFunc(mm.Proposals, func(p mem.Proposal) bool {
		return p.Trust == mem.TrustNone && strings.Contains(text, p.ID)
	})
}

// WorstSince returns the lowest trust of the session's turns since the given one, or of all turns if it is
// unknown.
func (e *Service) WorstSince(ctx context.Context, session, promptID string) (mem.Trust, error) {
	turns, err := e.Store.Turns(ctx, session, WholeSession)
	if err != nil {
		return mem.TrustNone, fmt.Errorf("turns: %w", err)
	}
	worst := mem.TrustUser
	for _, t := range turns { // newest first
		worst = min(worst, t.Trust)
		if promptID != "" && t.PromptID == promptID {
			break
		}
	}
	return worst, nil
}

// SubagentTrust returns the trust of a subagent's report: the lowest of the turns in which it ran. A subagent in
// the background outlives the turn in which it was started, and may report in another.
func (e *Service) SubagentTrust(ctx context.Context, m Context) (mem.Trust, error) {
	starts, err := e.Store.Events(ctx, mem.EventQuery{
		Session: m.Session, Kinds: []mem.EventKind{mem.SubagentStart}, AgentID: &m.AgentID, Limit: 1,
	})
	if err != nil {
		return mem.TrustNone, fmt.Errorf("start of the subagent: %w", err)
	}
	from := ""
	if len(starts) > 0 {
		from = starts[0].PromptID
	}
	worst, err := e.WorstSince(ctx, m.Session, from)
	return min(m.Turn.Trust, worst), err
}

// ByAgent returns the trust of what an agent stores or changes through our command line: that of its own words, if
// nothing from outside entered its turn. An agent with an unknown session may have read anything. It returns
// ErrPrivateTurn if nothing may be stored.
func (e *Service) ByAgent(ctx context.Context, session string) (mem.Trust, error) {
	s, err := e.Successor(ctx, session)
	if err != nil || s.ID == "" {
		return mem.TrustNone, err
	}
	turns, err := e.Store.Turns(ctx, s.ID, 1)
	if err != nil {
		return mem.TrustNone, fmt.Errorf("turn of the agent: %w", err)
	}
	if len(turns) == 0 {
		return mem.TrustNone, nil
	}
	if turns[0].Private {
		return mem.TrustNone, ErrPrivateTurn
	}
	return min(mem.TrustAssistant, turns[0].Trust), nil
}

// MayKeep returns ErrPrivateTurn if a text is by an agent in a private turn.
func (e *Service) MayKeep(ctx context.Context, agent, text string) error {
	if agent == "" || text == "" {
		return nil
	}
	_, err := e.ByAgent(ctx, agent)
	return err
}

// Author is who made a change of a file of the vault, or a request.
type Author struct {
	Trust   mem.Trust
	Origin  mem.Origin
	Private bool   // of a turn of which nothing is stored
	Session string // of the agent; empty means the person
	Idle    string // a session without a running call
}

// Person is the author of edits in files; edits by an agent are seen as tool calls.
var Person = Author{Trust: mem.TrustUser, Origin: mem.FromVault}

// PersonAuthor returns the person as author at an event. A turn that begins or ends has no running calls.
func PersonAuthor(ev mem.Event) Author {
	h := Person
	switch ev.Kind {
	case mem.SessionStart, mem.UserPromptSubmit, mem.Stop, mem.SessionEnd:
		h.Idle = ev.Session
	}
	return h
}

// AgentAuthor returns the author of a change that an agent makes in a session.
func AgentAuthor(t mem.Turn) Author {
	return Author{
		Trust: min(mem.TrustAssistant, t.Trust), Origin: mem.FromAssistant,
		Session: cmp.Or(t.Session, UnknownAgent), Private: t.Private,
	}
}

// MayChange is the rule for changes of a memory's text, visibility and weight: the author needs at least the
// memory's trust. Other changes become proposals.
func (h Author) MayChange(m mem.Memory) bool { return h.Trust >= m.Trust }

// MayReport is the rule for reports of progress: that work is done, the state of the work, that a memory was
// wrong. An agent in whose turn nothing came from outside may report that of the person's memories, too.
func (h Author) MayReport(m mem.Memory) bool { return h.Trust >= min(m.Trust, mem.TrustAssistant) }
