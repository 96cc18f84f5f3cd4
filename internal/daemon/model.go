package daemon

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"

	"remanence/internal/config"
	"remanence/internal/digest"
	"remanence/internal/event"
	"remanence/internal/llm"
)

// liveModel is the model that the configuration asks for now.
type liveModel struct {
	mu     sync.Mutex
	choice config.ModelChoice
	made   *llm.Model // nil if there is none
	err    error      // why there is none, although one is chosen
}

// model returns the model of the configuration as it is, nil for none, and what
// keeps a chosen one from being asked.
func (h *Daemon) model() (*llm.Model, config.ModelChoice, error) {
	choice := h.Config.Now().ModelChoice()
	l := &h.modelling
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.choice == choice {
		return l.made, choice, l.err
	}
	dir := h.Paths.CommandDir()
	l.choice = choice
	if l.made, l.err = choice.Summarizer(h.Sys, dir); l.err == nil && choice.Provider == llm.Claude {
		l.err = os.MkdirAll(dir, 0o700)
	}
	if l.err != nil {
		l.made = nil
		h.log.Warn("no digest by a model", "error", l.err)
	}
	return l.made, choice, l.err
}

// summarizer is model as the engine wants it: none is nil there too.
func (h *Daemon) summarizer() event.Summarizer {
	if m, _, _ := h.model(); m != nil {
		return m
	}
	return nil
}

// named adds to what the store knows which model it is about, and how that does.
func (h *Daemon) named(d event.Digesting) event.Digesting {
	m, choice, err := h.model()
	if !choice.Enabled() {
		d.Provider = ""
		return d
	}
	d.Provider, d.Model, d.Limit = choice.Provider, choice.Model, choice.Tokens
	switch {
	case m == nil:
		d.Error = err.Error()
		return d
	case m.LastError() != nil:
		d.Error = m.LastError().Error()
	default:
		d.Error = h.unready(choice)
	}
	d.Model, d.URL = m.Model(), m.Where()
	return d
}

// unready is what is missing of what a model needs from outside; empty if nothing is.
func (h *Daemon) unready(c config.ModelChoice) string {
	if c.KeyEnv != "" && h.Sys.Getenv(c.KeyEnv) == "" {
		return fmt.Sprintf("the variable %s is not set where the daemon was started", c.KeyEnv)
	}
	if c.Provider == llm.Claude {
		if _, err := exec.LookPath(c.Command); err != nil {
			return fmt.Sprintf("there is no program %q", c.Command)
		}
	}
	return ""
}

// digestNow is how it stands with the digest by a model, nil if nobody wants one. No
// model is asked for it.
func (h *Daemon) digestNow(ctx context.Context) (*event.Digesting, error) {
	if _, choice, _ := h.model(); !choice.Enabled() {
		return nil, nil
	}
	d, err := h.Engine.Digest.Status(ctx, digest.Request{})
	d = h.named(d)
	return &d, err
}
