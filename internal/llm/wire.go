package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"remanence/internal/egress"
	"remanence/internal/mem"
)

// maxBytes bounds an answer in bytes: far more than MaxAnswer tokens.
const maxBytes = 1 << 20

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type anthropicAsk struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	System    string    `json:"system"`
	Messages  []message `json:"messages"`
}

type anthropicAnswer struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      json.RawMessage `json:"usage"`
}

type openAIAsk struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	// Newer models know only the second name for the same bound.
	MaxTokens           int  `json:"max_tokens,omitempty"`
	MaxCompletionTokens int  `json:"max_completion_tokens,omitempty"`
	Stream              bool `json:"stream"`
}

type openAIAnswer struct {
	Choices []struct {
		Message struct {
			Content string `json:"content"`
			Refusal string `json:"refusal"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage json.RawMessage `json:"usage"`
}

// post asks a server.
func (m *Model) post(ctx context.Context, ask request) (a answer, err error) {
	q := egress.Request{URL: m.path(), Most: maxBytes}
	if q.Body, err = m.message(ask); err != nil {
		return a, err
	}
	if m.cfg.Kind == Anthropic {
		q.Header = map[string]string{"anthropic-version": "2023-06-01"}
		q.Key = func(key string) (string, string) { return "x-api-key", key }
	}
	err = m.server.Post(ctx, q, func(r io.Reader) (err error) {
		a, err = m.read(r)
		return err
	}, errAnswer)
	return a, judged(ctx, err, ask.tokens())
}

// judged says of an error what it means for the question, which cost sent tokens
// to ask.
func judged(ctx context.Context, err error, sent int) error {
	var no *egress.Refusal
	var later mem.RetryLater
	switch {
	case err == nil:
		return nil
	case errors.As(err, &no) && (no.Status == http.StatusRequestEntityTooLarge || no.Status == http.StatusBadRequest):
		return fmt.Errorf("%w: %w", mem.ErrTextTooLong, err) // a 400 does not say, and a shorter text is worth a try
	case errors.As(err, &no) && no.Status >= http.StatusInternalServerError:
		return mem.RetryLater{Err: err}
	case errors.Is(err, egress.ErrCut), errors.As(err, &later) && ctx.Err() != nil: // it worked on it
		return mem.UnusableAnswer{Tokens: sent, Err: err}
	case errors.Is(err, errAnswer), errors.Is(err, egress.ErrLong):
		return mem.UnusableAnswer{Tokens: sent + MaxAnswer, Err: err}
	}
	return err
}

func (m *Model) path() string {
	path := "/messages"
	if m.cfg.Kind == OpenAI {
		path = "/chat/completions"
	}
	base := m.server.Address()
	if strings.HasSuffix(base, "/v1") {
		return base + path
	}
	return base + "/v1" + path
}

func (m *Model) message(ask request) ([]byte, error) {
	if m.cfg.Kind == Anthropic {
		return json.Marshal(anthropicAsk{m.cfg.Model, MaxAnswer, ask.system, []message{{"user", ask.question}}})
	}
	q := openAIAsk{Model: m.cfg.Model, Messages: []message{{"system", ask.system}, {"user", ask.question}}}
	if countsCompletion(m.cfg.Model) {
		q.MaxCompletionTokens = MaxAnswer
	} else {
		q.MaxTokens = MaxAnswer
	}
	return json.Marshal(q)
}

// countsCompletion reports whether a model refuses the older name of the token limit.
func countsCompletion(model string) bool {
	for _, family := range [...]string{"o1", "o3", "o4", "gpt-5"} {
		if model == family || strings.HasPrefix(model, family+"-") {
			return true
		}
	}
	return false
}

// read decodes an answer of a server.
func (m *Model) read(r io.Reader) (answer, error) {
	doc, err := io.ReadAll(r)
	if err != nil {
		return answer{}, err
	}
	if m.cfg.Kind == Anthropic {
		return readAnthropic(doc)
	}
	return readOpenAI(doc)
}

func readAnthropic(doc []byte) (answer, error) {
	var a anthropicAnswer
	// what it says instead may be anything
	if json.Unmarshal(doc, &a) != nil || len(a.Content) == 0 && a.StopReason == "" {
		return answer{}, errAnswer
	}
	var text strings.Builder
	for _, part := range a.Content {
		if part.Type == "text" {
			text.WriteString(part.Text)
		}
	}
	return answer{text: text.String(), tokens: used(a.Usage), refused: a.StopReason == "refusal"}, nil
}

func readOpenAI(doc []byte) (answer, error) {
	var a openAIAnswer
	if json.Unmarshal(doc, &a) != nil || len(a.Choices) == 0 {
		return answer{}, errAnswer
	}
	c := a.Choices[0]
	return answer{text: c.Message.Content, tokens: used(a.Usage), refused: c.Message.Refusal != "" ||
		c.FinishReason == "content_filter"}, nil
}

// mostUsed is more than any model takes: a count beyond it is none.
const mostUsed = 10_000_000

// used adds up what a server says that a question took. A count that is no
// sensible number counts nothing.
func used(usage json.RawMessage) int {
	var counts map[string]json.RawMessage
	if json.Unmarshal(usage, &counts) != nil {
		return 0
	}
	sum := 0
	for _, name := range [...]string{
		"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens", "prompt_tokens",
		"completion_tokens",
	} {
		var n int
		if json.Unmarshal(counts[name], &n) == nil && n > 0 && n <= mostUsed {
			sum += n
		}
	}
	return min(sum, mostUsed)
}
