package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/views"
)

// CaptureSubject is an engine with a store of its own.
type CaptureSubject interface {
	// Play hands the events of a session to the engine, each at its time, and does the
	// jobs that they leave. transcript holds the agent's own record, as JSON lines.
	Play(ctx context.Context, transcript []byte, events []mem.Event) error
	// Kept returns the active memories that were made in a session.
	Kept(ctx context.Context, session string) ([]mem.Memory, error)
	// Inject returns what a prompt in a new session gets, at a time.
	Inject(ctx context.Context, at time.Time, ask views.NextRequest) (mem.Receipt, error)
}

// ProbeScore counts what prompts of later sessions get.
type ProbeScore struct {
	Probes    int      `json:"probes"`
	Answered  int      `json:"answered"`  // the injected text holds the wanted words
	Unrelated int      `json:"unrelated"` // prompts that nothing kept is about
	False     int      `json:"false"`     // unrelated prompts that got anything
	MustNot   int      `json:"must_not"`  // probes with an injected memory that holds a must-not of the session
	Tokens    float64  `json:"tokens"`    // injected with a probe, mean over all probes
	Notes     []string `json:"notes"`     // probes missed, and what unrelated prompts got
}

const (
	betweenSessions = time.Hour
	untilProbes     = 7 * 24 * time.Hour
	stepTime        = 20 * time.Second
)

// playCapture plays all sessions, an hour apart, then counts what is stored of each, and
// a week later gives the probes.
func playCapture(ctx context.Context, sessions []CaptureSession, on CaptureSubject) (*CaptureScore, *ProbeScore,
	error,
) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	id := func(i int) string { return fmt.Sprintf("exam-%02d", i) }
	for i, s := range sessions {
		p := newScriptPlayer(s, id(i), now)
		p.play(s)
		if err := on.Play(ctx, p.transcript, p.events); err != nil {
			return nil, nil, fmt.Errorf("play %q: %w", s.Name, err)
		}
		now = p.now.Add(betweenSessions)
	}
	score := newCaptureScore()
	for i, s := range sessions {
		kept, err := on.Kept(ctx, id(i))
		if err != nil {
			return nil, nil, fmt.Errorf("memories of %q: %w", s.Name, err)
		}
		score.add(s, storedStatements(kept))
	}
	probes, err := probe(ctx, sessions, now.Add(untilProbes), on)
	return &score, probes, err
}

// storedStatements leaves out memories that are no statements: the record of what was
// done and the words themselves, and open items that are done.
func storedStatements(ms []mem.Memory) []statement {
	var out []statement
	not := append(rawKinds(), mem.Request, mem.Command, mem.Summary, mem.FileNote)
	for _, m := range ms {
		if slices.Contains(not, m.Kind) || m.Kind == mem.Todo && m.Resolved {
			continue
		}
		who := "tool"
		switch m.Trust {
		case mem.TrustUser:
			who = "person"
		case mem.TrustAssistant:
			who = "assistant"
		case mem.TrustTool, mem.TrustNone:
		}
		text := m.Title
		if m.Body != "" {
			text += "\n" + m.Body
		}
		out = append(out, statement{who, string(m.Kind), text})
	}
	return out
}

// probe gives the prompts of later sessions.
func probe(ctx context.Context, sessions []CaptureSession, at time.Time, on CaptureSubject) (*ProbeScore, error) {
	score := &ProbeScore{}
	tokens := 0
	for _, s := range sessions {
		for _, p := range s.Probes {
			receipt, err := on.Inject(ctx, at, views.NextRequest{
				ProjectRef: mem.ProjectRef{Project: projectOf(s)}, Prompt: p.Prompt,
			})
			if err != nil {
				return nil, fmt.Errorf("probe %q: %w", p.Prompt, err)
			}
			if p.Want != nil {
				tokens += receipt.Tokens
			}
			score.add(s, p, receipt)
		}
	}
	if score.Probes > 0 {
		score.Tokens = float64(tokens) / float64(score.Probes)
	}
	return score, nil
}

