// Package team synchronizes the memories of some projects with the server of a team. It knows when that is done, and
// how it goes on while the server is away; what is shared, and what becomes of two texts of one memory, is for package
// filesync, and who sees it is a rule of the server. Start reading at [Link.Run].
package team

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/store/served"
	"remanence/internal/store/stored"
)

// Times of the synchronization with the server of a team.
const (
	every        = 5 * time.Second  // between two looks at the server
	longest      = 5 * time.Minute  // the longest pause while the server is away
	compareAfter = time.Hour        // after which all memories are compared even if none was written
	answerWithin = 10 * time.Second // how long a description of the server may take
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
	if l.cfg.Open != nil {
		return l.cfg.Open(ctx, s)
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
	Sync     func(context.Context, mem.Project, filesync.TeamFolder, filesync.TeamWritten) (filesync.TeamSync, error)
	Status   func(context.Context, mem.Project, filesync.TeamFolder, []mem.Kind, *filesync.TeamShares) error
	Erase    func(context.Context, filesync.TeamFolder, []mem.Memory) (theirs []mem.Memory, err error)
	Open     func(context.Context, Settings) (stored.TeamStore, error) // nil means served.OpenTeam
	Getenv   func(string) string
	Now      func() time.Time
	Log      *slog.Logger
}

// Link synchronizes a store with the server of a team.
type Link struct {
	cfg     Config
	written written

	settings Settings         // of the last round; only Run uses it and the next three
	store    stored.TeamStore // nil while there is no connection
	projects map[string]known
	failures int           // since the last success
	busy     chan struct{} // holds a value during a round, and while Hold keeps the next one from beginning

	mu     sync.Mutex // guards the last synchronization
	synced time.Time
	err    error
}

// New returns a Link. It does no I/O.
func New(c Config) *Link {
	return &Link{cfg: c, projects: map[string]known{}, busy: make(chan struct{}, 1)}
}

// known is what is known of a project on the server.
type known struct {
	after int64     // version up to which its files were read
	at    time.Time // when all its memories were compared
}

// Run synchronizes until ctx ends. Without a server that is configured it does nothing.
func (l *Link) Run(ctx context.Context) {
	defer l.close()
	for wait := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		release, err := l.Hold(ctx)
		if err != nil {
			return
		}
		wait = l.round(ctx)
		release()
	}
}

// Hold waits for the end of a round, and keeps the next one from beginning until release is called.
func (l *Link) Hold(ctx context.Context) (release func(), err error) {
	select {
	case l.busy <- struct{}{}:
		return func() { <-l.busy }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Wrote notes batches that were written to the store: their memories are compared with the server's in the next round.
func (l *Link) Wrote(batches []mem.Batch, results []mem.Result) { l.written.add(batches, results) }

// WroteAny notes that texts of any memories may have been changed.
func (l *Link) WroteAny() { l.written.addAll() }

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
	wrote := l.written.take()
	if now.Address == "" {
		return every
	}
	err := l.sync(ctx, wrote)
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

func (l *Link) sync(ctx context.Context, wrote filesync.TeamWritten) error {
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
			if err := l.syncProject(ctx, p, wrote); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Link) syncProject(ctx context.Context, p mem.Project, wrote filesync.TeamWritten) error {
	was := l.projects[p.Key]
	now, f := was, &folder{store: l.store, project: p.Origin, after: was.after}
	wrote.Kinds = l.settings.Kinds
	if wrote.All = wrote.All || l.cfg.Now().Sub(was.at) > compareAfter; wrote.All { // was is zero after an error
		now.at = l.cfg.Now()
	} else if len(wrote.IDs) == 0 {
		if last, err := f.last(ctx); err != nil || last == was.after {
			return err
		}
	}
	done, err := l.cfg.Sync(ctx, p, f, wrote)
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

// Shares returns what of a project is shared with the team, and asks the server what others changed; nil if no team is
// configured.
func (l *Link) Shares(ctx context.Context, p mem.Project) (*filesync.TeamShares, error) {
	s, state := l.cfg.Settings(), l.State()
	if state == nil {
		return nil, nil
	}
	out := &filesync.TeamShares{
		TeamState: *state, Origin: p.Origin, Matches: s.shares(p), Items: []filesync.SharedItem{},
		LeftOut: []filesync.NotShared{},
	}
	within, stop := context.WithTimeout(ctx, answerWithin)
	defer stop()
	var asked filesync.TeamFolder
	store, err := l.open(within, s)
	if err == nil {
		defer store.Close()
		asked = &folder{store: store, project: p.Origin}
	} else {
		out.Error = err.Error()
	}
	if !out.Matches {
		return out, nil
	}
	err = l.cfg.Status(within, p, asked, s.Kinds, out)
	if err != nil && asked != nil && ctx.Err() == nil { // the connection may have broken: what is known here is listed
		out.Error, out.Items, out.LeftOut = err.Error(), []filesync.SharedItem{}, []filesync.NotShared{}
		err = l.cfg.Status(ctx, p, nil, s.Kinds, out)
	}
	return out, err
}

// Unerased counts texts on the server that an erasure does not delete there.
type Unerased struct {
	Theirs  []mem.Memory // of colleagues, or changed by them since
	NoTeam  []mem.Memory // on a server that is not configured any more
	Deleted int          // texts that were deleted, or would be
}

// Erase deletes on the server the texts of those memories that the person wrote last, or counts them if dry. The caller
// has called Hold.
func (l *Link) Erase(ctx context.Context, ms []mem.Memory, dry bool) (out Unerased, err error) {
	byProject := map[string][]mem.Memory{}
	s := l.cfg.Settings()
	for _, mm := range ms {
		switch {
		case !mm.SharedIn(mem.TeamPlace), mm.Note.Hash == "": // the server has no text of it
		case s.Address == "":
			out.NoTeam = append(out.NoTeam, mm)
		case dry && mm.OfTeam():
			out.Theirs = append(out.Theirs, mm)
		case dry:
			out.Deleted++
		default:
			byProject[mm.Project] = append(byProject[mm.Project], mm)
		}
	}
	if len(byProject) == 0 {
		return out, nil
	}
	within, stop := context.WithTimeout(ctx, answerWithin)
	defer stop()
	store, err := l.open(within, s)
	if err != nil {
		return out, err
	}
	defer store.Close()
	for key, list := range byProject {
		ps, err := l.cfg.Projects(within, key)
		if err != nil {
			return out, err
		}
		theirs := list
		for _, p := range ps { // one, unless they are of the user scope by now
			if theirs, err = l.cfg.Erase(within, &folder{store: store, project: p.Origin}, theirs); err != nil {
				return out, err
			}
		}
		out.Theirs = append(out.Theirs, theirs...)
		out.Deleted += len(list) - len(theirs)
	}
	return out, nil
}
