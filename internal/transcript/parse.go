package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/rawjson"
)

// record is one line, as far as it matters. Every other type than user,
// assistant and system is passed over: among them are copies of messages and
// what our own hooks said.
type record struct {
	Type      string
	Sidechain bool   // a subagent's
	Agent     string // the subagent's; "" for the main conversation
	Meta      bool   // the client's own words
	Summary   bool
	Origin    string
	Result    json.RawMessage
	Denied    string
	Session   string
	ID        string
	PromptID  string // not on answers
	Branch    string
	Timestamp string
	Message   json.RawMessage
	Cwd       string

	Provenance string         // of Qwen Code's lines
	foreign    bool           // it has a member that only lines of other clients have
	client     string         // that made a tool's result; empty for Claude Code
	payload    map[string]any // of that result
}

// readRecord reads a line; ok is false if it is no record. The record shares its bytes.
func readRecord(line []byte) (r record, ok bool) {
	return r, rawjson.Object(line, func(key, value []byte) {
		switch string(key) {
		case "isSidechain":
			r.Sidechain = string(value) == "true"
		case "isMeta":
			r.Meta = string(value) == "true"
		case "isCompactSummary":
			r.Summary = string(value) == "true"
		case "toolUseResult":
			r.Result = value
		case "message":
			r.Message = value
		case "openCodePart", "payload", "data", "$set":
			r.foreign = true
		default:
			if text := r.text(string(key)); text != nil {
				*text, _ = rawjson.String(value)
			}
		}
	})
}

// text returns the place of the text that a line has under a key; nil if it is of no use.
func (r *record) text(key string) *string {
	switch key {
	case "type":
		return &r.Type
	case "agentId":
		return &r.Agent
	case "turnOrigin":
		return &r.Origin
	case "toolDenialKind":
		return &r.Denied
	case "sessionId":
		return &r.Session
	case "uuid":
		return &r.ID
	case "promptId":
		return &r.PromptID
	case "gitBranch":
		return &r.Branch
	case "timestamp":
		return &r.Timestamp
	case "cwd":
		return &r.Cwd
	case "provenance":
		return &r.Provenance
	}
	return nil
}

type message struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"` // a string or blocks

	StopReason string `json:"stop_reason"`
}

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`

	ID    string          `json:"id"` // of a call
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`

	ToolUseID string          `json:"tool_use_id"` // of a result
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// readMessage reads the message of a record; ok is false if it is none. The message shares its bytes.
func readMessage(raw []byte) (m message, ok bool) {
	return m, rawjson.Object(raw, func(key, value []byte) {
		switch string(key) {
		case "id":
			m.ID, _ = rawjson.String(value)
		case "model":
			m.Model, _ = rawjson.String(value)
		case "content":
			m.Content = value
		case "stop_reason":
			m.StopReason, _ = rawjson.String(value)
		}
	})
}

// readBlocks reads the content of a message; ok is false if it is of another form. The blocks share its bytes.
func readBlocks(content []byte) (blocks []block, ok bool) {
	known := true
	isList := rawjson.Array(content, func(item []byte) {
		var b block
		known = rawjson.Object(item, func(key, value []byte) {
			switch string(key) {
			case "type":
				b.Type, _ = rawjson.String(value)
			case "text":
				b.Text, _ = rawjson.String(value)
			case "id":
				b.ID, _ = rawjson.String(value)
			case "name":
				b.Name, _ = rawjson.String(value)
			case "input":
				b.Input = value
			case "tool_use_id":
				b.ToolUseID, _ = rawjson.String(value)
			case "content":
				b.Content = value
			case "is_error":
				b.IsError = string(value) == "true"
			}
		}) && known
		blocks = append(blocks, b)
	})
	return blocks, isList && known
}

// synthetic is the model of messages that the client made itself, such as API errors.
const synthetic = "<synthetic>"

// parser turns lines into a Part.
type parser struct {
	reader Reader
	part   Part
	at     int64    // where the line begins
	words  int      // bytes of text so far
	prompt string   // id of the turn
	more   []string // of the last thing said: what came after its first record
}

