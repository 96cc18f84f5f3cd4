package transcript

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/rawjson"
)

// Past reads from a record what happened in a session: what was asked, which
// tools were called and how turns ended. It is how a report that never arrived
// is found again.
type Past struct {
	Redact func(string) string          // redacts a text; required
	JSON   func([]byte) json.RawMessage // redacts the input of a question that waits for its answer; required
	Own    func(prompt string) bool     // reports whether a prompt is one of our commands; nil means none is
	// Unnumbered also reads turns without an id, as clients before 2.1 wrote them. They get the id of their prompt's
	// line. Their turns end with the last words, as those clients recorded no reason for the end of a message.
	// Only for sessions of which no hook reported anything: its events would have no such id.
	Unnumbered bool
}

// Read returns, in order, the events in the transcript of a session after a position and up to a time, followed by the
// tool calls in the transcripts of its subagents since then. Turns of private prompts and of our own commands are left
// out whole. Transcripts of other sessions are skipped, and so are lines without the id of a turn. Inputs and responses
// of tool calls are as the client wrote them: most is left out of what is stored, so the caller redacts what it stores.
//
// A last turn without an end yields a Stop with Source mem.Interrupted and all that the
// assistant wrote in it: it may go on, or have been cut off. If a question of mem.ToolAsk waits for its answer, the
// Stop has that tool and its input.
//
// The position returned is the beginning of the last turn, which is read again the
// next time, since it may go on. A transcript that was replaced is read from its
// beginning; one that does not exist has no events. With an error, the position is
// that of the last event returned.
func (p Past) Read(ctx context.Context, record string, since mem.TranscriptPosition, until time.Time,
	give func(mem.Event) error,
) (mem.TranscriptPosition, error) {
	if p.Redact == nil || p.JSON == nil {
		return since, errNoRedactor
	}
	f, size, err := open(record)
	if errors.Is(err, fs.ErrNotExist) {
		return since, nil
	}
	if err != nil {
		return since, fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close()
	from := since.To
	if from < 0 || from > size || !sameBefore(record, mark{Next: since.To, Last: since.Hash}) {
		from = 0
	}
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return since, fmt.Errorf("read transcript: %w", err)
	}
	c := eventReader{
		Past: p, session: since.Session, until: until, give: give, next: from, calls: map[string]block{},
		hidden: map[string]bool{},
	}
	c.turn.from = from
	failed := c.read(ctx, &lineReader{r: bufio.NewReaderSize(f, 64<<10)})
	if failed == nil {
		failed = c.subagents(ctx, record)
	}
	now := mem.TranscriptPosition{Session: since.Session, To: c.turn.from}
	if now.Hash, err = hashBefore(record, now.To); err != nil {
		return since, fmt.Errorf("read transcript: %w", errors.Join(failed, err))
	}
	if failed != nil {
		return now, fmt.Errorf("read transcript: %w", failed)
	}
	return now, nil
}

// eventReader is one reading.
type eventReader struct {
	Past
	reader  Reader
	session string
	until   time.Time
	give    func(mem.Event) error
	next    int64            // where the next line begins
	calls   map[string]block // that wait for their result, by id
	waiting int              // what they weigh
	hidden  map[string]bool  // turns that are left out, by id
	turn    turn
	first   time.Time // when the first thing read was written
	reasons bool      // the client records why a message stopped
	agent   subagent  // whose record it is; the zero value for the session's own
}

// turn is the one that is being read.
type turn struct {
	id      string
	from    int64     // where it begins
	said    []string  // by the assistant in its last message
	before  []string  // by it in earlier messages of the turn
	size    int       // of that, in bytes
	message string    // its id
	at      time.Time // of its last part
	ended   bool      // it is the last word of the turn
	asked   string    // id of the last call that asks the person something
}

// maxWaiting bounds the calls that wait for their result, in bytes.
const maxWaiting = 8 << 20

func (c *eventReader) read(ctx context.Context, lines *lineReader) error {
	for n := 0; ; n++ {
		line, size, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && n%1000 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		at := c.next
		c.next += size
		young, err := c.line(line, at)
		if err != nil {
			return err
		}
		if young {
			break
		}
	}
	if c.turn.ended {
		return c.finishTurn()
	}
	return c.cutOff()
}

// line reads one line. young reports whether it, and so all that follow, are too young.
func (c *eventReader) line(line []byte, at int64) (young bool, err error) {
	if len(line) == 0 {
		return false, nil
	}
	records, _ := c.reader.records(line)
	for _, r := range records {
		if young, err = c.record(r, at); young || err != nil {
			return young, err
		}
	}
	return false, nil
}

