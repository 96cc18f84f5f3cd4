package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"remanence/internal/digest"
	"remanence/internal/egress"
	"remanence/internal/event"
	"remanence/internal/llm"
	"remanence/internal/mem"
)

// noModel is the provider that asks nobody: turns are digested by rule.
const noModel = "none"

// anthropicKey is where Anthropic's key is looked for if no other name is given.
const anthropicKey = "ANTHROPIC_API_KEY"

// modelChoice is what the configuration says about the digest by a model.
type modelChoice struct {
	provider, url, model, keyEnv, command string
	tokens                                int
	remote                                bool
	timeout                               time.Duration
}

func (c Config) modelChoice() modelChoice {
	m := modelChoice{
		provider: value[string](c, "digest.provider"), url: value[string](c, "digest.url"), model: value[string](c, "digest.model"),
		keyEnv: value[string](c, "digest.key_env"), command: value[string](c, "digest.command"), tokens: value[int](c, "digest.daily_tokens"),
		remote: value[bool](c, "digest.allow_remote"), timeout: value[time.Duration](c, "digest.timeout"),
	}
	if m.provider == llm.Anthropic && m.keyEnv == "" {
		m.keyEnv = anthropicKey
	}
	return m
}

func (c modelChoice) on() bool { return c.provider != "" && c.provider != noModel }

// errNoTokens is a model that may not be asked for anything.
var errNoTokens = errors.New("digest.daily_tokens is 0: say how many tokens a day it may take")

// summarizer returns what asks the chosen model; nil where none is chosen. Nobody
// is asked yet.
func (c modelChoice) summarizer(sys System, dir string) (*llm.Model, error) {
	if !c.on() {
		return nil, nil
	}
	if c.tokens <= 0 {
		return nil, errNoTokens
	}
	cfg := llm.Config{
		Kind: c.provider, URL: c.url, Model: c.model, Remote: c.remote, Timeout: c.timeout, Now: sys.Now,
		Command: llm.Command{Program: c.command, Dir: dir, Env: commandEnviron(sys.Getenv), Depth: sys.Getenv("REMANENCE_DEPTH")},
	}
	if c.keyEnv != "" {
		cfg.Key = func() string { return sys.Getenv(c.keyEnv) }
	}
	m, err := llm.New(cfg)
	if errors.Is(err, egress.ErrRemote) {
		err = fmt.Errorf("%w: it would be with digest.allow_remote = true", err)
	}
	return m, err
}

