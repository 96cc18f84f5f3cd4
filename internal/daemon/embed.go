package daemon

import (
	"context"
	"sync"
	"time"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/embed"
	"remanence/internal/event"
	"remanence/internal/views"
)

// liveEmbedder is the embedder that the configuration asks for now.
type liveEmbedder struct {
	mu       sync.Mutex
	choice   config.EmbedChoice
	embedder *embed.Embedder    // nil if there is none
	err      error              // why there is none, although one is chosen
	embedded config.EmbedChoice // for which all memories were last looked at
}

// Embedder returns the embedder for the configuration as it is, nil for none.
func (h *Daemon) Embedder() *embed.Embedder {
	e, _, _ := h.chosenEmbedder()
	return e
}

// chosenEmbedder returns the embedder with what was chosen and, for none, why: all
// of one moment, since the configuration may be another the next.
func (h *Daemon) chosenEmbedder() (*embed.Embedder, config.EmbedChoice, error) {
	choice := h.Config.Now().EmbedChoice()
	l := &h.liveEmbedder
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.choice == choice {
		return l.embedder, l.choice, l.err
	}
	l.choice = choice
	l.embedder, l.err = choice.Embedder(h.Sys.Getenv)
	if l.err != nil {
		h.log.Warn("no embeddings", "error", l.err)
	}
	return l.embedder, l.choice, l.err
}

// EngineEmbedder is embedder as the engine wants it: none is nil there too.
func (h *Daemon) EngineEmbedder() event.Embedder {
	if e := h.Embedder(); e != nil {
		return e
	}
	return nil
}

// EmbedAll has memories embedded that have no vector of the model chosen now.
func (h *Daemon) EmbedAll(ctx context.Context) {
	choice := h.Config.Now().EmbedChoice()
	h.liveEmbedder.mu.Lock()
	h.liveEmbedder.embedded = choice
	h.liveEmbedder.mu.Unlock()
	if err := h.Engine.Recall.EmbedAll(ctx); err != nil {
		h.log.Error("embeddings", "error", h.checkDamage(err))
	}
}

// EmbedIfChanged does so if the choice has changed.
func (h *Daemon) EmbedIfChanged(c config.Config) {
	h.liveEmbedder.mu.Lock()
	same := h.liveEmbedder.embedded == c.EmbedChoice()
	h.liveEmbedder.mu.Unlock()
	if same {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	h.EmbedAll(ctx)
}

// EmbeddingStatus is how it stands with the vectors, nil if nobody wants any. No
// server is asked for it.
func (h *Daemon) EmbeddingStatus(ctx context.Context) *views.Embedding {
	e, choice, err := h.chosenEmbedder()
	if !choice.Enabled() {
		return nil
	}
	out := &views.Embedding{Provider: choice.Provider, Model: choice.Model, URL: choice.URL}
	if e == nil {
		out.Error, out.URL = err.Error(), "" // it may hold a password
		return out
	}
	if out.Vectors, err = h.Store.CountVectors(ctx, e.Model()); err == nil {
		err = e.LastError()
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}

// TryEmbedding has whoever owns the database ask the server for one vector.
var TryEmbedding = api.Route[api.Nothing, EmbedTrial]{Name: "try_embedding"}

// EmbedTrial is what came of it.
type EmbedTrial struct {
	views.Embedding
	Dimensions int     `json:"dimensions"`
	TookMS     float64 `json:"took_ms"`
}

// trialWithin is how long a server may take that has to load its model first.
const trialTimeout = 30 * time.Second

func (h *Daemon) tryEmbedding(ctx context.Context, _ api.Nothing) (EmbedTrial, error) {
	e := h.Embedder()
	if e == nil {
		var t EmbedTrial
		if now := h.EmbeddingStatus(ctx); now != nil {
			t.Embedding = *now
		}
		return t, nil
	}
	within, stop := context.WithTimeout(ctx, trialTimeout)
	defer stop()
	start := time.Now()
	n, err := e.Try(within)
	t := EmbedTrial{Dimensions: n, TookMS: Millis(time.Since(start))}
	if now := h.EmbeddingStatus(ctx); now != nil { // else it was switched off meanwhile
		t.Embedding = *now
	}
	if err != nil {
		t.Error = err.Error()
	}
	return t, nil
}
