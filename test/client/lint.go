package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

const (
	maxContext    = 9900 // UTF-16 units; the client moves 10,000 and more to a file and shows the model a preview
	maxSessionEnd = 1000 // ms; the client gives all SessionEnd hooks together 1,500
	// programs that want to run, for each core; with more of them the time of a call depends on the machine
	maxCrowd = 4

	// unawaited is the event after which a client in print mode leaves; what its hook has not done by then, it stops.
	unawaited = "StopFailure"
)

// hookRecord is a line of hooks.jsonl, as far as the judges read it.
type hookRecord struct {
	Phase     string `json:"phase"` // start or end
	Mode      string `json:"mode"`  // hook or wrap
	Event     string `json:"event"`
	Name      string `json:"name"`
	PID       int    `json:"pid"`
	MS        int64  `json:"ms"`
	Exit      int    `json:"exit"`
	Stdout    string `json:"stdout"`
	Stderr    string `json:"stderr"`
	Error     string `json:"error"`  // the command did not start
	Killed    string `json:"killed"` // the signal that the client sent
	StdioHeld bool   `json:"stdio_held"`
}

func (r hookRecord) label() string { return fmt.Sprintf("%s (pid %d)", r.Name, r.PID) }

// lintHooks holds every wrapped hook call to the rules of CONTRACT.md. No call at all is a finding too: a bench that
// saw nothing proves nothing.
func lintHooks(path string, crowded bool) (findings []string) {
	running := map[int]string{} // by process id: calls without an end record
	calls := 0
	readLines(path, func(r hookRecord) {
		if r.Mode != "wrap" {
			return
		}
		if r.Phase == "start" {
			calls++
			if !r.mayBeCut(crowded) {
				running[r.PID] = r.label()
			}
			return
		}
		delete(running, r.PID)
		for _, f := range append(r.conduct(crowded), r.speech()...) {
			findings = append(findings, r.label()+": "+f)
		}
	})
	for _, label := range running {
		findings = append(findings, label+": no end record, killed by the client (timeout or exit)")
	}
	if calls == 0 {
		findings = append(findings, "no wrapped hook call was recorded")
	}
	slices.Sort(findings)
	return findings
}

// crowd is how many programs wanted to run in the last minute, for each core; 0 if the system does not report it.
func crowd() float64 {
	b, _ := os.ReadFile("/proc/loadavg")
	load, _, _ := strings.Cut(string(b), " ")
	n, _ := strconv.ParseFloat(load, 64)
	return n / float64(runtime.NumCPU())
}

// mayBeCut reports whether the client may leave before the call has ended. On a crowded machine a SessionEnd may take
// longer than it waits.
func (r hookRecord) mayBeCut(crowded bool) bool {
	return r.Event == unawaited || r.Event == "SessionEnd" && crowded
}

// conduct is what the process did wrong.
func (r hookRecord) conduct(crowded bool) (faults []string) {
	switch {
	case r.Error != "":
		return []string{"did not start: " + r.Error}
	case r.Killed != "" && r.mayBeCut(crowded):
	case r.Killed != "":
		faults = append(faults, fmt.Sprintf("was stopped by the client after %d ms (%s)", r.MS, r.Killed))
	case r.Exit != 0:
		faults = append(faults, fmt.Sprintf("exit status %d, want 0 (stderr: %.200s)", r.Exit, r.Stderr))
	case r.Event == "SessionEnd" && r.MS > maxSessionEnd && !crowded:
		faults = append(faults, fmt.Sprintf("took %d ms, want at most %d", r.MS, maxSessionEnd))
	}
	if r.StdioHeld {
		faults = append(faults, "a child kept the hook's stdout or stderr open")
	}
	return faults
}

// speech is what its stdout did wrong.
func (r hookRecord) speech() (faults []string) {
	if strings.TrimSpace(r.Stdout) == "" {
		return nil
	}
	if r.Event == "PreCompact" {
		faults = append(faults, "printed something; it would be pasted into the summary instructions")
	}
	said, ok := oneObject(r.Stdout)
	if !ok {
		return append(faults, fmt.Sprintf("stdout is not exactly one JSON object: %.120q", r.Stdout))
	}
	if said["additionalContext"] != nil {
		faults = append(faults, "additionalContext at the top level is ignored")
	}
	specific, ok := said["hookSpecificOutput"].(obj)
	if !ok {
		return faults
	}
	if r.Event == "PreCompact" || r.Event == "PostCompact" {
		faults = append(faults, "hookSpecificOutput is not allowed here")
	}
	if (r.Event == "Stop" || r.Event == "SubagentStop") && specific["additionalContext"] != nil {
		faults = append(faults, "additionalContext here starts another model turn")
	}
	if specific["hookEventName"] != r.Event {
		faults = append(faults, fmt.Sprintf("hookEventName is %v", specific["hookEventName"]))
	}
	context, _ := specific["additionalContext"].(string)
	if units := len(utf16.Encode([]rune(context))); units > maxContext {
		faults = append(faults, fmt.Sprintf("additionalContext has %d UTF-16 units, keep it at %d or less", units,
			maxContext))
	}
	return faults
}

// oneObject parses s if it is one JSON object from its first byte on, followed by white space at most.
func oneObject(s string) (obj, bool) {
	var o obj
	d := json.NewDecoder(strings.NewReader(s))
	if !strings.HasPrefix(s, "{") || d.Decode(&o) != nil {
		return nil, false
	}
	_, err := d.Token()
	return o, errors.Is(err, io.EOF)
}