// commandEnviron is the environment of the claude command: what finds the person's
// login, and how the network is reached. No setting and no key of ours.
func commandEnviron(getenv func(string) string) []string {
	var out []string
	for _, name := range append(networkNames(),
		"HOME", "PATH", "TMPDIR", "LANG", "LC_ALL", "TZ", "USER", "LOGNAME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
		"USERPROFILE", "APPDATA", "LOCALAPPDATA", "SystemRoot", "TEMP", "TMP", "CLAUDE_CONFIG_DIR",
	) {
		if v := getenv(name); v != "" && !strings.ContainsRune(v, 0) {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// outsideNames are the variables that a daemon needs beside the usual ones to ask
// what the configuration names: those of keys, and of the way to other machines.
func (c Config) outsideNames() []string {
	e, m := c.embedChoice(), c.modelChoice()
	var out []string
	if e.on() {
		out = append(out, e.keyEnv)
	}
	if m.on() {
		out = append(out, m.keyEnv)
	}
	if e.on() && e.remote || m.on() && m.remote {
		out = append(out, networkNames()...)
	}
	if m.provider == llm.Claude {
		out = append(out, "CLAUDE_CONFIG_DIR")
	}
	return slices.DeleteFunc(out, func(name string) bool { return name == "" || checkKeyEnv(name) != nil })
}

// networkNames say how other machines are reached.
func networkNames() []string {
	return []string{"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"}
}

// modelFault is what keeps the chosen model from being asked, nil if nothing does.
func (c Config) modelFault() error { return c.modelChoice().fault() }

func (c modelChoice) fault() error {
	_, err := c.summarizer(System{Getenv: func(string) string { return "" }, Now: time.Now}, "")
	if errors.Is(err, egress.ErrURL) {
		return nil // said of the setting itself
	}
	return err
}

// modelRefusal is what keeps the model from being asked that the configuration
// names after a change of a setting. Nil if nothing does, if none is chosen, or if
// the setting has nothing to do with it.
func (a *app) modelRefusal(key string) error {
	if !strings.HasPrefix(key, "digest.") {
		return nil
	}
	cfg, err := LoadConfig(a.paths.Config, a.sys.Getenv)
	if err != nil {
		return nil // said by whoever read it before
	}
	if err := cfg.modelFault(); err != nil {
		return fmt.Errorf("%w; turns are digested by rule alone", err)
	}
	return nil
}

func checkModelURL(v any) error {
	if s, _ := v.(string); s != "" {
		return egress.CheckURL(s)
	}
	return nil
}

func checkModelTimeout(v any) error {
	if d, _ := v.(time.Duration); d > llm.MaxTimeout {
		return fmt.Errorf("no more than %s", llm.MaxTimeout)
	}
	return nil
}

// digestTrust is the least trust of a turn that a model may see.
func (c Config) digestTrust() mem.Trust {
	for _, t := range []mem.Trust{mem.TrustNone, mem.TrustTool, mem.TrustAssistant} {
		if t.String() == value[string](c, "digest.min_trust") {
			return t
		}
	}
	return mem.TrustAssistant
}

// liveModel is the model that the configuration asks for now.
type liveModel struct {
	mu     sync.Mutex
	choice modelChoice
	made   *llm.Model // nil if there is none
	err    error      // why there is none, although one is chosen
}

// model returns the model of the configuration as it is, nil for none, and what
// keeps a chosen one from being asked.
func (h *house) model() (*llm.Model, modelChoice, error) {
	choice := h.config.now().modelChoice()
	l := &h.modelling
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.choice == choice {
		return l.made, choice, l.err
	}
	dir := h.paths.commandDir()
	l.choice = choice
	if l.made, l.err = choice.summarizer(h.sys, dir); l.err == nil && choice.provider == llm.Claude {
		l.err = os.MkdirAll(dir, 0o700)
	}
	if l.err != nil {
		l.made = nil
		h.log.Warn("no digest by a model", "error", l.err)
	}
	return l.made, choice, l.err
}

// commandDir is where the claude command is run: nothing is in it, and nothing that
// happens there is captured.
func (p Paths) commandDir() string { return filepath.Join(p.State, "model") }

// summarizer is model as the engine wants it: none is nil there too.
func (h *house) summarizer() event.Summarizer {
	if m, _, _ := h.model(); m != nil {
		return m
	}
	return nil
}

// named adds to what the store knows which model it is about, and how that does.
func (h *house) named(d event.Digesting) event.Digesting {
	m, choice, err := h.model()
	if !choice.on() {
		d.Provider = ""
		return d
	}
	d.Provider, d.Model, d.Limit = choice.provider, choice.model, choice.tokens
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
func (h *house) unready(c modelChoice) string {
	if c.keyEnv != "" && h.sys.Getenv(c.keyEnv) == "" {
		return fmt.Sprintf("the variable %s is not set where the daemon was started", c.keyEnv)
	}
	if c.provider == llm.Claude {
		if _, err := exec.LookPath(c.command); err != nil {
			return fmt.Sprintf("there is no program %q", c.command)
		}
	}
	return ""
}

// digestNow is how it stands with the digest by a model, nil if nobody wants one. No
// model is asked for it.
func (h *house) digestNow(ctx context.Context) (*event.Digesting, error) {
	if _, choice, _ := h.model(); !choice.on() {
		return nil, nil
	}
	d, err := h.engine.Digest.Digesting(ctx, digest.DigestRequest{})
	d = h.named(d)
	return &d, err
}