func (r *ProbeScore) add(s CaptureSession, p CaptureProbe, got mem.Receipt) {
	if p.Want == nil {
		r.Unrelated++
		if len(got.Items) > 0 {
			r.False++
			r.Notes = append(r.Notes, fmt.Sprintf("false: %s: %s: %s", s.Name, p.Prompt, got.Items[0].Title))
		}
		return
	}
	r.Probes++
	if line := mustNotIn(got.Text, s.Not); line != "" {
		r.MustNot++
		r.Notes = append(r.Notes, fmt.Sprintf("must not: %s: %s: %s", s.Name, p.Prompt, line))
	}
	if p.Want.Met(got.Text) {
		r.Answered++
		return
	}
	r.Notes = append(r.Notes, fmt.Sprintf("unanswered: %s: %s: %d items", s.Name, p.Prompt, len(got.Items)))
}

// mustNotIn returns the first injected memory that meets one of the labels. Quotes of the
// conversation, which begin with ">", may hold anything.
func mustNotIn(injected string, not []CaptureLabel) string {
	for line := range strings.Lines(injected) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, ">") && slices.ContainsFunc(not, func(l CaptureLabel) bool { return l.Met(line) }) {
			return line
		}
	}
	return ""
}

// projectOf is the key of a session's project.
func projectOf(s CaptureSession) string {
	name, _, _ := strings.Cut(s.Name, ",")
	return "exam-" + strings.ReplaceAll(strings.ToLower(name), " ", "-")
}

// scriptPlayer turns a script into the events that an agent's hooks report, and into the
// transcript that the agent writes.
type scriptPlayer struct {
	session, root string
	now           time.Time
	turn, n       int
	events        []mem.Event
	transcript    []byte
}

func newScriptPlayer(s CaptureSession, session string, begin time.Time) *scriptPlayer {
	return &scriptPlayer{session: session, root: "/home/dev/" + projectOf(s), now: begin}
}

func (p *scriptPlayer) play(s CaptureSession) {
	p.report(mem.Event{Kind: mem.SessionStart, Source: "startup"})
	for _, t := range s.Turns {
		p.turn++
		p.report(mem.Event{Kind: mem.UserPromptSubmit, Text: t.Prompt})
		p.write("user", map[string]any{"role": "user", "content": t.Prompt}, nil)
		for _, step := range t.Steps {
			p.step(step)
		}
		answer := strings.TrimSpace(t.Answer)
		p.write("assistant", p.message(map[string]any{"type": "text", "text": answer}), nil)
		p.report(mem.Event{Kind: mem.Stop, Text: answer})
	}
	p.report(mem.Event{Kind: mem.SessionEnd, Source: "prompt_input_exit"})
}

// report adds an event, with what every event has.
func (p *scriptPlayer) report(e mem.Event) {
	p.now = p.now.Add(stepTime)
	e.Agent, e.At, e.Session, e.Root, e.Cwd = "claude-code", p.now, p.session, p.root, p.root
	if p.turn > 0 && e.Kind != mem.SessionEnd {
		e.PromptID = fmt.Sprintf("%s-p%d", p.session, p.turn)
	}
	e.Identify(fmt.Sprint("n", len(p.events)))
	p.events = append(p.events, e)
}

// step reports one tool call.
func (p *scriptPlayer) step(s CaptureStep) {
	file := path.Join(p.root, s.On)
	old, changed := changedLines(s.Text)
	switch s.Verb {
	case "read":
		p.call("Read", map[string]any{"file_path": file}, map[string]any{
			"type": "text", "file": map[string]any{"filePath": file, "content": s.Text},
		})
	case "write":
		p.call("Write", map[string]any{"file_path": file, "content": s.Text},
			map[string]any{"type": "create", "filePath": file})
	case "edit":
		p.call("Edit", map[string]any{"file_path": file, "old_string": old, "new_string": changed},
			map[string]any{"filePath": file, "oldString": old, "newString": changed})
	case "run":
		p.call("Bash", map[string]any{"command": s.On}, map[string]any{"stdout": s.Text, "stderr": "", "interrupted": false})
	case "fail":
		p.failure(s, "Exit code 1\n"+s.Text)
	case "deny":
		p.deny(s)
	case "ask":
		p.ask(s)
	}
}

