package mcpserver

import (
	"context"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/curate"
	"remanence/internal/mem"
)

// maxContent is how long a statement is at most, in characters.
const maxContent = 8000

type rememberArgs struct {
	Content    string            `json:"content"`
	Kind       string            `json:"kind"`
	Scope      string            `json:"scope"`
	Title      string            `json:"title"`
	Tags       texts             `json:"tags"`
	Files      texts             `json:"files"`
	Aliases    texts             `json:"aliases"`
	Importance *float64          `json:"importance"`
	Supersedes string            `json:"supersedes"`
	Related    []curate.Relation `json:"related"`
}

// rememberAnswer is the answer of remember.
type rememberAnswer struct {
	Saved      bool           `json:"saved"`
	ID         string         `json:"id,omitempty"`
	Kind       string         `json:"kind,omitempty"`
	Title      string         `json:"title,omitempty"`
	Scope      mem.Scope      `json:"scope,omitempty"`
	Trust      string         `json:"trust,omitempty"`
	Repeats    int            `json:"known_already,omitempty"`
	Similar    *similarMemory `json:"similar,omitempty"`
	Relation   string         `json:"relation,omitempty"`   // of similar to the statement: same, adds, differs, opposite
	Difference string         `json:"difference,omitempty"` // by what they differ
	Supersedes string         `json:"supersedes,omitempty"`
	Proposal   string         `json:"proposal,omitempty"`
	Note       string         `json:"note,omitempty"`
	Undo       string         `json:"undo,omitempty"`
}

// similarMemory is an existing memory that is similar to the statement.
type similarMemory struct {
	ID     string  `json:"id"`
	Title  string  `json:"title"`
	Text   string  `json:"text,omitempty"`
	Likely float64 `json:"similarity"` // 0…1
}

// keepBoth is the value of supersedes that keeps a statement beside a similar memory.
const keepBoth = "none"

func (s *Server) remember(ctx context.Context, a rememberArgs) (any, error) {
	ask, err := s.statement(a)
	if err != nil {
		return nil, err
	}
	w, err := s.writing(ctx)
	if err != nil {
		return nil, err
	}
	ask.Agent = w.agent
	if ask.Supersedes != "" {
		if _, err := s.writable(ctx, w, ask.Supersedes); err != nil {
			return nil, err
		}
	}
	got, err := s.Memory.Add(ctx, ask)
	if err != nil {
		return nil, err
	}
	if p := got.Proposal; p != nil {
		return rememberAnswer{Proposal: p.ID, Note: proposalNote(*p)}, nil
	}
	var like *similarMemory
	if h := got.Similar; h != nil {
		like = &similarMemory{
			h.Memory.ID, chars.Clip(s.Plain(h.Memory.Title), 160), chars.Clip(s.plainText(h.Memory.Body), 1000),
			float64(int(h.Score*100)) / 100,
		}
		if got.ID == "" {
			return rememberAnswer{
				Similar: like, Relation: got.Relation,
				Note: "Not saved: this is known. update it, or remember again with supersedes: its id, or none to keep both.",
			}, nil
		}
	}
	k := rememberAnswer{
		Similar: like, Relation: got.Relation, Difference: got.Difference, Saved: true, ID: got.ID, Kind: string(got.Kind),
		Title: chars.Clip(s.Plain(got.Title), 160), Scope: got.Scope, Trust: got.Trust.String(),
		Repeats: got.Repeats, Supersedes: got.Supersedes, Undo: "forget " + got.ID,
	}
	if like != nil {
		k.Note = "Saved beside " + like.ID + ", which differs. To replace that one, remember this again with supersedes: " +
			like.ID +
			"; if both hold, with supersedes: none. "
	}
	if got.Trust == mem.TrustNone {
		k.Note += "Text from outside came into this turn, or the session is not known: this is found by searches and not " +
			"injected by itself until the user approves it."
	}
	k.Note = strings.TrimSpace(k.Note)
	return k, nil
}

