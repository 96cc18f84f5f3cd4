package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"

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
	sys    System
	paths  Paths
	log    *slog.Logger
	store  *sqlite.Store
	engine *engine.Engine
	spool  *spool.Spool
	config *liveConfig
	door   *redact.Door
	meter  *meter
	since  time.Time

	mu      sync.Mutex
	runtime api.Runtime // as last written; zero until the worker is reachable
}

// build opens the store and joins the parts. The caller holds the lock.
func build(ctx context.Context, sys System, paths Paths, log *slog.Logger) (*house, error) {
	st, err := sqlite.Open(ctx, sqlite.Config{Path: paths.Database(), Now: sys.Now})
	if err != nil {
		return nil, err
	}
	h := &house{sys: sys, paths: paths, log: log, store: st, since: sys.Now(), config: newLiveConfig(paths.Config, sys.Getenv, log)}
	cfg := h.config.now()
	h.spool = spool.Open(spool.Config{Dir: paths.Spool(), MaxBytes: int64(value[int](cfg, "spool.max_bytes"))})
	secret := readSecret(paths.Key())
	d := &redact.Door{Key: secret}
	h.door = d
	h.engine = engine.New(engine.Config{
		Store: st, Door: d, Now: sys.Now, Secret: secret,
		Settings: func() engine.Settings { return h.config.now().Settings() },
		Project:  project.Identify,
		Rel:      project.Rel,
		Tail:     tail(d),
		Own:      []string{paths.Data, paths.State, filepath.Dir(paths.Config)},
		Warnings: h.warnings,
		Paused:   h.tellHooks,
	})
	h.meter = &meter{next: h.engine}
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
			said = append(said, mem.Said{Who: u.Who, Text: u.Text})
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
		api.On(api.Mark, blamed(e.Mark)), api.On(api.Purge, h.purge), api.On(api.Pause, e.Pause),
		api.On(examineStore, h.examine),
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
	o.Health.Since = h.since
	h.meter.read(&o.Health)
	taken := h.door.Counts()
	o.Health.Private = taken.Private
	for _, n := range taken.Secrets {
		o.Health.Secrets += n
	}
	return o, nil
}

// purge takes the spool in first: what is erased must not come back from it.
func (h *house) purge(ctx context.Context, ask mem.IDs) (mem.Erased, error) {
	for !h.spool.Empty() {
		if n, err := h.spool.Drain(ctx, worker.DrainBatch, h.engine.Replay); err != nil {
			return mem.Erased{}, fmt.Errorf("take in the spool: %w", err)
		} else if n == 0 {
			break
		}
	}
	return h.engine.Purge(ctx, ask)
}

// tellHooks writes what hooks have to know into the runtime file.
func (h *house) tellHooks(ps []mem.Pause) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runtime.Socket == "" {
		return
	}
	h.runtime.Paused = ps
	if err := h.runtime.Write(h.paths.Runtime()); err != nil {
		h.log.Error("write runtime file", "error", err)
	}
}

// warnings are lines for the person, each at most once a day: what was lost,
// what the configuration gets wrong.
func (h *house) warnings() []string {
	var causes []notice
	lost := int64(0)
	for _, n := range spool.Counters(h.paths.Spool()) {
		lost += n
	}
	if lost > 0 {
		causes = append(causes, notice{"dropped", lost, fmt.Sprintf("remanence: %d events could not be kept so far. Fix: remanence doctor", lost)})
	}
	if c := h.config.now(); len(c.Warnings) > 0 {
		causes = append(causes, notice{"config: " + c.Warnings[0], 0, "remanence: " + c.Warnings[0] + ". Fix: remanence config validate"})
	}
	return dueNotices(h.paths.Notices(), h.sys.Now(), causes)
}

// notice is a warning and what it is about. Where level is not 0 the warning is
// news only if the level has risen since it was last shown.
type notice struct {
	cause string
	level int64
	text  string
}

// shown says when a warning was last shown, and at which level.
type shown struct {
	Day   string `json:"day"`
	Level int64  `json:"level"`
}

// dueNotices returns the texts of the causes not shown on the day of now, and
// remembers them as shown.
func dueNotices(file string, now time.Time, causes []notice) []string {
	if len(causes) == 0 {
		return nil
	}
	record := map[string]shown{}
	if b, err := readSmall(file); err == nil {
		_ = json.Unmarshal(b, &record) // a damaged record shows a warning twice
	}
	day := now.Format("2006-01-02")
	var due []string
	for _, c := range causes {
		last, known := record[c.cause]
		if known && (last.Day == day || c.level > 0 && c.level <= last.Level) {
			continue
		}
		due = append(due, c.text)
		record[c.cause] = shown{day, c.level}
	}
	for cause, s := range record {
		if s.Day != day && s.Level == 0 {
			delete(record, cause)
		}
	}
	if b, err := json.Marshal(record); err == nil && len(due) > 0 {
		_ = os.WriteFile(file, b, 0o600)
	}
	return due
}

// liveConfig is the configuration as the file has it now. The file is read
// again when it changes.
type liveConfig struct {
	file   string
	getenv func(string) string
	log    *slog.Logger

	mu   sync.Mutex
	seen os.FileInfo // nil: no file
	have bool
	cfg  Config
}

func newLiveConfig(file string, getenv func(string) string, log *slog.Logger) *liveConfig {
	return &liveConfig{file: file, getenv: getenv, log: log}
}

