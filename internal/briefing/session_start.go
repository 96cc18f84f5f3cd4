package briefing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/vaultfile"
)

// Parent returns the project's last active session besides the event's own; the zero value if there is none. A
// fork does not name its parent. What was injected into the parent is in the fork's context, too.
func (e *Service) Parent(ctx context.Context, ec event.Context) (mem.Session, error) {
	ss, err := e.Store.Sessions(ctx, mem.SessionQuery{Project: ec.Project.Key, Limit: 2})
	if err != nil {
		return mem.Session{}, fmt.Errorf("parent: %w", err)
	}
	for _, s := range ss {
		if s.ID == ec.Session {
			continue
		}
		parent, err := e.Store.Session(ctx, s.ID)
		if err != nil {
			return mem.Session{}, fmt.Errorf("parent: %w", err)
		}
		return parent, nil
	}
	return mem.Session{}, nil
}

// Env returns the variables for the session's later shell commands.
func (e *Service) Env(ec event.Context) []mem.EnvVar {
	vars := []mem.EnvVar{
		{Name: "REMANENCE_SESSION_ID", Value: ec.Session},
		{Name: "REMANENCE_PROJECT_KEY", Value: ec.Project.Key},
		{Name: "REMANENCE_PROJECT_DIR", Value: ec.Root},
	}
	if ec.Settings.Profile != event.Full {
		return vars
	}
	for _, v := range slices.Clone(vars) {
		vars = append(vars, mem.EnvVar{Name: strings.Replace(v.Name, "REMANENCE_", "MEMORY_", 1), Value: v.Value})
	}
	return vars
}

// Notice returns the line for the person: warnings not shown today, else a summary of the briefing if the person
// wants one.
func (e *Service) Notice(ec event.Context, briefing mem.Receipt) string {
	if e.Warnings != nil && !ec.FromSpool {
		if w := e.Warnings(ec.Project); len(w) > 0 {
			return strings.Join(w, " · ")
		}
	}
	if ec.Settings.ReceiptLine && briefing.Outcome == mem.Injected {
		return recall.InjectionLine(briefing)
	}
	return ""
}

// The shares of a briefing's budget, in percent. The restored checkpoint comes first; the others use what it
// leaves.
const (
	shareRestore     = 40
	shareState       = 20
	shareIssues      = 15
	shareProgress    = 10
	shareMemories    = 20
	shareDecisions   = 10
	shareSessions    = 10
	sharePreferences = 5
	shareIndex       = 10
)

// Request asks for a briefing.
type Request struct {
	Budget int    // tokens; 0 means no briefing
	Parent string // session that the event's was forked from
}

// Brief returns the receipt of the block injected at session start; the zero value with a budget of 0.
func (e *Service) Brief(ctx context.Context, ec event.Context, ask Request) (mem.Receipt, error) {
	if ask.Budget == 0 {
		return mem.Receipt{}, nil
	}
	b := inject.Block{Kind: "briefing", Header: inject.HeadBriefing, Footer: inject.FootBriefing}
	trigger := "session_start"
	switch ec.Source {
	case "compact":
		b.Header, trigger = inject.HeadRestored, "compact"
	case "resume", "fork":
		trigger = "resume"
	}
	s, missing, err := e.sections(ctx, ec, ask)
	if err != nil {
		return mem.Receipt{}, err
	}
	b.Sections = s
	r := ec.Receipt(trigger, ask.Budget)
	r.LeftOut = missing
	for _, part := range s {
		r.Candidates += len(part.Rows)
		for _, it := range part.Items {
			if it.Injected.ID != "" { // without one it is in no receipt
				r.Candidates++
			}
		}
	}
	if ec.Mind.Trusted {
		r.Marks = append(r.Marks, ec.MindMark())
	}
	r = e.Recall.Inject(ec, b, r)
	r.Marks = append(r.Marks, stateFileMarks(ec, r.Text)...)
	return r, nil
}

