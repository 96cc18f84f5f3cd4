package doctor

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/views"
)

// StatusView is the state of things at a glance.
type StatusView struct {
	Version     string                   `json:"version"`
	Project     *projectItem             `json:"project"` // null: all
	Daemon      DaemonView               `json:"daemon"`
	Counts      counts                   `json:"counts"`
	LastSession *lastItem                `json:"last_session"`
	Context     *continuity.ContextUsage `json:"context"` // of the last session; null: not known
	Hooks       HooksItem                `json:"hooks"`
	Agents      []AgentItem              `json:"agents"` // that hooks are installed for
	Capture     CaptureItem              `json:"capture"`
	Review      *reviewItem              `json:"review"` // null: not counted yet
	Queue       queueItem                `json:"queue"`
	LLM         llmItem                  `json:"llm"`
	Embedding   *embedItem               `json:"embedding"`          // null: off
	Vault       *VaultItem               `json:"vault"`              // null: there is none
	Team        *mem.TeamState           `json:"team"`               // null: nothing is shared with a team's server
	Backfill    *event.Backfill          `json:"backfill,omitempty"` // that runs or was given up; missing: none
	Faults      []FaultItem              `json:"faults"`             // what does not go on
	Paused      []ui.PauseItem           `json:"paused"`
	Suggest     *SuggestItem             `json:"suggest"`
	Today       *views.TodayResponse     `json:"today,omitempty"` // only of the bare command, where the daemon answers
}

type projectItem struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Branch *string `json:"branch"`
}

// DaemonView is the daemon in the overview.
type DaemonView struct {
	State string     `json:"state"` // up, down, silent where it does not answer, or off with --no-daemon
	Since *time.Time `json:"since"`
	PID   *int       `json:"pid"`
	HTTP  *string    `json:"http"` // address for tools over TCP; null: none

	httpFault string // why there is none although one is configured
}

// DaemonSilent is the state of a daemon that is there and does not answer.
const DaemonSilent = "silent"

type counts struct {
	Memories int   `json:"memories"`
	Hidden   int   `json:"hidden"`
	Sessions int   `json:"sessions"`
	NewToday int   `json:"new_today"`
	Stale    *int  `json:"stale"` // null: not looked at
	Bytes    int64 `json:"bytes"`
}

type lastItem struct {
	ID     string     `json:"id"`
	At     *time.Time `json:"at"`
	Items  int        `json:"items"`  // of the last injection
	Tokens int        `json:"tokens"` // injected in all
	Used   *int       `json:"used"`   // null: not looked at
}

// HooksItem is the hooks in the overview.
type HooksItem struct {
	State       string     `json:"state"` // of their registration: ok, warn, fail or info (none)
	What        string     `json:"what"`
	P95MS       *float64   `json:"p95_ms"` // of the newest ones; null: none yet
	Answered    *int64     `json:"answered"`
	Errors      *int64     `json:"errors"`
	Late        *int64     `json:"late"`          // stored after the hook stopped waiting
	Since       *time.Time `json:"since"`         // of the counts; null: not counted without a daemon
	FailedInRow int64      `json:"failed_in_row"` // of the newest events, those that could not be kept
}

// measured adds what the daemon has counted.
func (h HooksItem) measured(m views.Health) HooksItem {
	if m.Since.IsZero() {
		return h
	}
	h.Since, h.Answered, h.Errors, h.Late = ui.TimeOrNil(m.Since), &m.Hooks, &m.HookErrors, &m.HookTimeouts
	h.FailedInRow = m.FailedInRow
	if m.Hooks > 0 {
		h.P95MS = &m.HookP95MS
		if h.State == setup.Info { // not in any settings, and yet they come: a plugin of one session
			h.State, h.What = setup.OK, "hooks report, from a plugin"
		}
	}
	return h
}

func (h HooksItem) sentence() string {
	s := ui.OneLine(h.What)
	if h.P95MS != nil {
		s += fmt.Sprintf(" · p95 %.0f ms · %s", *h.P95MS, ui.Plural(int(*h.Errors), "error", "errors"))
		if *h.Late > 0 {
			s += fmt.Sprintf(", %d stored late", *h.Late)
		}
	}
	return s
}

