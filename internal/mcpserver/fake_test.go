package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
	"remanence/internal/workstate"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// notebook is a memory of a few lines that takes every word literally.
type notebook struct {
	mu     sync.Mutex
	list   []mem.Memory
	pauses []mem.Pause
	fails  error  // of every call
	asked  []any  // what came
	now    string // the session that goes on where any was; "" is the one that is named
	state  workstate.State
	saw    string                  // the version that a change of the state was made on
	web    *recall.RelatedResponse // in place of that of the shop
}

func (n *notebook) project() mem.Project { return mem.Project{Key: "p_1", Name: "shop"} }

// open notes a call and says whether the memory is there.
func (n *notebook) open(ask any) (func(), error) {
	n.mu.Lock()
	n.asked = append(n.asked, ask)
	return n.mu.Unlock, n.fails
}

func (n *notebook) keep(ms ...mem.Memory) {
	for _, m := range ms {
		m.ID = fmt.Sprintf("m_%d", len(n.list)+1)
		m.Status, m.Project = mem.Active, "p_1"
		if m.Created.IsZero() {
			m.Created = noon.Add(-time.Duration(60-len(n.list)) * time.Minute)
		}
		n.list = append(n.list, m)
	}
}

func (n *notebook) one(id string) (*mem.Memory, error) {
	for i := range n.list {
		if n.list[i].ID == id {
			return &n.list[i], nil
		}
	}
	return nil, fmt.Errorf("%s: %w", id, mem.ErrNotFound)
}

func (n *notebook) memory() Memory {
	return Memory{
		Search: n.search, Timeline: n.timeline, Show: n.show, Status: n.status, Add: n.add, Edit: n.edit, Mark: n.mark,
		Feedback: n.feedback, State: n.standing, Handoff: n.handoff, Next: n.next, Successor: n.successor, Related: n.related,
		Consolidate: n.consolidate, Why: n.why, Checkpoints: n.checkpoints, Session: n.session, Projects: n.projects,
		Blame: n.blame, Recap: n.recap, Propose: n.propose,
	}
}

func (n *notebook) search(_ context.Context, ask recall.SearchRequest) (recall.SearchResponse, error) {
	done, err := n.open(ask)
	defer done()
	out := recall.SearchResponse{Project: n.project(), At: noon, Stale: map[string]mem.Freshness{"m_2": mem.FileChanged}}
	q := ask.Query
	for _, m := range slices.Backward(n.list) {
		all := strings.ToLower(m.Title + " " + m.Body)
		if (q.Hidden || m.Status == mem.Active) && strings.Contains(all, strings.ToLower(q.Text)) &&
			(len(q.Kinds) == 0 || slices.Contains(q.Kinds, m.Kind)) && m.Trust >= q.MinTrust {
			out.Hits = append(out.Hits, mem.Hit{Memory: m, Score: 1.234, Parts: map[string]float64{"words": 1}})
		}
	}
	out.Hits = out.Hits[min(q.Offset, len(out.Hits)):]
	if len(out.Hits) > q.Limit {
		out.Hits, out.Next = out.Hits[:q.Limit], strconv.Itoa(q.Offset+q.Limit)
	}
	if ask.Strategy == recall.ByVector {
		out.Warning = "there are no vectors here, so only words were searched for"
	}
	return out, err
}

func (n *notebook) timeline(_ context.Context, ask views.TimelineRequest) (views.TimelineResponse, error) {
	done, err := n.open(ask)
	defer done()
	out := views.TimelineResponse{Anchor: ask.Anchor}
	for _, m := range n.list {
		out.Entries = append(out.Entries, views.TimelineEntry{
			ID: m.ID, At: m.Created, Session: "s_1", What: string(m.Kind),
			Title: m.Title,
		})
	}
	return out, err
}

