package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"remanence/internal/api"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/spool"
	"remanence/internal/store/sqlite"
	"remanence/internal/store/stored"
	"remanence/internal/team"
	"remanence/internal/worker"
)

// LongWALBytes is the size of the database's log, in bytes, from which on doctor reports it: twice the limit
// of the store.
const LongWALBytes = 64 << 20

// ExamineStore is the route that reads all of the database.
var ExamineStore = api.Route[api.Nothing, StoreHealth]{
	Name: "examine", Summary: "Read all of the database, and list its faults",
}

// StoreHealth is the result of ExamineStore.
type StoreHealth struct {
	Schema  int    `json:"schema"`
	SQLite  string `json:"sqlite"`
	Journal string `json:"journal"`
	Bytes   int64  `json:"bytes"`
	// Tagged are the ids of memories and of the newest events with text that redaction
	// should have removed.
	Tagged     []string `json:"tagged,omitempty"`
	Index      []string `json:"index,omitempty"`  // what is wrong with the index alone
	Unreadable []string `json:"spoilt,omitempty"` // rows that cannot be read
	Full       bool     `json:"full,omitempty"`   // every row was read
	// Server describes the database server that has the store; nil if that is a file.
	Server *stored.Server `json:"server,omitempty"`
	// Team describes what is shared with a team's server; nil if none is configured.
	Team *team.Health `json:"team,omitempty"`
}

// Examine handles ExamineStore. Damage is an error, except in the index, which is rebuilt, and in single rows.
func (h *Daemon) Examine(ctx context.Context, _ api.Nothing) (StoreHealth, error) {
	got, err := h.describe(ctx, api.Nothing{})
	if err != nil {
		return got, err
	}
	got.Team = h.team.Health(ctx)
	if h.file == nil {
		got.Tagged, err = findTags(ctx, h.Store)
		return got, err
	}
	got.Full = fitsFullAudit(h.file)
	found, err := auditTwice(ctx, h.file, got.Full)
	if err == nil {
		err = h.file.Writable(ctx)
	}
	if err != nil {
		return got, err
	}
	got.Unreadable = found.Unreadable
	if got.Index = found.Index; len(got.Index) == 0 {
		got.Tagged, err = findTags(ctx, h.Store)
	}
	return got, err
}

const tagHits = 1000 // memories that hold a tag's word

const tagEvents = 1000 // the newest

// findTags finds stored text with tags that redaction removes. Memories are found through the index by the
// words of the tags, because reading all of them would take long.
func findTags(ctx context.Context, st mem.Store) ([]string, error) {
	var ids []string
	hits, err := st.Match(ctx, mem.Query{
		Terms: []string{"private", "remanence context"}, Hidden: true, Within: "*",
		Limit: tagHits,
	})
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		if holdsTag(h.Memory.Title + "\n" + h.Memory.Body + "\n" + strings.Join(h.Memory.Facts, "\n")) {
			ids = append(ids, h.Memory.ID)
		}
	}
	events, err := st.Events(ctx, mem.EventQuery{Limit: tagEvents})
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		if holdsTag(e.Text + "\n" + e.Error + "\n" + unescapeTags(e.Input) + "\n" + unescapeTags(e.Response)) {
			ids = append(ids, e.ID)
		}
	}
	return ids, nil
}

func holdsTag(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "<private") || strings.Contains(s, "<remanence-context")
}

