package setup

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Client is an agent other than Claude Code, as an installation sees it. Each of its targets is one file.
type Client struct {
	ID, Name string
	program  string // its command
	dir      func(c Config) string
	hooks    []hook
	targets  []target
	// has reports whether a text has one of the hooks, and binary which program its hooks run; nil for settings in the
	// shape of Claude Code's.
	has    func(src []byte, h hook) bool
	binary func(src []byte) string
	// what of it needs the person's consent, beside the installation; "" if nothing does
	Trust string
	// Experimental means that the client was never run with our hooks: they follow its documents. It is installed for
	// only if the person asks for that.
	Experimental bool
	flat         bool // its hooks are flat, see Entry
	// instructions is the person's own file of instructions, which the agent reads in all projects; nil if there is none
	instructions func(c Config) string
}

// target is a file that an installation edits.
type target struct {
	path func(c Config) string
	// put returns the text with ours in it, cut without it. Text that has nothing of ours comes back as it is.
	put func(src []byte, in input) ([]byte, error)
	cut func(src []byte, in input) ([]byte, error)
	// whole means that all of the file is ours.
	whole bool
	// shared means that other agents read the same file, so that it stays until the last of them goes. It is whole.
	shared bool
	// instructs means that the file is one of instructions, which nothing is written to unless the person asks for it.
	instructs bool
	// empty is the text of a file that is made for us and says nothing else; "" means an empty JSON object.
	empty string
}

// input is what a target's text depends on.
type input struct {
	binary string
	parts  Parts
	// entries are the hooks that the client shall run; hooksFile is where they stand, and hooksText what it holds then.
	entries   []Entry
	hooksFile string
	hooksText []byte
}

// Parts say what is installed.
type Parts struct {
	Hooks, Server, Skills bool
	Instructions          bool // a section in the person's file of instructions
	Trusted               bool // the person agrees that the client trusts the hooks
}

// Clients returns all agents but Claude Code, in the order in which they are shown.
func Clients() []Client {
	return []Client{
		codexClient(), geminiClient(), copilotClient(), qwenClient(), opencodeClient(), cursorClient(), windsurfClient(),
	}
}

// ClientByID returns the agent called id; ok is false if there is none, or it is Claude Code.
func ClientByID(id string) (cl Client, ok bool) {
	for _, cl := range Clients() {
		if cl.ID == id {
			return cl, true
		}
	}
	return Client{}, false
}

func codexClient() Client {
	dir := func(c Config) string { return cmp.Or(c.CodexDir, filepath.Join(c.Home, ".codex")) }
	return Client{
		ID: "codex", Name: "Codex CLI", program: "codex", dir: dir,
		instructions: func(c Config) string { return filepath.Join(dir(c), "AGENTS.md") },
		Trust:        "Codex runs a hook only after its hash is in config.toml",
		hooks: []hook{
			{"SessionStart", "", 10},
			{"UserPromptSubmit", "", 5},
			{"PostToolUse", "", 5},
			{"Stop", "", 5},
			{"SubagentStart", "", 5},
			{"SubagentStop", "", 5},
			{"PreCompact", "", 10},
			{"PostCompact", "", 5},
			{"SessionEnd", "", 3},
		},
		targets: []target{
			{path: func(c Config) string { return filepath.Join(dir(c), "hooks.json") }, put: putHooks, cut: cutHooks},
			{path: func(c Config) string { return filepath.Join(dir(c), "config.toml") }, put: putCodex, cut: cutCodex},
		},
	}
}

func geminiClient() Client {
	dir := func(c Config) string { return filepath.Join(c.Home, ".gemini") }
	return Client{
		ID: "gemini", Name: "Gemini CLI", program: "gemini", dir: dir,
		instructions: func(c Config) string { return filepath.Join(dir(c), "GEMINI.md") },
		hooks: []hook{ // in milliseconds
			{"SessionStart", "", 10_000},
			{"BeforeAgent", "", 5000},
			{"AfterTool", "", 5000},
			{"AfterAgent", "", 5000},
			{"PreCompress", "manual", 10_000}, // the automatic one comes before every call of the model
			{"SessionEnd", "", 10_000},
		},
		targets: []target{{
			path: func(c Config) string { return filepath.Join(dir(c), "settings.json") }, put: putSettings, cut: cutSettings,
		}},
	}
}

