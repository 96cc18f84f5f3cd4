package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"remanence/internal/api"
	"remanence/internal/egress"
	"remanence/internal/embed"
	"remanence/internal/event"
	"remanence/internal/views"
)

// noEmbedder is the provider that asks nobody.
const noEmbedder = "none"

// embedChoice is what the configuration says about vectors.
type embedChoice struct {
	provider, url, model, keyEnv string
	dims                         int
	remote                       bool
}

func (c Config) embedChoice() embedChoice {
	return embedChoice{
		provider: value[string](c, "embed.provider"), url: value[string](c, "embed.url"), model: value[string](c, "embed.model"),
		keyEnv: value[string](c, "embed.key_env"), dims: value[int](c, "embed.dims"), remote: value[bool](c, "embed.allow_remote"),
	}
}

func (c embedChoice) on() bool { return c.provider != "" && c.provider != noEmbedder }

// embedder returns what asks the chosen server; nil where none is chosen. Nobody
// is asked yet.
func (c embedChoice) embedder(getenv func(string) string) (*embed.Embedder, error) {
	if !c.on() {
		return nil, nil
	}
	cfg := embed.Config{Kind: c.provider, URL: c.url, Model: c.model, Dimensions: c.dims, Remote: c.remote}
	if c.keyEnv != "" {
		cfg.Key = func() string { return getenv(c.keyEnv) }
	}
	return embed.New(cfg)
}

// embedFault is what keeps the chosen server from being asked, nil if nothing does.
func (c Config) embedFault() error { return c.embedChoice().fault() }

func (c embedChoice) fault() error {
	_, err := c.embedder(func(string) string { return "" })
	switch {
	case errors.Is(err, egress.ErrRemote):
		err = fmt.Errorf("%w: it would be with embed.allow_remote = true", err)
	case errors.Is(err, egress.ErrURL):
		return nil // said of the setting itself
	}
	return err
}

// embedRefusal is what keeps the server from being asked that the configuration
// names after a change of a setting, or would once a provider is chosen. Nil
// if nothing does, or if the setting has nothing to do with it.
func (a *app) embedRefusal(key string) error {
	if !strings.HasPrefix(key, "embed.") {
		return nil
	}
	cfg, err := LoadConfig(a.paths.Config, a.sys.Getenv)
	if err != nil {
		return nil // said by whoever read it before
	}
	choice := cfg.embedChoice()
	if !choice.on() && key == "embed.provider" {
		return nil
	}
	if !choice.on() {
		choice.provider = embed.Ollama
	}
	if err := choice.fault(); err != nil {
		return fmt.Errorf("%w; nothing is embedded", err)
	}
	return nil
}

func checkEmbedURL(v any) error {
	s, _ := v.(string)
	return egress.CheckURL(s)
}

