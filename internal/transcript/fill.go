package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"remanence/internal/mem"
)

// MaxFill is how much of the end of a record Fill looks at, in bytes.
const MaxFill = 4 << 20

// maxTokens is more than any context holds: a message that names more is wrong.
const maxTokens = 100_000_000

// Fill returns the context usage of a session: that of the newest message of the main conversation since its last
// compaction that contains its usage. Without such a message within MaxFill, it returns 0 tokens. Window is 0 if the
// client does not record it; sessions of OpenCode are not read. The caller sets Session and ReadAt. Errors wrap
// fs.ErrNotExist while the client has not written yet.
func Fill(path string) (mem.ContextUsage, error) {
	f, size, err := open(path)
	if err != nil {
		return mem.ContextUsage{}, fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close()
	from := max(0, size-MaxFill)
	b, err := io.ReadAll(io.NewSectionReader(f, from, size-from))
	if err != nil {
		return mem.ContextUsage{}, fmt.Errorf("read transcript: %w", err)
	}
	if from > 0 { // the first line is a part of one
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	var m usageMeter
	for line := range bytes.Lines(b) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // it is still being written
		}
		m.line(line)
	}
	if m.model != m.cliffModel && m.model != "" {
		m.fill.AutoCompactTokens = 0 // of another model
	}
	return m.fill, nil
}

// usageMeter reads what the records say of the context.
type usageMeter struct {
	fill       mem.ContextUsage
	model      string // that spoke last
	cliffModel string // that spoke before the context was cut at Cliff
}

// measured is one record, as far as it matters here. What the forms of the clients differ in is read later.
type measured struct {
	Type       string          `json:"type"`
	Subtype    string          `json:"subtype"`
	Sidechain  bool            `json:"isSidechain"`
	Timestamp  string          `json:"timestamp"`
	Message    json.RawMessage `json:"message"`
	Compaction struct {
		Trigger string          `json:"trigger"`
		Before  json.RawMessage `json:"preTokens"`
	} `json:"compactMetadata"`

	Model   json.RawMessage `json:"model"`             // Qwen and Gemini
	Used    json.RawMessage `json:"usageMetadata"`     // Qwen
	Window  json.RawMessage `json:"contextWindowSize"` // Qwen
	Tokens  json.RawMessage `json:"tokens"`            // Gemini
	Payload json.RawMessage `json:"payload"`           // Codex
	Data    json.RawMessage `json:"data"`              // Copilot
}

// measures are what a line contains that says something of the context.
var measures = []string{
	`"usage"`, "compact_boundary", `"usageMetadata"`, `"tokens"`, `"token_count"`, `"turn_context"`, `"compacted"`,
	`"context_token_limit"`,
}

func (m *usageMeter) line(line []byte) {
	in := func(mark string) bool { return bytes.Contains(line, []byte(mark)) }
	if len(line) > MaxLine || !slices.ContainsFunc(measures, in) {
		return
	}
	var r measured
	if json.Unmarshal(line, &r) != nil || r.Sidechain {
		return
	}
	switch {
	case len(r.Payload) > 0:
		m.codex(r)
	case len(r.Data) > 0:
		m.copilot(r)
	case len(r.Used) > 0:
		m.qwen(r)
	case len(r.Tokens) > 0:
		m.gemini(r)
	case r.Type == "assistant":
		m.message(r)
	case r.Type == "system" && r.Subtype == "compact_boundary":
		m.boundary(r)
	}
}

// message takes the numbers of one. Each of its records repeats them, the later
// ones better; one whose numbers are none says nothing.
func (m *usageMeter) message(r measured) {
	var said struct {
		Model string                     `json:"model"`
		Usage map[string]json.RawMessage `json:"usage"`
	}
	if json.Unmarshal(r.Message, &said) != nil || said.Model == synthetic {
		return
	}
	m.add(r, said.Model, said.Usage["input_tokens"], said.Usage["cache_creation_input_tokens"],
		said.Usage["cache_read_input_tokens"], said.Usage["output_tokens"])
}

// add takes the sum of counts as the context usage after a record. Of counts that are none it takes nothing.
func (m *usageMeter) add(r measured, model string, counts ...json.RawMessage) {
	total := 0
	for _, count := range counts {
		n, ok := tokens(count)
		if !ok {
			return
		}
		total += n
	}
	if total == 0 || total > maxTokens {
		return
	}
	m.model = model
	m.fill.Tokens, m.fill.At, m.fill.Model = total, stampOf(r.Timestamp), m.model
}

// window takes the size of the context window, if it is one.
func (m *usageMeter) window(raw json.RawMessage) {
	if n, ok := tokens(raw); ok && n > 0 {
		m.fill.Window = n
	}
}

// boundary begins a new context. Where the client cut the old one by itself is
// where it will do so again.
func (m *usageMeter) boundary(r measured) {
	before, ok := tokens(r.Compaction.Before)
	if ok && before > 0 && r.Compaction.Trigger == "auto" {
		m.fill.AutoCompactTokens, m.cliffModel = before, m.model
	}
	m.fill.Tokens, m.fill.At = 0, time.Time{}
}

// tokens reads a count. A missing one is 0; ok is false for what is no number,
// negative, broken or larger than any context.
func tokens(raw json.RawMessage) (n int, ok bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return 0, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || !(f >= 0 && f <= maxTokens) {
		return 0, false
	}
	return int(f), f == float64(int(f))
}
