// Package peers announces to the daemons of one database server what each of them writes, so that the live pages of
// all show it, and passes on to the index what the server says of it. It sends ids and never texts: every role of the
// database can listen. It knows the changes of package api, and nothing about the server but how to send and to listen.
package peers

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
)

// Server sends texts to all daemons that use it.
type Server interface {
	// Notify sends a text.
	Notify(ctx context.Context, text string) error
	// Listen passes on every text, its own too, until the connection or ctx ends. It calls ready when it begins.
	Listen(ctx context.Context, ready func(), receive func(text string)) error
}

// Store finds what a change is about.
type Store interface {
	List(ctx context.Context, q mem.Query) ([]mem.Memory, error)
	Turns(ctx context.Context, session string, limit int) ([]mem.Turn, error)
}

// Index gets what others write while the connection that reports it stands.
type Index interface {
	Resume()             // from now on Touch gets them
	Touch(ids ...string) // these memories changed
	Pause()              // changes may be missed
}

const (
	waitingChanges = 1024 // that are kept until they are sent
	firstRetry     = time.Second
	lastRetry      = time.Minute
	lookLimit      = 5 * time.Second // of looking up titles
)

// everything is what a page reloads that may have missed changes.
func everything() api.Change {
	return api.Change{
		Type: api.Changed,
		What: []string{"event", "memory", "utterance", "receipt", "checkpoint", "job", "pause"},
	}
}

// message is what is sent.
type message struct {
	From    string       `json:"from"` // the daemon
	Changes []api.Change `json:"changes"`
	Missed  bool         `json:"missed,omitempty"` // there were more

	// The server itself reports which memories were written.
	Memories []string `json:"memories,omitempty"`
	All      bool     `json:"all,omitempty"` // so many that all may differ
}

// Group is the daemons of a server, as one of them sees it.
type Group struct {
	server  Server
	name    string // of this daemon
	most    int    // bytes of a message
	store   Store
	live    *api.Live
	index   Index
	title   func(string) string // what is shown of a prompt
	log     *slog.Logger
	pending chan api.Change
	missed  atomic.Bool // changes were dropped since the last message
}

// Config is what a Group needs.
type Config struct {
	Server Server
	Name   string // of this daemon, unlike that of any other
	Most   int    // bytes of a message
	Store  Store
	Live   *api.Live           // gets the changes of the others
	Index  Index               // gets what they write
	Title  func(string) string // what is shown of a prompt
	Log    *slog.Logger
}

// New returns a Group. Send and Listen have to run.
func New(c Config) *Group {
	return &Group{
		server: c.Server, name: c.Name, most: c.Most, store: c.Store, live: c.Live, index: c.Index, title: c.Title,
		log: c.Log, pending: make(chan api.Change, waitingChanges),
	}
}

// Announce sends changes to the others soon. It never waits.
func (g *Group) Announce(changes []api.Change) {
	for _, c := range changes {
		c.Title = ""
		select {
		case g.pending <- c:
		default:
			g.missed.Store(true)
		}
	}
}

// Send sends what Announce was given until ctx ends. What cannot be sent is dropped: pages show it when they are
// loaded.
func (g *Group) Send(ctx context.Context) {
	var over *api.Change // did not fit into the last message
	for {
		var first api.Change
		if over != nil {
			first = *over
		} else {
			select {
			case <-ctx.Done():
				return
			case first = <-g.pending:
			}
		}
		var text []byte
		text, over = g.pack(first)
		if err := g.server.Notify(ctx, string(text)); err != nil && ctx.Err() == nil {
			g.missed.Store(true)
			g.log.Debug("what was written is not announced to the other daemons", "error", err)
		}
	}
}

// pack returns a message of a change and those that wait as well, as many as fit, and the first one that does not.
func (g *Group) pack(first api.Change) (text []byte, over *api.Change) {
	m := message{From: g.name, Missed: g.missed.Swap(false)}
	size := len(g.name) + 100
	for c := first; ; {
		n := size + weight(c)
		if n > g.most && len(m.Changes) > 0 {
			over = &c
			break
		}
		if n > g.most {
			m.Missed = true // its ids alone are too long
		} else {
			m.Changes, size = append(m.Changes, c), n
		}
		select {
		case c = <-g.pending:
			continue
		default:
		}
		break
	}
	text, _ = json.Marshal(m) // no field of it can fail
	return text, over
}

// weight is how many bytes a change takes.
func weight(c api.Change) int {
	b, _ := json.Marshal(c)
	return len(b) + 1
}

// Listen publishes what the others write until ctx ends. After each break it has pages reload, for changes were missed.
func (g *Group) Listen(ctx context.Context) {
	retry, broken := firstRetry, false
	for ctx.Err() == nil {
		ready := func() {
			g.index.Resume()
			if retry = firstRetry; broken {
				g.live.Publish(everything())
			}
		}
		err := g.server.Listen(ctx, ready, func(text string) { g.receive(ctx, text) })
		if ctx.Err() != nil {
			return
		}
		g.index.Pause()
		g.log.Debug("what other daemons write is not shown at once", "error", err)
		broken = true
		select {
		case <-ctx.Done():
		case <-time.After(retry):
		}
		retry = min(2*retry, lastRetry)
	}
}

// receive publishes what another daemon wrote.
func (g *Group) receive(ctx context.Context, text string) {
	var m message
	if err := json.Unmarshal([]byte(text), &m); err != nil || m.From == g.name {
		return
	}
	if m.All {
		g.index.Resume()
	}
	g.index.Touch(m.Memories...)
	if !g.live.Touch() {
		return
	}
	ctx, stop := context.WithTimeout(ctx, lookLimit)
	defer stop()
	for i := range m.Changes {
		m.Changes[i].Title = g.titleOf(ctx, m.Changes[i])
	}
	if m.Missed {
		m.Changes = append(m.Changes, everything())
	}
	g.live.Publish(m.Changes...)
}

// titleOf returns the text that a change is shown with, from the store; "" if there is none.
func (g *Group) titleOf(ctx context.Context, c api.Change) string {
	switch c.Type {
	case api.NewObservation, api.NewSummary:
		if ms, err := g.store.List(ctx, mem.Query{IDs: c.IDs}); err == nil && len(ms) > 0 {
			return ms[0].Title
		}
	case api.NewPrompt:
		ts, _ := g.store.Turns(ctx, c.Session, recentTurns)
		for _, t := range ts {
			if t.Number == c.Number && !t.Private {
				return g.title(t.Text)
			}
		}
	}
	return ""
}

// recentTurns is how many turns a new prompt is looked for in.
const recentTurns = 5
