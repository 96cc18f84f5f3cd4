package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/outcome"
	"remanence/internal/propose"
	"remanence/internal/rank"
)

// Bounds of a recap, per period.
const (
	maxRecapMemories = 10_000
	maxRecapCalls    = 20_000
	maxRecapSessions = 1_000 // of which what was asked for is read, also if nothing came of it
	recapPage        = 1_000 // memories that are read at once for some days
)

// recapKinds lists the kinds of memories that a recap reads.
func recapKinds() []mem.Kind {
	return []mem.Kind{
		mem.Summary, mem.Decision, mem.TradeOff, mem.Convention, mem.Preference, mem.Todo, mem.ErrorFix, mem.Command,
		mem.Change,
	}
}

// RecapRequest asks what was done in a period. A zero Until means now.
type RecapRequest struct {
	mem.ProjectRef
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until,omitzero"`
	Format string    `json:"format,omitempty"` // RecapMarkdown or RecapHTML, to get the page too; empty means none
	Items  int       `json:"items,omitempty"`  // of each section of the page; 0 means as many as fit
	Limit  int       `json:"limit,omitempty"`  // newest days with a statement; 0 means all
	// Prose asks the model that is set up to summarize the recap; an error without one. That takes tokens: a read by GET
	// cannot ask for it.
	Prose bool `json:"prose,omitempty" query:"-"`

	MinTrust   mem.Trust `json:"-"` // of statements; less than TrustTool means TrustTool
	Statements bool      `json:"-"` // no prompt, and no subject of a commit that no statement is about
}

// RecapResponse lists what was done by day and project, oldest day first.
type RecapResponse struct {
	Since    time.Time  `json:"since"`
	Until    time.Time  `json:"until"`
	Days     []RecapDay `json:"days"`
	Text     string     `json:"text,omitempty"` // the page in the form that was asked for
	Prose    string     `json:"prose,omitempty"`
	Model    string     `json:"model,omitempty"`    // that wrote Prose
	Withheld int        `json:"withheld,omitempty"` // days of excluded projects that the model was not shown
	Cut      bool       `json:"cut,omitempty"`      // the period holds more than one recap reads
}

// RecapDay is what was done in one project on one day, from stored statements alone.
type RecapDay struct {
	Day         string      `json:"day"` // 2006-01-02 in local time
	Project     string      `json:"project"`
	ProjectName string      `json:"project_name"`
	Sessions    int         `json:"sessions"`
	Outcomes    []RecapItem `json:"outcomes"`  // of each piece of work of a session, newest first
	Decisions   []RecapItem `json:"decisions"` // decisions, trade-offs, conventions and preferences in force
	Open        []RecapItem `json:"open"`      // noted on that day and still open
	// Failures lists those that took longest to a fix first, then the most frequent. That of a command that
	// only looks at something, and of a commit that was made afterwards, are left out.
	Failures []outcome.Failure `json:"failures"`
	Files    []string          `json:"files"`   // changed, most often first
	Commits  []RecapCommit     `json:"commits"` // made by the agent, oldest first

	sessions map[string]bool
	files    map[string]int
	fixes    []mem.Memory
	done     []recapOutcome
}

// RecapItem is one statement.
type RecapItem struct {
	ID      string `json:"id"` // of the memory, or of the session that left it open
	Title   string `json:"title"`
	Session string `json:"session,omitempty"`
	// State says of an outcome what was committed, pushed and checked: "committed 1a2b3c4, push failed".
	State string `json:"state,omitempty"`

	minor  bool   // other open items come first
	prompt string // id of the turn that it comes from
	asked  string // in that turn
}

// RecapCommit is a commit as git reported it to the agent.
type RecapCommit struct {
	Hash    string `json:"hash"`         // abbreviated
	ID      string `json:"id,omitempty"` // full hash; empty if the repository of the project had no such commit then
	Subject string `json:"subject"`
	Session string `json:"session"`
}

