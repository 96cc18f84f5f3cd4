package event

import (
	"hash/fnv"
	"strconv"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/inject"
	"remanence/internal/mem"
)

const maxMindLine = 380 // bytes of an item

// MindMark marks a version of the state files as told.
func (m Context) MindMark() string { return "mind:" + m.Mind.Stamp }

// ToldWhole reports whether a folded text says a piece: a decision by its
// heading, all else line by line.
func ToldWhole(told string, p mem.MindPart) bool {
	_, heading, _ := strings.Cut(p.Key, "#")
	if !strings.Contains(told, chars.Fold(heading)) {
		return false
	}
	if p.Kind == mem.Decision {
		return true
	}
	for line := range strings.Lines(strings.TrimPrefix(p.Title, heading+": ") + "\n" + p.Body) {
		if line = chars.Fold(Bare(line)); !strings.Contains(told, line) {
			return false
		}
	}
	return true
}

// PartMark marks a piece of the state files as it reads.
func PartMark(key, title, body string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key + "\n" + title + "\n" + body))
	return "part:" + strconv.FormatUint(h.Sum64(), 36)
}

// toldInBriefing reports whether a memory is a piece of the state files that the
// conversation was told as it is now.
func (m Context) toldInBriefing(mm mem.Memory) bool {
	key, ok := strings.CutPrefix(mm.Key, MindKey)
	return ok && m.SessionInfo.Injected[PartMark(key, mm.Title, mm.Body)]
}

// SectionItems are a section in one line, or where that is too long a line each.
// What reads like an order is left out.
func SectionItems(sec mem.MindSection) []inject.Item {
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

// Bare is a line without the mark of a list and its box.
func Bare(l string) string {
	l = strings.TrimSpace(l)
	for _, mark := range []string{"- ", "* ", "+ ", "[ ] "} {
		l = strings.TrimPrefix(l, mark)
	}
	return strings.TrimSpace(l)
}
