package recall

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
)

// FileNotes injects memories of a file that was just read or changed: once per session and file, and again after a
// compaction. Decisions that an edit undoes are injected each time, but each once.
func (e *Service) FileNotes(ctx context.Context, ec event.Context, c extract.Call, budget int) (mem.Reply,
	event.Changes, error,
) {
	if c.File == "" || budget == 0 || !ec.Settings.MayInject(ec.SessionInfo) {
		return mem.Reply{}, event.Changes{}, nil
	}
	items, marks, err := (&undoSearch{Service: e, ec: ec, call: c}).undone(ctx)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	var notes []mem.Hit
	if mark := event.TextMark("file", c.File); !ec.SessionInfo.Injected[mark] {
		if notes, err = e.notesOn(ctx, ec, c.File); err != nil {
			return mem.Reply{}, event.Changes{}, err
		}
		notes = slices.DeleteFunc(notes, func(h mem.Hit) bool { return slices.Contains(marks, "undone:"+h.Memory.ID) })
		if len(notes) > 0 {
			marks = append(marks, mark)
		}
	}
	if len(notes)+len(items) == 0 {
		return mem.Reply{}, event.Changes{}, nil
	}
	r := ec.Receipt("file", budget)
	r.Query, r.Marks, r.Candidates = c.File, marks, len(notes)+len(items)
	b := e.RecallBlock(ec, "file", notes)
	b.Sections[0].Items = append(items, b.Sections[0].Items...)
	reply, ch := injected(e.Inject(ec, b, r))
	return reply, ch, nil
}

// notesOn returns the memories of a file, followed by the conventions of its directory and of its extension; three
// at most.
func (e *Service) notesOn(ctx context.Context, ec event.Context, file string) ([]mem.Hit, error) {
	rules := []mem.Kind{mem.Convention, mem.Gotcha, mem.Decision}
	var out []mem.Hit
	for _, q := range []mem.Query{
		{File: file, Kinds: event.Knowledge(), Statuses: event.Findable(), Limit: 6},
		{File: otherForm(ec.Project, file), Kinds: event.Knowledge(), Statuses: event.Findable(), Limit: 6},
		{File: dirOf(file), Kinds: rules, Order: mem.ByImportance, Limit: 5},
		{File: extOf(file), Kinds: rules, Order: mem.ByImportance, Limit: 5},
	} {
		if q.File == "" {
			continue
		}
		hits, _, err := e.Recall(ctx, ec, Question{Trigger: "file", Query: q, Most: 3, strict: true})
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			if len(out) < 3 && !extract.Contains(out, h.Memory.ID) {
				out = append(out, h)
			}
		}
	}
	return out, nil
}

// otherForm returns the absolute path of a project's file. Memories stored from elsewhere may name it so.
func otherForm(p mem.Project, file string) string {
	if p.Root == "" || path.IsAbs(file) || strings.Contains(file, ":") {
		return ""
	}
	return path.Join(extract.Slashed(p.Root), file)
}

func dirOf(file string) string {
	if i := strings.LastIndexByte(file, '/'); i > 0 {
		return file[:i+1]
	}
	return ""
}

func extOf(file string) string {
	base := file[strings.LastIndexByte(file, '/')+1:]
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		return base[i:]
	}
	return ""
}

// CommandNotes injects how a failed command went before and what fixed it: memories of the same command, or else of
// another one that failed in the same way. A failure that occurred before is counted in one line.
func (e *Service) CommandNotes(ctx context.Context, ec event.Context, c extract.Call, said string) (mem.Reply,
	event.Changes, error,
) {
	budget := ec.Settings.Budgets.Bash
	if budget == 0 || c.Plain == "" || !ec.Settings.MayInject(ec.SessionInfo) {
		return mem.Reply{}, event.Changes{}, nil
	}
	kinds := []mem.Kind{mem.ErrorFix, mem.Gotcha, mem.Command}
	hits, r, err := e.Recall(ctx, ec, Question{
		Trigger: "command", Asked: c.Plain, Budget: budget, Most: 3, strict: true,
		Query: mem.Query{Command: c.Plain, Kinds: kinds, Statuses: event.Findable(), Limit: 6},
	})
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	failure := extract.FailureOf(c.Plain, said)
	if len(hits) == 0 {
		_, message := extract.ExitOf(said)
		hits, r, err = e.Recall(ctx, ec, Question{
			Trigger: "command", Asked: c.Plain + "\n" + extract.ErrorLine(message), Budget: budget, Most: 2,
			Query: mem.Query{Kinds: kinds}, failure: &failure,
		})
		if err != nil {
			return mem.Reply{}, event.Changes{}, err
		}
	}
	// What is about this failure comes before what is about another one of the command.
	var about, others []mem.Hit
	for _, h := range hits {
		if failure.Is(h.Memory) {
			about = append(about, h)
		} else {
			others = append(others, h)
		}
	}
	past, ok, err := e.again(ctx, ec, c, failure)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	if ok && past.helped { // then it does not help to read how others were fixed
		others = slices.DeleteFunc(others, func(h mem.Hit) bool {
			if h.Memory.Kind == mem.Gotcha {
				return false
			}
			r.LeftOut = append(r.LeftOut, mem.LeftOutItem{
				ID: h.Memory.ID, Title: h.Memory.Title, Score: h.Score, Parts: h.Parts, Gate: event.OtherFailure,
			})
			return true
		})
	}
	b := e.RecallBlock(ec, "command", append(about, others...))
	if ok {
		items := b.Sections[0].Items
		known := len(e.RecallBlock(ec, "command", about).Sections[0].Items)
		b.Sections[0].Items = slices.Insert(items, known, past.item)
		r.Marks = append(r.Marks, past.mark)
	}
	reply, ch := injected(e.Inject(ec, b, r))
	return reply, ch, nil
}

// SubagentBrief injects into a subagent's context what is known about its task.
func (e *Service) SubagentBrief(ctx context.Context, ec event.Context, launch extract.Call) (mem.Reply,
	event.Changes, error,
) {
	budget := ec.Settings.Budgets.Task
	if budget == 0 {
		return mem.Reply{}, event.Changes{}, nil
	}
	hits, r, err := e.Recall(ctx, ec, Question{
		Trigger: "subagent", Asked: launch.About + "\n" + launch.Prompt, Budget: budget, Most: 10, loose: true,
		Query: mem.Query{NotKinds: NotRecalled(), Scopes: []mem.Scope{mem.ScopeProject, mem.ScopeSession}},
	})
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	slices.SortStableFunc(hits, func(a, b mem.Hit) int { // a brief is short: the most important memory comes first
		return cmp.Or(cmp.Compare(b.Memory.Importance, a.Memory.Importance), b.Memory.Updated.Compare(a.Memory.Updated))
	})
	b := e.RecallBlock(ec, "subagent", hits)
	b.Header = inject.HeadSubagent
	reply, ch := injected(e.Inject(ec, b, r))
	return reply, ch, nil
}

// NotRecalled returns the kinds that are raw material and are never injected.
func NotRecalled() []mem.Kind { return []mem.Kind{mem.Change, mem.Snapshot, mem.Scratch} }
