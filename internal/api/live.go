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
	// MaxStreams is how many event streams are served at a time.
	MaxStreams = 8
	// liveLength is how many changes are kept for who is behind, or comes back:
	// four seconds of a thousand a second.
	liveLength = 4096

	liveBeat  = 5 * time.Second // between two signs of life
	liveRetry = time.Second     // after which a browser comes back
)

// The types of Change.
const (
	NewPrompt        = "new_prompt"
	NewObservation   = "new_observation" // a memory was kept
	NewSummary       = "new_summary"
	ProcessingStatus = "processing_status"
	SessionCompleted = "session_completed"
	Changed          = "changed" // anything else that a page may show

	initialLoad = "initial_load" // how it stands when a stream begins
	hello       = "hello"        // the same, without saying how
	resync      = "resync"       // more happened than is still known: all has to be loaded anew
)

// Change is one thing that happened to what is kept, as it is told to who looks on.
type Change struct {
	ID      int64     `json:"id"` // set by Publish; higher than every earlier one, also of earlier workers
	Type    string    `json:"type"`
	At      time.Time `json:"at"` // set by Publish
	Project string    `json:"project,omitempty"`
	Session string    `json:"session,omitempty"`
	// sorts of things a Changed is about: event, memory, utterance, receipt, checkpoint, job, pause, purged
	What []string `json:"what,omitempty"`
	IDs  []string `json:"ids,omitempty"` // of them, where they have one

	Kind   string `json:"kind,omitempty"`   // of the memory, or of the event
	Title  string `json:"title,omitempty"`  // the memory's, or the beginning of the prompt
	Tool   string `json:"tool,omitempty"`   // that the event is about
	Number int    `json:"number,omitempty"` // of the prompt in its session

	IsProcessing *bool `json:"isProcessing,omitempty"` // whether the session works on a prompt
	QueueDepth   *int  `json:"queueDepth,omitempty"`   // jobs waiting
}

// Add adds to what a Changed is about: a sort of things once, and an id unless it is empty.
func (c *Change) Add(what, id string) {
	if !slices.Contains(c.What, what) {
		c.What = append(c.What, what)
	}
	if id != "" {
		c.IDs = append(c.IDs, id)
	}
}

// Live tells what changes to who looks on: the last changes are kept, and every
// stream reads them at its own pace. Nothing is kept, and nothing costs anything,
// before the first stream. The zero value is ready.
type Live struct {
	// Initial is how it stands, for a stream that begins; nil means nothing to say.
	Initial func(ctx context.Context) (any, error)

	mu      sync.Mutex
	ring    []frame // by id modulo its length; nil before the first stream
	first   int64   // id of the oldest one kept
	next    int64   // id of the next one; 0 before the first
	news    chan struct{}
	ended   bool
	streams int
	touched time.Time // of the last change; zero before the first
}

// frame is a change, and the same as a stream has it.
type frame struct {
	kind string
	data []byte
}

// Publish tells changes, in order.
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

// Touch notes that something changed, and reports whether anybody has looked on
// so far: else nothing need be published.
func (f *Live) Touch() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.touched = time.Now()
	return f.ring != nil
}

// quiet is for how many milliseconds nothing has changed; false if nothing has so far.
func (f *Live) quiet() (int64, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Since(f.touched).Milliseconds(), !f.touched.IsZero()
}

// Streams is how many look on now.
func (f *Live) Streams() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.streams
}

// End ends all streams; there are none later.
func (f *Live) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.wake()
}

// begin numbers from the clock, so that a later worker's ids are higher.
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

// join takes a place and returns the id of the next change.
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

// since returns the changes from id on, or a channel that is closed when there
// is one. lost says that some are not known any more; then none are returned.
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

// The paths of the stream: of our own pages, and as others know it.
const (
	EventsPath = prefix + "events"
	StreamPath = "/stream"
)

// IsStream reports whether a request is for a Live to answer.
func IsStream(r *http.Request) bool {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	return path == EventsPath || path == StreamPath
}

// ServeHTTP answers GET with a stream of events that goes on until the client
// leaves or it ends. It begins after the change that the header
// Last-Event-ID or else the key "after" names; with what comes next if neither
// does, or with a resync if that change is too long ago.
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
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the request is over, the stream is not
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	if err := http.NewResponseController(w).Flush(); err != nil { // whoever comes back sees at once that it is open
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
	_, query, asked := strings.Cut(r.RequestURI, "?")
	keys, err := url.ParseQuery(query)
	if err != nil || asked && (len(keys) != 1 || len(keys["after"]) != 1) {
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
		return 0, fmt.Errorf("%w: %q is no id of an event", ErrInvalid, id)
	}
	return n, nil
}

// stream is one who looks on.
type stream struct {
	w     http.ResponseWriter
	named bool // events go by their type; else all of them are plain messages
	out   []byte
}

// begin says how it stands. The id lets who comes back without having seen a
// change name the last one there was, quiet_ms lets a page tell whether
// something changed while it was on its way to the stream.
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

// resync says that some was missed and returns the id of what comes next.
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

// flush sends what was added. A client that does not take it is dropped by the
// deadline of the connection.
func (s *stream) flush() error {
	_, err := s.w.Write(s.out)
	s.out = s.out[:0]
	if err == nil {
		err = http.NewResponseController(s.w).Flush()
	}
	return err
}