func (n *notebook) show(_ context.Context, ask event.IDs) (views.ShowResponse, error) {
	done, err := n.open(ask)
	defer done()
	var out views.ShowResponse
	for _, id := range ask.IDs {
		m, missing := n.one(id)
		if missing != nil {
			return views.ShowResponse{}, errors.Join(err, missing)
		}
		out.Memories = append(out.Memories, *m)
	}
	return out, err
}

func (n *notebook) status(_ context.Context, at mem.ProjectRef) (views.StatusResponse, error) {
	done, err := n.open(at)
	defer done()
	return views.StatusResponse{
		Project: n.project(), Pauses: n.pauses, Stats: mem.Stats{Memories: len(n.list), Sessions: 3, Today: 1},
		Health: views.Health{QueueDepth: 2},
	}, err
}

func (n *notebook) add(_ context.Context, ask curate.AddRequest) (curate.AddResponse, error) {
	done, err := n.open(ask)
	defer done()
	if err != nil {
		return curate.AddResponse{}, err
	}
	for _, m := range n.list {
		if ask.IfNew && ask.Supersedes == "" && m.Title == ask.Text {
			return curate.AddResponse{Similar: &mem.Hit{Memory: m, Score: 1}}, nil
		}
	}
	if old, _ := n.one(ask.Supersedes); old != nil && old.Trust == mem.TrustUser {
		return curate.AddResponse{Proposal: &mem.Proposal{ID: "pr_1", Action: curate.ProposeEdit, Memory: old.ID}}, nil
	}
	m := mem.Memory{
		Title: ask.Text, Kind: ask.Kind, Scope: ask.Scope, Tags: ask.Tags, Supersedes: ask.Supersedes,
		Trust: mem.TrustAssistant, Created: noon,
	}
	if ask.Agent == event.UnknownAgent {
		m.Trust = mem.TrustNone
	}
	if m.Kind == "" {
		m.Kind = mem.Fact
	}
	if m.Scope == "" {
		m.Scope = mem.ScopeProject
	}
	n.keep(m)
	return curate.AddResponse{Memory: n.list[len(n.list)-1]}, nil
}

func (n *notebook) edit(_ context.Context, ask curate.EditRequest) (curate.EditResponse, error) {
	done, err := n.open(ask)
	defer done()
	m, missing := n.one(ask.ID)
	if err = errors.Join(err, missing); err != nil {
		return curate.EditResponse{}, err
	}
	if m.Trust == mem.TrustUser && ask.Text != nil {
		return curate.EditResponse{Memory: *m, Proposal: &mem.Proposal{
				ID: "pr_1", Action: curate.ProposeEdit,
				Title: ask.Text,
			}},
			nil
	}
	if ask.Text != nil {
		m.Title = *ask.Text
	}
	if ask.Importance != nil {
		m.Importance = *ask.Importance
	}
	if ask.Scope != nil {
		m.Scope = *ask.Scope
	}
	m.Tags = append(m.Tags, ask.AddTags...)
	return curate.EditResponse{Memory: *m}, nil
}

func (n *notebook) mark(_ context.Context, ask curate.MarkRequest) (curate.MarkResponse, error) {
	done, err := n.open(ask)
	defer done()
	m, missing := n.one(ask.IDs[0])
	if err = errors.Join(err, missing); err != nil {
		return curate.MarkResponse{}, err
	}
	if m.Trust == mem.TrustUser {
		return curate.MarkResponse{
			Verb: ask.Verb, Memories: []mem.Memory{},
			Proposed: []mem.Proposal{{ID: "pr_1", Action: ask.Verb, Memory: m.ID}},
		}, nil
	}
	m.Status = map[string]mem.Status{"forget": mem.Forgotten, "restore": mem.Active}[ask.Verb]
	return curate.MarkResponse{Verb: ask.Verb, Memories: []mem.Memory{*m}}, nil
}