// CaptureItem is what became of events on their way into the store.
type CaptureItem struct {
	Dropped        int64   `json:"dropped"`         // events lost since the first
	SpooledRecords int     `json:"spooled_records"` // waiting for the daemon
	SpooledBytes   int64   `json:"spooled_bytes"`
	SpooledOldestS float64 `json:"spooled_oldest_s"` // since the oldest waits; 0 if none does
	// spans that the daemon took out since it started; those that hooks took out are not counted
	Private int `json:"private"`
	Secrets int `json:"secrets"`
}

// sentence is empty if there is nothing to report.
func (c CaptureItem) sentence() string {
	var parts []string
	if c.SpooledRecords > 0 {
		parts = append(parts, fmt.Sprintf("%s (%s) in the spool", ui.Plural(c.SpooledRecords, "event", "events"),
			ui.BytesText(c.SpooledBytes)))
	}
	if c.Private > 0 {
		parts = append(parts, ui.Plural(c.Private, "private span", "private spans")+" taken out")
	}
	if c.Secrets > 0 {
		parts = append(parts, ui.Plural(c.Secrets, "secret", "secrets")+" taken out")
	}
	return strings.Join(parts, " · ")
}

type queueItem struct {
	Depth   int     `json:"depth"`
	OldestS float64 `json:"oldest_s"`
	Dead    int     `json:"dead"`
}

// reviewItem is what waits for the person's judgement.
type reviewItem struct {
	Total  int            `json:"total"`
	Counts map[string]int `json:"counts"` // by rule, those with findings
	At     time.Time      `json:"at"`     // when it was looked for
}

func reviewItemOf(w *curate.ReviewCounts) *reviewItem {
	if w == nil {
		return nil
	}
	maps.DeleteFunc(w.Counts, func(_ string, n int) bool { return n == 0 })
	return &reviewItem{w.Total, w.Counts, w.At}
}

// sentence is empty where nothing waits.
func (r *reviewItem) sentence() string {
	if r == nil {
		return ""
	}
	var parts []string
	for _, rule := range curate.ReviewRules() {
		if n := r.Counts[rule]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(rule, "_", " ")))
		}
	}
	return strings.Join(parts, " · ")
}

// SuggestItem is the next command that is worth running.
type SuggestItem struct {
	Text    string `json:"text"`
	Command string `json:"command"`
}

// StatusOf returns the overview for a person out of what the daemon reports.
func StatusOf(o views.StatusResponse, d DaemonView, h HooksItem, c CaptureItem) StatusView {
	v := StatusView{
		Version: config.Version, Daemon: d, Hooks: h.measured(o.Health), Capture: c, Paused: ui.PausesOf(o.Pauses),
		Agents: []AgentItem{},
		Counts: counts{
			Memories: o.Stats.Memories, Hidden: o.Stats.Hidden, Sessions: o.Stats.Sessions,
			NewToday: o.Stats.Today, Bytes: o.Stats.Bytes,
		},
		Embedding: embedItemOf(o.Embedding),
		LLM:       llmItemOf(o.Digest),
		Queue:     queueItem{o.Health.QueueDepth, o.Health.OldestJobS, o.Health.DeadJobs},
	}
	v.Team = o.Team
	v.Context, v.Review, v.Backfill = o.Context, reviewItemOf(o.Review), o.Backfill
	if v.Review != nil {
		stale := v.Review.Counts[curate.ReviewStale]
		v.Counts.Stale = &stale
	}
	if o.Project.Key != "" {
		v.Project = &projectItem{o.Project.Key, o.Project.Name, ui.TextOrNil(o.Project.Branch)}
	}
	if o.Last != nil {
		v.LastSession = &lastItem{ID: o.Last.Short, At: ui.TimeOrNil(o.Last.LastEvent), Tokens: o.Last.InjectedTokens}
		if o.LastInjection != nil && o.LastInjection.Session == o.Last.ID {
			v.LastSession.Items = len(o.LastInjection.Items)
		}
	}
	v.Faults = v.stalledFaults()
	v.Suggest = v.suggest()
	return v
}

