package daemon

import (
	"context"
	"fmt"
	"unicode/utf8"

	"remanence/internal/api"
	"remanence/internal/index"
	"remanence/internal/mem"
	"remanence/internal/peers"
	"remanence/internal/team"
	"remanence/internal/views"
)

// publishingStore is a store that publishes each write to the viewers after it is durable.
type publishingStore struct {
	*index.Store
	live   *api.Live
	others *peers.Group // nil if the store is a file
	team   func() *team.Link
	// answering reports whether a hook is being answered.
	answering func() bool
}

// publishing is the store of the daemon, whose writes are published.
func publishing(h *Daemon) publishingStore {
	return publishingStore{h.indexed, h.live, h.others, func() *team.Link { return h.team }, func() bool {
		return h.Meter.answering()
	}}
}

// Apply implements mem.Store.
func (w publishingStore) Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	results, err := w.Store.Apply(ctx, batches...)
	if t := mem.TransactionOf(ctx); t != nil {
		t.After(func(err error) {
			if err == nil {
				w.publishWritten(ctx, batches, results)
			}
		})
		return results, err
	}
	w.publishWritten(ctx, batches, results)
	return results, err
}

// publishWritten publishes batches that are durable.
func (w publishingStore) publishWritten(ctx context.Context, batches []mem.Batch, results []mem.Result) {
	if link := w.team(); link != nil {
		link.Wrote(batches[:min(len(results), len(batches))], results)
	}
	if !w.live.Touch() && w.others == nil {
		return
	}
	var all []api.Change
	for i, r := range results {
		if !r.Duplicate {
			all = append(all, changesIn(batches[i], r)...)
		}
	}
	for i := range all {
		if all[i].Type == api.ProcessingStatus {
			w.queue(ctx, &all[i])
		}
	}
	w.publish(all...)
}

// Purge implements mem.Store.
func (w publishingStore) Purge(ctx context.Context, ids ...string) (mem.Purged, error) {
	done, err := w.Store.Purge(ctx, ids...)
	if err == nil {
		w.publish(api.Change{Type: api.Changed, What: []string{"purged"}, IDs: ids})
	}
	return done, err
}

// Scrub implements mem.Store.
func (w publishingStore) Scrub(ctx context.Context, fix bool, may func(texts []byte) bool,
	clean func(doc []byte) ([]byte, map[string]int, error),
) (mem.ScanResponse, error) {
	out, err := w.Store.Scrub(ctx, fix, may, clean)
	if link := w.team(); fix && link != nil {
		link.WroteAny()
	}
	return out, err
}

// Begin implements mem.Transactor. A hook that is being answered waits: it needs the processor before it writes.
func (w publishingStore) Begin(ctx context.Context) (*mem.Transaction, error) {
	t, err := w.Store.Begin(ctx)
	if err == nil {
		t.WantedBy(w.answering)
	}
	return t, err
}

// publish reports changes to the viewers of this daemon and of the others that use the store.
func (w publishingStore) publish(changes ...api.Change) {
	w.live.Publish(changes...)
	if w.others != nil {
		w.others.Announce(changes)
	}
}

// queue adds the number of waiting jobs.
func (w publishingStore) queue(ctx context.Context, c *api.Change) {
	if got, err := w.Waiting(ctx); err == nil {
		c.QueueDepth = new(got.Jobs - got.LaterJobs)
	}
}

// changesIn returns the live changes of a batch: its event, then each memory, then one for everything else.
func changesIn(b mem.Batch, r mem.Result) []api.Change {
	project, session := "", ""
	if b.Event != nil {
		session = b.Event.Session
	}
	switch {
	case b.Session != nil && b.Session.Project != "":
		project = b.Session.Project
	case b.Project != nil:
		project = b.Project.Key
	}
	all := eventChanges(b, r)
	rest := api.Change{Type: api.Changed}
	for i, m := range b.Memories {
		switch {
		case m.Kind == mem.Utterance:
			rest.Add("utterance", "")
			continue
		case i >= len(r.IDs):
			continue
		}
		kind := api.NewObservation
		if m.Kind == mem.Summary {
			kind = api.NewSummary
		}
		all = append(all, api.Change{
			Type: kind, IDs: []string{r.IDs[i]}, Kind: string(m.Kind), Title: m.Title,
			Project: m.Project, Session: m.Session,
		})
	}
	for _, e := range b.Edits {
		rest.Add("memory", e.ID)
	}
	for _, c := range b.Receipts {
		rest.Add("receipt", c.ID)
	}
	for _, id := range b.Undelivered {
		rest.Add("receipt", id)
	}
	for range b.Checkpoints {
		rest.Add("checkpoint", "")
	}
	if len(b.Jobs)+len(b.FinishedJobs)+len(b.FailedJobs) > 0 {
		rest.Add("job", "")
	}
	if len(b.Pauses) > 0 {
		rest.Add("pause", "")
	}
	if len(rest.What) > 0 {
		all = append(all, rest)
	}
	for i := range all {
		if all[i].Project == "" {
			all[i].Project = project
		}
		if all[i].Session == "" {
			all[i].Session = session
		}
	}
	for _, id := range b.IdleSessions {
		all = append(all, api.Change{Type: api.ProcessingStatus, IsProcessing: new(false), Session: id})
	}
	return all
}