func qwenClient() Client {
	dir := func(c Config) string { return filepath.Join(c.Home, ".qwen") }
	return Client{
		ID: "qwen", Name: "Qwen Code", program: "qwen", dir: dir,
		instructions: func(c Config) string { return filepath.Join(dir(c), "QWEN.md") },
		hooks: []hook{
			{"SessionStart", "", 10},
			{"UserPromptSubmit", "", 5},
			{"PostToolUse", "", 5},
			{"PostToolUseFailure", "", 5},
			{"Stop", "", 5},
			{"StopFailure", "", 5},
			{"SubagentStart", "", 5},
			{"SubagentStop", "", 5},
			{"PreCompact", "", 10},
			{"PostCompact", "", 5},
			{"SessionEnd", "", 10},
		},
		targets: []target{{
			path: func(c Config) string { return filepath.Join(dir(c), "settings.json") }, put: putSettings, cut: cutSettings,
		}},
	}
}

// cursorEmpty is a file of hooks that has none. Cursor reads no file without a version.
const cursorEmpty = "{\n  \"version\": 1\n}\n"

func cursorClient() Client {
	dir := func(c Config) string { return filepath.Join(c.Home, ".cursor") }
	return Client{
		ID: "cursor", Name: "Cursor", program: "cursor", dir: dir, Experimental: true, flat: true,
		hooks: []hook{
			{"sessionStart", "", 10},
			{"beforeSubmitPrompt", "", 5},
			{"postToolUse", "", 5},
			{"postToolUseFailure", "", 5},
			{"afterFileEdit", "", 5},
			{"preCompact", "", 10},
			{"afterAgentResponse", "", 5},
			{"sessionEnd", "", 10},
		},
		targets: []target{
			{
				path: func(c Config) string { return filepath.Join(dir(c), "hooks.json") }, put: putCursorHooks, cut: cutHooks,
				empty: cursorEmpty,
			},
			serverTarget(func(c Config) string { return filepath.Join(dir(c), "mcp.json") }),
		},
	}
}

func windsurfClient() Client {
	dir := func(c Config) string { return filepath.Join(c.Home, ".codeium", "windsurf") }
	return Client{
		ID: "windsurf", Name: "Windsurf", program: "windsurf", dir: dir, Experimental: true, flat: true,
		instructions: func(c Config) string { return filepath.Join(dir(c), "memories", "global_rules.md") },
		hooks: []hook{ // without time limits, which it has none of
			{"pre_user_prompt", "", 0},
			{"post_write_code", "", 0},
			{"post_run_command", "", 0},
			{"post_mcp_tool_use", "", 0},
			{"post_cascade_response", "", 0},
		},
		targets: []target{
			{path: func(c Config) string { return filepath.Join(dir(c), "hooks.json") }, put: putHooks, cut: cutHooks},
			serverTarget(func(c Config) string { return filepath.Join(dir(c), "mcp_config.json") }),
		},
	}
}

// serverTarget is a file that holds MCP servers and no hooks.
func serverTarget(path func(c Config) string) target {
	return target{
		path: path,
		put: func(src []byte, in input) ([]byte, error) {
			return putServer(src, in, serverForm{"mcpServers", plainServer})
		},
		cut: func(src []byte, _ input) ([]byte, error) { return unmergeServer(src, "mcpServers") },
	}
}

func copilotClient() Client {
	dir := func(c Config) string { return filepath.Join(c.Home, ".copilot") }
	return Client{
		ID: "copilot", Name: "GitHub Copilot CLI", program: "copilot", dir: dir,
		instructions: func(c Config) string { return filepath.Join(dir(c), "copilot-instructions.md") },
		hooks: []hook{ // the client's payloads do not name their event
			{"sessionStart", "session-start", 10},
			{"userPromptSubmitted", "user-prompt-submit", 5},
			{"postToolUse", "post-tool-use", 5},
			{"postToolUseFailure", "post-tool-use-failure", 5},
			{"preCompact", "pre-compact", 10},
			{"agentStop", "stop", 5},
			{"sessionEnd", "session-end", 10},
		},
		has: func(src []byte, h hook) bool { return bytes.Contains(src, []byte(hookWord+"copilot "+h.matcher+`"`)) },
		targets: []target{
			{
				path: func(c Config) string { return filepath.Join(dir(c), "hooks", "remanence.json") },
				put:  putCopilotHooks, whole: true,
			},
			{
				path: func(c Config) string { return filepath.Join(dir(c), "mcp-config.json") },
				put: func(src []byte, in input) ([]byte, error) {
					return putServer(src, in, serverForm{"mcpServers", copilotServer})
				},
				cut: func(src []byte, _ input) ([]byte, error) { return unmergeServer(src, "mcpServers") },
			},
		},
	}
}

