package event

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// StateFiles are the state files of projects.
type StateFiles interface {
	// Look reads the state files of a project, if it has any that are trusted.
	Look(p mem.Project) (workstate.Files, error)
	// Change applies a request to trusted state files and changes nothing else in them.
	Change(ctx context.Context, p mem.Project, ask workstate.Request) (workstate.State, error)
	// Note writes the notes of an event into the state files.
	Note(ctx context.Context, p mem.Project, n workstate.Notes) error
}

// MindOf reads the state files of a project.
func (e *Service) MindOf(p mem.Project) (workstate.Files, error) {
	if e.StateFiles == nil || p.Root == "" {
		return workstate.Files{}, nil
	}
	m, err := e.StateFiles.Look(p)
	if err != nil {
		return m, fmt.Errorf("state files: %w", err)
	}
	return m, nil
}

// MindKey is the prefix of the keys of state file memories. A key is used because anyone may set a tag.
const MindKey = "mind:"

// OfStateFile reports whether a memory is a part of a state file.
func OfStateFile(mm mem.Memory) bool { return strings.HasPrefix(mm.Key, MindKey) }

// JobMind is the kind of job that indexes changed state files.
const JobMind = "mind"

// JobNote is the kind of job that writes notes into state files.
const JobNote = "notes"

// Noted is the data of a JobNote: a project and the notes of an event.
type Noted struct {
	Root  string          `json:"root"`
	Notes workstate.Notes `json:"notes"`
}

// StateFileNotes queues the job that writes an event's notes into the state files,
// if the project has trusted ones. The files are written later: no answer waits for
// them.
func (m Context) StateFileNotes(n workstate.Notes) Changes {
	if !m.Mind.Trusted {
		return Changes{}
	}
	n.At, n.Session = m.At, m.Session
	if n.TurnEnded || n.EndReason != "" {
		n.Since = m.SessionInfo.Created
	}
	b, err := json.Marshal(Noted{m.Root, n})
	if err != nil {
		return Changes{}
	}
	return Changes{Jobs: []mem.Job{{Kind: JobNote, Session: m.Session, Key: m.ID, Data: string(b)}}}
}

// StampOf returns a time as state files write it, in UTC.
func StampOf(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// LinesOf returns the items of a derived state as lines of a checkpoint.
func LinesOf(items []inject.Item) string {
	var b strings.Builder
	for _, it := range items {
		b.WriteString("- " + chars.Line(it.Text) + "\n")
	}
	return b.String()
}

const maxMindLine = 380 // bytes of an item

// MindMark is the mark of a version of the state files that was injected.
func (m Context) MindMark() string { return "mind:" + m.Mind.Stamp }

// ContainsPart reports whether a folded text contains a part of a state file: a decision by its heading, others by
// all their lines.
func ContainsPart(text string, p workstate.Part) bool {
	_, heading, _ := strings.Cut(p.Key, "#")
	if !strings.Contains(text, chars.Fold(heading)) {
		return false
	}
	if p.Kind == mem.Decision {
		return true
	}
	for line := range strings.Lines(strings.TrimPrefix(p.Title, heading+": ") + "\n" + p.Body) {
		if line = chars.Fold(Bare(line)); !strings.Contains(text, line) {
			return false
		}
	}
	return true
}

// PartMark is the mark of a part of the state files with its present text.
func PartMark(key, title, body string) string { return TextMark("part", key, title, body) }

// TextMark is a mark for texts. It holds their hash, so that erasing them need not find marks.
func TextMark(kind string, texts ...string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.Join(texts, "\n")))
	return kind + ":" + strconv.FormatUint(h.Sum64(), 36)
}

// injectedInBriefing reports whether a memory is a part of the state files whose present text the briefing of this
// conversation contained.
func (m Context) injectedInBriefing(mm mem.Memory) bool {
	key, ok := strings.CutPrefix(mm.Key, MindKey)
	return ok && m.SessionInfo.Injected[PartMark(key, mm.Title, mm.Body)]
}

// SectionItems returns a section as one line, or if that is too long as one line each. Lines that read like an
// order are left out.
func SectionItems(sec workstate.Section) []inject.Item {
	var lines []string
	for _, l := range sec.Lines {
		if l = Bare(l); l != "" && !inject.Suspicious(l) {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 || inject.Suspicious(sec.Heading) {
		return nil
	}
	all := sec.Heading + ": " + strings.Join(lines, "; ")
	if len(all) <= maxMindLine {
		return []inject.Item{{Text: all}}
	}
	var out []inject.Item
	for _, l := range lines {
		out = append(out, inject.Item{Text: sec.Heading + ": " + l})
	}
	return out
}

// Bare returns a line without list marker and check box.
func Bare(l string) string {
	l = strings.TrimSpace(l)
	for _, mark := range []string{"- ", "* ", "+ ", "[ ] "} {
		l = strings.TrimPrefix(l, mark)
	}
	return strings.TrimSpace(l)
}

// FieldKey is the prefix of the keys of state fields. A key is used because anyone may set a tag.
const FieldKey = "state:"

// IsField reports whether a memory holds a field of a project's state.
func IsField(mm mem.Memory) bool { return strings.HasPrefix(mm.Key, FieldKey) }

// SectionTag marks a memory as an item of a section of the state file.
const SectionTag = "section:"