// line takes one line; nil is one that was too long.
func (p *parser) line(line []byte) {
	if line == nil {
		p.part.Bad++
		return
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	records, known := p.reader.records(line)
	if !known {
		p.part.Bad++
	}
	for _, r := range records {
		p.record(r)
	}
}

func (p *parser) record(r record) {
	if r.Sidechain {
		return
	}
	if r.PromptID != "" {
		p.prompt = r.PromptID
	}
	if r.Type != "user" && r.Type != "assistant" {
		return
	}
	m, ok := readMessage(r.Message)
	if !ok {
		p.part.Bad++
		return
	}
	if r.Type == "user" {
		p.user(r, m)
	} else {
		p.assistant(r, m)
	}
}

// user takes what a person typed. Records of type user are also tool results
// and the client's own notes to the model.
func (p *parser) user(r record, m message) {
	result := len(r.Result) > 0 && string(r.Result) != "null"
	if result || r.Meta || r.Summary || r.Origin == "task_notification" {
		return
	}
	text, ok := words(m.Content)
	if !ok || chars.IsClientText(text) {
		return
	}
	if r.PromptID == "" {
		p.prompt = ""
	}
	p.say(r, Utterance{Quote: mem.Quote{Who: User, Text: text}})
}

// assistant takes one content block of a message: each is a record of its own.
func (p *parser) assistant(r record, m message) {
	if m.Model == synthetic {
		return
	}
	text, ok := words(m.Content)
	if !ok || text == "" {
		return
	}
	if n := len(p.part.Said); n > 0 && m.ID != "" {
		if last := p.part.Said[n-1]; last.Who == Assistant && last.Message == m.ID {
			p.more = append(p.more, text)
			p.words += len(text) + 1
			return
		}
	}
	p.say(r, Utterance{Quote: mem.Quote{Who: Assistant, Text: text}, Message: m.ID})
}

// say adds an utterance with what its record says beside the words.
func (p *parser) say(r record, u Utterance) {
	p.join()
	u.ID, u.At, u.PromptID, u.Branch, u.From = r.ID, stamp(r), p.prompt, r.Branch, p.at
	p.part.Said = append(p.part.Said, u)
	p.words += len(u.Text)
}

// join ends the last thing said, at once: a message may come in any number of records.
func (p *parser) join() {
	if len(p.more) > 0 {
		p.part.Said[len(p.part.Said)-1].Text += "\n" + strings.Join(p.more, "\n")
		p.more = nil
	}
}

// finish redacts every text and drops utterances without any text left. If that is a prompt, or a part of one is
// hidden, the rest of its turn is private: the answers are dropped.
func (p *parser) finish(redact func(string) string, hidden func(string) bool) Part {
	p.join()
	kept := p.part.Said[:0]
	private, turn := false, ""
	for _, u := range p.part.Said {
		said := u.Text
		u.Text = strings.TrimSpace(redact(said))
		if u.Who == User {
			again := private && u.PromptID != "" && u.PromptID == turn
			private, turn = again || said != "" && u.Text == "" || hidden(said), u.PromptID
		}
		if u.Text == "" || private && u.Who != User {
			continue
		}
		kept = append(kept, u)
	}
	p.part.Said, p.part.PromptID, p.part.Private = kept, p.prompt, private
	return p.part
}

// words returns the text of a message's content without reminders; ok is false
// if it holds a tool's result or is of no known form.
func words(content json.RawMessage) (text string, ok bool) {
	if text, ok = rawjson.String(content); ok {
		return chars.WithoutPlanNote(withoutReminders(text)), true
	}
	blocks, ok := readBlocks(content)
	if !ok {
		return "", false
	}
	var texts []string
	for _, b := range blocks {
		if b.Type == "tool_result" {
			return "", false
		}
		if t := chars.WithoutPlanNote(withoutReminders(b.Text)); b.Type == "text" && t != "" {
			texts = append(texts, t)
		}
	}
	return strings.Join(texts, "\n"), true
}

// withoutReminders removes the client's reminders to the model from a prompt. A reminder that is not closed extends to
// the end.
func withoutReminders(s string) string {
	const begin, end = "<system-reminder>", "</system-reminder>"
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, begin)
		b.WriteString(before)
		if !found {
			return strings.TrimSpace(b.String())
		}
		_, s, _ = strings.Cut(rest, end)
	}
}

func stamp(r record) time.Time { return stampOf(r.Timestamp) }

// stampOf reads a time; the zero time for what is none.
func stampOf(s string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}