// unescapeTags replaces the JSON escapes of a tag's first character.
func unescapeTags(raw json.RawMessage) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003C`, "<").Replace(string(raw))
}

func healthOf(h sqlite.Health) (StoreHealth, error) {
	return StoreHealth{Schema: h.Schema, SQLite: h.SQLite, Journal: h.Journal, Bytes: h.Bytes}, h.Err
}

// stopTries is how often the daemon is stopped if hooks start a new one.
const stopTries = 5

// Exclusively runs f with the daemon's lock held, while no process has the database open. A daemon that ran,
// or for which events wait, is started afterwards.
func (a *Connection) Exclusively(ctx context.Context, f func() error) error {
	a.Close()
	a.Caller, a.Close = nil, func() {}
	was, lock, err := a.acquire(ctx)
	if err != nil {
		return err
	}
	err = f()
	if rerr := lock.Release(); err == nil {
		err = rerr
	}
	if a.NoDaemon || !was && spool.Open(spool.Config{Dir: a.Paths.Spool()}).Empty() {
		return err
	}
	if serr := a.StartDaemon(ctx); err == nil {
		err = serr
	}
	return err
}

// ExclusiveFile is Exclusively for what works on the database file. It refuses if a server has the store.
func (a *Connection) ExclusiveFile(ctx context.Context, f func() error) error {
	if OnServer(a.Paths, a.Sys.Getenv) {
		return fault.OnServer.Because("store.dsn names a server")
	}
	return a.Exclusively(ctx, f)
}

// acquire stops the daemon and takes its lock. It reports whether one ran.
func (a *Connection) acquire(ctx context.Context) (was bool, lock *worker.Lock, err error) {
	for range stopTries {
		if !a.NoDaemon {
			ran, err := a.StopDaemon(ctx)
			if err != nil {
				return was, nil, err
			}
			was = was || ran
		}
		lock, err = worker.Acquire(a.Paths.Data, LockTimeout)
		if err == nil || !errors.Is(err, worker.ErrRunning) || a.NoDaemon {
			break
		}
	}
	switch {
	case errors.Is(err, worker.ErrRunning) && a.NoDaemon:
		err = fault.Running.Because("this needs the store for itself").FixedBy("remanence daemon stop",
			"leave --no-daemon out")
	case errors.Is(err, worker.ErrRunning):
		err = fault.Running.Because("a new one is started again and again")
	case err != nil:
		err = fmt.Errorf("take the lock: %w", err)
	}
	return was, lock, err
}

// spareBytes must stay free on a disk.
const spareBytes = 16 << 20

// CheckSpace returns a fault if fewer bytes than needed are free.
func CheckSpace(dir string, need int64) error {
	if free, ok := FreeBytes(dir); ok && free < need+spareBytes {
		return fault.DiskFull.WithMessage("there is no room for another copy").Because("%s are needed in %s, %s are free",
			fault.ByteCount(need+spareBytes), dir, fault.ByteCount(free))
	}
	return nil
}

// BackupStore is the route that makes a backup beside the database. A route takes no path; the caller moves
// the file.
var BackupStore = api.Route[api.Nothing, sqlite.Copy]{
	Name: "keep", Summary: "Make a backup beside the database",
}

func (h *Daemon) backup(ctx context.Context, _ api.Nothing) (sqlite.Copy, error) {
	file, err := databaseFile(h)
	if err != nil {
		return sqlite.Copy{}, err
	}
	if err := CheckSpace(h.Paths.Data, h.Paths.DatabaseBytes()); err != nil {
		return sqlite.Copy{}, err
	}
	return file.Keep(ctx)
}

// AuditStore is the route that audits the database.
var AuditStore = api.Route[AuditRequest, sqlite.Audit]{
	Name: "audit", Summary: "Count what is stored, and examine its integrity",
}

// AuditRequest asks for an audit of the database.
type AuditRequest struct {
	Full bool `json:"full"`
}

func (h *Daemon) audit(ctx context.Context, ask AuditRequest) (sqlite.Audit, error) {
	file, err := databaseFile(h)
	if err != nil {
		return sqlite.Audit{}, err
	}
	return file.Audit(ctx, ask.Full)
}

// DescribeStore is the route that returns the database's format without reading all of it.
var DescribeStore = api.Route[api.Nothing, StoreHealth]{
	Name: "describe", Summary: "Describe the database without reading all of it",
}

func (h *Daemon) describe(ctx context.Context, _ api.Nothing) (StoreHealth, error) {
	if h.server == nil {
		return healthOf(h.file.Describe(ctx))
	}
	s, err := h.server.Server(ctx)
	return StoreHealth{Schema: s.Number, Bytes: s.Bytes, Server: &s}, err
}

// ReindexStore is the route that rebuilds the index.
var ReindexStore = api.Route[api.Nothing, ReindexResponse]{
	Name: "reindex", Summary: "Build the search index again",
}

// ReindexResponse counts the indexed memories.
type ReindexResponse struct {
	Memories int `json:"memories"`
}

// Reindex handles ReindexStore.
func (h *Daemon) Reindex(ctx context.Context, _ api.Nothing) (ReindexResponse, error) {
	file, err := databaseFile(h)
	if err != nil {
		return ReindexResponse{}, err
	}
	n, err := file.Reindex(ctx)
	if err == nil {
		err = h.Engine.Recall.ForgetVectors(ctx)
	}
	return ReindexResponse{n}, err
}
