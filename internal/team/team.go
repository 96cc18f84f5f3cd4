// Package team synchronizes the memories of some projects with the server of a team. It knows when that is done, and
// how it goes on while the server is away; what is shared, and what becomes of two texts of one memory, is for package
// filesync, and who sees it is a rule of the server. Start reading at [Link.Run].
package team

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/store/served"
	"remanence/internal/store/stored"
	"remanence/internal/vault"
	"remanence/internal/vaultfile"
)

// Times of the synchronization with the server of a team.
const (
	every        = 5 * time.Second  // between two looks at the server
	longest      = 5 * time.Minute  // the longest pause while the server is away
	compareAfter = 10 * time.Minute // after which memories are compared even if nothing was written
	answerWithin = 10 * time.Second // how long a description of the server may take
	page         = 5_000            // files that are read at once
)

// Health describes what is shared with the server of a team.
type Health struct {
	Address  string             `json:"address"` // as configured
	Kinds    []mem.Kind         `json:"kinds"`
	Projects []string           `json:"projects"`
	Server   *stored.TeamServer `json:"server,omitempty"` // nil if it cannot be used
	Error    string             `json:"error,omitempty"`  // why it cannot be used, or why the last synchronization failed
	Synced   time.Time          `json:"synced,omitzero"`  // the last synchronization of this daemon without an error
}

// Settings are the settings share.*.
type Settings struct {
	Address  string // of the server; "" means that nothing is shared
	Team     string
	Kinds    []mem.Kind
	Projects []string // globs of origins
}

// errSettings is the error of settings that share nothing.
var errSettings = errors.New("share.dsn needs share.team, share.kinds and share.projects too")

func (s Settings) check() error {
	if s.Team == "" || len(s.Kinds) == 0 || len(s.Projects) == 0 {
		return errSettings
	}
	return nil
}

// open connects to the server.
func (l *Link) open(ctx context.Context, s Settings) (stored.TeamStore, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return served.OpenTeam(ctx, served.Config{DSN: s.Address, Getenv: l.cfg.Getenv, Now: l.cfg.Now}, s.Team)
}

// shares reports whether memories of a project are shared. One without an origin is the same on no other machine.
func (s Settings) shares(p mem.Project) bool {
	return p.Origin != "" && slices.ContainsFunc(s.Projects, func(g string) bool { return event.Glob(g, p.Origin) })
}

// Config holds the dependencies of a Link.
type Config struct {
	Settings func() Settings
	Projects func(ctx context.Context, ref string) ([]mem.Project, error) // all, of an empty ref
	Sync     func(context.Context, mem.Project, filesync.TeamFolder, []mem.Kind) (filesync.TeamSync, error)
	Written  *atomic.Int64 // counts writes to the store
	Getenv   func(string) string
	Now      func() time.Time
	Log      *slog.Logger
}

// Link synchronizes a store with the server of a team.
type Link struct {
	cfg      Config
	settings Settings         // of the last round; only Run uses it and the next three
	store    stored.TeamStore // nil while there is no connection
	projects map[string]known
	failures int // since the last success

	mu     sync.Mutex // guards the last synchronization
	synced time.Time
	err    error
}

// New returns a Link. It does no I/O.
func New(c Config) *Link { return &Link{cfg: c, projects: map[string]known{}} }

// known is what is known of a project on the server.
type known struct {
	after   int64     // version up to which its files were read
	written int64     // count of writes to the store when its memories were compared
	at      time.Time // when they were
}

