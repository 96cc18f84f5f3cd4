package views

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/outcome"
)

// recapSession is what a session did in the period.
type recapSession struct {
	outcome.Session
	project   string
	summaries []mem.Memory // of its turns and of all of it, newest first
}

// recapOutcome is what came of a session, or of a piece of its work.
type recapOutcome struct {
	item    RecapItem
	weight  int
	at      time.Time
	session string // its id
}

// Weights of outcomes.
const (
	ofTurn = iota
	ofSession
	ofWork
)

// of returns what a session did.
func (r *recap) of(session, project string) *recapSession {
	did := r.did[session]
	if did == nil {
		of := r.projects[project]
		did = &recapSession{project: project, Session: outcome.Session{Repository: of.Common != "", Root: of.Root}}
		if root := r.session(session).Root; !extract.Within(of.Root, root) {
			did.Root, did.Elsewhere = root, true
		}
		r.did[session] = did
	}
	return did
}

// take adds a memory, newest first.
func (s *recapSession) take(m mem.Memory) {
	if s.Take(m); m.Kind == mem.Summary {
		s.summaries = append(s.summaries, m)
	}
}

// outcomes adds what came of each session: its pieces of work, or else its summary, or else its newest turn. It returns
// the pieces.
func (r *recap) outcomes() map[string][]outcome.Piece {
	pieces := r.pieces()
	for _, id := range r.newest() {
		if id == "" {
			continue
		}
		did, short, worked := r.did[id], r.session(id).Short, map[*RecapDay]bool{}
		for _, p := range pieces[id] {
			asked := ""
			if !r.statements {
				asked = did.AskedIn(p.Prompt)
			}
			item := RecapItem{ID: p.ID, Title: p.TitleFor(asked), State: p.State, Session: short}
			d := r.day(p.At, did.project, id)
			d.outcome(recapOutcome{item, ofWork, p.At, id})
			worked[d] = true
		}
		for _, m := range did.summaries {
			whole := strings.HasPrefix(m.Key, extract.SessionKey)
			d := r.day(m.Created, did.project, id)
			if worked[d] || len(pieces[id]) > 0 && (whole || did.Commits(m.Source.PromptID)) || outcome.OnlyPlanned(m) ||
				slices.ContainsFunc(pieces[id], func(p outcome.Piece) bool { return p.Holds(m.Source.PromptID) }) {
				continue
			}
			o := recapOutcome{at: m.Created, item: RecapItem{
				ID: m.ID, Title: outcome.Text(m), Session: short, State: did.Undelivered(r.until),
			}}
			if whole {
				o.weight = ofSession
			}
			d.outcome(o)
		}
	}
	return pieces
}

// newest returns the ids of the sessions that did something, the one that went on last first.
func (r *recap) newest() []string {
	return slices.SortedFunc(maps.Keys(r.did), func(a, b string) int {
		return cmp.Or(r.did[b].Last().Compare(r.did[a].Last()), cmp.Compare(a, b))
	})
}

// leftOpen adds what the sessions left open, besides the state of their work: above the open items of a day, those of
// the newest session first.
func (r *recap) leftOpen(pieces map[string][]outcome.Piece) {
	newest, asked, later := r.newest(), map[string][]string{}, map[string][]string{}
	for _, id := range newest { // what was asked for in later sessions of its project
		did := r.did[id]
		later[id] = slices.Clip(asked[did.project])
		asked[did.project] = append(asked[did.project], did.Asked()...)
	}
	for _, id := range slices.Backward(newest) {
		did, short := r.did[id], r.session(id).Short
		for _, end := range slices.Backward(did.Ends(pieces[id], later[id])) {
			if end.At.Before(r.since) || end.At.After(r.until) || r.statements && !end.Person {
				continue
			}
			d := r.day(end.At, did.project, id)
			said := func(o RecapItem) bool { return extract.SameItem(o.Title, end.Text) }
			at := 0
			for at < len(d.Open) && end.Minor && !d.Open[at].minor {
				at++
			}
			if !slices.ContainsFunc(d.Open, said) {
				d.Open = slices.Insert(d.Open, at, RecapItem{
					ID: short, Title: end.Line("you"), Session: short, minor: end.Minor,
					prompt: end.Prompt, asked: did.AskedIn(end.Prompt),
				})
			}
		}
	}
}

// pieces returns the pieces of work by session. A repository is asked only if a piece needs it.
func (r *recap) pieces() map[string][]outcome.Piece {
	out, files := map[string][]outcome.Piece{}, map[string][]string{} // files by project
	for id, did := range r.did {
		if id == "" {
			continue
		}
		did.Partial = did.Partial || r.session(id).Created.Before(r.since)
		out[id] = did.Pieces(r.until, r.statements)
		for _, p := range out[id] {
			if p.Unknown && did.Repository && r.log != nil {
				files[did.project] = append(files[did.project], p.Files()...)
			}
		}
	}
	logs := map[string]*outcome.Log{}
	for project, of := range files {
		slices.Sort(of)
		logs[project] = r.log(r.projects[project].Root, slices.Compact(of))
	}
	for id, all := range out {
		did := r.did[id]
		unknown := slices.ContainsFunc(all, func(p outcome.Piece) bool { return p.Unknown })
		if did.Log = logs[did.project]; did.Log != nil && unknown {
			out[id] = did.Pieces(r.until, r.statements)
		}
	}
	return out
}

// outcome adds what came of a session. Of those that are of no piece of work the one that weighs most stands for the
// session, of two the first.
func (d *RecapDay) outcome(o recapOutcome) {
	for i, has := range d.done {
		switch {
		case has.item.Title == o.item.Title && has.item.State == o.item.State:
			return
		case has.item.Session == o.item.Session && o.item.Session != "" && o.weight < ofWork:
			if o.weight > has.weight {
				d.done[i] = o
			}
			return
		}
	}
	d.done = append(d.done, o)
}

// addWork adds to a recap what a session did in a project. ms are its memories, newest first.
func (s *Service) addWork(ctx context.Context, r *recap, project string, one mem.Session, ms []mem.Memory) error {
	did := r.of(one.ID, project)
	for _, m := range ms {
		did.take(m)
	}
	return s.Continuity.ReadCommands(ctx, one, maxHandoffCalls, &did.Session)
}

// log returns what a repository knows of the time since; nil if it cannot be read, as one that was deleted since.
func (c Config) log(ctx context.Context, dir string, since time.Time, files []string) *outcome.Log {
	if c.Log == nil || dir == "" {
		return nil
	}
	h, err := c.Log(ctx, dir, since, files)
	if err != nil {
		return nil
	}
	return outcome.NewLog(h)
}