// eventChanges returns the live changes of a batch's event.
func eventChanges(b mem.Batch, r mem.Result) []api.Change {
	e := b.Event
	if e == nil {
		return nil
	}
	var all []api.Change
	switch {
	case e.Kind == mem.UserPromptSubmit && r.Prompt > 0:
		c := api.Change{Type: api.NewPrompt, Number: r.Prompt}
		if !e.Private {
			c.Title = beginning(e.Text)
		}
		all = append(all, c)
	case e.Kind == mem.SessionEnd:
		all = append(all, api.Change{Type: api.SessionCompleted, Kind: e.Source})
	default:
		all = append(all, api.Change{
			Type: api.Changed, What: []string{"event"}, IDs: []string{e.ID}, Kind: string(e.Kind),
			Tool: e.Tool,
		})
	}
	if b.Session != nil && b.Session.Processing != nil {
		all = append(all, api.Change{Type: api.ProcessingStatus, IsProcessing: b.Session.Processing})
	}
	return all
}

// maxBeginning is how many bytes of a prompt are published.
const maxBeginning = 200

func beginning(s string) string {
	if len(s) <= maxBeginning {
		return s
	}
	at := maxBeginning
	for !utf8.RuneStart(s[at]) {
		at--
	}
	return s[:at] + "…"
}

// liveStatus is the state that a new viewer receives first.
type liveStatus struct {
	Projects []mem.Project `json:"projects"` // last active first
	api.ProcessingResponse
}

// recentSessions is how many of the newest sessions are searched for an active one.
const recentSessions = 50

func (h *Daemon) liveStatus(ctx context.Context) (any, error) {
	ps, err := h.Store.Projects(ctx, "")
	if err != nil {
		return nil, err
	}
	w, err := h.working(ctx, api.Nothing{})
	return liveStatus{ps, w}, err
}

// working reports whether a session works on a prompt.
func (h *Daemon) working(ctx context.Context, _ api.Nothing) (api.ProcessingResponse, error) {
	busy, err := h.busySessions(ctx)
	if err != nil {
		return api.ProcessingResponse{}, err
	}
	got, err := h.Store.Waiting(ctx)
	return api.ProcessingResponse{IsProcessing: len(busy) > 0, QueueDepth: got.Jobs - got.LaterJobs}, err
}

// busySessions returns the sessions that work on a prompt, as far as their events show.
func (h *Daemon) busySessions(ctx context.Context) ([]string, error) {
	ss, err := h.Store.Sessions(ctx, mem.SessionQuery{Limit: recentSessions})
	var busy []string
	for _, s := range ss {
		if s.Processing && s.Status != mem.Abandoned {
			busy = append(busy, s.ID)
		}
	}
	return busy, err
}

// markIdle marks all sessions as not working.
func (h *Daemon) markIdle(ctx context.Context, _ api.Nothing) (api.ProcessingResponse, error) {
	busy, err := h.busySessions(ctx)
	if err != nil {
		return api.ProcessingResponse{}, err
	}
	if len(busy) > 0 {
		if _, err := publishing(h).Apply(ctx, mem.Batch{IdleSessions: busy}); err != nil {
			return api.ProcessingResponse{}, err
		}
	}
	return h.working(ctx, api.Nothing{})
}

// sessionOf returns the session of an id, a short one or a unique prefix.
func (h *Daemon) sessionOf(ctx context.Context, ask views.MemoryRequest) (mem.Session, error) {
	s, err := h.Store.Session(ctx, ask.ID)
	if err != nil {
		return s, fmt.Errorf("session %s: %w", ask.ID, err)
	}
	return s, nil
}