// sections returns the parts of a briefing, in order. Text that was injected before, or that an earlier section
// contains, is left out. Required text that cannot be read is reported as missing.
func (e *Service) sections(ctx context.Context, ec event.Context, ask Request) (out []inject.Section,
	missing []mem.LeftOutItem, err error,
) {
	g := gather{e: e, ec: ec, parent: ask.Parent, hints: e.Recall.VaultHints(ec), injected: map[string]bool{}}
	add := func(s inject.Section, err error) error {
		if err == nil && len(s.Items)+len(s.Rows) > 0 {
			out = append(out, s)
		}
		return err
	}
	handoff, err := g.handoff(ctx)
	e.Event.LogDegraded("handoff", err)
	_ = add(handoff, nil)
	v := g.shelf(ctx)
	always := func(s inject.Section) func(context.Context) (inject.Section, error) {
		return func(context.Context) (inject.Section, error) { return s, nil }
	}
	for _, s := range []inject.Section{g.persona(v), g.invariants(v), g.critical(v)} {
		_ = add(s, nil)
	}
	weighted := always(g.weighted(v)) // injected later; the contents only name them
	_ = add(g.contents(v, ask.Budget), nil)
	restored := ec.Source == "compact"
	if restored {
		if err := add(g.restore(ctx)); err != nil {
			return nil, nil, err
		}
	} else if err := add(g.state(ctx)); err != nil {
		return nil, nil, err
	}
	if g.includesStateFiles() {
		_ = add(g.mindState(), nil)
	}
	for _, step := range []func(context.Context) (inject.Section, error){
		g.issues, g.progress, g.memories, weighted, g.decisions, g.sessions, g.log, always(g.journal(v)), g.preferences,
		g.index,
	} {
		if err := add(step(ctx)); err != nil {
			return nil, nil, err
		}
	}
	return out, v.missing, nil
}

// gather collects the sections of one briefing.
type gather struct {
	e        *Service
	ec       event.Context
	parent   string          // session that this one was forked from
	hints    vaultfile.Hints // of the vault on the project
	injected map[string]bool // ids and texts in this briefing
}

func (g *gather) List(ctx context.Context, name, caption string, share int, q mem.Query) (inject.Section, error) {
	s := inject.Section{Name: name, Caption: caption, Share: share}
	most := q.Limit
	q.Project, q.MinTrust, q.Limit = g.ec.Project.Key, mem.TrustTool, 3*most
	ms, err := g.e.Store.List(ctx, q)
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	var hits []mem.Hit
	for _, mm := range g.weighed(q, ms, most) {
		if len(hits) == most {
			break
		}
		if inject.Injectable(mm) && !g.ec.Stale(mm) && g.news(mm) {
			hits = append(hits, mem.Hit{Memory: mm})
		}
	}
	if err := g.e.Recall.Histories(ctx, hits); err != nil {
		return s, err
	}
	for _, h := range hits {
		if item, ok := inject.Line(h, g.ec.At, g.ec.Freshness(h.Memory)); ok {
			s.Items = append(s.Items, item)
		}
	}
	return s, nil
}

// findingsPerSession is how many findings of one session come before those of others: a session that found much does not
// take the place of all that was found before.
const findingsPerSession = 3

// isFinding reports whether the assistant found or fixed something, in contrast to what was laid down.
func isFinding(mm mem.Memory) bool {
	return mm.Trust < mem.TrustUser && !mm.Pinned &&
		slices.Contains([]mem.Kind{mem.ErrorFix, mem.Discovery, mem.Fact, mem.Rationale}, mm.Kind)
}

