package cli

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/project"
	"remanence/internal/setup"
	"remanence/internal/spool"
	"remanence/internal/views"
)

func (a *app) statusCommand() *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "is it working, and what does it know",
		Example: "  remanence status\n  remanence status --project all --json\n  remanence status --watch",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if watch {
				return a.watch(cmd)
			}
			return a.status(cmd, false)
		},
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "show it anew every two seconds, until interrupted; with --json one object a line")
	return cmd
}

// status shows the state in five lines. Suggest adds what to do next.
func (a *app) status(cmd *cobra.Command, suggest bool) error {
	o, d, err := a.stateNow(cmd.Context())
	if err != nil {
		return err
	}
	v := statusOf(o, d, a.hooksState(), a.captured(o.Health))
	if d.State == daemonSilent {
		f := a.unanswered()
		v.Faults = append([]faultItem{{f.Code, f.Error()}}, v.Faults...)
		v.Suggest = &suggestItem{"end it and start another", f.Fix[0]}
	}
	v.Counts.Bytes += bytesIn(a.paths.Transcripts())
	v.Vault = a.vaultItem()
	v.suggesting = suggest
	return a.out.show(v)
}

// stateNow is what is known and how the daemon is. One that does not answer is not
// waited for: files are read then.
func (a *app) stateNow(ctx context.Context) (views.StatusResponse, daemonItem, error) {
	if a.silent(ctx) {
		return a.stateFromFiles(ctx, a.place()), daemonItem{State: daemonSilent}, nil
	}
	o, err := a.state(ctx)
	if err != nil {
		return o, daemonItem{}, err
	}
	return o, a.daemonState(ctx), nil
}

// state is what is known, which is nothing where Remanence never lived.
func (a *app) state(ctx context.Context) (views.StatusResponse, error) {
	at := a.place()
	if a.visits(ctx) {
		o := views.StatusResponse{}
		if at.Project == "" {
			o.Project, _ = project.Identify(at.Dir) // as all projects, where it is none
		}
		return o, nil
	}
	o, err := ask(ctx, a, api.Status, at)
	if err != nil {
		return o, a.noProject(err)
	}
	return o, nil
}

// statusView is the state of things at a glance.
type statusView struct {
	Version     string              `json:"version"`
	Project     *projectItem        `json:"project"` // null: all
	Daemon      daemonItem          `json:"daemon"`
	Counts      counts              `json:"counts"`
	LastSession *lastItem           `json:"last_session"`
	Context     *continuity.Context `json:"context"` // of the last session; null: not known
	Hooks       hooksItem           `json:"hooks"`
	Capture     captureItem         `json:"capture"`
	Review      *reviewItem         `json:"review"` // null: nobody has looked yet
	Queue       queueItem           `json:"queue"`
	LLM         llmItem             `json:"llm"`
	Embedding   *embedItem          `json:"embedding"` // null: off
	Vault       *vaultItem          `json:"vault"`     // null: there is none
	Faults      []faultItem         `json:"faults"`    // what does not go on
	Paused      []pauseItem         `json:"paused"`
	Suggest     *suggestItem        `json:"suggest"`

	suggesting bool
}

type projectItem struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Branch *string `json:"branch"`
}

type daemonItem struct {
	State string     `json:"state"` // up, down, silent where it does not answer, or off with --no-daemon
	Since *time.Time `json:"since"`
	PID   *int       `json:"pid"`
	HTTP  *string    `json:"http"` // where tools may ask over TCP; null: nowhere

	httpFault string // why nowhere, although it was asked for
}

// daemonSilent is the state of a daemon that is there and does not answer.
const daemonSilent = "silent"

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
	Items  int        `json:"items"`  // last told
	Tokens int        `json:"tokens"` // told in all
	Used   *int       `json:"used"`   // null: not looked at
}

type hooksItem struct {
	State       string     `json:"state"` // of their registration: ok, warn, fail or info (none)
	What        string     `json:"what"`
	P95MS       *float64   `json:"p95_ms"` // of the newest ones; null: none yet
	Answered    *int64     `json:"answered"`
	Errors      *int64     `json:"errors"`
	Since       *time.Time `json:"since"`         // of the counts; null: not counted without a daemon
	FailedInRow int64      `json:"failed_in_row"` // of the newest events, those that could not be kept
}

// measured adds what the daemon has counted.
func (h hooksItem) measured(m views.Health) hooksItem {
	if m.Since.IsZero() {
		return h
	}
	h.Since, h.Answered, h.Errors, h.FailedInRow = moment(m.Since), &m.Hooks, &m.HookErrors, m.FailedInRow
	if m.Hooks > 0 {
		h.P95MS = &m.HookP95MS
		if h.State == setup.Info { // not in any settings, and yet they come: a plugin of one session
			h.State, h.What = setup.OK, "hooks report, from a plugin"
		}
	}
	return h
}

func (h hooksItem) sentence() string {
	s := oneLine(h.What)
	if h.P95MS != nil {
		s += fmt.Sprintf(" · p95 %.0f ms · %s", *h.P95MS, plural(int(*h.Errors), "error", "errors"))
	}
	return s
}

