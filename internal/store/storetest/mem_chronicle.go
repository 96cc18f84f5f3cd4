package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"remanence/internal/mem"
)

var _ mem.RunLog = (*Mem)(nil)

// chronicle writes what a round of consolidation changed.
func (d *deed) chronicle(b mem.Batch, r *mem.Result) {
	if b.Run != nil {
		run := *b.Run
		i := slices.IndexFunc(d.runs, func(o mem.Run) bool { return o.ID == run.ID })
		if run.ID == "" {
			run.ID, run.Project, run.Changes = short("k_", d.next("k_")), d.key(run.Project), nil
			if run.At.IsZero() {
				run.At = d.now()
			}
			run.At = clean(run.At)
			d.sessionOf(run.Session, run.Project, "")
			i, d.runs = len(d.runs), append(d.runs, run)
		}
		for _, c := range b.Run.Changes {
			c.Undone, c.Was.LastUsed, c.Became.LastUsed = clean(c.Undone), clean(c.Was.LastUsed), clean(c.Became.LastUsed)
			d.runs[i].Changes = append(d.runs[i].Changes, c)
		}
		r.Run = run.ID
	}
	for i := range d.runs {
		if !slices.Contains(b.Undone, d.runs[i].ID) {
			continue
		}
		for j := range d.runs[i].Changes {
			if c := &d.runs[i].Changes[j]; c.Undone.IsZero() {
				c.Undone = clean(d.now())
			}
		}
	}
	for _, v := range b.Dismissed {
		if v.Memory == "" && len(r.IDs) > 0 {
			v.Memory = r.IDs[0]
		}
		if v.Memory == v.Other {
			continue
		}
		if v.At.IsZero() {
			v.At = d.now()
		}
		v.At = clean(v.At)
		if !slices.ContainsFunc(d.refused, func(o mem.Dismissal) bool { return o.Rule == v.Rule && o.Memory == v.Memory && o.Other == v.Other }) {
			d.refused = append(d.refused, v)
		}
	}
}

// Runs implements mem.Chronicle.
func (s *Mem) Runs(ctx context.Context, q mem.RunQuery) ([]mem.Run, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	all := backwards(s.runs)
	if q.ID != "" {
		run, err := pick(s.runs, q.ID, func(r mem.Run) string { return r.ID })
		if err != nil {
			return nil, fmt.Errorf("round of consolidation %w", err)
		}
		all, q = []mem.Run{run}, mem.RunQuery{}
	}
	var out []mem.Run
	for _, r := range all {
		if q.Project != "" && r.Project != s.alias(q.Project) || q.Kind != "" && r.Kind != q.Kind {
			continue
		}
		r.Changes = slices.DeleteFunc(slices.Clone(r.Changes), func(c mem.Step) bool { return s.memory(c.Memory) == nil })
		r.Undone = len(r.Changes) > 0 && !slices.ContainsFunc(r.Changes, func(c mem.Step) bool { return c.Undone.IsZero() })
		if s.find(r.Session) == nil {
			r.Session = ""
		}
		out = append(out, r)
	}
	return page(out, 0, q.Limit, mem.DefaultLimit), nil
}

// Dismissals implements mem.Chronicle.
func (s *Mem) Dismissals(ctx context.Context) ([]mem.Dismissal, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	out := slices.DeleteFunc(slices.Clone(s.refused), func(d mem.Dismissal) bool { return s.memory(d.Memory) == nil })
	slices.SortStableFunc(out, func(a, b mem.Dismissal) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Rule, b.Rule)) })
	return out, nil
}
