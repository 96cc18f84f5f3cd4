package agent

import (
	"encoding/json"
	"regexp"
	"strings"

	"remanence/internal/mem"
)

// codex is the dialect of Codex CLI. Events, members and answers are those of Claude Code; what differs is the tools,
// and that an answer with a member that it does not know is dropped as a whole.
func codex() client {
	return client{
		id: codexID, events: claudeEvents(), members: map[string]string{"turn_id": "prompt_id"},
		environ: func(func(string) string) Env { return Env{} }, // it sets no variables
		read: func(e *mem.Event, f fields) bool {
			switch e.Kind {
			case mem.PreToolUse, mem.PostToolUse:
				readCodexTool(e, f)
			}
			return true
		},
		answers: map[mem.EventKind]string{
			mem.SessionStart: "SessionStart", mem.UserPromptSubmit: "UserPromptSubmit", mem.PreToolUse: "PreToolUse",
			mem.PostToolUse: "PostToolUse", mem.PostToolUseFailure: "PostToolUse", mem.SubagentStart: "SubagentStart",
		},
		notices: true,
	}
}

// codexStatus is how the answer of a patch begins. That of a command has no exit status at all.
func codexStatus() *regexp.Regexp {
	return regexp.MustCompile(`\AExit code: (\d+)\n`)
}

func readCodexTool(e *mem.Event, f fields) {
	if e.Tool != "apply_patch" {
		return // Bash and mcp__SERVER__TOOL are canonical
	}
	in, _ := readFields(e.Input)
	readPatch(e, in.text("command"))
	r := result{text: f.text("tool_response")}
	r.status = lastStatus(codexStatus(), r.text)
	if _, output, ok := strings.Cut(r.text, "\nOutput:\n"); ok {
		r.text = output
	}
	r.give(e)
}

// readPatch makes a call of apply_patch the canonical call for what the patch does.
func readPatch(e *mem.Event, patch string) {
	if tool, input, ok := patched(patch, e.Cwd); ok {
		e.Tool, e.Input = tool, input
	}
}

// patched reads a patch as the writing or editing of files; ok is false for one that does neither. The first file is
// the one that the input names; if there are others, all stand in "files". A patch names files as seen from dir.
func patched(patch, dir string) (tool string, input json.RawMessage, ok bool) {
	p := patchReader{dir: dir}
	for line := range strings.Lines(patch) {
		p.line(line)
	}
	if len(p.files) == 0 {
		return "", nil, false
	}
	in := map[string]any{"file_path": p.files[0]}
	if len(p.files) > 1 {
		in["files"] = p.files
	}
	tool = mem.ToolEdit
	switch {
	case len(p.files) == 1 && p.added:
		tool, in["content"] = mem.ToolWrite, p.is.String()
	default:
		in["old_string"], in["new_string"] = p.was.String(), p.is.String()
	}
	input, err := json.Marshal(in)
	return tool, input, err == nil
}

// patchReader collects what a patch does. Text is that of the first file.
type patchReader struct {
	dir     string
	files   []string
	added   bool // the first file is new
	deletes bool // the current file is deleted
	was, is strings.Builder
}

func (p *patchReader) line(line string) {
	for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: "} {
		if name, ok := strings.CutPrefix(line, head); ok {
			p.deletes = strings.Contains(head, "Delete")
			if !p.deletes {
				p.files = append(p.files, below(p.dir, strings.TrimSpace(name)))
				p.added = p.added || len(p.files) == 1 && strings.Contains(head, "Add")
			}
			return
		}
	}
	if len(p.files) != 1 || p.deletes || line == "" {
		return
	}
	switch line[0] {
	case '+':
		p.is.WriteString(line[1:])
	case '-':
		p.was.WriteString(line[1:])
	case ' ':
		p.was.WriteString(line[1:])
		p.is.WriteString(line[1:])
	}
}

// below returns a file's path, which may be relative to a directory.
func below(dir, file string) string {
	if dir == "" || absolute(file) != "" {
		return file
	}
	return strings.TrimRight(dir, "/") + "/" + file
}

// CodexNotify is the word in the command line of the program that Codex runs at the end of a turn, before its argument.
const CodexNotify = "notify"

// CodexTurn returns the payloads of hooks that say what the argument of that program does: the prompt, then the end of
// the turn. It returns nil for an argument that is not the end of a turn, and for a session that find does not want.
// find returns the path of its transcript, "" if there is none.
func CodexTurn(argument string, find func(session string) (transcript string, ok bool)) [][]byte {
	f, ok := open([]byte(argument))
	session := f.text("thread-id")
	if !ok || f.text("type") != "agent-turn-complete" || session == "" {
		return nil
	}
	transcript, ok := find(session)
	if !ok {
		return nil
	}
	var said []string
	_ = json.Unmarshal(f["input-messages"], &said) // of another form: there are no words
	about := map[string]string{
		"session_id": session, "turn_id": f.text("turn-id"), "cwd": f.text("cwd"), "transcript_path": transcript,
	}
	payload := func(event, member, text string) []byte {
		about["hook_event_name"], about[member] = event, text
		defer delete(about, member)
		b, _ := json.Marshal(about) // of texts
		return b
	}
	var out [][]byte
	if prompt := strings.Join(said, "\n\n"); prompt != "" {
		out = append(out, payload("UserPromptSubmit", "prompt", prompt))
	}
	return append(out, payload("Stop", "last_assistant_message", f.text("last-assistant-message")))
}
