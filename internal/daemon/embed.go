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

// liveEmbedder is the currently configured embedder.
type liveEmbedder struct {
	mu       sync.Mutex
	choice   config.EmbedChoice
	embedder *embed.Embedder    // nil if there is none
	err      error              // why there is none, although one is chosen
	embedded config.EmbedChoice // for which all memories were last looked at
}

// Embedder returns the configured embedder, nil for none.
func (h *Daemon) Embedder() *embed.Embedder {
	e, _, _ := h.configuredEmbedder()
	return e
}

// configuredEmbedder returns the embedder, its configuration and, if there is none, the reason: all of one
// state of the configuration.
func (h *Daemon) configuredEmbedder() (*embed.Embedder, config.EmbedChoice, error) {
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

// EngineEmbedder returns the embedder as an interface, which is nil if there is none.
func (h *Daemon) EngineEmbedder() event.Embedder {
	if e := h.Embedder(); e != nil {
		return e
	}
	return nil
}

// EmbedAll embeds the memories that have no vector of the configured model.
func (h *Daemon) EmbedAll(ctx context.Context) {
	choice := h.Config.Now().EmbedChoice()
	h.liveEmbedder.mu.Lock()
	h.liveEmbedder.embedded = choice
	h.liveEmbedder.mu.Unlock()
	if err := h.Engine.Recall.EmbedAll(ctx); err != nil {
		h.log.Error("embeddings", "error", h.checkDamage(err))
	}
}

// EmbedIfChanged calls EmbedAll if the configured model has changed.
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

// EmbeddingStatus returns the state of the vectors, nil if no server is configured. It does not call the
// server.
func (h *Daemon) EmbeddingStatus(ctx context.Context) *views.Embedding {
	e, choice, err := h.configuredEmbedder()
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

// TryEmbedding is the route that requests one vector from the server.
var TryEmbedding = api.Route[api.Nothing, EmbedTrial]{
	Name: "try_embedding", Summary: "Try an embedding server",
}

// EmbedTrial is the result of TryEmbedding.
type EmbedTrial struct {
	views.Embedding
	Dimensions int     `json:"dimensions"`
	TookMS     float64 `json:"took_ms"`
}

// trialTimeout limits a trial: a server may have to load its model first.
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
