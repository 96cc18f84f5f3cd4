package setup

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// OpenCode has no hooks that run a program. It loads JavaScript into its own process: ours runs the hook.

//go:embed opencode.js
var opencodePlugin string

// opencodeCommand begins the line of the plugin that names the program. An array of JSON follows.
const opencodeCommand = "\nconst command = "

// opencodeEmpty is a configuration that sets nothing. OpenCode adds the schema to one that lacks it.
const opencodeEmpty = "{\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n"

func opencodeClient() Client {
	dir := func(c Config) string {
		if c.ConfigHome != "" {
			return filepath.Join(c.ConfigHome, "opencode")
		}
		return filepath.Join(c.Home, ".config", "opencode")
	}
	return Client{
		ID: "opencode", Name: "OpenCode", program: "opencode", dir: dir,
		instructions: func(c Config) string { return filepath.Join(dir(c), "AGENTS.md") },
		hooks: []hook{
			{"session.created", "", 10},
			{"chat.message", "", 5},
			{"tool.execute.after", "", 5},
			{"message.part.updated", "", 5},
			{"session.idle", "", 5},
			{"experimental.session.compacting", "", 5},
			{"session.compacted", "", 5},
			{"dispose", "", 5},
		},
		has:    hasOpencode,
		binary: opencodeBinary,
		targets: []target{
			{
				path: func(c Config) string { return filepath.Join(dir(c), "plugins", "remanence.js") },
				put:  putOpencodePlugin, whole: true,
			},
			{
				path: func(c Config) string { return filepath.Join(dir(c), "opencode.json") },
				put: func(src []byte, in input) ([]byte, error) {
					return putServer(src, in, serverForm{"mcp", opencodeServer})
				},
				cut:   func(src []byte, _ input) ([]byte, error) { return unmergeServer(src, "mcp") },
				empty: opencodeEmpty,
			},
		},
	}
}

// putOpencodePlugin writes the file of our plugin, which holds nothing else.
func putOpencodePlugin(src []byte, in input) ([]byte, error) {
	if len(src) > 0 && opencodeBinary(src) == "" {
		return nil, fmt.Errorf("%w: the file holds something else", ErrShape)
	}
	if !in.parts.Hooks {
		return src, nil
	}
	return []byte(strings.Replace(opencodePlugin, "@COMMAND@", opencodeArgs(in.binary, "hook", "opencode"), 1)), nil
}

func opencodeArgs(words ...string) string {
	var list []string
	for _, w := range words {
		list = append(list, quote(w))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// hasOpencode reports whether a text is our plugin and has the hook of an event.
func hasOpencode(src []byte, h hook) bool {
	return opencodeBinary(src) != "" &&
		(bytes.Contains(src, []byte(quote(h.event)+":")) || bytes.Contains(src, []byte("\n    "+h.event+":")))
}

// opencodeBinary is the program that our plugin runs; "" if a text is not our plugin.
func opencodeBinary(src []byte) string {
	_, rest, _ := bytes.Cut(src, []byte(opencodeCommand))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	var words []string
	if json.Unmarshal(line, &words) != nil || len(words) != 3 || words[1] != "hook" || words[2] != "opencode" ||
		!isRemanence(words[0]) {
		return ""
	}
	return words[0]
}

func opencodeServer(st style, binary string) string {
	return "{" + strings.Join([]string{
		`"type"` + st.colon + `"local"`, `"command"` + st.colon + opencodeArgs(binary, "mcp"),
		`"enabled"` + st.colon + "true",
	}, ","+st.gap) + "}"
}
