//go:build e2e

package e2e

import (
	"encoding/json"
	"maps"
)

// turn is one answer of the scripted model; see the bench's README.
type turn map[string]any

// script is what the model says, in the order in which it is asked.
func script(turns ...turn) string { return scene(nil, turns...) }

// scene is a script with more around the main conversation.
func scene(more map[string]any, turns ...turn) string {
	all := map[string]any{"turns": turns}
	maps.Copy(all, more)
	b, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func says(text string) turn { return turn{"text": text} }

func calls(tool string, input map[string]any) turn {
	return turn{"content": []any{map[string]any{"type": "tool_use", "name": tool, "input": input}}}
}

// saysAndCalls writes a text and runs a command in one message.
func saysAndCalls(text, command string) turn {
	return turn{"content": []any{
		map[string]any{"type": "text", "text": text},
		map[string]any{
			"type": "tool_use", "name": "Bash",
			"input": map[string]any{"command": command, "description": "run it"},
		},
	}}
}

func bash(command string) turn {
	return calls("Bash", map[string]any{"command": command, "description": "run it"})
}

// reads reads a file of the project.
func reads(file string) turn { return calls("Read", map[string]any{"file_path": "@CWD@/" + file}) }

func edits(file, from, to string) turn {
	return calls("Edit", map[string]any{"file_path": "@CWD@/" + file, "old_string": from, "new_string": to})
}

// given adds what the request that the turn answers has to hold.
func (t turn) given(words ...string) turn { t["expect"] = words; return t }

// without adds what it must not hold.
func (t turn) without(words ...string) turn { t["expect_not"] = words; return t }

// filling makes the client believe that its window is nearly full.
func (t turn) filling() turn {
	t["usage"] = map[string]any{"input_tokens": 960000, "cache_read_input_tokens": 30000, "output_tokens": 500}
	return t
}
