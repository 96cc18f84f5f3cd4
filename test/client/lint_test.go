package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// judge lints a record of one wrapped call.
func judge(t *testing.T, end obj) []string { return judgeOn(t, false, end) }

func judgeOn(t *testing.T, crowded bool, end obj) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hooks.jsonl")
	call := func(phase string) obj { return obj{"phase": phase, "mode": "wrap", "name": "x", "pid": 7} }
	appendJSON(path, call("start"))
	last := call("end")
	for k, v := range end {
		last[k] = v
	}
	appendJSON(path, last)
	return lintHooks(path, crowded)
}

func hookOutput(event, context string) string {
	return string(encode(obj{"hookSpecificOutput": obj{"hookEventName": event, "additionalContext": context}}))
}

func TestLintAcceptsWhatTheClientAccepts(t *testing.T) {
	for name, end := range map[string]obj{
		"silence":               {"event": "PreCompact"},
		"context on a prompt":   {"event": "UserPromptSubmit", "stdout": hookOutput("UserPromptSubmit", "tabs")},
		"a line for the person": {"event": "Stop", "stdout": `{"systemMessage":"kept 3 memories"}`},
		"context just in bounds": {
			"event": "SessionStart", "stdout": hookOutput("SessionStart", strings.Repeat("é", maxContext)),
		},
		"a client that leaves":    {"event": "StopFailure", "killed": "terminated", "exit": -1},
		"a SessionEnd within 1 s": {"event": "SessionEnd", "ms": maxSessionEnd},
	} {
		t.Run(name, func(t *testing.T) {
			if got := judge(t, end); len(got) != 0 {
				t.Errorf("findings = %q, want none", got)
			}
		})
	}
}

func TestASlowMachineIsNoFindingOfASessionEnd(t *testing.T) {
	for _, end := range []obj{
		{"event": "SessionEnd", "ms": maxSessionEnd + 1},
		{"event": "SessionEnd", "killed": "terminated", "exit": -1},
	} {
		if got := judgeOn(t, true, end); len(got) != 0 {
			t.Errorf("%v: findings = %q, want none", end, got)
		}
	}
	if got := judgeOn(t, true, obj{"event": "Stop", "killed": "terminated", "exit": -1}); len(got) == 0 {
		t.Error("a Stop that was stopped is a finding however crowded it is")
	}
	if got := unended(t, true, "SessionEnd"); len(got) != 0 {
		t.Errorf("a SessionEnd without an end: findings = %q, want none", got)
	}
}

// unended lints a record of one wrapped call whose end is not recorded.
func unended(t *testing.T, crowded bool, event string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hooks.jsonl")
	appendJSON(path, obj{"phase": "start", "mode": "wrap", "event": event, "name": event, "pid": 9})
	return lintHooks(path, crowded)
}

func TestLintFindsEachBreachOfTheContract(t *testing.T) {
	for want, end := range map[string]obj{
		"did not start":               {"event": "Stop", "error": "no such file"},
		"was stopped by the client":   {"event": "SessionEnd", "killed": "terminated", "exit": -1},
		"exit status 2, want 0":       {"event": "Stop", "exit": 2},
		"took 1001 ms":                {"event": "SessionEnd", "ms": maxSessionEnd + 1},
		"a child kept":                {"event": "Stop", "stdio_held": true},
		"pasted into the summary":     {"event": "PreCompact", "stdout": "{}"},
		"not exactly one JSON object": {"event": "Stop", "stdout": "hello"},
		"at the top level is ignored": {"event": "PostToolUse", "stdout": `{"additionalContext":"tabs"}`},
		"is not allowed here":         {"event": "PostCompact", "stdout": hookOutput("PostCompact", "tabs")},
		"starts another model turn":   {"event": "Stop", "stdout": hookOutput("Stop", "tabs")},
		"hookEventName is Stop":       {"event": "SessionStart", "stdout": hookOutput("Stop", "tabs")},
		"has 9902 UTF-16 units": {
			"event": "SessionStart", "stdout": hookOutput("SessionStart", strings.Repeat("😀", 4951)),
		},
	} {
		t.Run(want, func(t *testing.T) {
			got := judge(t, end)
			if len(got) != 1 || !strings.Contains(got[0], want) {
				t.Errorf("findings = %q, want one with %q", got, want)
			}
		})
	}
}

func TestTwoObjectsOrWordsBeforeThemAreNoAnswer(t *testing.T) {
	for _, said := range []string{`{}{}`, `{} x`, `note: {}`, ` {}`, `{"a":`} {
		if _, ok := oneObject(said); ok {
			t.Errorf("oneObject(%q) = ok, want refused", said)
		}
	}
	if _, ok := oneObject("{}\n"); !ok {
		t.Error("oneObject refused an object with a closing newline")
	}
}

func TestARunWithoutWrappedCallsIsAFinding(t *testing.T) {
	got := lintHooks(filepath.Join(t.TempDir(), "none"), false)
	if len(got) != 1 || got[0] != "no wrapped hook call was recorded" {
		t.Errorf("findings = %q", got)
	}
}

func TestACallWithoutAnEndIsAFinding(t *testing.T) {
	if got := unended(t, true, "Stop"); len(got) != 1 || !strings.Contains(got[0], "no end record") {
		t.Errorf("findings = %q", got)
	}
	if got := unended(t, false, "SessionEnd"); len(got) != 1 {
		t.Errorf("a SessionEnd on a machine that has time: findings = %q", got)
	}
	if got := unended(t, false, unawaited); len(got) != 0 {
		t.Errorf("one that the client does not wait for: findings = %q", got)
	}
}
