package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"remanence/internal/api"
	"remanence/internal/engine"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/redact"
	"remanence/internal/spool"
	"remanence/internal/store/sqlite"
	"remanence/internal/transcript"
	"remanence/internal/worker"
)

// house is everything behind the worker's socket, built and open.
type house struct {
	sys       System
	paths     Paths
	log       *slog.Logger
	store     *sqlite.Store
	engine    *engine.Engine
	spool     *spool.Spool
	talks     *transcript.Archive
	config    *liveConfig
	embedding liveEmbedder
	door      *redact.Door
	meter     *meter
	since     time.Time
	gone      engine.Gone // by this round of tidy so far

	end     context.CancelCauseFunc // ends the worker; nil without one
	looking sync.Mutex              // holds who reads all of the database; guards the next two
	looked  time.Time               // when it was last found sound, though something said otherwise
	damage  error                   // what was found where it is not sound

	mu      sync.Mutex
	runtime api.Runtime // as last written; zero until the worker is reachable
	due     []notice    // warnings on their way to the person
}

// build opens the store and joins the parts. The caller holds the lock.
func build(ctx context.Context, sys System, paths Paths, log *slog.Logger) (*house, error) {
	_, never := paths.worker()
	st, err := sqlite.Open(ctx, sqlite.Config{Path: paths.Database(), Now: sys.Now, Known: never == nil, Shared: fileSystem(paths.Data) != ""})
	if err != nil {
		return nil, err
	}
	if err := soundAgain(ctx, st, paths, log); err != nil {
		_ = st.Close()
		return nil, err
	}
	h := &house{sys: sys, paths: paths, log: log, store: st, since: sys.Now(), config: newLiveConfig(paths.Config, sys.Getenv, log)}
	cfg := h.config.now()
	h.spool = spool.Open(spool.Config{Dir: paths.Spool(), MaxBytes: cfg.spoolBytes(), Spare: paths.makeSpare})
	if !paths.gone(sys.Getenv) { // hooks come
		h.spool.Prepare()
		prepareNotices(paths.Notices())
	}
	secret := readSecret(paths.Key())
	d := &redact.Door{Key: secret, Rules: ownRules(cfg.ownRules())}
	for _, err := range d.Errors() {
		log.Warn("own secret rule skipped", "error", err)
	}
	h.door = d
	h.talks = &transcript.Archive{Dir: paths.Transcripts(), Door: d.Text, Private: func(s string) bool {
		_, found := d.Scrub(s)
		return found.Private > 0
	}}
	h.engine = engine.New(engine.Config{
		Store: st, Door: d, Now: sys.Now, Secret: secret,
		Settings: func() engine.Settings { return h.config.now().Settings() },
		Project:  project.Identify,
		Rel:      project.Rel,
		Tail:     tail(d),
		Archive:  h.talks,
		Own:      []string{paths.Data, paths.State, filepath.Dir(paths.Config)},
		Look:     func(p mem.Project) engine.Files { return project.NewLook(p) },
		Log: func(what string, err error) {
			log.Error("answered without", "what", what, "error", h.judged(err))
		},
		Warnings: h.warnings,
		Embedder: h.enginesEmbedder,
		Paused:   h.tellHooks,
	})
	h.meter = &meter{next: h.engine, told: h.warned}
	return h, nil
}

// tail reads the newest utterances of a transcript through the door.
func tail(d *redact.Door) func(path string, lines int) ([]mem.Said, error) {
	return func(path string, lines int) ([]mem.Said, error) {
		part, err := transcript.Tail(path, lines, d.Text)
		if err != nil {
			return nil, err
		}
		said := make([]mem.Said, 0, len(part.Said))
		for _, u := range part.Said {
			said = append(said, mem.Said{Who: u.Who, Text: u.Text, At: u.At})
		}
		return said, nil
	}
}

// bindings are the routes and what answers them.
func (h *house) bindings() []api.Binding {
	e := h.engine
	return []api.Binding{
		api.On(api.Search, e.Search), api.On(api.Show, e.Show), api.On(api.Why, e.Why), api.On(api.Next, e.Next),
		api.On(api.Timeline, e.Timeline), api.On(api.Status, h.status), api.On(api.Add, blamed(e.Add)), api.On(api.Edit, blamed(e.Edit)),
		api.On(api.Mark, blamed(e.Mark)), api.On(api.Purge, h.purge), api.On(api.Doomed, h.doomed), api.On(api.Scan, h.scan), api.On(api.Pause, e.Pause),
		api.On(api.Sizes, h.sizes),
		api.On(examineStore, h.examine), api.On(namesakes, h.namesakes),
		api.On(describeStore, h.describe), api.On(auditStore, h.audit), api.On(keepStore, h.keep), api.On(reindexStore, h.reindex), api.On(tryEmbedding, h.tryEmbedding),
	}
}