func (s *Server) statement(a rememberArgs) (curate.AddRequest, error) {
	ask := curate.AddRequest{
		ProjectRef: s.Place, Text: a.Content, Title: a.Title, Tags: a.Tags, Files: a.Files,
		Aliases: a.Aliases, Importance: a.Importance,
		Related: a.Related, Origin: mem.FromMCP, IfNew: a.Supersedes != keepBoth, KeepBoth: a.Supersedes == keepBoth,
	}
	if strings.TrimSpace(a.Content) == "" {
		return ask, bad("content is missing")
	}
	if n := len([]rune(a.Content)); n > maxContent {
		return ask, bad("content has %d characters, %d are allowed", n,
			maxContent).fixedBy("keep what matters, or several statements")
	}
	if a.Scope != "" {
		var err error
		if ask.Scope, err = mem.ParseScope(a.Scope); err != nil {
			return ask, err
		}
	}
	if ask.Scope == mem.ScopeSession && s.Session == "" {
		return ask, bad("scope session needs a session, and which one this is is not known").fixedBy("scope project")
	}
	if a.Kind != "" {
		var err error
		if ask.Kind, err = mem.ParseKind(a.Kind); err != nil {
			return ask, err
		}
		if ask.Kind == mem.Utterance {
			return ask, bad("utterances are made from transcripts only").fixedBy("kind fact")
		}
	}
	if a.Supersedes != keepBoth {
		ask.Supersedes = a.Supersedes
	}
	return ask, importance(a.Importance)
}

func importance(v *float64) error {
	if v != nil && !(*v >= 0 && *v <= 1) {
		return bad("importance is from 0 to 1")
	}
	return nil
}

type updateArgs struct {
	ID         string     `json:"id"`
	Content    *string    `json:"content"`
	Importance *float64   `json:"importance"`
	Tags       *tagChange `json:"tags"`
	Scope      string     `json:"scope"`
	Resolved   *bool      `json:"resolved"`
	Reason     string     `json:"reason"`
}

type tagChange struct {
	Add    texts `json:"add"`
	Remove texts `json:"remove"`
}

// changeAnswer is the answer of update, forget and feedback.
type changeAnswer struct {
	ID         string    `json:"id"`
	Did        string    `json:"did"`
	Title      string    `json:"title"`
	Scope      mem.Scope `json:"scope,omitempty"`
	Tags       []string  `json:"tags,omitempty"`
	Importance float64   `json:"importance,omitempty"`
	Resolved   bool      `json:"resolved,omitempty"`
	Trust      string    `json:"trust,omitempty"`
	Proposal   string    `json:"proposal,omitempty"` // of a change that waits for the user
	Note       string    `json:"note,omitempty"`
	Undo       string    `json:"undo,omitempty"`
}

// proposed returns the answer about a change that waits for the person.
func (s *Server) proposed(m mem.Memory, p mem.Proposal) changeAnswer {
	out := s.changeAnswer(m, "proposed")
	if p.Rejected {
		out.Did = "nothing"
	}
	out.Proposal, out.Note = p.ID, proposalNote(p)
	return out
}

// proposalNote describes the state of a change that the agent may not make.
func proposalNote(p mem.Proposal) string {
	if p.Rejected {
		return "Nothing was changed: the user rejected this change before."
	}
	return "Nothing was changed: the memory has more trust than this turn, as what the user said. " +
		"The change is a proposal that waits for the user (remanence review); until then the old text stays as it is."
}

