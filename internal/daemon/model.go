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

// liveModel is the currently configured model.
type liveModel struct {
	mu     sync.Mutex
	choice config.ModelChoice
	model  *llm.Model // nil if there is none
	err    error      // why there is none, although one is chosen
}

// model returns the configured model, nil for none, and why a configured one cannot be used.
func (h *Daemon) model() (*llm.Model, config.ModelChoice, error) {
	choice := h.Config.Now().ModelChoice()
	l := &h.liveModel
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.choice == choice {
		return l.model, choice, l.err
	}
	dir := h.Paths.CommandDir()
	l.choice = choice
	if l.model, l.err = choice.Summarizer(h.Sys, dir); l.err == nil && choice.Provider == llm.Claude {
		l.err = os.MkdirAll(dir, 0o700)
	}
	if l.err != nil {
		l.model = nil
		h.log.Warn("no digest by a model", "error", l.err)
	}
	return l.model, choice, l.err
}

// summarizer returns the model as an interface, which is nil if there is none.
func (h *Daemon) summarizer() event.Summarizer {
	if m, _, _ := h.model(); m != nil {
		return m
	}
	return nil
}

// withModel adds the model's name and state to the digest status of the store.
func (h *Daemon) withModel(d event.Digesting) event.Digesting {
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
		d.Error = h.missingForModel(choice)
	}
	d.Model, d.URL = m.Model(), m.Where()
	return d
}

// missingForModel returns what the model still needs from outside; empty if nothing.
func (h *Daemon) missingForModel(c config.ModelChoice) string {
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

// digestStatus returns the state of digests by a model, nil if none is configured. It does not call the model.
func (h *Daemon) digestStatus(ctx context.Context) (*event.Digesting, error) {
	if _, choice, _ := h.model(); !choice.Enabled() {
		return nil, nil
	}
	d, err := h.Engine.Digest.Status(ctx, digest.Request{})
	d = h.withModel(d)
	return &d, err
}