// changedLines returns the lines of an edit that were replaced, and those that replace them.
func changedLines(text string) (old, changed string) {
	for line := range strings.Lines(text) {
		if l, ok := strings.CutPrefix(line, "- "); ok {
			old += l
		} else if l, ok := strings.CutPrefix(line, "+ "); ok {
			changed += l
		}
	}
	return old, changed
}

// call reports a call that worked.
func (p *scriptPlayer) call(tool string, in, out map[string]any) {
	id := p.use(tool, in)
	p.report(mem.Event{
		Kind: mem.PostToolUse, Tool: tool, ToolUseID: id, Input: encoded(in), Response: encoded(out),
	})
	p.write("user", map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": string(encoded(out))},
	}}, map[string]any{"toolUseResult": out})
}

func (p *scriptPlayer) failure(s CaptureStep, message string) {
	in := map[string]any{"command": s.On}
	id := p.use("Bash", in)
	p.report(mem.Event{Kind: mem.PostToolUseFailure, Tool: "Bash", ToolUseID: id, Input: encoded(in), Error: message})
	p.write("user", map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": message, "is_error": true},
	}}, map[string]any{"toolUseResult": "Error: " + message})
}

// deny writes a denied call. No hook reports the denial: it stands in the transcript alone.
func (p *scriptPlayer) deny(s CaptureStep) {
	in := map[string]any{"command": s.On}
	id := p.use("Bash", in)
	p.report(mem.Event{Kind: mem.PreToolUse, Tool: "Bash", ToolUseID: id, Input: encoded(in)})
	message := "The person denied this call and said:\n" + strings.TrimSpace(s.Text)
	p.write("user", map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": message, "is_error": true},
	}}, map[string]any{"toolUseResult": "Error: " + message, "toolDenialKind": "user"})
}

// ask reports a call of the tool that asks the person.
func (p *scriptPlayer) ask(s CaptureStep) {
	var options []map[string]string
	pick := ""
	for line := range strings.Lines(s.Text) {
		line = strings.TrimSpace(line)
		if option, ok := strings.CutPrefix(line, "- "); ok {
			label, description, _ := strings.Cut(option, ": ")
			options = append(options, map[string]string{"label": label, "description": description})
		} else if picked, ok := strings.CutPrefix(line, "= "); ok {
			pick = picked
		}
	}
	questions := []map[string]any{{"question": s.On, "header": "Choice", "options": options, "multiSelect": false}}
	p.call("AskUserQuestion", map[string]any{"questions": questions},
		map[string]any{"questions": questions, "answers": map[string]string{s.On: pick}})
}

// use writes a call into the transcript and returns its id.
func (p *scriptPlayer) use(tool string, in map[string]any) string {
	id := fmt.Sprintf("%s-t%d", p.session, p.n)
	p.write("assistant", p.message(map[string]any{"type": "tool_use", "id": id, "name": tool, "input": in}), nil)
	return id
}

func (p *scriptPlayer) message(block map[string]any) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("%s-m%d", p.session, p.n), "model": "exam", "role": "assistant", "content": []any{block},
	}
}

// write adds a record to the transcript.
func (p *scriptPlayer) write(kind string, message, more map[string]any) {
	p.n++
	r := map[string]any{
		"type": kind, "uuid": fmt.Sprintf("%s-u%d", p.session, p.n), "sessionId": p.session, "cwd": p.root,
		"timestamp": p.now.Format(time.RFC3339Nano), "message": message,
	}
	if kind == "user" {
		r["promptId"] = fmt.Sprintf("%s-p%d", p.session, p.turn)
	}
	for k, v := range more {
		r[k] = v
	}
	p.transcript = append(append(p.transcript, encoded(r)...), '\n')
}

// encoded returns v as JSON. The values of scripts can always be encoded.
func encoded(v any) json.RawMessage {
	raw, _ := json.Marshal(v)
	return raw
}