// Recap lists what was done in a period. It uses no model. Text from outside is left out.
func (s *Service) Recap(ctx context.Context, req RecapRequest) (RecapResponse, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return RecapResponse{}, err
	}
	out := RecapResponse{Since: req.Since.UTC(), Until: req.Until.UTC(), Days: []RecapDay{}}
	if req.Until.IsZero() {
		out.Until = s.Now().UTC()
	}
	r := &recap{
		days: map[[2]string]*RecapDay{}, session: s.Event.Lookup(ctx), projects: map[string]mem.Project{},
		made: map[string][]mem.Commit{}, until: out.Until, did: map[string]*recapSession{},
		statements: req.Statements,
	}
	if at, ok := s.Event.KeptSince(); ok {
		r.kept = at
	}
	projects, err := s.Store.Projects(ctx, "")
	if err != nil {
		return out, fmt.Errorf("projects: %w", err)
	}
	for _, known := range projects {
		r.projects[known.Key] = known
	}
	since, cut, err := s.recapMemories(ctx, p.Key, req, r.add)
	if err != nil {
		return out, err
	}
	r.since = since
	r.log = func(dir string, files []string) *outcome.Log { return s.log(ctx, dir, since, files) }
	calls, err := s.Store.Events(ctx, mem.EventQuery{
		Project: p.Key, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: mem.ToolShell, After: since, Before: req.Until,
		Limit: maxRecapCalls,
	})
	if err != nil {
		return out, fmt.Errorf("commits of the period: %w", err)
	}
	out.Cut = cut || len(calls) == maxRecapCalls
	for _, ev := range slices.Backward(calls) {
		r.call(s.Event, ev)
	}
	if err := s.recapRequests(ctx, r, mem.SessionQuery{
		Project: p.Key, Since: since, Until: req.Until, Limit: maxRecapSessions,
	}); err != nil {
		return out, err
	}
	r.leftOpen(r.outcomes())
	for _, d := range r.days {
		d.finish(r.ran)
		out.Days = append(out.Days, *d)
	}
	slices.SortFunc(out.Days, func(a, b RecapDay) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.ProjectName, b.ProjectName), cmp.Compare(a.Project, b.Project))
	})
	if req.Format != "" {
		out.Text = out.Page(req.Format, req.Items, chars.Line)
	}
	return out, nil
}

// recapRequests reads what sessions were asked for: those of a recap that did something, and those of a period.
func (s *Service) recapRequests(ctx context.Context, r *recap, period mem.SessionQuery) error {
	sessions, err := s.Store.Sessions(ctx, period)
	if err != nil {
		return fmt.Errorf("sessions of the period: %w", err)
	}
	for _, one := range sessions {
		if one.Prompts > 0 {
			r.of(one.ID, one.Project)
			r.day(one.LastEvent, one.Project, one.ID) // also if nothing was kept of it
		}
	}
	for id, did := range r.did {
		if err := s.Continuity.ReadExchanges(ctx, r.session(id), &did.Session); err != nil {
			return err
		}
	}
	return nil
}

// recapMemories passes the memories of a recap to add, newest first. since is where the days begin that were read, and
// cut reports whether there are earlier ones.
func (s *Service) recapMemories(ctx context.Context, project string, req RecapRequest, add func(mem.Memory)) (
	since time.Time, cut bool, err error,
) {
	q := mem.Query{
		Project: project, Within: "*", Statuses: event.Findable(), Kinds: recapKinds(),
		MinTrust: max(mem.TrustTool, req.MinTrust), After: req.Since, Before: req.Until, Limit: maxRecapMemories,
	}
	if req.Limit > 0 {
		q.Limit = recapPage
	}
	for days := 0; q.Offset < maxRecapMemories; q.Offset += q.Limit {
		ms, err := s.Store.List(ctx, q)
		if err != nil {
			return since, false, fmt.Errorf("memories of the period: %w", err)
		}
		for _, m := range ms {
			if at := m.Created.Local(); days == 0 || at.Before(since) {
				if days == req.Limit && days > 0 {
					return since, true, nil
				}
				days, since = days+1, time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.Local)
			}
			add(m)
		}
		if len(ms) < q.Limit {
			return req.Since, false, nil
		}
	}
	return req.Since, true, nil
}

