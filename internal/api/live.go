package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// MaxStreams is the largest number of event streams at a time.
	MaxStreams = 8
	// liveLength is how many changes are kept for slow and returning clients: four
	// seconds at a thousand a second.
	liveLength = 4096

	liveBeat  = 5 * time.Second // between two heartbeats
	liveRetry = time.Second     // after which a browser reconnects
)

// The types of Change.
const (
	NewPrompt        = "new_prompt"
	NewObservation   = "new_observation" // a memory was stored
	NewSummary       = "new_summary"
	ProcessingStatus = "processing_status"
	SessionCompleted = "session_completed"
	Changed          = "changed" // any other change that a page may show

	initialLoad = "initial_load" // the current state, when a stream begins
	hello       = "hello"        // the same, without the state
	resync      = "resync"       // changes were missed: reload everything
)

// Change is one change of the store, as streams report it.
type Change struct {
	ID      int64     `json:"id"` // set by Publish; higher than every earlier one, also of earlier daemons
	Type    string    `json:"type"`
	At      time.Time `json:"at"` // set by Publish
	Project string    `json:"project,omitempty"`
	Session string    `json:"session,omitempty"`
	// what a Changed is about: event, memory, utterance, receipt, checkpoint, job, pause, purged, review
	What []string `json:"what,omitempty"`
	IDs  []string `json:"ids,omitempty"` // of What, if there are any

	Kind   string `json:"kind,omitempty"`   // of the memory, or of the event
	Title  string `json:"title,omitempty"`  // of the memory, or the beginning of the prompt
	Tool   string `json:"tool,omitempty"`   // of the event
	Number int    `json:"number,omitempty"` // of the prompt in its session

	IsProcessing *bool `json:"isProcessing,omitempty"` // whether the session works on a prompt
	QueueDepth   *int  `json:"queueDepth,omitempty"`   // jobs waiting
}

// Add adds an entry to What, once, and an id unless it is empty.
func (c *Change) Add(what, id string) {
	if !slices.Contains(c.What, what) {
		c.What = append(c.What, what)
	}
	if id != "" {
		c.IDs = append(c.IDs, id)
	}
}

// Live streams changes to clients. It keeps the newest changes, and every stream
// reads them at its own pace. Before the first stream it keeps nothing. The zero
// value is ready.
type Live struct {
	// Initial returns the current state for a new stream; nil means none.
	Initial func(ctx context.Context) (any, error)

	mu      sync.Mutex
	ring    []frame // indexed by id modulo length; nil before the first stream
	first   int64   // id of the oldest kept change
	next    int64   // id of the next change; 0 before the first
	news    chan struct{}
	ended   bool
	streams int
	touched time.Time // of the last change; zero before the first
}

// frame is a change as a stream sends it.
type frame struct {
	kind string
	data []byte
}

// Publish sends changes to all streams, in order.
func (f *Live) Publish(changes ...Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begin()
	f.touched = time.Now()
	for _, c := range changes {
		c.ID, c.At = f.next, time.Now().UTC()
		f.next++
		if f.ring == nil {
			f.first = f.next
			continue
		}
		data, err := json.Marshal(c)
		if err != nil {
			data = []byte("{}") // no field of it can fail
		}
		f.ring[c.ID%liveLength] = frame{c.Type, data}
		f.first = max(f.first, f.next-liveLength)
	}
	f.wake()
}

// Touch records the time of a change. It reports whether there was any stream so
// far; if not, nothing needs to be published.
func (f *Live) Touch() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.touched = time.Now()
	return f.ring != nil
}

// quiet returns the milliseconds since the last change; false if there was none.
func (f *Live) quiet() (int64, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Since(f.touched).Milliseconds(), !f.touched.IsZero()
}

// Streams returns the number of open streams.
func (f *Live) Streams() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.streams
}

// End ends all streams and refuses new ones.
func (f *Live) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.wake()
}

// begin starts ids at the current time, so that those of a later daemon are higher.
func (f *Live) begin() {
	if f.next == 0 {
		f.next = time.Now().UnixMicro()
		f.first = f.next
	}
}

func (f *Live) wake() {
	if f.news != nil {
		close(f.news)
		f.news = nil
	}
}

// join counts a new stream and returns the id of the next change.
func (f *Live) join() (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.ended:
		return 0, &Error{Status: http.StatusServiceUnavailable, Name: "not_ready", Detail: Draining}
	case f.streams == MaxStreams:
		return 0, &Error{
			Status: http.StatusServiceUnavailable, Name: "too_many_streams",
			Detail: fmt.Sprintf("%d streams are open already", MaxStreams),
		}
	}
	f.begin()
	if f.ring == nil {
		f.ring, f.first = make([]frame, liveLength), f.next
	}
	f.streams++
	return f.next, nil
}

func (f *Live) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.streams--
}

