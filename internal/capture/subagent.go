package capture

import (
	"cmp"
	"context"
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// SubagentEnd returns memories of what a subagent found.
func (s *Service) SubagentEnd(ctx context.Context, ec event.Context) (event.Changes, error) {
	launch, _, err := s.FindLaunch(ctx, ec)
	if err != nil {
		return event.Changes{}, err
	}
	return event.Changes{Memories: findings(ec, launch.About)}, nil
}

// FindLaunch finds the tool call that launched the subagent of the event. The n-th
// launch of a type belongs to the n-th subagent of that type.
func (s *Service) FindLaunch(ctx context.Context, ec event.Context) (extract.Call, bool, error) {
	launches, err := s.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, Kinds: []mem.EventKind{mem.PreToolUse}, Tool: mem.ToolAgent, Limit: 200,
	})
	if err != nil {
		return extract.Call{}, false, fmt.Errorf("launches: %w", err)
	}
	starts, err := s.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, Kinds: []mem.EventKind{mem.SubagentStart}, Limit: 200,
	})
	if err != nil {
		return extract.Call{}, false, fmt.Errorf("subagents: %w", err)
	}
	n := 0
	for i := len(starts) - 1; i >= 0 && starts[i].AgentID != ec.AgentID; i-- {
		if starts[i].AgentType == ec.AgentType {
			n++
		}
	}
	for i := len(launches) - 1; i >= 0; i-- {
		c := s.Event.ReadCall(launches[i], ec.Project)
		if cmp.Or(c.Subagent, "general-purpose") != ec.AgentType {
			continue
		}
		if n == 0 {
			return c, true, nil
		}
		n--
	}
	return extract.Call{}, false, nil
}

// findings returns memories of a subagent's answer: its most salient statements, else its
// first sentence.
func findings(ec event.Context, about string) []mem.Memory {
	all := extract.Statements(ec.Text)
	picked := extract.TurnFacts{Trouble: true, Request: about}.Choose(all, extract.MaxFindings, 0)
	if len(picked) == 0 && len(all) > 0 && len(all[0].Text) >= extract.MinStatement {
		picked = []extract.Point{{Text: all[0].Text}}
	}
	var out []mem.Memory
	for _, p := range picked {
		mm := ec.NewMemory(mem.Discovery, mem.ScopeSession)
		mm.Title, mm.Body = extract.TitleAndBody(p.Text)
		mm.Body = chars.Clip(mm.Body, extract.MaxFinding-len(mm.Title))
		mm.Trust, mm.Origin = min(mem.TrustAssistant, ec.Turn.Trust), mem.FromAssistant
		mm.Files = extract.FilesNamedIn(p.Text, nil)
		mm.Tags = []string{"subagent-discovery", extract.FindingTag(p.Kind, mm.Files)}
		mm.Concepts = extract.AppendNew(nil, chars.Clip(chars.Line(about), 120), 1)
		out = append(out, mm)
	}
	return out
}
