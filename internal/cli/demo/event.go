package demo

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// what names an event for the eye.
func (s *player) what(payload []byte) string {
	var in struct {
		Event string `json:"hook_event_name"`
		Tool  string `json:"tool_name"`
	}
	_ = json.Unmarshal(payload, &in) // bundled, and checked by a test
	switch in.Event {
	case "PostToolUse":
		return in.Tool
	case "PostToolUseFailure":
		return in.Tool + " failed"
	}
	return in.Event
}

// takenOut lists what redaction removes from a payload.
func (s *player) takenOut(payload []byte) []string {
	o, err := s.redactor.Object(bytes.NewReader(payload))
	if err != nil {
		return nil
	}
	var out []string
	if o.Counts.Private > 0 {
		out = append(out, "a private span")
	}
	for _, kind := range slices.Sorted(maps.Keys(o.Counts.Secrets)) {
		out = append(out, "a secret ("+kind+")")
	}
	return out
}

func (s *player) detail(payload []byte) string {
	var in struct {
		Prompt string `json:"prompt"`
		Source string `json:"source"`
		Reason string `json:"reason"`
		Last   string `json:"last_assistant_message"`
		Input  struct {
			Command string `json:"command"`
			File    string `json:"file_path"`
		} `json:"tool_input"`
	}
	_ = json.Unmarshal(payload, &in)
	for _, t := range []string{
		in.Prompt, in.Input.Command, strings.TrimPrefix(in.Input.File, s.project+"/"), in.Last,
		in.Source, in.Reason,
	} {
		if t != "" {
			return s.redactor.Text(t)
		}
	}
	return ""
}

// contextOf returns the context that a hook's output injects.
func contextOf(out []byte) string {
	var o struct {
		Specific struct {
			Context string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	_ = json.Unmarshal(out, &o) // silence is an answer
	return o.Specific.Context
}
