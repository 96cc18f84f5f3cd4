// Package llm asks a language model which statements of a turn are worth storing: by Anthropic's messages API, by
// chat completions like OpenAI's, or by the claude command. It knows these three protocols, writes the prompt and
// parses the answers. Callers choose the turn, limit the spending and use the answer.
//
// Text leaves the process through package egress, or to a program that the person
// named. What comes back is a claim, never an instruction.
package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"remanence/internal/chars"
	"remanence/internal/egress"
	"remanence/internal/mem"
)

// The kinds of model.
const (
	Anthropic = "anthropic"      // POST /v1/messages
	OpenAI    = "openai"         // POST /v1/chat/completions
	Claude    = "claude-command" // a program, with its own login
)

const (
	// MaxAnswer is the largest number of tokens of an answer.
	MaxAnswer = 1500
	// MaxTimeout is the largest duration of one request.
	MaxTimeout = 10 * time.Minute

	defaultTimeout = time.Minute
)

// Errors of New, besides those of egress.New.
var (
	ErrKind   = errors.New("no such kind of model")
	ErrModel  = errors.New("no model is named")
	ErrNested = errors.New("this process was started by an agent that we started")
)

// errAnswer is an answer that cannot be read.
var errAnswer = errors.New("the answer is not what was asked for")

// Config selects the model and the server.
type Config struct {
	Kind  string // Anthropic, OpenAI or Claude
	URL   string // where the server's paths begin, with or without /v1; empty means DefaultURL, of a command its own
	Model string // empty means DefaultModel
	// Key returns the key for the server; nil or an empty key means none. It is called for each request and the
	// key is not stored. A command gets it in its environment.
	Key     func() string
	Remote  bool          // text may go to another machine
	Timeout time.Duration // of one question; 0 means a minute
	Now     func() time.Time
	Command Command // kind Claude only
}

// DefaultURL returns the server of a kind of model; empty for a command.
func DefaultURL(kind string) string {
	switch kind {
	case Anthropic:
		return "https://api.anthropic.com"
	case OpenAI:
		return "http://127.0.0.1:11434"
	}
	return ""
}

// DefaultModel is a small model of the kind; empty where one has to be named.
func DefaultModel(kind string) string {
	switch kind {
	case Anthropic:
		return "claude-haiku-4-5"
	case Claude:
		return "haiku"
	}
	return ""
}

// Model answers questions about turns. It is safe for concurrent use.
type Model struct {
	cfg    Config
	server *egress.Server // nil for a program

	mu   sync.Mutex
	last error // of the newest question; nil if it went well
}

// New returns a model. It opens nothing and sends no request.
func New(cfg Config) (*Model, error) {
	if cfg.Model == "" {
		cfg.Model = DefaultModel(cfg.Kind)
	}
	if cfg.URL == "" {
		cfg.URL = DefaultURL(cfg.Kind)
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = defaultTimeout
	}
	cfg.Timeout = min(cfg.Timeout, MaxTimeout)
	m := &Model{cfg: cfg}
	switch cfg.Kind {
	case Anthropic, OpenAI:
		var err error
		if m.server, err = egress.New(egress.Config{
			URL: cfg.URL, Key: cfg.Key, Remote: cfg.Remote,
			Now: cfg.Now,
		}); err != nil {
			return nil, err
		}
	case Claude:
		if !cfg.Remote {
			return nil, fmt.Errorf("what the command asks: %w", egress.ErrRemote)
		}
		if cfg.Command.nested() {
			return nil, ErrNested
		}
		if cfg.URL != "" && egress.CheckURL(cfg.URL) != nil {
			return nil, egress.CheckURL(cfg.URL)
		}
	default:
		return nil, fmt.Errorf("%q: %w", cfg.Kind, ErrKind)
	}
	if cfg.Model == "" {
		return nil, ErrModel
	}
	return m, nil
}

// Model is the name of the model.
func (m *Model) Model() string { return m.cfg.Model }

// Where is whom text is sent to, without what may be secret; empty for a program.
func (m *Model) Where() string {
	if m.server == nil {
		return ""
	}
	return m.server.Address()
}

// LastError is that of the newest question, nil if it went well or there was none.
func (m *Model) LastError() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

// Cost is how many tokens a question about a turn may take at most, by our own
// estimate.
func (m *Model) Cost(turn string) int { return m.cost(digestRequest(turn)) }

// ProseCost is how many tokens Prose may take at most, by our own estimate.
func (m *Model) ProseCost(recap string) int { return m.cost(proseRequest(recap)) }

func (m *Model) cost(ask request) int {
	n := ask.tokens() + MaxAnswer
	if m.cfg.Kind == Claude {
		n += commandOverhead
	}
	return n
}

// Digest asks what of a turn is worth keeping. A mem.Later among the errors says
// that the same may work later, a mem.Unusable what was spent in vain;
// mem.ErrTooMuch that a shorter text may do.
func (m *Model) Digest(ctx context.Context, turn string) (mem.Digest, error) {
	var d mem.Digest
	tokens, err := m.answered(ctx, "digest", digestRequest(turn), func(text string) (err error) {
		d, err = Parse(text)
		return err
	})
	d.Tokens = tokens
	return d, err
}

// Prose summarizes a recap in a few sentences, and returns how many tokens that took. Errors are those of Digest.
// What comes back is plain text, and as every answer a claim.
func (m *Model) Prose(ctx context.Context, recap string) (text string, tokens int, err error) {
	tokens, err = m.answered(ctx, "recap", proseRequest(recap), func(got string) error {
		if text = chars.Clip(strings.TrimSpace(got), maxProse); text == "" {
			return errAnswer
		}
		return nil
	})
	return text, tokens, err
}

// answered asks, passes the answer to read, and returns the tokens that were spent. It notes the error.
func (m *Model) answered(ctx context.Context, what string, ask request, read func(string) error) (int, error) {
	within, stop := context.WithTimeout(ctx, m.cfg.Timeout)
	defer stop()
	tokens, err := m.tryAnswer(within, ask, read)
	if errors.Is(ctx.Err(), context.Canceled) { // the asker went away: that says nothing of the model
		return 0, ctx.Err()
	}
	if err != nil {
		tokens, err = 0, fmt.Errorf("%s with %s: %w", what, m.cfg.Model, err)
	}
	m.mu.Lock()
	m.last = err
	m.mu.Unlock()
	return tokens, err
}

func (m *Model) tryAnswer(ctx context.Context, ask request, read func(string) error) (int, error) {
	a, err := m.ask(ctx, ask)
	if err != nil {
		return 0, err
	}
	a.tokens = max(a.tokens, ask.tokens()+chars.Tokens(a.text))
	if a.refused {
		return 0, mem.UnusableAnswer{Tokens: a.tokens, Err: fmt.Errorf("%w: the model refuses", errAnswer)}
	}
	if err := read(a.text); err != nil {
		return 0, mem.UnusableAnswer{Tokens: a.tokens, Err: err}
	}
	return a.tokens, nil
}

// answer is the answer of a model.
type answer struct {
	text    string
	tokens  int  // by its own count; 0 if it did not say
	refused bool // it does not want to
}

func (m *Model) ask(ctx context.Context, ask request) (answer, error) {
	if m.server == nil {
		return m.run(ctx, ask)
	}
	if err := m.server.Due(); err != nil {
		return answer{}, err
	}
	a, err := m.post(ctx, ask)
	var later mem.RetryLater
	if errors.As(err, &later) && later.Wait > 0 { // it asked for it; other failures are each session's own
		m.server.Note(err)
	}
	return a, err
}
