package event

import (
	"encoding/json"
	"slices"
	"strings"

	"remanence/internal/extract"
	"remanence/internal/mem"
)

// patchField is the member of a response to an edit with the lines that it changed.
const patchField = "structuredPatch"

// LineChanges returns the lines that an edit removed and those that it added. They are those of the response where it
// has them: the input may name parts of lines. They are empty if neither is known, as the old text of a file that is
// written whole.
func LineChanges(ev mem.Event, c extract.Call) (removed, added string) {
	patch := extract.Items(extract.Fields(ev.Response)[patchField])
	if len(patch) == 0 {
		return c.Old, c.New
	}
	var gone, come []string
	for _, line := range patchLines(patch) {
		if text, ok := strings.CutPrefix(line, "-"); ok {
			gone = append(gone, text)
		} else {
			come = append(come, strings.TrimPrefix(line, "+"))
		}
	}
	return strings.Join(gone, "\n"), strings.Join(come, "\n")
}

// ChangedLines returns the changed lines of a response to an edit, in the form of the response, if the input does not
// tell them; else nil. It names only parts of them, or the whole file.
func ChangedLines(ev mem.Event, c extract.Call) json.RawMessage {
	lines := patchLines(extract.Items(extract.Fields(ev.Response)[patchField]))
	if len(lines) == 0 || c.Old == "" && ev.Tool != mem.ToolWrite {
		return nil
	}
	if c.Old != "" && namesWholeLines(lines, c) || c.Old == "" && len(strings.Join(lines, "\n")) > len(c.New) {
		return nil
	}
	out, err := json.Marshal([]map[string][]string{{"lines": lines}})
	if err != nil {
		return nil
	}
	return out
}

// namesWholeLines reports whether the texts of an edit have all of its changed lines.
func namesWholeLines(lines []string, c extract.Call) bool {
	in := map[string]bool{}
	for line := range strings.Lines(c.Old) {
		in["-"+strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(c.New) {
		in["+"+strings.TrimSpace(line)] = true
	}
	return !slices.ContainsFunc(lines, func(line string) bool {
		return !in[line[:1]+strings.TrimSpace(line[1:])] && strings.TrimSpace(line[1:]) != ""
	})
}

// patchLines returns the removed and added lines of a patch, with their sign, without those around them.
func patchLines(patch []map[string]json.RawMessage) (out []string) {
	for _, hunk := range patch {
		var lines []string
		if json.Unmarshal(hunk["lines"], &lines) != nil {
			continue
		}
		for _, line := range lines {
			if strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
				out = append(out, line)
			}
		}
	}
	return out
}