func (n *notebook) feedback(_ context.Context, ask curate.FeedbackRequest) (curate.MarkResponse, error) {
	done, err := n.open(ask)
	defer done()
	m, missing := n.one(ask.IDs[0])
	if err = errors.Join(err, missing); err != nil {
		return curate.MarkResponse{}, err
	}
	return curate.MarkResponse{Verb: ask.Verdict, Memories: []mem.Memory{*m}}, nil
}

func (n *notebook) standing(_ context.Context, ask workstate.Request) (workstate.State, error) {
	done, err := n.open(ask)
	defer done()
	out := n.state
	out.Project, n.saw = n.project(), ask.Update.Seen
	if ask.Op != workstate.OpGet {
		out.Changed = []string{".mind/STATE.md"}
	}
	return out, err
}

func (n *notebook) handoff(_ context.Context, ask continuity.HandoffRequest) (mem.Checkpoint, error) {
	done, err := n.open(ask)
	defer done()
	return mem.Checkpoint{ID: "c_1", Handoff: ask.Text}, err
}

func (n *notebook) next(_ context.Context, ask views.NextRequest) (mem.Receipt, error) {
	done, err := n.open(ask)
	defer done()
	return mem.Receipt{Text: "what would be injected", Tokens: 5}, err
}

// related is a web of three memories and two names; one of them came from outside.
func (n *notebook) related(_ context.Context, ask recall.RelatedRequest) (recall.RelatedResponse, error) {
	done, err := n.open(ask)
	defer done()
	if ask.ID == "nobody" {
		return recall.RelatedResponse{}, fmt.Errorf("%s: %w", ask.ID, mem.ErrNotFound)
	}
	if n.web != nil {
		return *n.web, err
	}
	g := recall.RelatedResponse{Project: mem.Project{Name: "shop"}, Center: ask.ID, Nodes: []recall.GraphNode{
		{ID: "n_1", Type: recall.NodeEntity, Kind: "file", Name: "net/client.go", Mentions: 2},
		{
			ID: "m_1", Type: recall.NodeMemory, Kind: "gotcha", Name: "the gateway answers 429\nwithout Retry-After",
			Trust: "L2",
		},
		{ID: "m_2", Type: recall.NodeMemory, Kind: "decision", Name: "retry thrice", Trust: "L3"},
		{ID: "m_4", Type: recall.NodeMemory, Kind: "fact", Name: "a page said that the gateway limit is 50", Trust: "L0"},
		{ID: "n_2", Type: recall.NodeEntity, Kind: "service", Name: "evil.example", Mentions: 1},
	}, Edges: []recall.GraphEdge{
		{From: "m_1", To: "n_1", Kind: recall.EdgeMentions, Confidence: 0.9},
		{From: "m_2", To: "m_1", Kind: string(mem.LinkRelatedTo), Confidence: 0.35},
		{From: "m_4", To: "n_2", Kind: recall.EdgeMentions, Confidence: 0.6},
		{From: "m_4", To: "m_1", Kind: string(mem.LinkContradicts), Confidence: 0.6},
	}}
	return g, err
}

func (n *notebook) consolidate(_ context.Context, ask curate.ConsolidateRequest) (curate.ConsolidateResponse, error) {
	done, err := n.open(ask)
	defer done()
	run := mem.Run{
		Kind:    mem.FullRun,
		Changes: []mem.Step{{Rule: mem.RuleMerge, Memory: "m_1", Other: "m_2", Reason: "says the same as m_2"}},
	}
	if !ask.DryRun {
		run.ID = "k_1"
	}
	return curate.ConsolidateResponse{DryRun: ask.DryRun, Runs: []mem.Run{run}}, err
}

func (n *notebook) successor(_ context.Context, ask continuity.SessionRequest) (mem.Session, error) {
	done, err := n.open(ask)
	defer done()
	switch n.now {
	case "":
		return mem.Session{ID: ask.ID}, err
	case ambiguous:
		return mem.Session{}, err
	}
	return mem.Session{ID: n.now}, err
}

// ambiguous is an agent of which the session is not known.
const ambiguous = "?"