func (c *eventReader) record(r record, at int64) (young bool, err error) {
	if r.Type != "user" && r.Type != "assistant" {
		return false, nil
	}
	if r.Sidechain != (c.agent.id != "") || r.Sidechain && r.Agent != c.agent.id || r.Session != "" &&
		r.Session != c.session {
		return false, nil
	}
	when := stamp(r)
	if c.first.IsZero() {
		c.first = when
	}
	if when.After(c.until) {
		return true, nil
	}
	m, ok := readMessage(r.Message)
	if !ok {
		return false, nil
	}
	if r.Type == "assistant" {
		c.assistant(m, when)
		return false, nil
	}
	text, ok := words(m.Content)
	if ok && chars.IsInterruption(text) {
		c.turn.ended = false
	}
	if r.PromptID == "" && c.Unnumbered {
		r.PromptID = c.number(r, text)
	}
	if r.PromptID == "" {
		return false, nil
	}
	if r.PromptID != c.turn.id {
		if err := c.finishTurn(); err != nil {
			return false, err
		}
		c.turn = turn{id: r.PromptID, from: at}
	}
	if result := resultOf(m.Content); result.ToolUseID != "" {
		return false, c.result(r, result, when)
	}
	return false, c.prompt(r, text, when)
}

// number returns the id of the turn that a line without one belongs to: its own if a prompt begins there.
func (c *eventReader) number(r record, text string) string {
	if text == "" || c.agent.id != "" || r.Meta || r.Summary || chars.IsClientText(text) {
		return c.turn.id
	}
	return r.ID
}

// prompt takes what was asked, by a person or by the client for one.
func (c *eventReader) prompt(r record, text string, at time.Time) error {
	if c.agent.id != "" || r.Meta || r.Summary || text == "" {
		return nil
	}
	if name := commandName(text); name != "" {
		c.hidden[c.turn.id] = c.hidden[c.turn.id] || c.Own != nil && c.Own(name)
		return nil // whether it was sent to the model, and as what, is not on record
	}
	if c.Own != nil && c.Own(text) {
		c.hidden[c.turn.id] = true
		return nil
	}
	if chars.IsClientText(text) && !strings.HasPrefix(text, "<task-notification>") {
		return nil
	}
	prompt := strings.TrimSpace(c.Redact(text))
	if prompt == "" {
		c.hidden[c.turn.id] = true
		return nil
	}
	if c.hidden[c.turn.id] {
		return nil
	}
	return c.give(mem.Event{Kind: mem.UserPromptSubmit, At: at, PromptID: c.turn.id, Text: prompt})
}

// assistant takes one part of a message: words, or a call.
func (c *eventReader) assistant(m message, at time.Time) {
	t := &c.turn
	if m.Model == synthetic {
		t.ended = false // the turn was cut off
		return
	}
	if m.ID == "" || m.ID != t.message {
		t.before = append(t.before, t.said...)
		for n := size(t.before); n > MaxWords; { // the newest count most
			n -= len(t.before[0]) + 1
			t.before = t.before[1:]
		}
		t.message, t.said, t.size = m.ID, nil, 0
	}
	blocks, _ := readBlocks(m.Content) // of another form: it says nothing
	for _, b := range blocks {
		switch b.Type {
		case "text":
			t.say(withoutReminders(b.Text))
		case "tool_use":
			if c.wait(b); b.Name == mem.ToolAsk {
				t.asked = b.ID
			}
		}
	}
	t.at, t.ended = at, m.StopReason == "end_turn" || m.StopReason == "stop_sequence"
	c.reasons = c.reasons || m.StopReason != ""
	if n := len(blocks); c.Unnumbered && !c.reasons && n > 0 {
		t.ended = blocks[n-1].Type == "text" // unless more follows
	}
}

// say adds to what is said, up to MaxWords.
func (t *turn) say(text string) {
	if text != "" && t.size+len(text) < MaxWords {
		t.said, t.size = append(t.said, text), t.size+len(text)+1
	}
}

// wait keeps a call until its result is there.
func (c *eventReader) wait(b block) {
	c.forget(b.ID) // it may be on record twice
	b = block{ID: b.ID, Name: b.Name, Input: bytes.Clone(b.Input)}
	if c.waiting += b.weight(); c.waiting > maxWaiting {
		clear(c.calls)
		c.waiting = b.weight()
	}
	c.calls[b.ID] = b
}

