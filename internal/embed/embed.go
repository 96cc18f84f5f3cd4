// Package embed gets vectors from a server: Ollama, or one with an API like OpenAI's. It knows these two formats
// and validates vectors. Callers choose the texts and use the vectors.
//
// Text leaves the process through package egress alone. An answer that does not
// match the request is an error.
package embed

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"remanence/internal/egress"
)

// The kinds of server.
const (
	Ollama = "ollama" // POST /api/embed
	OpenAI = "openai" // POST /v1/embeddings
)

const (
	// Batch is the largest number of texts in one request.
	Batch = 32
	// MaxText is the number of characters of a text that are sent.
	MaxText = 8000
	// MaxDimensions is the largest length of a vector.
	MaxDimensions = 8192

	defaultTimeout = time.Minute
)

// Errors of New, besides those of egress.New.
var (
	ErrKind  = errors.New("no such kind of server")
	ErrModel = errors.New("no model is named")
)

// Config selects the server and the model.
type Config struct {
	Kind  string // Ollama or OpenAI
	URL   string // where its paths begin, with or without /v1
	Model string
	// Dimensions is the length of a vector. 0 means that of the first one; another length is requested from the
	// server.
	Dimensions int
	// Key returns the key for the server; nil or an empty key means none. It is called for each request and the
	// key is not stored.
	Key     func() string
	Remote  bool             // the server may be on another machine
	Timeout time.Duration    // of one request; 0 means a minute
	Now     func() time.Time // nil means time.Now
}

// Embedder turns texts into vectors of length 1. It is safe for concurrent use.
type Embedder struct {
	cfg    Config
	server *egress.Server

	mu   sync.Mutex
	dims int   // 0 until the first answer
	last error // of the newest request; nil if it went well

	question [sha256.Size]byte // hash of the newest one that was answered
	answer   []float32         // to it; nil if there was none yet
}

// New returns an embedder. It opens nothing and sends no request.
func New(cfg Config) (*Embedder, error) {
	if cfg.Kind != Ollama && cfg.Kind != OpenAI {
		return nil, fmt.Errorf("%q: %w", cfg.Kind, ErrKind)
	}
	if cfg.Model == "" {
		return nil, ErrModel
	}
	server, err := egress.New(egress.Config{URL: cfg.URL, Key: cfg.Key, Remote: cfg.Remote, Now: cfg.Now})
	if err != nil {
		return nil, err
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = defaultTimeout
	}
	return &Embedder{cfg: cfg, server: server, dims: cfg.Dimensions}, nil
}

// Model names what the vectors are of. Vectors of different names are not to be
// compared.
func (e *Embedder) Model() string {
	if e.cfg.Dimensions > 0 {
		return e.cfg.Model + "@" + strconv.Itoa(e.cfg.Dimensions)
	}
	return e.cfg.Model
}

// Embed returns the vectors of texts that are to be found, in their order. It
// is all or nothing. A mem.Later among the errors says that the same may work
// later; after one the server is left alone for a while, in which calls fail at once.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	before, _ := instructions(e.cfg.Model)
	return e.all(ctx, before, texts)
}

// EmbedQuestion returns the vector of a query, which callers must not change. Some models embed queries and documents
// differently. The same query again at once costs no second request.
func (e *Embedder) EmbedQuestion(ctx context.Context, text string) ([]float32, error) {
	hash := sha256.Sum256([]byte(text))
	if v := e.answered(hash); v != nil {
		return v, nil
	}
	_, before := instructions(e.cfg.Model)
	vs, err := e.all(ctx, before, []string{text})
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.question, e.answer = hash, vs[0]
	return vs[0], nil
}

// answered is the vector of the question with the hash, if that was the newest.
func (e *Embedder) answered(hash [sha256.Size]byte) []float32 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.question != hash {
		return nil
	}
	return e.answer
}

// Try asks the server for one vector, although it may be left alone just now, and
// returns how many numbers that has. It is for a person who wants to know.
func (e *Embedder) Try(ctx context.Context) (dimensions int, err error) {
	e.server.Wake()
	vs, err := e.Embed(ctx, []string{"is there anybody"})
	if err != nil {
		return 0, err
	}
	return len(vs[0]), nil
}

// LastError is that of the newest request, nil if it went well or there was none.
func (e *Embedder) LastError() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last
}

func (e *Embedder) all(ctx context.Context, before string, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n := min(len(texts), Batch)
		part := make([]string, 0, n)
		for _, t := range texts[:n] {
			part = append(part, before+head(t, MaxText))
		}
		vs, err := e.some(ctx, part)
		if err != nil {
			return nil, fmt.Errorf("embed with %s: %w", e.cfg.Model, err)
		}
		out, texts = append(out, vs...), texts[n:]
	}
	return out, nil
}

// some is one request and what becomes known by it.
func (e *Embedder) some(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := e.server.Due(); err != nil {
		return nil, err
	}
	within, stop := context.WithTimeout(ctx, e.cfg.Timeout)
	defer stop()
	raw, err := e.ask(within, texts)
	if errors.Is(ctx.Err(), context.Canceled) { // the asker went away: that says nothing of the server
		return nil, ctx.Err()
	}
	var vs [][]float32
	if err == nil {
		vs, err = e.checked(raw, len(texts))
	}
	e.note(err)
	return vs, err
}

// note remembers how a request went.
func (e *Embedder) note(err error) {
	e.mu.Lock()
	e.last = err
	e.mu.Unlock()
	e.server.Note(err)
}

// head is the first n characters of s.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