// weighed returns the selected memories in the order in which they are injected. Those selected by importance are
// ordered by use and age: importance decides whether they are included, not their order. What the person said comes
// first.
func (g *gather) weighed(q mem.Query, ms []mem.Memory, most int) []mem.Memory {
	if q.Order != mem.ByImportance {
		return ms
	}
	first := func(mm mem.Memory) float64 {
		if mm.Pinned {
			return 1 + mm.Importance
		}
		return mm.Importance
	}
	slices.SortStableFunc(ms, func(a, b mem.Memory) int {
		return cmp.Or(cmp.Compare(first(b), first(a)), b.Updated.Compare(a.Updated))
	})
	fit := make([]mem.Memory, 0, most)
	var further []mem.Memory // findings of sessions that have enough
	found := map[string]int{}
	for _, mm := range ms {
		if len(fit) == most {
			break
		}
		if g.known(mm) || g.ec.Stale(mm) || !inject.Injectable(mm) { // the last one reads the whole text
			continue
		}
		if isFinding(mm) {
			if found[mm.Session]++; found[mm.Session] > findingsPerSession {
				further = append(further, mm)
				continue
			}
		}
		fit = append(fit, mm)
	}
	fit = append(fit, further[:min(len(further), most-len(fit))]...)
	fit = g.use().Order(fit, g.ec.At, func(mm mem.Memory) bool { return recall.Belongs(g.ec, g.hints, mm) })
	slices.SortStableFunc(fit, func(a, b mem.Memory) int { return briefingRank(a) - briefingRank(b) })
	return fit
}

// briefingRank orders what the person pinned or said before what the assistant laid down, and that before findings.
func briefingRank(mm mem.Memory) int {
	switch {
	case mm.Pinned || mm.Trust >= mem.TrustUser:
		return 0
	case !isFinding(mm):
		return 1
	}
	return 2
}

// news reports whether neither a memory nor its text was injected yet, and marks both as injected.
func (g *gather) news(mm mem.Memory) bool {
	if g.known(mm) {
		return false
	}
	g.injected[mm.ID], g.injected[recall.BriefText(mm)] = true, true
	return true
}

func (g *gather) known(mm mem.Memory) bool {
	return event.IsField(mm) || event.OfStateFile(mm) || g.injected[mm.ID] || g.injected[recall.BriefText(mm)] ||
		g.ec.SessionInfo.Injected[mm.ID]
}

// state returns the state of the work: of this session if it continues, else of the last one.
func (g *gather) state(ctx context.Context) (inject.Section, error) {
	s := inject.Section{Name: "state", Caption: "CURRENT STATE", Share: shareState, Apart: true}
	if g.resumed() || g.ec.Mind.Trusted && len(g.mindState().Items) > 0 {
		return s, nil // the conversation itself is in view, or the files say it
	}
	last, err := g.last(ctx)
	if err != nil {
		return s, err
	}
	if last.ID == "" {
		var st mem.State
		err := g.e.Filesync.ApplyDeclaredState(ctx, g.ec.Project.Key, &st)
		s.Items = StateItems(st)
		return s, err
	}
	st, err := g.e.leftBy(ctx, g.ec.Project.Key, last.ID)
	if err != nil {
		return s, err
	}
	st.Open = nil // it has a section of its own
	s.Items = StateItems(st)
	if st.Request != "" && chars.Clip(st.Request, 200) == last.FirstPrompt {
		g.injected[sessionMark+last.ID] = true
	}
	return s, nil
}

// leftBy returns the state in which a session left the work of a project.
func (e *Service) leftBy(ctx context.Context, project, session string) (mem.State, error) {
	turns, err := e.Store.Turns(ctx, session, 5)
	if err != nil {
		return mem.State{}, fmt.Errorf("turns: %w", err)
	}
	own, err := e.Store.List(ctx, mem.Query{
		Project: project, Session: session, Kinds: []mem.Kind{mem.Change, mem.Command}, Order: mem.ByUpdate, Limit: 50,
	})
	if err != nil {
		return mem.State{}, fmt.Errorf("what the last session did: %w", err)
	}
	return e.Continuity.State(ctx, project, session, turns, own)
}