// suggest is the one thing most worth doing.
func (v StatusView) suggest() *SuggestItem {
	switch {
	case v.Hooks.State == setup.Fail:
		return &SuggestItem{v.Hooks.What, "remanence doctor"}
	case v.Hooks.State == setup.Info:
		return &SuggestItem{"no agent reports to Remanence yet", "remanence install"}
	case len(v.Faults) > 0:
		return &SuggestItem{v.Faults[0].What, "remanence doctor"}
	case v.pause() != nil:
		return &SuggestItem{"it is paused", v.pause().End()}
	case v.Queue.Dead > 0:
		return &SuggestItem{ui.Plural(v.Queue.Dead, "job was", "jobs were") + " given up", "remanence doctor"}
	case v.Counts.Memories == 0 && v.readsPast():
		return &SuggestItem{"your past sessions are being read in", "remanence status"}
	case v.Counts.Memories == 0:
		return &SuggestItem{"nothing is remembered here yet; it begins with the next session", "remanence doctor"}
	case v.Review != nil && v.Review.Total > 0:
		return &SuggestItem{
			ui.Plural(v.Review.Total, "finding waits", "findings wait") + " for your judgement",
			"remanence review",
		}
	case v.LastSession != nil && v.LastSession.Items > 0:
		return &SuggestItem{"see what was injected into the last session", "remanence why"}
	}
	return &SuggestItem{"see what will be injected into the next session", "remanence next"}
}

// readsPast reports whether a backfill runs.
func (v StatusView) readsPast() bool { return v.Backfill != nil && v.Backfill.Running }

// pause is what keeps the project of the status silent, nil if nothing does.
func (v StatusView) pause() *ui.PauseItem {
	if v.Project == nil {
		return ui.PauseHere(v.Paused, "")
	}
	return ui.PauseHere(v.Paused, v.Project.ID)
}

// SchemaName returns the name of the view's schema.
func (StatusView) SchemaName() string { return "status" }

// Print writes the view for a person.
func (v StatusView) Print(p *ui.Printer) {
	where := "all projects"
	if v.Project != nil {
		where = "project " + ui.OneLine(v.Project.Name)
		if v.Project.Branch != nil {
			where += " (" + ui.OneLine(*v.Project.Branch) + ")"
		}
	}
	p.Line("%s %s · %s · %s", p.Style(ui.Bold, "remanence"), v.Version, where, v.Daemon.sentence(p.Now()))
	if v.Today != nil {
		v.overview(p)
		return
	}
	p.Field("remembered", "%s · %s · %d new today", ui.Plural(v.Counts.Memories, "memory", "memories"),
		ui.Plural(v.Counts.Sessions, "session", "sessions"), v.Counts.NewToday)
	p.Field("last session", "%s", v.LastSession.sentence(p.Now()))
	if v.Context != nil {
		p.Field("its context", "%s", contextSentence(*v.Context))
	}
	p.Field("hooks", "%s", v.Hooks.sentence())
	v.agentFields(p)
	if s := v.Capture.sentence(); s != "" {
		p.Field("capture", "%s", s)
	}
	if v.Embedding != nil {
		p.Field("embedding", "%s", v.Embedding.sentence())
	}
	if v.Vault != nil {
		p.Field("vault", "%s", v.Vault.sentence())
	}
	if v.Team != nil {
		p.Field("team", "%s", teamSentence(*v.Team, p.Now()))
	}
	if v.LLM.Provider != nil {
		p.Field("digest", "%s", v.LLM.sentence())
	}
	v.backfillField(p)
	if s := v.Review.sentence(); s != "" {
		p.Field("review", "%s: remanence review", s)
	}
	if !v.pauseField(p) {
		p.Field("waiting", "%s", v.Queue.sentence())
	}
	v.faultLines(p)
	if v.Daemon.State == DaemonSilent && v.Suggest != nil {
		p.Line("%s: %s", v.Suggest.Text, v.Suggest.Command)
	}
}

func (d DaemonView) sentence(now time.Time) string {
	switch {
	case d.State == "up" && d.Since != nil:
		return "daemon up " + ui.Ago(now.Sub(*d.Since)) + d.http()
	case d.State == "off":
		return "without daemon"
	case d.State == DaemonSilent:
		return "daemon does not answer: read from its files"
	}
	return "daemon " + d.State
}

// http is empty where no port is configured.
func (d DaemonView) http() string {
	switch {
	case d.HTTP != nil:
		return ", http " + *d.HTTP
	case d.httpFault != "":
		return ", http port not open: remanence doctor"
	}
	return ""
}

