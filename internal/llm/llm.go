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
func (m *Model) Cost(turn string) int {
	n := chars.Tokens(instructions) + chars.Tokens(question(turn)) + MaxAnswer
	if m.cfg.Kind == Claude {
		n += commandOverhead
	}
	return n
}

// Digest asks what of a turn is worth keeping. A mem.Later among the errors says
// that the same may work later, a mem.Unusable what was spent in vain;
// mem.ErrTooMuch that a shorter text may do.
func (m *Model) Digest(ctx context.Context, turn string) (mem.Digest, error) {
	within, stop := context.WithTimeout(ctx, m.cfg.Timeout)
	defer stop()
	d, err := m.digest(within, turn)
	if errors.Is(ctx.Err(), context.Canceled) { // the asker went away: that says nothing of the model
		return mem.Digest{}, ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("digest with %s: %w", m.cfg.Model, err)
	}
	m.mu.Lock()
	m.last = err
	m.mu.Unlock()
	return d, err
}

func (m *Model) digest(ctx context.Context, turn string) (mem.Digest, error) {
	ask := question(turn)
	a, err := m.ask(ctx, ask)
	if err != nil {
		return mem.Digest{}, err
	}
	a.tokens = max(a.tokens, chars.Tokens(instructions)+chars.Tokens(ask)+chars.Tokens(a.text))
	if a.refused {
		return mem.Digest{}, mem.UnusableAnswer{Tokens: a.tokens, Err: fmt.Errorf("%w: the model refuses", errAnswer)}
	}
	d, err := Parse(a.text)
	if err != nil {
		return mem.Digest{}, mem.UnusableAnswer{Tokens: a.tokens, Err: err}
	}
	d.Tokens = a.tokens
	return d, nil
}

// answer is the answer of a model.
type answer struct {
	text    string
	tokens  int  // by its own count; 0 if it did not say
	refused bool // it does not want to
}

func (m *Model) ask(ctx context.Context, ask string) (answer, error) {
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
