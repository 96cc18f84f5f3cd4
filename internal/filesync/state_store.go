package filesync

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/workstate"
)

// stateTag tags memories that hold the fields of a project's state. They are injected as the state,
// not among the memories.
const stateTag = "project-state"

// Fields of the state. Their memories begin with these names.
const (
	fieldPhase   = "Phase"
	fieldStatus  = "Status"
	fieldActive  = "Active work"
	fieldBlocked = "Blocked"
	fieldNext    = "Next"
)

// Sections of work items in the store.
const (
	sectionDoing = "In Progress"
	sectionDone  = "Completed"
)

// storedState returns or changes the state that is kept in the store.
func (s *Service) storedState(ctx context.Context, p mem.Project, req workstate.Request) (workstate.State, error) {
	var note workstate.State
	var err error
	switch req.Op {
	case workstate.OpUpdate:
		note, err = s.storeFields(ctx, p, req)
	case workstate.OpDecision:
		note, err = s.storeDecision(ctx, p, req)
	case workstate.OpProgress:
		note, err = s.storeProgress(ctx, p, req)
	case workstate.OpSession:
		note, err = s.storeSession(ctx, p, req)
	}
	if err != nil {
		return workstate.State{}, err
	}
	out, err := s.readState(ctx, p)
	out.Changed, out.Candidates, out.Notes = note.Changed, note.Candidates, note.Notes
	return out, err
}

// readState reads the state of a project from the store. Without declared fields it is derived
// from the last session.
func (s *Service) readState(ctx context.Context, p mem.Project) (workstate.State, error) {
	out := workstate.State{
		Project: p, Active: []string{}, Blockers: []string{}, Progress: []workstate.Item{},
		Decisions: []workstate.Decision{}, Sessions: []workstate.Session{},
	}
	fields, err := s.stateFields(ctx, p.Key)
	if err != nil {
		return out, err
	}
	for _, f := range fields {
		setField(&out, f)
		if f.Updated.After(out.Updated) {
			out.Updated, out.Version = f.Updated.UTC(), f.Updated.UTC().Format("20060102T150405.000000000")
		}
	}
	if len(fields) == 0 {
		if err := s.DeriveState(ctx, p, &out); err != nil {
			return out, err
		}
	}
	todos, err := s.Store.List(ctx, mem.Query{
		Project: p.Key, Kinds: []mem.Kind{mem.Todo}, MinTrust: mem.TrustTool, Order: mem.ByUpdate, Limit: 40,
	})
	if err != nil {
		return out, fmt.Errorf("items: %w", err)
	}
	for _, t := range todos {
		out.Progress = append(out.Progress, workstate.Item{ID: t.ID, Section: sectionOf(t), Text: t.Title, Done: t.Resolved})
	}
	decided, err := s.Store.List(ctx, mem.Query{
		Project: p.Key, Kinds: []mem.Kind{mem.Decision}, MinTrust: mem.TrustTool, Limit: 10,
	})
	if err != nil {
		return out, fmt.Errorf("decisions: %w", err)
	}
	for i := len(decided) - 1; i >= 0; i-- {
		out.Decisions = append(out.Decisions, decisionOf(decided[i]))
	}
	return out, s.stateSessions(ctx, p, &out)
}

// stateSessions adds the newest summaries of sessions to out, oldest first.
func (s *Service) stateSessions(ctx context.Context, p mem.Project, out *workstate.State) error {
	ms, err := s.Store.List(ctx, mem.Query{
		Project: p.Key, Kinds: []mem.Kind{mem.Summary}, MinTrust: mem.TrustTool, Limit: 40,
	})
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	seen := map[string]bool{}
	for _, m := range ms {
		if len(out.Sessions) == 5 || m.Summary == nil || m.Session != "" && seen[m.Session] {
			continue
		}
		seen[m.Session] = true
		entry := workstate.Session{Title: m.Created.Local().Format("2006-01-02"), Summary: m.Title}
		for _, part := range []struct {
			text string
			into *[]string
		}{
			{m.Summary.Completed, &entry.Completed},
			{m.Summary.Learned, &entry.Decisions},
			{m.Summary.Notes, &entry.Blockers},
			{m.Summary.NextSteps, &entry.Next},
		} {
			if part.text != "" {
				*part.into = []string{part.text}
			}
		}
		out.Sessions = append(out.Sessions, entry)
	}
	slices.Reverse(out.Sessions)
	return nil
}

// stateFields returns the memories that hold the fields of a project's state.
func (s *Service) stateFields(ctx context.Context, project string) ([]mem.Memory, error) {
	ms, err := s.Event.All(ctx, mem.Query{
		Project: project, Tags: []string{stateTag}, Kinds: []mem.Kind{mem.Fact}, MinTrust: mem.TrustTool,
	})
	if err != nil {
		return nil, fmt.Errorf("fields: %w", err)
	}
	return slices.DeleteFunc(ms, func(mm mem.Memory) bool { return !event.IsField(mm) }), nil
}