func (s *Server) update(ctx context.Context, a updateArgs) (any, error) {
	if a.Content == nil && a.Importance == nil && a.Tags == nil && a.Scope == "" && a.Resolved == nil {
		return nil, bad("nothing to change").fixedBy("give content, importance, tags, scope or resolved")
	}
	if a.Content != nil && strings.TrimSpace(*a.Content) == "" {
		return nil, bad("content is empty").fixedBy("forget hides a memory")
	}
	if a.Content != nil && len([]rune(*a.Content)) > maxContent {
		return nil, bad("content has more than %d characters", maxContent)
	}
	if err := importance(a.Importance); err != nil {
		return nil, err
	}
	ask := curate.EditRequest{
		Text: a.Content, Importance: a.Importance, Resolved: a.Resolved, Wider: true,
		Reason: a.Reason,
	}
	if a.Scope != "" {
		scope, err := mem.ParseScope(a.Scope)
		if err != nil {
			return nil, err
		}
		ask.Scope = &scope
	}
	if a.Tags != nil {
		ask.AddTags, ask.DropTags = a.Tags.Add, a.Tags.Remove
	}
	m, w, err := s.memoryToChange(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	ask.ID, ask.Agent = m.ID, w.agent
	got, err := s.Memory.Edit(ctx, ask)
	if err != nil {
		return nil, err
	}
	if got.Proposal != nil {
		return s.proposed(got.Memory, *got.Proposal), nil
	}
	out := s.changeAnswer(got.Memory, "updated")
	out.Scope, out.Tags, out.Importance, out.Trust = got.Scope, s.plain(got.Tags, 20, 60), got.Importance,
		got.Trust.String()
	out.Resolved = got.Kind == mem.Todo && got.Resolved
	return out, nil
}

func (s *Server) changeAnswer(m mem.Memory, did string) changeAnswer {
	return changeAnswer{ID: m.ID, Did: did, Title: chars.Clip(s.Plain(m.Title), 160)}
}

type forgetArgs struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

func (s *Server) forget(ctx context.Context, a forgetArgs) (any, error) {
	m, w, err := s.memoryToChange(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	got, err := s.Memory.Mark(ctx, curate.MarkRequest{
		ProjectRef: s.Place, Verb: "forget", IDs: []string{m.ID},
		Reason: a.Reason, Agent: w.agent,
	})
	if err != nil {
		return nil, err
	}
	if len(got.Proposed) > 0 {
		return s.proposed(m, got.Proposed[0]), nil
	}
	s.hid.Store(m.ID, true)
	out := s.changeAnswer(got.Memories[0], "hidden")
	out.Undo, out.Note = "restore "+m.ID,
		"Hidden, not erased: it is neither found nor injected, and can be restored."
	return out, nil
}

type restoreArgs struct {
	ID string `json:"id"`
}

// restore takes back a forget of this server. What someone else hid stays hidden: it may have been the person.
func (s *Server) restore(ctx context.Context, a restoreArgs) (any, error) {
	m, w, err := s.memoryToChange(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	if _, ours := s.hid.Load(m.ID); !ours {
		return nil, bad("%s was not hidden by forget in this session", m.ID).
			because("what the user hid stays hidden").fixedBy("the user can: remanence restore " + m.ID)
	}
	got, err := s.Memory.Mark(ctx, curate.MarkRequest{
		ProjectRef: s.Place, Verb: "restore", IDs: []string{m.ID}, Agent: w.agent,
	})
	if err != nil {
		return nil, err
	}
	if len(got.Proposed) > 0 {
		return s.proposed(m, got.Proposed[0]), nil
	}
	s.hid.Delete(m.ID)
	return s.changeAnswer(got.Memories[0], "restored"), nil
}

type feedbackArgs struct {
	ID      string `json:"id"`
	Verdict string `json:"verdict"`
	Note    string `json:"note"`
}

func (s *Server) feedback(ctx context.Context, a feedbackArgs) (any, error) {
	switch a.Verdict {
	case curate.Useful, curate.Wrong, curate.Stale:
	case curate.PreventedMistake:
		if strings.TrimSpace(a.Note) == "" {
			return nil, bad("prevented needs a note").fixedBy("name the mistake that was prevented")
		}
	default:
		return nil, bad("no verdict %q", chars.Clip(a.Verdict, 40)).fixedBy("useful, wrong, stale or prevented")
	}
	m, w, err := s.memoryToChange(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	got, err := s.Memory.Feedback(ctx, curate.FeedbackRequest{
		IDs: []string{m.ID}, Verdict: a.Verdict, Note: a.Note,
		Agent: w.agent,
	})
	if err != nil {
		return nil, err
	}
	did := "marked " + a.Verdict
	switch {
	case len(got.NoEffect) > 0:
		did += ", without effect: you read external text, or the person rejected this before"
	case a.Verdict == curate.Wrong && got.Memories[0].Disputed():
		did += ": not injected unasked until the person decides"
	}
	return s.changeAnswer(got.Memories[0], did), nil
}