// recap collects the days of a RecapResponse.
type recap struct {
	days         map[[2]string]*RecapDay // by day and project key
	session      func(id string) mem.Session
	projects     map[string]mem.Project  // by key
	made         map[string][]mem.Commit // by the turns of a session
	since, until time.Time
	kept         time.Time // since when all events are kept
	// statements keeps prompts out, and subjects of commits that no statement is about.
	statements bool
	ran        outcome.Runs
	did        map[string]*recapSession
	log        func(dir string, files []string) *outcome.Log // of a repository
}

// day returns the entry of a time and project.
func (r *recap) day(at time.Time, project, session string) *RecapDay {
	key := [2]string{at.Local().Format(time.DateOnly), project}
	d := r.days[key]
	if d == nil {
		d = &RecapDay{
			Day: key[0], Project: project, ProjectName: cmp.Or(r.projects[project].Name, project, "every project"),
			Outcomes: []RecapItem{}, Decisions: []RecapItem{}, Open: []RecapItem{}, Failures: []outcome.Failure{},
			Files: []string{}, Commits: []RecapCommit{}, sessions: map[string]bool{}, files: map[string]int{},
		}
		r.days[key] = d
	}
	if session != "" {
		d.sessions[session] = true
	}
	return d
}

// add adds a memory. Memories come newest first.
func (r *recap) add(m mem.Memory) {
	of := r.session(m.Session)
	if m.Updated.After(of.LastEvent) && !of.LastEvent.IsZero() { // by a later review of memories
		m.Updated = m.Created
	}
	item := RecapItem{ID: m.ID, Title: outcome.Text(m), Session: of.Short, prompt: m.Source.PromptID}
	r.made[m.Session] = append(r.made[m.Session], m.Commits...)
	switch m.Kind {
	case mem.Summary:
		r.day(m.Created, m.Project, m.Session)
		if m.Summary != nil && m.Summary.Completed != "" {
			r.of(m.Session, m.Project).take(m)
		}
	case mem.Decision, mem.TradeOff, mem.Convention, mem.Preference:
		d := r.day(m.Created, m.Project, m.Session)
		said := func(other RecapItem) bool { return strings.EqualFold(other.Title, item.Title) }
		if propose.LaysDown(m) && !slices.ContainsFunc(d.Decisions, said) {
			d.Decisions = append(d.Decisions, item)
		}
	case mem.Todo:
		if !m.Resolved {
			d := r.day(m.Created, m.Project, m.Session)
			d.Open = append(d.Open, item)
		}
	case mem.ErrorFix:
		d := r.day(m.Created, m.Project, m.Session)
		d.fixes = append(d.fixes, m)
	case mem.Command:
		// What worked is only known as long as events are kept.
		known := m.Resolved || m.Created.After(r.kept)
		if d := r.day(m.Created, m.Project, m.Session); known && strings.HasPrefix(m.Key, "failed:") {
			d.fail(m)
			r.of(m.Session, m.Project).take(m)
		}
	case mem.Change:
		d := r.day(m.Created, m.Project, m.Session)
		r.of(m.Session, m.Project).take(m)
		for _, f := range m.Modified {
			d.files[f] += 1 + m.Repeats
		}
	}
}

// fail adds a failed command. The same command of another session counts again. fixes has the
// later memories of the day already.
func (d *RecapDay) fail(m mem.Memory) {
	f := outcome.NewFailure(m, d.fixes)
	if i := slices.IndexFunc(d.Failures, func(o outcome.Failure) bool { return o.Command == f.Command }); i >= 0 {
		d.Failures[i].Join(f)
		return
	}
	d.Failures = append(d.Failures, f)
}

