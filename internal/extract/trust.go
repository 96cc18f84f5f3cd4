package extract

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/shell"
)

// ReturnsEarlierOutput reports whether a call returns what was read at another time: the
// output of something in the background, or a result that the client put away.
func ReturnsEarlierOutput(tool string, input []byte) bool {
	switch tool {
	case "TaskOutput", "AgentOutputTool", "BashOutput":
		return true
	}
	return bytes.Contains(input, []byte("/tool-results/"))
}

// OwnTool reports whether a tool is of our own server, under the names that
// clients give to it: as a plugin's, or as the person's. Other servers may have
// names that hold ours.
func OwnTool(tool string) bool {
	return strings.HasPrefix(tool, "mcp__plugin_remanence_remanence__") || strings.HasPrefix(tool, "mcp__remanence__")
}

// RunsRemanence reports whether a command line runs our own program.
func RunsRemanence(command string) bool {
	for _, words := range shell.Words(command) {
		for i, w := range words {
			if path.Base(w) == "remanence" && (i == 0 || shell.RunsAnother(words[:i])) {
				return true
			}
		}
	}
	return false
}

// CapTrust is the trust of what is made of other memories: no more than theirs.
func CapTrust(t mem.Trust, of []mem.Memory) mem.Trust {
	for _, mm := range of {
		if mm.Trust == mem.TrustNone {
			return mem.TrustNone
		}
	}
	return t
}

// TrustedNames keeps the names of files that do not read like orders.
func TrustedNames(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), inject.Suspicious)
}
