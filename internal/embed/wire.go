package embed

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// errAnswer is an answer that cannot be read.
var errAnswer = errors.New("the answer is not one of an embedding server")

// path is where embeddings are asked for.
func (e *Embedder) path() string {
	base := e.server.Address()
	switch {
	case e.cfg.Kind == Ollama:
		return base + "/api/embed"
	case strings.HasSuffix(base, "/v1"):
		return base + "/embeddings"
	}
	return base + "/v1/embeddings"
}

type ollamaAsk struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Truncate   bool     `json:"truncate"` // what is too long for the model is cut, not refused
	Dimensions int      `json:"dimensions,omitempty"`
}

type openAIAsk struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Format     string   `json:"encoding_format"`
	Dimensions int      `json:"dimensions,omitempty"`
}

func (e *Embedder) message(texts []string) ([]byte, error) {
	if e.cfg.Kind == Ollama {
		return json.Marshal(ollamaAsk{e.cfg.Model, texts, true, e.cfg.Dimensions})
	}
	return json.Marshal(openAIAsk{e.cfg.Model, texts, "float", e.cfg.Dimensions})
}

// Numbers are pointers: a null would else pass for a 0.
type ollamaAnswer struct {
	Embeddings [][]*float64 `json:"embeddings"`
}

type openAIAnswer struct {
	Data []openAIVector `json:"data"`
}

type openAIVector struct {
	Index     *int       `json:"index"`
	Embedding []*float64 `json:"embedding"`
}

// read decodes an answer into vectors in the order of the texts.
func (e *Embedder) read(r io.Reader) ([][]*float64, error) {
	if e.cfg.Kind == Ollama {
		var a ollamaAnswer
		if err := decode(r, &a); err != nil {
			return nil, err
		}
		return a.Embeddings, nil
	}
	var a openAIAnswer
	if err := decode(r, &a); err != nil {
		return nil, err
	}
	return inOrder(a.Data)
}

func decode(r io.Reader, into any) error {
	err := json.NewDecoder(r).Decode(into)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return errAnswer // what it says instead may be anything
	}
	return err
}

// inOrder sorts by index. A server that gives no index at all answers in order.
func inOrder(data []openAIVector) ([][]*float64, error) {
	slices.SortStableFunc(data, func(a, b openAIVector) int { return cmp.Compare(place(a), place(b)) })
	out := make([][]*float64, 0, len(data))
	for i, d := range data {
		if d.Index != nil && *d.Index != i || d.Index == nil && data[len(data)-1].Index != nil {
			return nil, fmt.Errorf("%w: its indexes are not 0 to %d", errAnswer, len(data)-1)
		}
		out = append(out, d.Embedding)
	}
	return out, nil
}

func place(v openAIVector) int {
	if v.Index == nil {
		return -1
	}
	return *v.Index
}

// instructions returns what a model wants to read before a text that is to be
// found, and before one that asks, by its makers' description.
func instructions(model string) (text, question string) {
	name := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	switch {
	case strings.HasPrefix(name, "nomic-embed-text"):
		return "search_document: ", "search_query: "
	case strings.HasPrefix(name, "e5-"), strings.HasPrefix(name, "multilingual-e5-"):
		return "passage: ", "query: "
	case strings.HasPrefix(name, "mxbai-embed-large"):
		return "", "Represent this sentence for searching relevant passages: "
	}
	return "", ""
}