// last returns the session whose state is current: the newest of the project that had a prompt.
func (g *gather) last(ctx context.Context) (mem.Session, error) {
	if g.ec.SessionInfo.Prompts > 0 {
		return g.ec.SessionInfo, nil
	}
	ss, err := g.e.Store.Sessions(ctx, mem.SessionQuery{Project: g.ec.Project.Key, Limit: 10})
	if err != nil {
		return mem.Session{}, fmt.Errorf("sessions: %w", err)
	}
	for _, s := range ss {
		if s.Prompts > 0 && s.ID != g.ec.Session {
			return s, nil
		}
	}
	return mem.Session{}, nil
}

// StateItems returns the lines of a session's state as items of the injected block.
func StateItems(st mem.State) []inject.Item {
	var out []inject.Item
	line := func(name, text string) {
		if text != "" {
			out = append(out, inject.Item{Text: name + ": " + text})
		}
	}
	line("phase", st.Phase)
	line("last request", st.Request)
	line("last answer", st.Status)
	line("in work", strings.Join(st.Doing, "; "))
	line("next", strings.Join(st.Next, "; "))
	line("blocked", strings.Join(st.Waiting, "; "))
	for _, b := range st.Blocked {
		line("failing", b)
	}
	for _, o := range st.Open {
		line("open", o)
	}
	line("files in edit", strings.Join(st.Files, ", "))
	return out
}

// restore returns what a compaction may have lost: the checkpoint from before it.
func (g *gather) restore(ctx context.Context) (inject.Section, error) {
	s := inject.Section{
		Name: "checkpoint", Caption: "WORK IN HAND (checkpoint before compaction)", Share: shareRestore,
		Apart: true,
	}
	cps, err := g.e.Store.Checkpoints(ctx, mem.CheckpointQuery{Session: g.ec.Session, Limit: 1})
	if err != nil && !errors.Is(err, mem.ErrNotFound) {
		return s, fmt.Errorf("checkpoint: %w", err)
	}
	if len(cps) == 0 {
		return s, nil
	}
	// Computed again from the store: text that was forgotten, erased or found to come from outside since then is
	// not injected.
	cp, err := g.e.Continuity.Checkpoint(ctx, g.ec, cps[0].Trigger)
	if err != nil {
		return s, err
	}
	cp.State.Open = nil                                                                // it has a section of its own
	cp.State.Blocked = slices.DeleteFunc(cp.State.Blocked, func(failing string) bool { // listed with its exit status below
		return slices.ContainsFunc(cp.Evidence.Commands, func(c mem.Outcome) bool {
			return c.Exit != 0 && strings.Contains(failing, c.Command)
		})
	})
	s.Items = append(s.Items, StateItems(cp.State)...)
	s.Items = append(s.Items, furtherItems(cp)...)
	return s, nil
}

// furtherItems returns the content of a checkpoint besides its state, without what the state contains.
func furtherItems(cp mem.Checkpoint) []inject.Item {
	var out []inject.Item
	for _, c := range cp.Evidence.Commands {
		out = append(out, inject.Item{Text: continuity.OutcomeLine(c)})
	}
	for _, n := range cp.Evidence.Numbers {
		if !strings.Contains(cp.State.Status, n) {
			out = append(out, inject.Item{Text: "figures: " + n})
		}
	}
	if seen := extract.Missing(cp.Evidence.Files, cp.State.Files); len(seen) > 0 {
		out = append(out, inject.Item{Text: "files seen: " + strings.Join(seen, ", ")})
	}
	for _, quote := range cp.Recent {
		if quote.Text != cp.State.Request && quote.Text != cp.State.Status {
			out = append(out, inject.Item{Text: quote.Who + " said " + quote.Text, Quote: true})
		}
	}
	return out
}

func (g *gather) issues(ctx context.Context) (inject.Section, error) {
	return g.List(ctx, "issues", "OPEN ITEMS", shareIssues, mem.Query{Kinds: []mem.Kind{mem.Todo}, Open: true, Limit: 5})
}

func (g *gather) memories(ctx context.Context) (inject.Section, error) {
	return g.List(ctx, "memories", "CONVENTIONS AND LESSONS", shareMemories, mem.Query{
		Scopes: []mem.Scope{mem.ScopeProject}, MinImportance: 0.5, Order: mem.ByImportance, Limit: 20,
		NotKinds: []mem.Kind{mem.Decision, mem.Summary, mem.Todo, mem.Change, mem.Command, mem.Snapshot, mem.Scratch},
	})
}