// forget takes a call from those that wait.
func (c *eventReader) forget(id string) (call block, known bool) {
	if call, known = c.calls[id]; known {
		delete(c.calls, id)
		c.waiting -= call.weight()
	}
	return call, known
}

// weight is about what a call that waits takes, in bytes.
func (b block) weight() int { return 256 + len(b.ID) + len(b.Name) + len(b.Input) }

// result takes a tool's result, which with its call makes a report. A call that
// was refused, or never ran, made none.
func (c *eventReader) result(r record, b block, at time.Time) error {
	call, known := c.forget(b.ToolUseID)
	if !known || c.hidden[c.turn.id] || r.Denied != "" {
		return nil
	}
	e := mem.Event{
		Kind: mem.PostToolUse, At: at, PromptID: c.turn.id, Tool: chars.Clip(chars.Line(call.Name), maxID),
		ToolUseID: b.ToolUseID, Input: orEmpty(call.Input),
		AgentID: c.agent.id, AgentType: c.agent.kind,
	}
	if r.client != "" {
		return c.foreignResult(r, call, e)
	}
	if !b.IsError {
		e.Response = orEmpty(r.Result)
		return c.give(e)
	}
	said := textOf(b.Content)
	if strings.HasPrefix(said, "<tool_use_error>") || chars.IsClientText(said) {
		return nil
	}
	e.Kind, e.Error = mem.PostToolUseFailure, c.Redact(said)
	return c.give(e)
}

// foreignResult gives out the result of another client's tool.
func (c *eventReader) foreignResult(r record, call block, e mem.Event) error {
	got, ok := r.canonical(call, c.reader.cwd)
	if !ok {
		return nil
	}
	e.Kind, e.Tool, e.Error = got.Kind, chars.Clip(chars.Line(got.Tool), maxID), c.Redact(got.Error)
	e.Input = orEmpty(got.Input)
	e.Response = got.Response
	return c.give(e)
}

// orEmpty returns a JSON value; an empty object if there is none.
func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// finishTurn gives out the end of the turn, if that was reached.
func (c *eventReader) finishTurn() error {
	t := c.turn
	c.turn.ended = false
	if t.id == "" || !t.ended || len(t.said) == 0 || c.hidden[t.id] || c.agent.id != "" {
		return nil
	}
	return c.give(mem.Event{
		Kind: mem.Stop, At: t.at, PromptID: t.id,
		Text: strings.TrimSpace(c.Redact(strings.Join(t.said, "\n"))),
	})
}

// cutOff gives out what was written in a turn whose end is not on record.
func (c *eventReader) cutOff() error {
	t := c.turn
	written := slices.Concat(t.before, t.said)
	asked := c.calls[t.asked]
	if t.id == "" || len(written) == 0 && asked.ID == "" || c.hidden[t.id] || c.agent.id != "" {
		return nil
	}
	e := mem.Event{
		Kind: mem.Stop, Source: mem.Interrupted, At: t.at, PromptID: t.id,
		Text: strings.TrimSpace(c.Redact(strings.Join(written, "\n\n"))),
	}
	if asked.ID != "" {
		e.Tool, e.Input = mem.ToolAsk, c.JSON(asked.Input)
	}
	return c.give(e)
}

// size is how many bytes texts have, with a separator each.
func size(texts []string) (n int) {
	for _, s := range texts {
		n += len(s) + 1
	}
	return n
}

// resultOf is the result that a content holds; the zero block if it holds none.
func resultOf(content json.RawMessage) block {
	blocks, ok := readBlocks(content)
	if !ok {
		return block{}
	}
	for _, b := range blocks {
		if b.Type == "tool_result" {
			return b
		}
	}
	return block{}
}

// textOf is the text of a result: a string or blocks.
func textOf(content json.RawMessage) string {
	if s, ok := rawjson.String(content); ok {
		return s
	}
	blocks, _ := readBlocks(content) // of another form: it says nothing
	var texts []string
	for _, b := range blocks {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, "\n")
}

// commandName is the command of the client that a record is about, as
// "/name"; empty if it is about none.
func commandName(text string) string {
	_, rest, found := strings.Cut(text, "<command-name>")
	if !found || !chars.IsClientText(text) {
		return ""
	}
	name, _, _ := strings.Cut(rest, "</command-name>")
	return "/" + strings.TrimPrefix(strings.TrimSpace(name), "/")
}