// settle drops failures that are not worth listing, and those of commits that were made afterwards or of which an
// outcome says what became of them.
func (d *RecapDay) settle() {
	works := func(session string) bool {
		return slices.ContainsFunc(d.done, func(o recapOutcome) bool { return o.weight == ofWork && o.session == session })
	}
	said := slices.ContainsFunc(d.Outcomes, func(o RecapItem) bool { return strings.Contains(o.State, "commit") })
	d.Failures = slices.DeleteFunc(d.Failures, func(f outcome.Failure) bool {
		return f.Minor(works) || said && f.Commits() ||
			slices.ContainsFunc(d.Commits, func(c RecapCommit) bool { return f.Commits(c.Subject) })
	})
}

// withoutRepeats removes of the decisions what the outcomes say already, such as the title of the plan in which they
// stand, and decisions that the open items name, or that are all that was asked for in a turn that an open item is
// about. An outcome that only has a decision as its name does not say that it was decided.
func (d *RecapDay) withoutRepeats() {
	said := func(text string) bool {
		terms := rank.Terms(text)
		return slices.ContainsFunc(d.Outcomes, func(o RecapItem) bool {
			return len(terms) > 1 && 5*extract.CountShared(terms, rank.Terms(o.Title)) >= 3*len(terms)
		})
	}
	for i, item := range d.Decisions {
		if plan, decision, ok := strings.Cut(item.Title, ": "); ok && said(plan) {
			d.Decisions[i].Title = decision
		}
	}
	d.Decisions = slices.DeleteFunc(d.Decisions, func(item RecapItem) bool {
		begins := func(o RecapItem) bool { return strings.HasPrefix(o.Title, strings.TrimRight(item.Title, ".…")) }
		names := func(o RecapItem) bool {
			return strings.Contains(o.Title, item.Title) ||
				o.prompt == item.prompt && o.asked != "" && strings.HasPrefix(o.asked, item.Title)
		}
		return said(item.Title) && !slices.ContainsFunc(d.Outcomes, begins) || slices.ContainsFunc(d.Open, names)
	})
}

// call notes a command that worked, and adds the commits that it reports. Those that the end of its turn found in the
// repository, or that are there now, get their full hash. Memories were added before, calls come oldest first.
func (r *recap) call(e *event.Service, ev mem.Event) {
	sess := r.session(ev.Session)
	call := e.ReadCall(ev, mem.Project{})
	c, _ := r.of(ev.Session, sess.Project).Call(ev, call)
	r.ran.Add(sess.Project, ev.At, call, c)
	reported := c.Commits()
	if len(reported) == 0 {
		return
	}
	made := r.made[ev.Session]
	unknown := slices.DeleteFunc(slices.Clone(reported), func(c extract.Commit) bool {
		return event.CommitID(made, c.Hash) != ""
	})
	made = slices.Concat(made, e.MadeCommits(ev, unknown, r.projects[sess.Project]))
	for _, c := range reported {
		d := r.day(ev.At, sess.Project, ev.Session)
		d.Commits = append(d.Commits, RecapCommit{
			Hash: c.Hash, ID: event.CommitID(made, c.Hash), Subject: c.Subject, Session: sess.Short,
		})
	}
}

// finish sets the counts and the order of what was collected. ran has the commands that ran.
func (d *RecapDay) finish(ran outcome.Runs) {
	d.Sessions = len(d.sessions)
	slices.SortStableFunc(d.done, func(a, b recapOutcome) int {
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.item.ID, b.item.ID))
	})
	for _, o := range d.done {
		d.Outcomes = append(d.Outcomes, o.item)
	}
	d.withoutRepeats()
	for i := range d.Failures {
		d.Failures[i].Settle(d.Project, ran)
	}
	d.settle()
	slices.SortStableFunc(d.Failures, outcome.Failure.Weightier)
	d.Files = append(d.Files, outcome.MostChanged(d.files)...)
}