// checkKeyEnv finds a key where the name of its variable should be.
func checkKeyEnv(v any) error {
	if s, _ := v.(string); s != "" && !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`).MatchString(s) {
		return errors.New("it is not the name of a variable; the key itself does not belong here")
	}
	return nil
}

func checkDims(v any) error {
	if n, _ := v.(int); n > embed.MaxDimensions {
		return fmt.Errorf("no more than %d", embed.MaxDimensions)
	}
	return nil
}

func checkShare(v any) error {
	if f, _ := v.(float64); !(f >= 0 && f <= 1) {
		return errors.New("from 0 to 1")
	}
	return nil
}

// liveEmbedder is the embedder that the configuration asks for now.
type liveEmbedder struct {
	mu     sync.Mutex
	choice embedChoice
	made   *embed.Embedder // nil if there is none
	err    error           // why there is none, although one is chosen
	walked embedChoice     // for which all memories were last looked at
}

// embedder returns the embedder for the configuration as it is, nil for none.
func (h *house) embedder() *embed.Embedder {
	e, _, _ := h.chosenEmbedder()
	return e
}

// chosenEmbedder returns the embedder with what was chosen and, for none, why: all
// of one moment, since the configuration may be another the next.
func (h *house) chosenEmbedder() (*embed.Embedder, embedChoice, error) {
	choice := h.config.now().embedChoice()
	l := &h.embedding
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.choice == choice {
		return l.made, l.choice, l.err
	}
	l.choice = choice
	l.made, l.err = choice.embedder(h.sys.Getenv)
	if l.err != nil {
		h.log.Warn("no embeddings", "error", l.err)
	}
	return l.made, l.choice, l.err
}

// enginesEmbedder is embedder as the engine wants it: none is nil there too.
func (h *house) enginesEmbedder() event.Embedder {
	if e := h.embedder(); e != nil {
		return e
	}
	return nil
}

// embedAll has memories embedded that have no vector of the model chosen now.
func (h *house) embedAll(ctx context.Context) {
	choice := h.config.now().embedChoice()
	h.embedding.mu.Lock()
	h.embedding.walked = choice
	h.embedding.mu.Unlock()
	if err := h.engine.Recall.EmbedAll(ctx); err != nil {
		h.log.Error("embeddings", "error", h.judged(err))
	}
}

// embedAgain does so if the choice has changed.
func (h *house) embedAgain(c Config) {
	h.embedding.mu.Lock()
	same := h.embedding.walked == c.embedChoice()
	h.embedding.mu.Unlock()
	if same {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	h.embedAll(ctx)
}

// vectorsNow is how it stands with the vectors, nil if nobody wants any. No
// server is asked for it.
func (h *house) vectorsNow(ctx context.Context) *views.Embedding {
	e, choice, err := h.chosenEmbedder()
	if !choice.on() {
		return nil
	}
	out := &views.Embedding{Provider: choice.provider, Model: choice.model, URL: choice.url}
	if e == nil {
		out.Error, out.URL = err.Error(), "" // it may hold a password
		return out
	}
	if out.Vectors, err = h.store.CountVectors(ctx, e.Model()); err == nil {
		err = e.LastError()
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}

// tryEmbedding has whoever owns the database ask the server for one vector.
var tryEmbedding = api.Route[api.Nothing, embedTrial]{Name: "try_embedding"}

// embedTrial is what came of it.
type embedTrial struct {
	views.Embedding
	Dimensions int     `json:"dimensions"`
	TookMS     float64 `json:"took_ms"`
}

// trialWithin is how long a server may take that has to load its model first.
const trialWithin = 30 * time.Second

func (h *house) tryEmbedding(ctx context.Context, _ api.Nothing) (embedTrial, error) {
	e := h.embedder()
	if e == nil {
		var t embedTrial
		if now := h.vectorsNow(ctx); now != nil {
			t.Embedding = *now
		}
		return t, nil
	}
	within, stop := context.WithTimeout(ctx, trialWithin)
	defer stop()
	start := time.Now()
	n, err := e.Try(within)
	t := embedTrial{Dimensions: n, TookMS: millis(time.Since(start))}
	if now := h.vectorsNow(ctx); now != nil { // else it was switched off meanwhile
		t.Embedding = *now
	}
	if err != nil {
		t.Error = err.Error()
	}
	return t, nil
}

// checkEmbedding asks for a vector where a server is configured, and nobody else.
func (a *app) checkEmbedding(ctx context.Context) []checkItem {
	cfg, err := LoadConfig(a.paths.Config, a.sys.Getenv)
	if err != nil || !cfg.embedChoice().on() {
		return nil
	}
	t, err := ask(ctx, a, tryEmbedding, api.Nothing{})
	if err != nil {
		return []checkItem{bad("embedding", false, explain(nil, err))}
	}
	return embedItems(t)
}

func embedItems(t embedTrial) []checkItem {
	switch {
	case t.Provider == "": // the daemon's configuration is another
		return nil
	case t.Error != "":
		f := faultEmbedding.because("%s", t.Error)
		if t.Provider == embed.Ollama && strings.Contains(t.Error, "404") {
			f = f.fixedBy("ollama pull " + t.Model)
		}
		return []checkItem{bad("embedding", false, f)}
	}
	return []checkItem{good("embedding", false, "%s answers with %d numbers in %.0f ms · %s of any project have vectors",
		oneLine(t.Model), t.Dimensions, t.TookMS, plural(t.Vectors, "memory", "memories"))}
}

// embedItem is how it stands with the vectors.
type embedItem struct {
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	URL      string  `json:"url"`
	Vectors  int     `json:"vectors"` // memories of any project that have one
	Error    *string `json:"error"`   // of the newest request
}

func embedItemOf(e *views.Embedding) *embedItem {
	if e == nil {
		return nil
	}
	return &embedItem{e.Provider, e.Model, e.URL, e.Vectors, nullable(e.Error)}
}

func (e embedItem) sentence() string {
	s := fmt.Sprintf("%s · %s of any project with vectors", oneLine(e.Model), plural(e.Vectors, "memory", "memories"))
	if e.Error != nil {
		s += " · not now: " + oneLine(*e.Error)
	}
	return s
}