func (l *lastItem) sentence(now time.Time) string {
	if l == nil {
		return "none yet"
	}
	when := ""
	if l.At != nil {
		when = ", " + ui.DateTime(*l.At, now)
	}
	if l.Tokens == 0 {
		return l.ID + when + " · nothing injected"
	}
	text := fmt.Sprintf("%d tokens injected", l.Tokens)
	if l.Items > 0 {
		text += fmt.Sprintf(", last %s", ui.Plural(l.Items, "item", "items"))
	}
	return l.ID + when + " · " + text
}

// contextSentence describes the context usage and what happens next.
func contextSentence(c continuity.ContextUsage) string {
	s := fmt.Sprintf("%d of %d tokens", c.Tokens, c.Window)
	if c.Window == 0 {
		s = fmt.Sprintf("%d tokens", c.Tokens)
	}
	switch {
	case c.HandoffAt == 0:
	case c.HandoffRequested:
		s += " · a handoff was requested"
	default:
		s += fmt.Sprintf(" · a handoff is requested from %d", c.HandoffAt)
	}
	if c.AutoCompactAt > 0 {
		s += fmt.Sprintf(" · %s compacts by itself at %d", ui.OneLine(c.Model), c.AutoCompactAt)
	}
	return s
}

func (q queueItem) sentence() string {
	s := ui.Plural(q.Depth, "job", "jobs")
	if q.Depth > 0 {
		s += ", the oldest for " + ui.Lasted(time.Duration(q.OldestS*float64(time.Second)))
	}
	if q.Dead > 0 {
		s += fmt.Sprintf(" · %d given up", q.Dead)
	}
	return s
}

// DaemonState returns the state of the running daemon. It starts none.
func (a *Checks) DaemonState(ctx context.Context) DaemonView {
	if a.NoDaemon {
		return DaemonView{State: "off"}
	}
	rt, h, err := a.Running(ctx)
	if err != nil {
		return DaemonView{State: "down"}
	}
	return DaemonView{
		State: "up", Since: ui.TimeOrNil(rt.Started), PID: &h.PID, HTTP: ui.TextOrNil(rt.HTTP),
		httpFault: rt.HTTPFault,
	}
}

const waitsTooLong = 45 * time.Second // of the oldest job, and of the oldest spooled event beside a daemon

// FailsTooMany is how many events in a row may fail.
const FailsTooMany = 3 // events in a row that the daemon could not keep

// FaultItem is a problem with its code.
type FaultItem struct {
	Code string `json:"code"`
	What string `json:"what"`
}

// stalledFaults lists what makes no progress although the daemon answers.
func (v StatusView) stalledFaults() []FaultItem {
	list := []FaultItem{}
	add := func(f fault.Fault) { list = append(list, FaultItem{f.Code, f.Error()}) }
	if old := seconds(v.Queue.OldestS); old > waitsTooLong {
		add(fault.Stuck.Because("%s, the oldest for %s", ui.Plural(v.Queue.Depth, "job waits", "jobs wait"), ui.Lasted(old)))
	}
	if n := v.Hooks.FailedInRow; n >= FailsTooMany {
		add(fault.Spooled.WithMessage("the daemon keeps no event").Because("the newest %d failed", n))
	}
	if old := seconds(v.Capture.SpooledOldestS); old > waitsTooLong && v.Daemon.State == "up" {
		add(fault.Spooled.Because("%s beside a daemon, the oldest for %s", ui.Plural(v.Capture.SpooledRecords, "event",
			"events"), ui.Lasted(old)))
	}
	return list
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// CheckKeeping looks whether the newest events could be kept.
func CheckKeeping(failedInRow int64) Check {
	if failedInRow >= FailsTooMany {
		return Bad("keeping", true, fault.Spooled.WithMessage("the daemon keeps no event").Because("the newest %d failed",
			failedInRow).FixedBy("remanence daemon logs"))
	}
	return Good("keeping", true, "the newest events were kept")
}

// line is the fault in the overview.
func (f FaultItem) line(p *ui.Printer) {
	p.Line("%s %s: remanence doctor · %s", p.Style(ui.Red, "fault:"), ui.OneLine(f.What), f.Code)
}