// captureItem is what became of events on their way into the store.
type captureItem struct {
	Dropped        int64   `json:"dropped"`         // events lost since the first
	SpooledRecords int     `json:"spooled_records"` // waiting for the daemon
	SpooledBytes   int64   `json:"spooled_bytes"`
	SpooledOldestS float64 `json:"spooled_oldest_s"` // since the oldest waits; 0 if none does
	Private        int     `json:"private"`          // spans that the daemon took out since it started; those that hooks took out are not counted
	Secrets        int     `json:"secrets"`
}

// captured reads the spool itself: it is there without a daemon, too.
func (a *app) captured(h views.Health) captureItem {
	c := captureItem{Private: h.Private, Secrets: h.Secrets}
	for _, n := range a.paths.lost() {
		c.Dropped += n
	}
	st, _ := spool.Open(spool.Config{Dir: a.paths.Spool()}).Stat() // doctor tells of an unreadable one
	if st.Records > 0 {
		c.SpooledRecords, c.SpooledBytes = st.Records, st.Bytes
		c.SpooledOldestS = max(0, a.sys.Now().Sub(st.Oldest).Seconds())
	}
	return c
}

// sentence is empty where there is nothing to say.
func (c captureItem) sentence() string {
	var parts []string
	if c.SpooledRecords > 0 {
		parts = append(parts, fmt.Sprintf("%s (%s) in the spool", plural(c.SpooledRecords, "event", "events"), bytesText(c.SpooledBytes)))
	}
	if c.Private > 0 {
		parts = append(parts, plural(c.Private, "private span", "private spans")+" taken out")
	}
	if c.Secrets > 0 {
		parts = append(parts, plural(c.Secrets, "secret", "secrets")+" taken out")
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

type suggestItem struct {
	Text    string `json:"text"`
	Command string `json:"command"`
}

func statusOf(o views.StatusResponse, d daemonItem, h hooksItem, c captureItem) statusView {
	v := statusView{
		Version: Version, Daemon: d, Hooks: h.measured(o.Health), Capture: c, Paused: pausesOf(o.Pauses),
		Counts:    counts{Memories: o.Stats.Memories, Hidden: o.Stats.Hidden, Sessions: o.Stats.Sessions, NewToday: o.Stats.Today, Bytes: o.Stats.Bytes},
		Embedding: embedItemOf(o.Embedding),
		LLM:       llmItemOf(o.Digest),
		Queue:     queueItem{o.Health.QueueDepth, o.Health.OldestJobS, o.Health.DeadJobs},
	}
	v.Context, v.Review = o.Context, reviewItemOf(o.Review)
	if v.Review != nil {
		stale := v.Review.Counts[curate.ReviewStale]
		v.Counts.Stale = &stale
	}
	if o.Project.Key != "" {
		v.Project = &projectItem{o.Project.Key, o.Project.Name, nullable(o.Project.Branch)}
	}
	if o.Last != nil {
		v.LastSession = &lastItem{ID: o.Last.Short, At: moment(o.Last.LastEvent), Tokens: o.Last.ToldTokens}
		if o.Told != nil && o.Told.Session == o.Last.ID {
			v.LastSession.Items = len(o.Told.Items)
		}
	}
	v.Faults = v.stuck()
	v.Suggest = v.suggest()
	return v
}

// suggest is the one thing most worth doing.
func (v statusView) suggest() *suggestItem {
	switch {
	case v.Hooks.State == setup.Fail:
		return &suggestItem{v.Hooks.What, "remanence doctor"}
	case v.Hooks.State == setup.Info:
		return &suggestItem{"no agent reports to Remanence yet", "remanence install"}
	case len(v.Faults) > 0:
		return &suggestItem{v.Faults[0].What, "remanence doctor"}
	case v.pause() != nil:
		return &suggestItem{"it is paused", v.pause().end()}
	case v.Queue.Dead > 0:
		return &suggestItem{plural(v.Queue.Dead, "job was", "jobs were") + " given up", "remanence doctor"}
	case v.Counts.Memories == 0:
		return &suggestItem{"nothing is remembered here yet; it begins with the next session", "remanence doctor"}
	case v.Review != nil && v.Review.Total > 0:
		return &suggestItem{plural(v.Review.Total, "finding waits", "findings wait") + " for your judgement", "remanence review"}
	case v.LastSession != nil && v.LastSession.Items > 0:
		return &suggestItem{"see what the last session was told", "remanence why"}
	}
	return &suggestItem{"see what the next session will be told", "remanence next"}
}

// pause is what keeps the project of the status silent, nil if nothing does.
func (v statusView) pause() *pauseItem {
	if v.Project == nil {
		return pauseHere(v.Paused, "")
	}
	return pauseHere(v.Paused, v.Project.ID)
}

func (statusView) schema() string { return "status" }

func (v statusView) human(p *printer) {
	where := "all projects"
	if v.Project != nil {
		where = "project " + oneLine(v.Project.Name)
		if v.Project.Branch != nil {
			where += " (" + oneLine(*v.Project.Branch) + ")"
		}
	}
	p.line("%s %s · %s · %s", p.style(bold, "remanence"), v.Version, where, v.Daemon.sentence(p.now()))
	p.field("remembered", "%s · %s · %d new today", plural(v.Counts.Memories, "memory", "memories"), plural(v.Counts.Sessions, "session", "sessions"), v.Counts.NewToday)
	p.field("last session", "%s", v.LastSession.sentence(p.now()))
	if v.Context != nil {
		p.field("its context", "%s", contextSentence(*v.Context))
	}
	p.field("hooks", "%s", v.Hooks.sentence())
	if s := v.Capture.sentence(); s != "" {
		p.field("capture", "%s", s)
	}
	if v.Embedding != nil {
		p.field("embedding", "%s", v.Embedding.sentence())
	}
	if v.Vault != nil {
		p.field("vault", "%s", v.Vault.sentence())
	}
	if v.LLM.Provider != nil {
		p.field("digest", "%s", v.LLM.sentence())
	}
	if s := v.Review.sentence(); s != "" {
		p.field("review", "%s: remanence review", s)
	}
	if it := v.pause(); it != nil {
		if v.Project != nil && it.Target == v.Project.ID {
			it.Target = "this project"
		}
		p.field("paused", "%s", it.sentence(p.now()))
	} else {
		p.field("waiting", "%s", v.Queue.sentence())
	}
	if n := v.Capture.Dropped; n > 0 {
		p.line("%s %s so far: remanence doctor · %s", p.style(red, "fault:"), plural(int(n), "event was lost", "events were lost"), faultDropped.Code)
	}
	for _, f := range v.Faults {
		f.line(p)
	}
	if (v.suggesting || v.Daemon.State == daemonSilent) && v.Suggest != nil {
		p.line("%s: %s", v.Suggest.Text, v.Suggest.Command)
	}
}

func (d daemonItem) sentence(now time.Time) string {
	switch {
	case d.State == "up" && d.Since != nil:
		return "daemon up " + ago(now.Sub(*d.Since)) + d.http()
	case d.State == "off":
		return "without daemon"
	case d.State == daemonSilent:
		return "daemon does not answer: this is what the files say"
	}
	return "daemon " + d.State
}

// http is empty where no port is asked for.
func (d daemonItem) http() string {
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
		when = ", " + at(*l.At, now)
	}
	if l.Tokens == 0 {
		return l.ID + when + " · told nothing"
	}
	told := fmt.Sprintf("told %d tokens", l.Tokens)
	if l.Items > 0 {
		told += fmt.Sprintf(", last %s", plural(l.Items, "item", "items"))
	}
	return l.ID + when + " · " + told
}

// contextSentence says how full a context is and what happens next.
func contextSentence(c continuity.Context) string {
	s := fmt.Sprintf("%d of %d tokens", c.Tokens, c.Window)
	switch {
	case c.HandoffAt == 0:
	case c.Asked:
		s += " · a handoff was asked for"
	default:
		s += fmt.Sprintf(" · a handoff is asked for from %d", c.HandoffAt)
	}
	if c.Cliff > 0 {
		s += fmt.Sprintf(" · %s compacts by itself at %d", oneLine(c.Model), c.Cliff)
	}
	return s
}

func (q queueItem) sentence() string {
	s := plural(q.Depth, "job", "jobs")
	if q.Depth > 0 {
		s += ", the oldest for " + lasted(time.Duration(q.OldestS*float64(time.Second)))
	}
	if q.Dead > 0 {
		s += fmt.Sprintf(" · %d given up", q.Dead)
	}
	return s
}

// daemonState asks the daemon that runs, and starts none.
func (a *app) daemonState(ctx context.Context) daemonItem {
	if a.flags.noDaemon {
		return daemonItem{State: "off"}
	}
	rt, h, err := a.running(ctx)
	if err != nil {
		return daemonItem{State: "down"}
	}
	return daemonItem{State: "up", Since: moment(rt.Started), PID: &h.PID, HTTP: nullable(rt.HTTP), httpFault: rt.HTTPFault}
}

// running is the daemon that answers now.
func (a *app) running(ctx context.Context) (api.Runtime, api.Health, error) {
	rt, err := a.paths.worker()
	if err != nil {
		return rt, api.Health{}, err
	}
	ctx, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	h, err := rt.Client(Version).Health(ctx)
	return rt, h, err
}

// hooksState is the finding on our hooks in the agent's settings.
func (a *app) hooksState() hooksItem {
	c, err := a.setupConfig()
	if err != nil {
		return hooksItem{State: setup.Warn, What: err.Error()}
	}
	worst := setup.Finding{State: setup.OK, What: "all hooks are registered"}
	for _, f := range setup.Check(c) {
		if f.State == setup.Fail || f.State == setup.Info && worst.State == setup.OK {
			worst = f
		}
	}
	return hooksItem{State: worst.State, What: worst.What}
}
