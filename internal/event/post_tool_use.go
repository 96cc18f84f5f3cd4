package event

import (
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// MaxCommand bounds a stored command, in runes.
const MaxCommand = 300

// MaxErrorText bounds the stored text of an error, in runes.
const MaxErrorText = 500

const maxExcerpt = 200 // of a text that is shown in part

const maxReplaced = 80 // of each side of a replacement

const importantFail = 0.6

// Add appends memories of the event to its batch.
func (m *Context) Add(ms ...mem.Memory) { m.Batch.Memories = append(m.Batch.Memories, ms...) }

// Changed is the memory of an edited or written file. Edits of one file in one
// turn become one memory.
func Changed(m *Context, c extract.Call) mem.Memory {
	mm := m.NewMemory(mem.Change, mem.ScopeSession)
	mm.Tool, mm.Files, mm.Modified = m.Tool, []string{c.File}, []string{c.File}
	mm.Tags = []string{"file-change", extract.AutoCaptured}
	mm.Title = "Wrote file " + c.File
	if c.Old != "" || m.Tool != "Write" {
		mm.Title = fmt.Sprintf("Edited %s: replaced '%s' with '%s'", c.File, excerpt(c.Old), excerpt(c.New))
	}
	mm.Title = chars.Clip(mm.Title, 240)
	mm.Key = "change:" + m.PromptID + ":" + c.File
	return mm
}

func excerpt(s string) string {
	return chars.Clip(chars.Line(chars.Clip(s, maxExcerpt)), maxReplaced)
}

// Failed is the memory of a command that failed.
func Failed(m *Context, c extract.Call) mem.Memory {
	code, message := extract.ExitOf(m.Error)
	mm := m.NewMemory(mem.Command, mem.ScopeSession)
	mm.Importance, mm.Resolved = importantFail, false
	mm.Tool, mm.Command, mm.ExitCode = m.Tool, c.Plain, code
	mm.Tags = []string{"command-outcome", "error", "debugging", extract.AutoCaptured}
	mm.Title = chars.Clip(fmt.Sprintf("Command failed (exit %d): %s | Error: %s", code, chars.Clip(c.Plain, MaxCommand),
		extract.ShortError(extract.ErrorLine(message))), 2*MaxCommand)
	mm.Body = chars.Clip(message, MaxErrorText)
	mm.Key = "failed:" + c.Plain
	return mm
}