// blamed marks mistakes of the person as such, so that they still are over the wire.
func blamed[Req, Rep any](answer func(context.Context, Req) (Rep, error)) func(context.Context, Req) (Rep, error) {
	return func(ctx context.Context, req Req) (Rep, error) {
		rep, err := answer(ctx, req)
		for _, mistake := range []error{engine.ErrNoText, engine.ErrNoKind, engine.ErrNoScope, engine.ErrNoVerb} {
			if errors.Is(err, mistake) {
				return rep, fmt.Errorf("%w: %w", api.ErrInvalid, err)
			}
		}
		return rep, err
	}
}

// status is the engine's overview with what only this process knows.
func (h *house) status(ctx context.Context, at mem.Place) (mem.Overview, error) {
	o, err := h.engine.Status(ctx, at)
	if err != nil {
		return o, err
	}
	o.Health.Since, o.Embedding = h.since, h.vectorsNow(ctx)
	h.meter.read(&o.Health)
	taken := h.door.Counts()
	o.Health.Private = taken.Private
	for _, n := range taken.Secrets {
		o.Health.Secrets += n
	}
	return o, nil
}

// takeSpool takes in all that waits in the spool.
func (h *house) takeSpool(ctx context.Context) error {
	for !h.spool.Empty() {
		if n, err := h.spool.Drain(ctx, worker.DrainBatch, h.engine.Replay); err != nil {
			return fmt.Errorf("take in the spool: %w", err)
		} else if n == 0 {
			break
		}
	}
	return nil
}

// purge takes the spool in first: what is erased must not come back from it.
func (h *house) purge(ctx context.Context, ask mem.IDs) (mem.Erased, error) {
	if err := h.takeSpool(ctx); err != nil {
		return mem.Erased{}, err
	}
	copies, _ := sqlite.Copies(h.paths.Database()) // only a malformed pattern fails
	done, err := h.engine.Purge(ctx, ask)
	if err == nil && len(copies) > 0 {
		h.keepDaily(ctx) // they went with what was erased
	}
	return done, err
}

// tellHooks writes the pauses into the runtime file, where hooks see them.
func (h *house) tellHooks(ps []mem.Pause) { h.tell(func(rt *api.Runtime) { rt.Paused = ps }) }

// tellCap writes the cap of the spool into the runtime file.
func (h *house) tellCap(bytes int64) { h.tell(func(rt *api.Runtime) { rt.SpoolBytes = bytes }) }

func (h *house) tell(set func(*api.Runtime)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runtime.Socket == "" {
		return
	}
	set(&h.runtime)
	if err := h.runtime.Write(h.paths.Runtime()); err != nil {
		h.log.Error("write runtime file", "error", err)
	}
}

// warnings are lines for the person, each at most once a day: what was lost,
// what the configuration gets wrong.
func (h *house) warnings() []string {
	var causes []notice
	lost := int64(0)
	for _, n := range h.paths.lost() {
		lost += n
	}
	if lost > 0 {
		causes = append(causes, notice{"dropped", lost, fmt.Sprintf("remanence: %d events could not be kept so far. Fix: remanence doctor", lost)})
	}
	if n := h.paths.logBytes(); n > longLog {
		causes = append(causes, notice{"log", 0, fmt.Sprintf("remanence: the database's log has grown to %s, because another program keeps the database open. Fix: remanence doctor", bytesText(n))})
	}
	if c := h.config.now(); len(c.Warnings) > 0 {
		causes = append(causes, notice{"config: " + c.Warnings[0], 0, "remanence: " + c.Warnings[0] + ". Fix: remanence config validate"})
	}
	due := dueOf(h.paths.Notices(), h.sys.Now(), causes)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.due = due
	return texts(due)
}

// warned remembers that the newest warnings were shown. Until then they come
// again: an event that cannot be kept is not answered, whatever it was to say.
func (h *house) warned() {
	h.mu.Lock()
	defer h.mu.Unlock()
	shownNow(h.paths.Notices(), h.sys.Now(), h.due)
	h.due = nil
}