// ApplyDeclaredState overrides a state derived from a session with the declared fields of the project.
func (s *Service) ApplyDeclaredState(ctx context.Context, project string, st *mem.State) error {
	fields, err := s.stateFields(ctx, project)
	if err != nil {
		return err
	}
	var declared workstate.State
	for _, f := range fields {
		if inject.Injectable(f) {
			setField(&declared, f)
		}
	}
	st.Phase = cmp.Or(declared.Phase, st.Phase)
	if declared.Next != "" {
		st.Next = append([]string{declared.Next}, st.Next...)
	}
	st.Waiting, st.Doing = declared.Blockers, append(declared.Active, st.Doing...)
	return nil
}

// setField sets the value of one field of the state.
func setField(out *workstate.State, m mem.Memory) {
	name, text, _ := strings.Cut(cmp.Or(m.Body, m.Title), ": ")
	if text == noValue {
		text = ""
	}
	switch name {
	case fieldPhase:
		out.Phase = text
	case fieldStatus:
		out.Status = text
	case fieldNext:
		out.Next = text
	case fieldActive:
		out.Active = append(out.Active, m.Facts...)
	case fieldBlocked:
		out.Blockers = append(out.Blockers, m.Facts...)
	}
}

// noValue is the text of a field that was cleared.
const noValue = "none"

// storeFields stores the given fields, each as one memory.
func (s *Service) storeFields(ctx context.Context, p mem.Project, req workstate.Request) (workstate.State, error) {
	u := req.Update
	var ms []mem.Memory
	add := func(name, text string, facts []string) {
		mm := s.stateMemory(p, mem.Fact, req.Agent != "")
		mm.Tags, mm.Key, mm.Importance = []string{stateTag}, event.FieldKey+strings.ToLower(name), 0.4
		full := name + ": " + cmp.Or(text, noValue)
		mm.Title, mm.Facts = chars.Clip(full, 160), facts
		if mm.Title != full {
			mm.Body = full
		}
		ms = append(ms, mm)
	}
	for _, f := range []struct {
		name string
		text *string
	}{{fieldPhase, u.Phase}, {fieldStatus, u.Status}, {fieldNext, u.Next}} {
		if f.text != nil {
			add(f.name, *f.text, nil)
		}
	}
	for _, f := range []struct {
		name string
		list *[]string
	}{{fieldActive, u.Active}, {fieldBlocked, u.Blockers}} {
		if f.list != nil {
			add(f.name, strings.Join(*f.list, "; "), *f.list)
		}
	}
	old, err := s.Event.All(ctx, mem.Query{Project: p.Key, Tags: []string{stateTag}})
	if err != nil {
		return workstate.State{}, fmt.Errorf("fields: %w", err)
	}
	return s.saveState(ctx, p, req.Agent, ms, old)
}

func (s *Service) storeDecision(ctx context.Context, p mem.Project, req workstate.Request) (workstate.State, error) {
	d := req.Decision
	mm := s.stateMemory(p, mem.Decision, req.Agent != "")
	mm.Title, mm.Body = chars.Clip(d.Title, 160), d.Title+": "+d.Text
	if d.Rationale != "" {
		mm.Body += "\nWhy: " + d.Rationale
	}
	mm.Tags = []string{"status:" + strings.ToLower(d.Status), "by:" + strings.ToLower(d.By)}
	return s.saveState(ctx, p, req.Agent, []mem.Memory{mm}, nil)
}

// decisionOf converts a decision memory to its form in the state.
func decisionOf(m mem.Memory) workstate.Decision {
	d := workstate.Decision{ID: m.ID, Title: m.Title, Date: m.Created.Local().Format("2006-01-02")}
	text, why, _ := strings.Cut(cmp.Or(m.Body, m.Title), "\nWhy: ")
	d.Text, d.Rationale = strings.TrimPrefix(text, m.Title+": "), why
	for _, t := range m.Tags {
		if s, ok := strings.CutPrefix(t, "status:"); ok && s != "" {
			d.Status = strings.ToUpper(s[:1]) + s[1:]
		}
		if s, ok := strings.CutPrefix(t, "by:"); ok {
			d.By = s
		}
	}
	return d
}

func (s *Service) storeProgress(ctx context.Context, p mem.Project, req workstate.Request) (workstate.State, error) {
	open, err := s.Store.List(ctx, mem.Query{
		Project: p.Key, Kinds: []mem.Kind{mem.Todo}, Open: true, MinTrust: mem.TrustTool, Limit: 200,
	})
	if err != nil {
		return workstate.State{}, fmt.Errorf("open items: %w", err)
	}
	titles := make([]string, len(open))
	for i, o := range open {
		titles[i] = o.Title
	}
	if req.Progress.Action == "add" {
		section := cmp.Or(req.Progress.Section, sectionDoing)
		mm := s.stateMemory(p, mem.Todo, req.Agent != "")
		mm.Title, mm.Resolved = chars.Clip(req.Progress.Task, 160), false
		mm.Key = extract.ListedKey + strings.ToLower(req.Progress.Task)
		mm.Tags = []string{event.SectionTag + section}
		return s.saveState(ctx, p, req.Agent, []mem.Memory{mm}, nil)
	}
	at, matches := chars.BestMatch(titles, req.Progress.Task)
	if at < 0 {
		return noSingleMatch(req.Progress.Task, titles, matches), nil
	}
	who, err := s.Curate.AuthorOf(ctx, req.Agent)
	if err != nil {
		return workstate.State{}, err
	}
	if !who.MayReport(open[at]) {
		_, err := s.Curate.Proposals(who, "").AddAndSave(ctx, open[at], mem.Proposal{
			Action:   curate.ProposeEdit,
			Resolved: new(true),
		})
		return workstate.State{Notes: []string{proposedNote(open[at])}}, err
	}
	b := mem.Batch{Edits: []mem.Edit{{ID: open[at].ID, Resolved: new(true)}}}
	s.Event.Follow(&b)
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return workstate.State{}, fmt.Errorf("complete: %w", err)
	}
	return workstate.State{Changed: []string{open[at].ID}}, nil
}