func (g *gather) decisions(ctx context.Context) (inject.Section, error) {
	if len(g.ec.Mind.Decided) > 0 && g.includesStateFiles() && !g.short() {
		return g.decided(), nil
	}
	return g.List(ctx, "decisions", "DECISIONS", shareDecisions, mem.Query{
		Scopes: []mem.Scope{mem.ScopeProject},
		Kinds:  []mem.Kind{mem.Decision}, Limit: 5,
	})
}

// sessionMark is the prefix of marks for sessions whose summary is injected. The index leaves them out.
const sessionMark = "session:"

// sessions returns the newest summaries, one for each session.
func (g *gather) sessions(ctx context.Context) (inject.Section, error) {
	s := inject.Section{Name: "sessions", Caption: "RECENT SESSIONS", Share: shareSessions}
	ms, err := g.e.Store.List(ctx, mem.Query{
		Project: g.ec.Project.Key, Kinds: []mem.Kind{mem.Summary},
		MinTrust: mem.TrustTool, Within: "*", Limit: 40,
	})
	if err != nil {
		return s, fmt.Errorf("summaries: %w", err)
	}
	seen := map[string]bool{}
	for _, mm := range ms {
		if seen[mm.Session] || mm.Session == g.ec.Session || len(s.Items) == 5 || !g.news(mm) {
			continue
		}
		if item, ok := inject.Line(mem.Hit{Memory: mm}, g.ec.At, mem.Fresh); ok {
			seen[mm.Session], g.injected[sessionMark+mm.Session] = true, true
			s.Items = append(s.Items, item)
		}
	}
	return s, nil
}

func (g *gather) preferences(ctx context.Context) (inject.Section, error) {
	return g.List(ctx, "preferences", "PREFERENCES", sharePreferences, mem.Query{
		Scopes:        []mem.Scope{mem.ScopeUser},
		MinImportance: 0.7, Order: mem.ByImportance, Limit: 10,
	})
}

// index lists titles of further memories, the newest first, and their sessions. It is left out if the conversation
// continues.
func (g *gather) index(ctx context.Context) (inject.Section, error) {
	set := g.ec.Settings
	s := inject.Section{Name: mem.SectionIndex, Share: shareIndex, Plain: !set.Glyphs}
	if g.resumed() {
		return s, nil
	}
	if set.Observations > 0 {
		ms, err := g.e.Store.List(ctx, mem.Query{
			Project: g.ec.Project.Key, Scopes: []mem.Scope{mem.ScopeProject},
			NotKinds: recall.NotRecalled(), MinTrust: mem.TrustTool, Limit: set.Observations + len(g.injected),
		})
		if err != nil {
			return s, fmt.Errorf("index: %w", err)
		}
		for _, mm := range ms {
			if mm.Kind == mem.Todo && mm.Resolved || len(s.Rows) == set.Observations || g.ec.Stale(mm) || !g.news(mm) {
				continue
			}
			if row, ok := inject.IndexRow(mm, time.Local); ok {
				s.Rows = append(s.Rows, row)
			}
		}
	}
	if set.Sessions == 0 {
		return s, nil
	}
	ss, err := g.e.Store.Sessions(ctx, mem.SessionQuery{Project: g.ec.Project.Key, Limit: set.Sessions})
	if err != nil {
		return s, fmt.Errorf("sessions: %w", err)
	}
	for _, se := range ss {
		if se.FirstPrompt != "" && se.ID != g.ec.Session && !g.injected[sessionMark+se.ID] {
			s.Rows = append(s.Rows, inject.Row{
				ID: se.Short, At: se.Created.Local(), Kind: mem.Request, Title: se.FirstPrompt,
				Tokens: chars.Tokens(se.FirstPrompt),
			})
		}
	}
	return s, nil
}
