package views

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// maxInjections bounds the injections that a MemoryStory lists.
const maxInjections = 50

// MemoryStory returns a memory with its origin, its injections and its replacements.
func (s *Service) MemoryStory(ctx context.Context, req MemoryRequest) (MemoryStory, error) {
	s.Event.LogDegraded("vault", s.Filesync.SyncVault(ctx, event.Person))
	mm, err := s.Event.One(ctx, req.ID)
	if err != nil {
		return MemoryStory{}, err
	}
	out := MemoryStory{Memory: mm, Injections: []InjectionRow{}, Uses: []UseRow{}}
	if mm.Session != "" {
		sess, err := s.Store.Session(ctx, mm.Session)
		switch {
		case err == nil:
			sess.Injected = nil
			out.Session = &sess
		case !errors.Is(err, mem.ErrNotFound):
			return out, fmt.Errorf("session of %s: %w", mm.ID, err)
		}
	}
	if mm.Project != "" {
		ps, err := s.Store.Projects(ctx, mm.Project)
		if err != nil {
			return out, fmt.Errorf("project of %s: %w", mm.ID, err)
		}
		if len(ps) > 0 {
			out.Project = ps[0]
		}
	}
	if out.Prompt, err = s.promptOf(ctx, mm); err != nil {
		return out, err
	}
	out.Stale = s.Recall.Standing(out.Project, []mem.Hit{{Memory: mm}})[mm.ID]
	if err := s.addInjections(ctx, &out); err != nil {
		return out, err
	}
	if err := s.addReplacements(ctx, &out); err != nil {
		return out, err
	}
	out.Provenance = provenance(out)
	return out, nil
}

// promptOf returns the prompt of the turn that a memory was learned in.
func (s *Service) promptOf(ctx context.Context, mm mem.Memory) (string, error) {
	if mm.Session == "" || mm.Source.PromptID == "" {
		return "", nil
	}
	turns, err := s.Store.Turns(ctx, mm.Session, maxStoryOthers)
	if err != nil {
		return "", fmt.Errorf("turn of %s: %w", mm.ID, err)
	}
	for _, t := range turns {
		if t.PromptID == mm.Source.PromptID && !t.Private {
			return chars.Clip(chars.Line(t.Text), 300), nil
		}
	}
	return "", nil
}

// addInjections adds the injections of the memory and its uses.
func (s *Service) addInjections(ctx context.Context, out *MemoryStory) error {
	rs, err := s.Store.Receipts(ctx, mem.ReceiptQuery{Memory: out.Memory.ID, Limit: maxInjections})
	if err != nil {
		return fmt.Errorf("receipts of %s: %w", out.Memory.ID, err)
	}
	session := s.Event.Lookup(ctx)
	for _, r := range rs {
		for _, it := range r.Items {
			if it.ID == out.Memory.ID {
				out.Injections = append(out.Injections, InjectionRow{
					Receipt: r.ID,
					Session: cmp.Or(session(r.Session).Short, r.Session),
					At:      r.At,
					Trigger: r.Trigger,
					Query:   r.Query,
					Rank:    it.Rank,
					Score:   it.Score,
					Tokens:  it.Tokens,
				})
			}
		}
	}
	for _, u := range slices.Backward(out.Memory.UsedIn) {
		sess := session(u.Session())
		out.Uses = append(out.Uses, UseRow{
			Use: u, Session: cmp.Or(sess.Short, u.Session()), Title: chars.Clip(chars.Line(sess.FirstPrompt), 100),
		})
	}
	return nil
}

// addReplacements adds what the memory replaced, and what replaced it.
func (s *Service) addReplacements(ctx context.Context, out *MemoryStory) error {
	find := func(id string) (*mem.Memory, error) {
		found, err := s.Recall.ByID(ctx, []string{id})
		mm, ok := found[id]
		if !ok { // it was erased
			return nil, err
		}
		return &mm, nil
	}
	var err error
	if id := out.Memory.Supersedes; id != "" {
		if out.Replaces, err = find(id); err != nil {
			return err
		}
	}
	if out.Memory.Status != mem.Superseded {
		return nil
	}
	id, err := s.Store.SupersededBy(ctx, out.Memory.ID)
	if err != nil || id == "" {
		return err
	}
	out.ReplacedBy, err = find(id)
	return err
}

// provenance describes in one sentence where a memory comes from and how it was used.
func provenance(l MemoryStory) string {
	mm := l.Memory
	var b strings.Builder
	switch {
	case mm.OfTeam():
		b.WriteString("Read from a file that your team shares")
		if name := mm.TeamAuthor(); name != "" {
			b.WriteString(", written by " + chars.Line(name))
		}
	case mm.Origin == mem.FromUserCommand && mm.Session == "":
		b.WriteString("Added by you")
	case mm.Origin == mem.FromVault:
		b.WriteString("Read from your vault")
		if mm.Note.File != "" {
			b.WriteString(" (" + mm.Note.File + ")")
		}
	case mm.Origin == mem.FromImport:
		b.WriteString("Imported")
	case l.Session != nil:
		b.WriteString("Learned from " + agentName(l.Session.Agent) + " session " + l.Session.Short)
		if t := chars.Clip(chars.Line(l.Session.FirstPrompt), 60); t != "" {
			b.WriteString(" “" + t + "”")
		}
	case mm.Source.Agent != "":
		b.WriteString("Learned from " + agentName(mm.Source.Agent))
	default:
		b.WriteString("Learned")
	}
	b.WriteString(", " + mm.Created.Local().Format("2 Jan 2006 15:04"))
	switch {
	case mm.Command != "" && mm.ExitCode != 0:
		fmt.Fprintf(&b, ", after `%s` failed with exit code %d", mm.Command, mm.ExitCode)
	case mm.Command != "":
		b.WriteString(", after `" + mm.Command + "`")
	case mm.Source.Prompt > 0:
		fmt.Fprintf(&b, ", in turn %d", mm.Source.Prompt)
	}
	switch mm.Trust {
	case mem.TrustNone:
		b.WriteString(", from external text")
	case mem.TrustTool:
		b.WriteString(", from tool output")
	}
	fmt.Fprintf(&b, "; injected %s, used %s", times(len(l.Injections)), times(mm.Uses))
	if len(mm.Anchors) > 0 {
		a := mm.Anchors[0]
		if a.Hash == "" {
			b.WriteString(", made before " + a.File + " existed")
		} else {
			b.WriteString(", last checked against " + a.File + " at " + a.Hash[:min(7, len(a.Hash))])
		}
	}
	return b.String() + "."
}

// times formats a count: "never", "once", "4×".
func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d×", n)
}

// agentName returns the display name of an agent.
func agentName(agent string) string {
	names := map[string]string{
		"claude-code": "Claude Code", "codex": "Codex", "gemini": "Gemini", "cursor": "Cursor",
		"copilot": "Copilot", "opencode": "OpenCode", "qwen": "Qwen Code", "windsurf": "Windsurf",
	}
	if n := names[agent]; n != "" {
		return n
	}
	return cmp.Or(agent, "an agent's")
}