// since returns the changes from id on, or a channel that is closed when there is
// one. lost reports that some are no longer kept; then none are returned.
func (f *Live) since(id int64) (some []frame, news <-chan struct{}, lost, ended bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.ended:
		return nil, nil, false, true
	case id < f.first || id > f.next:
		return nil, nil, true, false
	case id == f.next:
		if f.news == nil {
			f.news = make(chan struct{})
		}
		return nil, f.news, false, false
	}
	some = make([]frame, 0, f.next-id)
	for ; id < f.next; id++ {
		some = append(some, f.ring[id%liveLength])
	}
	return some, nil, false, false
}

// The paths of the stream: for the viewer, and for clients of claude-mem's API.
const (
	EventsPath = prefix + "events"
	StreamPath = "/stream"
)

// IsStream reports whether Live answers a request.
func IsStream(r *http.Request) bool {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	return path == EventsPath || path == StreamPath
}

// ServeHTTP answers GET with a stream of events until the client disconnects or the
// feed ends. The stream begins after the change that the header Last-Event-ID or the
// key "after" names. Without either it begins with the next change, and with a resync
// if that change is no longer kept.
func (f *Live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	after, err := streamAfter(r)
	if err != nil {
		refuse(w, asError(err))
		return
	}
	next, err := f.join()
	if err != nil {
		refuse(w, asError(err))
		return
	}
	defer f.leave()
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the stream outlasts the request
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	if err := http.NewResponseController(w).Flush(); err != nil { // a returning client sees at once that it is open
		return
	}
	s := stream{w: w, named: strings.HasPrefix(r.RequestURI, EventsPath)}
	if after > 0 {
		next = after + 1
	} else if err := s.begin(r.Context(), f, next-1); err != nil {
		return
	}
	_ = s.follow(r.Context(), f, next)
}

func streamAfter(r *http.Request) (int64, error) {
	if r.Method != http.MethodGet {
		return 0, refusal(http.StatusMethodNotAllowed, "method")
	}
	if r.ContentLength != 0 {
		return 0, fmt.Errorf("%w: a read has no body", ErrInvalid)
	}
	_, query, hasQuery := strings.Cut(r.RequestURI, "?")
	keys, err := url.ParseQuery(query)
	if err != nil || hasQuery && (len(keys) != 1 || len(keys["after"]) != 1) {
		return 0, fmt.Errorf("%w: a stream takes one key, after", ErrInvalid)
	}
	id := r.Header.Get("Last-Event-ID")
	if id == "" {
		id = keys.Get("after")
	}
	if id == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%w: %q is not the id of an event", ErrInvalid, id)
	}
	return n, nil
}

// stream is one client.
type stream struct {
	w     http.ResponseWriter
	named bool // events have their type as a name; otherwise all are plain messages
	out   []byte
}

// begin sends the current state. With the id a client can reconnect before it has
// seen a change. With quiet_ms a page knows whether something changed between its
// load and the stream.
func (s *stream) begin(ctx context.Context, f *Live, id int64) error {
	now := map[string]any{}
	if f.Initial != nil && !s.named {
		got, err := f.Initial(ctx)
		if err != nil {
			return err
		}
		now["now"] = got
	}
	kind := initialLoad
	if s.named {
		kind = hello
		if ms, ok := f.quiet(); ok {
			now["quiet_ms"] = ms
		}
	}
	now["type"], now["id"], now["at"] = kind, id, time.Now().UTC()
	data, err := json.Marshal(now)
	if err != nil {
		return err
	}
	s.out = fmt.Appendf(s.out, "retry: %d\n", liveRetry.Milliseconds())
	s.add(id, frame{kind, data})
	return s.flush()
}

// follow writes changes from id next on.
func (s *stream) follow(ctx context.Context, f *Live, next int64) error {
	beat := time.NewTicker(liveBeat)
	defer beat.Stop()
	for {
		some, news, lost, ended := f.since(next)
		if ended {
			return nil
		}
		if lost {
			next = s.resync(f)
		}
		for _, c := range some {
			s.add(next, c)
			next++
		}
		if len(s.out) > 0 {
			if err := s.flush(); err != nil {
				return err
			}
			continue
		}
		select {
		case <-news:
		case <-beat.C:
			s.out = append(s.out, ": ping\n\n"...)
			if err := s.flush(); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// resync reports that changes were missed and returns the id of the next one.
func (s *stream) resync(f *Live) int64 {
	f.mu.Lock()
	next := f.next
	f.mu.Unlock()
	s.add(next-1, frame{resync, fmt.Appendf(nil, `{"id":%d,"type":%q}`, next-1, resync)})
	return next
}

func (s *stream) add(id int64, c frame) {
	s.out = fmt.Appendf(s.out, "id: %d\n", id)
	if s.named {
		s.out = fmt.Appendf(s.out, "event: %s\n", c.kind)
	}
	s.out = append(append(append(s.out, "data: "...), c.data...), "\n\n"...)
}

// flush sends the added frames. A client that does not read them is dropped by the
// deadline of the connection.
func (s *stream) flush() error {
	_, err := s.w.Write(s.out)
	s.out = s.out[:0]
	if err == nil {
		err = http.NewResponseController(s.w).Flush()
	}
	return err
}