// Run synchronizes until ctx ends. Without a server that is configured it does nothing.
func (l *Link) Run(ctx context.Context) {
	defer l.close()
	for wait := time.Duration(0); ; wait = l.round(ctx) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

func (l *Link) close() {
	if l.store != nil {
		_ = l.store.Close()
	}
	l.store, l.projects = nil, map[string]known{}
}

// round synchronizes all projects once, and returns when the next round is due.
func (l *Link) round(ctx context.Context) time.Duration {
	now := l.cfg.Settings()
	if was := l.settings; now.Address != was.Address || now.Team != was.Team || !slices.Equal(now.Kinds, was.Kinds) {
		l.close()
		l.failures = 0
	}
	l.settings = now
	if now.Address == "" {
		return every
	}
	err := l.sync(ctx)
	if ctx.Err() != nil {
		return 0
	}
	l.note(err)
	if err == nil {
		l.failures = 0
		return every
	}
	l.close()
	l.failures++
	return min(longest, every<<min(l.failures-1, 10))
}

// note keeps how a round went, and logs the first of errors in a row.
func (l *Link) note(err error) {
	if err != nil && l.failures == 0 {
		l.cfg.Log.Warn("not synchronized with the team", "error", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err = err; err == nil {
		l.synced = l.cfg.Now()
	}
}

func (l *Link) sync(ctx context.Context) error {
	if l.store == nil {
		store, err := l.open(ctx, l.settings)
		if err != nil {
			return err
		}
		l.store = store
	}
	all, err := l.cfg.Projects(ctx, "")
	if err != nil {
		return err
	}
	for _, p := range all {
		if l.settings.shares(p) {
			if err := l.syncProject(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Link) syncProject(ctx context.Context, p mem.Project) error {
	was := l.projects[p.Key]
	now := known{after: was.after, written: l.cfg.Written.Load(), at: was.at}
	f := &folder{store: l.store, project: p.Origin, after: was.after}
	var kinds []mem.Kind
	if changed := now.written != was.written || l.cfg.Now().Sub(was.at) > compareAfter; changed {
		kinds, now.at = l.settings.Kinds, l.cfg.Now()
	} else if last, err := f.last(ctx); err != nil || last == was.after {
		return err
	}
	done, err := l.cfg.Sync(ctx, p, f, kinds)
	if err != nil {
		return err
	}
	if done != (filesync.TeamSync{}) {
		l.cfg.Log.Info("synchronized with the team", "project", p.Origin, "read", done.Read, "sent", done.Sent, "removed",
			done.Removed)
	}
	now.after = f.after
	l.projects[p.Key] = now
	return nil
}

// folder is a project on the server of a team, for one synchronization.
type folder struct {
	store   stored.TeamStore
	project string
	after   int64
	more    bool
	authors map[string]string // of what the last Look found
	gone    map[string]bool   // likewise
}

var _ filesync.TeamFolder = (*folder)(nil)

// last is the version up to which the project was changed, from the version that is known.
func (f *folder) last(ctx context.Context) (int64, error) {
	_, last, err := f.store.Changes(ctx, f.project, f.after, nil, 0)
	return last, err
}

func (*folder) Place() string { return mem.TeamPlace }

func (*folder) There() bool { return true }

func (f *folder) More() bool { return f.more }

// Look implements filesync.SharedFiles. What it found counts as known when it is called again.
func (f *folder) Look(ctx context.Context, known func() ([]mem.Note, error), keep func(vaultfile.Changes) error,
) error {
	notes, err := known()
	if err != nil {
		return err
	}
	hashes := make(map[string]string, len(notes))
	for _, n := range notes {
		hashes[n.File] = cmp.Or(n.Hash, hashes[n.File])
	}
	var ask map[string]string
	if f.after == 0 { // after a start; later the files are those that changed
		ask = hashes
	}
	files, last, err := f.store.Changes(ctx, f.project, f.after, ask, page)
	if err != nil {
		return err
	}
	var l vaultfile.Changes
	f.authors, f.gone = map[string]string{}, map[string]bool{}
	for _, file := range files {
		hash, there := hashes[file.File]
		name := mem.TeamPlace + file.File
		switch {
		case file.Deleted && there && hash != "":
			f.gone[name], l.Gone = true, append(l.Gone, file.File)
		case file.Deleted:
		default:
			n := vault.ReadNote(file.File, file.Text)
			if n.Hash != hash {
				f.authors[name], l.Notes = file.Author, append(l.Notes, n)
			}
		}
	}
	f.after, f.more = last, len(files) == page
	return keep(l)
}

func (*folder) Uncommitted(context.Context) (map[string]bool, error) { return nil, nil }

func (f *folder) Authors(context.Context) (map[string]string, error) { return f.authors, nil }

func (f *folder) Deleted(_ context.Context, file string) (bool, error) { return f.gone[file], nil }

// Send implements filesync.TeamFolder.
func (f *folder) Send(ctx context.Context, was mem.Note, c vaultfile.NoteChange) (mem.Note, error) {
	text, err := vault.WriteNote(was.File, "", c)
	if err != nil {
		return was, err
	}
	return vault.NoteOf(was.File, text), behind(f.store.Put(ctx, f.project, was.File, text, was.Hash))
}

// Remove implements filesync.TeamFolder.
func (f *folder) Remove(ctx context.Context, file, hash string) error {
	return behind(f.store.Delete(ctx, f.project, file, hash))
}

// behind is the error of a file that another changed.
func behind(err error) error {
	if errors.Is(err, stored.ErrNewer) {
		return vaultfile.ErrBehind
	}
	return err
}

// State returns how the synchronization goes, without asking the server; nil if none is configured.
func (l *Link) State() *mem.TeamState {
	s := l.cfg.Settings()
	if s.Address == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	out := &mem.TeamState{Team: s.Team, Synced: l.synced}
	if l.err != nil {
		out.Error = l.err.Error()
	}
	return out
}

// Health asks the server of the team about itself; nil if none is configured.
func (l *Link) Health(ctx context.Context) *Health {
	s := l.cfg.Settings()
	if s.Address == "" {
		return nil
	}
	l.mu.Lock()
	synced, last := l.synced, l.err
	l.mu.Unlock()
	out := &Health{Address: s.Address, Kinds: s.Kinds, Projects: s.Projects, Synced: synced}
	within, stop := context.WithTimeout(ctx, answerWithin)
	defer stop()
	store, err := l.open(within, s)
	if err == nil {
		defer store.Close()
		var server stored.TeamServer
		if server, err = store.Server(within); err == nil {
			out.Server, err = &server, last
		}
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}
