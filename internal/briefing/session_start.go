package briefing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/continuity"
	"remanence/internal/event"
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

// Notice returns the line for the person: warnings not shown today, else what was injected, if the person wants
// that line. A new session in which there was nothing to inject says that Remanence is there.
func (e *Service) Notice(ec event.Context, briefing mem.Receipt) string {
	if e.Warnings != nil && !ec.FromSpool {
		if w := e.Warnings(ec.Project); len(w) > 0 {
			return strings.Join(w, " · ")
		}
	}
	switch {
	case !ec.Settings.ReceiptLine:
	case briefing.Outcome == mem.Injected:
		return fmt.Sprintf("remanence: injected %s, %s tokens · remanence why %s", recall.ItemsOf(len(briefing.Items)),
			chars.Thousands(briefing.Tokens), briefing.ID)
	case briefing.Outcome == mem.Nothing && ec.Source == "startup":
		return "remanence: listening; there is nothing to inject yet"
	}
	return ""
}

// The shares of a briefing's budget, in percent. The restored checkpoint comes first; the others use what it leaves.
// Few briefings have all sections, so together they may be more than 100.
const (
	shareRestore     = 40
	shareState       = 20
	shareIssues      = 15
	shareProgress    = 10
	shareMemories    = 15
	shareDecisions   = 15
	shareFound       = 15
	shareSessions    = 20
	sharePreferences = 5
	shareIndex       = 5
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
	if again, err := e.briefed(ctx, ec); again || err != nil {
		return mem.Receipt{}, err
	}
	s, missing, err := e.sections(ctx, ec, ask)
	if err != nil {
		return mem.Receipt{}, err
	}
	b.Sections = s
	r := ec.Receipt(trigger, ask.Budget)
	r.LeftOut, r.Candidates, b.LeftOut = missing, len(missing), len(missing)
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

// briefed reports whether the session got a briefing just now: a client with a plugin and with hooks reports its start
// twice, and other events may come in between.
func (e *Service) briefed(ctx context.Context, ec event.Context) (bool, error) {
	if ec.Source != "startup" || ec.SessionInfo.ID == "" {
		return false, nil
	}
	rs, err := e.Store.Receipts(ctx, mem.ReceiptQuery{
		Session: ec.Session, Trigger: "session_start", Outcome: mem.Injected, Limit: 1, Brief: true,
	})
	if err != nil {
		return false, fmt.Errorf("earlier briefing: %w", err)
	}
	return len(rs) > 0 && ec.At.Sub(rs[0].At).Abs() <= mem.DuplicateWindow, nil
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
	var found inject.Section
	rules := func(ctx context.Context) (s inject.Section, err error) {
		s, found, err = g.memories(ctx)
		return s, err
	}
	fixes := func(context.Context) (inject.Section, error) { return found, nil }
	for _, step := range []func(context.Context) (inject.Section, error){
		g.issues, g.progress, rules, weighted, g.decisions, fixes, g.sessions, g.log, always(g.journal(v)), g.preferences,
		g.index,
	} {
		if err := add(step(ctx)); err != nil {
			return nil, nil, err
		}
	}
	return out, append(v.missing, g.leftOut...), nil
}

// gather collects the sections of one briefing.
type gather struct {
	e        *Service
	ec       event.Context
	parent   string          // session that this one was forked from
	hints    vaultfile.Hints // of the vault on the project
	injected map[string]bool // ids and texts in this briefing
	leftOut  []mem.LeftOutItem
	lastLeft *continuity.Left // nil until it is read
}