func (l *liveConfig) now() Config {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := os.Stat(l.file)
	if err != nil {
		info = nil
	}
	if l.have && sameFileState(l.seen, info) {
		return l.cfg
	}
	cfg, err := LoadConfig(l.file, l.getenv)
	if err != nil {
		l.log.Warn("configuration", "error", err)
		cfg.Warnings = append(cfg.Warnings, err.Error())
		if l.have { // half an edit: what was in force stays
			cfg.Values = l.cfg.Values
		}
	}
	l.cfg, l.seen, l.have = cfg, info, true
	return cfg
}

func sameFileState(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// openLog returns a logger into the log file, rotated at 5 MB.
func openLog(paths Paths, level string) (*slog.Logger, io.Closer) {
	out := &lumberjack.Logger{Filename: paths.Log(), MaxSize: 5, MaxBackups: 2}
	_ = os.MkdirAll(filepath.Dir(paths.Log()), 0o700)
	var l slog.Level
	if l.UnmarshalText([]byte(level)) != nil {
		l = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: l})), out
}

// runWorker is the daemon. Background says that nobody looks: another worker
// that runs already is then no error.
func runWorker(ctx context.Context, sys System, paths Paths, background bool) error {
	cfg, _ := LoadConfig(paths.Config, sys.Getenv) // a mistake there is shown by warnings
	log, closer := openLog(paths, value[string](cfg, "log.level"))
	defer closer.Close()
	lock, err := takeLock(ctx, paths)
	if errors.Is(err, worker.ErrRunning) {
		if background {
			return nil
		}
		return faultRunning.because("the lock %s is held", paths.Lock())
	}
	if err != nil {
		log.Error("worker cannot start", "error", err)
		return err
	}
	defer func() { _ = lock.Release() }()
	h, err := build(ctx, sys, paths, log)
	if err != nil {
		log.Error("worker cannot start", "error", err)
		writeTrouble(paths, sys.Now(), err)
		return err
	}
	clearTrouble(paths)
	err = h.serve(ctx, lock)
	if cerr := h.store.Close(); err == nil {
		err = cerr
	}
	return err
}

// takeLock waits for a worker that is on its way out, but not beside one that
// stays: whoever waited there would begin just when that one is stopped.
func takeLock(ctx context.Context, paths Paths) (*worker.Lock, error) {
	for end := time.Now().Add(drainWait); ; time.Sleep(10 * time.Millisecond) {
		lock, err := worker.Acquire(paths.Data, 0)
		if !errors.Is(err, worker.ErrRunning) || serves(ctx, paths) || time.Now().After(end) {
			return lock, err
		}
	}
}

// serves reports whether the worker of the runtime file takes events.
func serves(ctx context.Context, paths Paths) bool {
	rt, err := api.ReadRuntime(paths.Runtime())
	if err != nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, 200*time.Millisecond)
	defer stop()
	h, err := rt.Client(Version).Health(ctx)
	return err == nil && h.Status == api.OK
}

// drainWait is how long a new worker waits for the lock of one that was asked to leave.
const drainWait = 2 * time.Second

func (h *house) serve(ctx context.Context, lock *worker.Lock) error {
	cfg := h.config.now()
	pauses, err := h.store.Paused(ctx, h.sys.Now())
	if err != nil {
		return err
	}
	return worker.Run(ctx, worker.Config{
		Lock: lock, RuntimeFile: h.paths.Runtime(), SocketDir: h.paths.Run,
		Runtime: api.Runtime{
			Version: Version, Build: buildID(), Paused: pauses,
			SpoolBytes: int64(value[int](cfg, "spool.max_bytes")),
		},
		Store: h.store, Handler: h.meter, Bindings: h.bindings(),
		Spool: h.spool, Replay: h.engine.Replay, GiveUp: h.giveUp, Do: h.engine.Work,
		Idle: value[time.Duration](cfg, "worker.idle_exit"), Log: h.log,
		Ready: func(rt api.Runtime) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.runtime = rt
		},
	})
}

// giveUp drops a spooled event that cannot be kept while others can: it is a
// defect of ours, and the event must not hold up what comes after it.
func (h *house) giveUp(e mem.Event, cause error) error {
	h.log.Error("event given up", "kind", e.Kind, "id", e.ID, "error", cause)
	h.spool.Count("defect")
	return nil
}

// trouble is what keeps the worker from working. Hooks tell it to the person.
type trouble struct {
	Since time.Time `json:"since"`
	Code  string    `json:"code"`
	Text  string    `json:"text"`
}

func (p Paths) trouble() string { return filepath.Join(filepath.Dir(p.Runtime()), "trouble.json") }

func writeTrouble(paths Paths, now time.Time, err error) {
	f := explain(nil, err)
	t := trouble{Since: now, Code: f.Code}
	var old trouble
	if b, err := readSmall(paths.trouble()); err == nil && json.Unmarshal(b, &old) == nil && old.Code == f.Code {
		t.Since = old.Since // the same since then
	}
	t.Text = fmt.Sprintf("remanence: nothing is remembered since %s: %s. Fix: remanence doctor", t.Since.Local().Format("2 Jan 15:04"), f.What)
	b, merr := json.Marshal(t)
	if merr != nil || os.MkdirAll(filepath.Dir(paths.trouble()), 0o700) != nil {
		return
	}
	_ = os.WriteFile(paths.trouble(), b, 0o600)
}

func clearTrouble(paths Paths) {
	if err := os.Remove(paths.trouble()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
}

// readTrouble returns what keeps the worker from working, empty if nothing does.
func readTrouble(paths Paths) string {
	var t trouble
	b, err := os.ReadFile(paths.trouble())
	if err != nil || json.Unmarshal(b, &t) != nil {
		return ""
	}
	return t.Text
}
