package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"remanence/internal/egress"
	"remanence/internal/embed"
	"remanence/internal/llm"
	"remanence/internal/mem"
)

// noEmbedder is the provider for no embedding server.
const noEmbedder = "none"

// EmbedChoice is the configured embedding server.
type EmbedChoice struct {
	Provider, URL, Model, keyEnv string
	dims                         int
	remote                       bool
}

// EmbedChoice returns the embedding server that the configuration names.
func (c Config) EmbedChoice() EmbedChoice {
	return EmbedChoice{
		Provider: Get[string](c, "embed.provider"),
		URL:      Get[string](c, "embed.url"),
		Model:    Get[string](c, "embed.model"),
		keyEnv:   Get[string](c, "embed.key_env"),
		dims:     Get[int](c, "embed.dims"),
		remote:   Get[bool](c, "embed.allow_remote"),
	}
}

// Enabled reports whether a provider is chosen.
func (c EmbedChoice) Enabled() bool { return c.Provider != "" && c.Provider != noEmbedder }

// Embedder returns the client of the configured server, nil if none is configured. It does no I/O.
func (c EmbedChoice) Embedder(getenv func(string) string) (*embed.Embedder, error) {
	if !c.Enabled() {
		return nil, nil
	}
	cfg := embed.Config{Kind: c.Provider, URL: c.URL, Model: c.Model, Dimensions: c.dims, Remote: c.remote}
	if c.keyEnv != "" {
		cfg.Key = func() string { return getenv(c.keyEnv) }
	}
	return embed.New(cfg)
}

// embedFault returns why the configured server cannot be used, nil if it can.
func (c Config) embedFault() error { return c.EmbedChoice().Problem() }

// Problem returns what keeps the choice from being used, nil if nothing does.
func (c EmbedChoice) Problem() error {
	_, err := c.Embedder(func(string) string { return "" })
	switch {
	case errors.Is(err, egress.ErrRemote):
		err = fmt.Errorf("%w: it would be with embed.allow_remote = true", err)
	case errors.Is(err, egress.ErrURL):
		return nil // reported for the setting itself
	}
	return err
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

// noModel is the provider for no model: turns are digested by rule.
const noModel = "none"

// anthropicKey is the variable that holds Anthropic's key, unless another is configured.
const anthropicKey = "ANTHROPIC_API_KEY"

// ModelChoice is the configured language model for digests.
type ModelChoice struct {
	Provider, url, Model, KeyEnv, Command string
	Tokens                                int
	remote                                bool
	timeout                               time.Duration
}

// ModelChoice returns the language model that the configuration names.
func (c Config) ModelChoice() ModelChoice {
	m := ModelChoice{
		Provider: Get[string](c, "digest.provider"),
		url:      Get[string](c, "digest.url"),
		Model:    Get[string](c, "digest.model"),
		KeyEnv:   Get[string](c, "digest.key_env"),
		Command:  Get[string](c, "digest.command"),
		Tokens:   Get[int](c, "digest.daily_tokens"),
		remote:   Get[bool](c, "digest.allow_remote"),
		timeout:  Get[time.Duration](c, "digest.timeout"),
	}
	if m.Provider == llm.Anthropic && m.KeyEnv == "" {
		m.KeyEnv = anthropicKey
	}
	return m
}

// Enabled reports whether a provider is chosen.
func (c ModelChoice) Enabled() bool { return c.Provider != "" && c.Provider != noModel }

// errNoTokens is the fault of a model without a daily limit of tokens.
var errNoTokens = errors.New("digest.daily_tokens is 0: set how many tokens a day the model may use")

// Summarizer returns the client of the configured model, nil if none is configured. It does no I/O.
func (c ModelChoice) Summarizer(sys System, dir string) (*llm.Model, error) {
	if !c.Enabled() {
		return nil, nil
	}
	if c.Tokens <= 0 {
		return nil, errNoTokens
	}
	cfg := llm.Config{
		Kind: c.Provider, URL: c.url, Model: c.Model, Remote: c.remote, Timeout: c.timeout, Now: sys.Now,
		Command: llm.Command{
			Program: c.Command, Dir: dir, Env: commandEnviron(sys.Getenv),
			Depth: sys.Getenv("REMANENCE_DEPTH"),
		},
	}
	if c.KeyEnv != "" {
		cfg.Key = func() string { return sys.Getenv(c.KeyEnv) }
	}
	m, err := llm.New(cfg)
	if errors.Is(err, egress.ErrRemote) {
		err = fmt.Errorf("%w: it would be with digest.allow_remote = true", err)
	}
	return m, err
}

// commandEnviron is the environment of the claude command: variables for the person's login and the network,
// no settings and no keys of ours.
func commandEnviron(getenv func(string) string) []string {
	var out []string
	for _, name := range append(networkNames(),
		"HOME", "PATH", "TMPDIR", "LANG", "LC_ALL", "TZ", "USER", "LOGNAME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
		"XDG_DATA_HOME", "XDG_RUNTIME_DIR",
		"USERPROFILE", "APPDATA", "LOCALAPPDATA", "SystemRoot", "TEMP", "TMP", "CLAUDE_CONFIG_DIR",
	) {
		if v := getenv(name); v != "" && !strings.ContainsRune(v, 0) {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// OutsideNames returns the variables that a daemon needs for the configured servers: those of keys and of the
// network.
func (c Config) OutsideNames() []string {
	e, m := c.EmbedChoice(), c.ModelChoice()
	var out []string
	if e.Enabled() {
		out = append(out, e.keyEnv)
	}
	if m.Enabled() {
		out = append(out, m.KeyEnv)
	}
	if e.Enabled() && e.remote || m.Enabled() && m.remote {
		out = append(out, networkNames()...)
	}
	if m.Provider == llm.Claude {
		out = append(out, "CLAUDE_CONFIG_DIR")
	}
	out = slices.DeleteFunc(out, func(name string) bool { return name == "" || checkKeyEnv(name) != nil })
	return append(out, c.credentialNames()...)
}

// networkNames returns the variables that configure proxies and certificates.
func networkNames() []string {
	return []string{
		"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy", "SSL_CERT_FILE",
		"SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	}
}

// ModelFault returns why the configured model cannot be used, nil if it can.
func (c Config) ModelFault() error { return c.ModelChoice().problem() }

func (c ModelChoice) problem() error {
	_, err := c.Summarizer(System{Getenv: func(string) string { return "" }, Now: time.Now}, "")
	if errors.Is(err, egress.ErrURL) {
		return nil // reported for the setting itself
	}
	return err
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
		if t.String() == Get[string](c, "digest.min_trust") {
			return t
		}
	}
	return mem.TrustAssistant
}

// CommandDir is where the claude command is run: nothing is in it, and nothing that
// happens there is captured.
func (p Paths) CommandDir() string { return filepath.Join(p.State, "model") }