// noSingleMatch explains that no open item, or more than one, matched.
func noSingleMatch(task string, titles []string, matches []int) workstate.State {
	if len(matches) == 0 {
		return workstate.State{Notes: []string{fmt.Sprintf("no open item is like %q; nothing was completed", task)}}
	}
	out := workstate.State{Notes: []string{
		fmt.Sprintf("%d open items are like %q; none was completed", len(matches), task),
	}}
	for _, i := range matches {
		out.Candidates = append(out.Candidates, titles[i])
	}
	return out
}

// sectionOf returns the section of a work item.
func sectionOf(m mem.Memory) string {
	if m.Resolved {
		return sectionDone
	}
	for _, t := range m.Tags {
		if s, ok := strings.CutPrefix(t, event.SectionTag); ok {
			return s
		}
	}
	return sectionDoing
}

func (s *Service) storeSession(ctx context.Context, p mem.Project, req workstate.Request) (workstate.State, error) {
	entry := req.Session
	mm := s.stateMemory(p, mem.Summary, req.Agent != "")
	mm.Title, mm.Body = extract.Headline(entry.Summary)
	mm.Summary = &mem.SummaryText{
		Request: mm.Title, Completed: strings.Join(entry.Completed, "; "), Learned: strings.Join(entry.Decisions, "; "),
		Notes: strings.Join(entry.Blockers, "; "), NextSteps: strings.Join(entry.Next, "; "),
	}
	return s.saveState(ctx, p, req.Agent, []mem.Memory{mm}, nil)
}

// stateMemory returns a memory of the state by the person or by an agent.
func (s *Service) stateMemory(p mem.Project, k mem.Kind, byAgent bool) mem.Memory {
	info, _ := k.Info()
	now := s.Now()
	mm := mem.Memory{
		Scope: mem.ScopeProject, Project: p.Key, Kind: k, Importance: info.Importance,
		Confidence: event.ConfidenceUser, Trust: mem.TrustUser, Origin: mem.FromUserCommand, Resolved: true,
		Branch: p.Branch, Commit: p.Commit, Created: now, Updated: now,
	}
	if byAgent {
		mm.Confidence, mm.Origin = event.ConfidenceAgent, mem.FromAssistant
	}
	return mm
}

// saveState stores memories of the state. An agent's memory has the trust of its turn, also if it
// replaces an older field. If the agent lacks the trust to replace a field, the change is proposed.
func (s *Service) saveState(
	ctx context.Context, p mem.Project, agent string, ms, old []mem.Memory,
) (workstate.State, error) {
	who, err := s.Curate.AuthorOf(ctx, agent)
	if err == nil && who.Private {
		err = event.ErrPrivateTurn
	}
	if err != nil {
		return workstate.State{}, err
	}
	var notes []string
	ps := s.Curate.Proposals(who, "")
	b := mem.Batch{Project: &p}
	for _, mm := range ms {
		mm.Trust, mm.Index = who.Trust, rank.Index(mm)
		i := slices.IndexFunc(old, func(o mem.Memory) bool { return o.Key == mm.Key })
		if i >= 0 && !who.MayReport(old[i]) {
			change := curate.ProposalOf(old[i], mem.Edit{
				Title: &mm.Title, Body: &mm.Body, Facts: append([]string{}, mm.Facts...),
			})
			if !curate.HasEffect(change) {
				continue
			}
			if _, err := ps.Add(ctx, old[i], change); err != nil {
				return workstate.State{}, err
			}
			notes = append(notes, proposedNote(old[i]))
			continue
		}
		b.Memories = append(b.Memories, mm)
		if i >= 0 {
			b.Edits = append(b.Edits, mem.Edit{ID: old[i].ID, Trust: &who.Trust})
		}
	}
	b.Edits = append(b.Edits, ps.Edits...)
	s.Event.Follow(&b)
	res, err := s.Store.Apply(ctx, b)
	if err != nil {
		return workstate.State{}, fmt.Errorf("store state: %w", err)
	}
	return workstate.State{Changed: res[0].IDs, Notes: notes}, nil
}

// proposedNote explains that a change of the state was only proposed.
func proposedNote(m mem.Memory) string {
	return fmt.Sprintf("%q stays as it is: it has more trust than this turn, so the change waits for the user in review",
		chars.Clip(m.Title, 80))
}