// entries are the hooks that run a binary.
func (cl Client) entries(binary string) []Entry {
	var list []Entry
	for _, h := range cl.hooks {
		e := Entry{Event: h.event, Command: shellWord(binary) + hookWord + cl.ID, Timeout: h.timeout, Flat: cl.flat}
		if cl.ID == "copilot" {
			e.Command += " " + h.matcher
		} else {
			e.Matcher = h.matcher
		}
		list = append(list, e)
	}
	return list
}

// putHooks merges the hooks into a file that has the shape of Claude Code's settings.
func putHooks(src []byte, in input) ([]byte, error) {
	if !in.parts.Hooks {
		return src, nil
	}
	return Merge(src, in.entries)
}

func cutHooks(src []byte, _ input) ([]byte, error) { return Unmerge(src, Ours) }

// putCursorHooks is putHooks for Cursor, whose file needs a version.
func putCursorHooks(src []byte, in input) ([]byte, error) {
	out, err := putHooks(src, in)
	if err != nil || !in.parts.Hooks {
		return out, err
	}
	d, err := parse(out)
	if err != nil || d.root.get("version") != nil {
		return out, err
	}
	return d.with(d.add(styleOf(d), d.root, func(st style, _ string) string { return `"version"` + st.colon + "1" })), nil
}

// putSettings merges the hooks and the server into one file.
func putSettings(src []byte, in input) ([]byte, error) {
	out, err := putHooks(src, in)
	if err != nil {
		return nil, err
	}
	return putServer(out, in, serverForm{"mcpServers", plainServer})
}

func cutSettings(src []byte, _ input) ([]byte, error) {
	out, err := unmergeServer(src, "mcpServers")
	if err != nil {
		return nil, err
	}
	return Unmerge(out, Ours)
}

func putServer(src []byte, in input, form serverForm) ([]byte, error) {
	if !in.parts.Server {
		return src, nil
	}
	return mergeServer(src, in.binary, form)
}

// plainServer is the entry of our server for clients that start every server with a command.
func plainServer(st style, binary string) string {
	return "{" + strings.Join([]string{
		`"command"` + st.colon + quote(binary), `"args"` + st.colon + `["mcp"]`,
	}, ","+st.gap) + "}"
}

func copilotServer(st style, binary string) string {
	return "{" + strings.Join([]string{
		`"type"` + st.colon + `"local"`, `"command"` + st.colon + quote(binary), `"args"` + st.colon + `["mcp"]`,
		`"tools"` + st.colon + `["*"]`,
	}, ","+st.gap) + "}"
}

// putCopilotHooks writes the file of our hooks, which holds nothing else.
func putCopilotHooks(src []byte, in input) ([]byte, error) {
	if len(src) > 0 && !bytes.Contains(src, []byte(hookWord+"copilot ")) {
		return nil, fmt.Errorf("%w: the file holds something else", ErrShape)
	}
	if !in.parts.Hooks {
		return src, nil
	}
	var events []string
	for _, e := range in.entries {
		events = append(events, fmt.Sprintf(
			"    %s: [{\"type\": \"command\", \"bash\": %s, \"powershell\": %s, \"timeoutSec\": %d}]",
			quote(e.Event), quote(e.Command), quote("& "+e.Command), e.Timeout))
	}
	return []byte("{\n  \"version\": 1,\n  \"hooks\": {\n" + strings.Join(events, ",\n") + "\n  }\n}\n"), nil
}

// found reports whether the agent is on this machine.
func (cl Client) found(c Config) bool {
	dir := cl.dir(c)
	return SameFile(dir, dir) || findProgram(c.Path, cl.program) != ""
}

// files lists what an installation edits.
func (cl Client) files(c Config) []string {
	var list []string
	for _, t := range cl.targetsFor(c) {
		list = append(list, t.path(c))
	}
	return list
}

// inputFor is what the client's targets depend on.
func (cl Client) inputFor(c Config, parts Parts) (input, error) {
	in := input{binary: c.Binary, parts: parts, entries: cl.entries(c.Binary), hooksFile: cl.targets[0].path(c)}
	f, err := read(in.hooksFile)
	in.hooksText = f.data
	return in, err
}

// hasHooks counts the hooks of ours in a text, each event once.
func (cl Client) hasHooks(src []byte) []string {
	var events []string
	for _, h := range cl.hooks {
		if cl.has != nil {
			if cl.has(src, h) {
				events = append(events, h.event)
			}
			continue
		}
		d, err := parse(src)
		if err == nil && slices.ContainsFunc(d.handlers(), func(f found) bool {
			return f.live && f.Event == h.event && Ours(f.Handler)
		}) {
			events = append(events, h.event)
		}
	}
	return events
}
