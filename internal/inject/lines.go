package inject

import (
	"fmt"
	"path"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// InjectableText returns the text of a memory that may be injected unasked, as one safe line, and whether there is
// any. That is title and body of text by the person or the assistant, and only title and file names of tool output.
// Memories of unknown origin, memories that are disputed or no longer valid, and texts that read like an unapproved
// order have none.
func InjectableText(m mem.Memory) (text string, ok bool) {
	if !allowed(m) {
		return "", false
	}
	text = chars.Clip(Neutral(m.Title), maxTitle)
	if m.Trust >= mem.TrustAssistant {
		text = joined(text, Neutral(m.Body))
	}
	if text == "" {
		return "", false
	}
	return teamMark(m) + text, true
}

// maxAuthor is the largest length of an author's name in a mark, in characters.
const maxAuthor = 40

// teamMark returns the mark before a text that a team's shared files contain: who wrote it last.
func teamMark(m mem.Memory) string {
	if !m.OfTeam() {
		return ""
	}
	if name := chars.Clip(Neutral(m.TeamAuthor()), maxAuthor); name != "" {
		return "[team, " + name + "] "
	}
	return "[team] "
}

// Injectable reports whether InjectableText has a text.
func Injectable(m mem.Memory) bool {
	return allowed(m) && (Neutral(m.Title) != "" || m.Trust >= mem.TrustAssistant && Neutral(m.Body) != "")
}

func allowed(m mem.Memory) bool {
	if m.Status != "" && m.Status != mem.Active && m.Status != mem.Archived || m.Trust <= mem.TrustNone ||
		m.Disputed() {
		return false
	}
	return m.Trust >= mem.TrustUser || !SuspiciousMemory(m)
}

// joined returns title and body in one line. The title is left out if the body begins with it.
func joined(title, body string) string {
	plain := strings.TrimSuffix(title, "…")
	switch {
	case body == "":
		return title
	case strings.HasPrefix(body, plain):
		return body
	}
	return strings.TrimRight(title, ".:") + ": " + body
}

// Recall returns the line of a search hit: id, kind, age, score or the state of its files, text, and a file that the
// text does not name. ok is as for InjectableText.
func Recall(h mem.Hit, now time.Time, files mem.Freshness) (item Item, ok bool) {
	text, ok := InjectableText(h.Memory)
	if !ok {
		return Item{}, false
	}
	m := h.Memory
	state := fmt.Sprintf("score %.2f", h.Score)
	if files != mem.Fresh {
		state = standing(m, files)
	}
	head := fmt.Sprintf("%s %s, %s, %s: ", Neutral(m.ID), m.Kind, Age(now.Sub(m.Created)), state)
	text = clipBytes(text, maxItemText-len(head))
	tail := before(h)
	if f := Neutral(fileOf(m)); f != "" && !strings.Contains(text, path.Base(f)) {
		tail = " (" + clipBytes(f, maxPath) + ")" + tail
	}
	line := head + clipBytes(text, maxItemText-len(head)-len(tail)) + tail
	shown := injectedItem(h)
	shown.Stale = files
	return Item{Text: line, Injected: shown}, true
}

// maxBefore is the largest length of the text of a replaced memory, in bytes.
const maxBefore = 120

// before returns the text of the memory that this one replaced, if it may be injected. A fix that this one only
// completes says nothing else.
func before(h mem.Hit) string {
	if h.Replaced == nil {
		return ""
	}
	was := *h.Replaced
	if was.Kind == mem.ErrorFix && was.Command != "" && was.Command == h.Memory.Command {
		return ""
	}
	was.Status = mem.Active // it was active when it was injected
	text, ok := InjectableText(was)
	if !ok {
		return ""
	}
	return " [since " + h.Memory.Created.Format("2 Jan 2006") + "; before: " + clipBytes(text, maxBefore) + "]"
}

// standing describes the state of a memory's files. A missing file may exist on the branch of the memory.
func standing(m mem.Memory, files mem.Freshness) string {
	switch {
	case files != mem.FileGone:
		return "file changed since"
	case m.Branch != "":
		return "file not here, was on " + clipBytes(Neutral(m.Branch), maxBranch)
	}
	return "file gone"
}

// maxBranch is the largest length of the branch in a line, in bytes.
const maxBranch = 60

// maxPath is the largest length of the file in a line, in bytes.
const maxPath = 120

// Line returns the line of a memory in a briefing: id, age, the state of its files if they changed, text, and the
// text before. ok is as for InjectableText.
func Line(h mem.Hit, now time.Time, files mem.Freshness) (item Item, ok bool) {
	m := h.Memory
	text, ok := InjectableText(m)
	if !ok {
		return Item{}, false
	}
	head := Neutral(m.ID) + ", " + Age(now.Sub(m.Created))
	if files != mem.Fresh {
		head += ", " + standing(m, files)
	}
	head += ": "
	tail := before(h)
	shown := injectedItem(mem.Hit{Memory: m})
	shown.Stale = files
	return Item{Text: clipBytes(head+text, maxItemText-len(tail)) + tail, Injected: shown}, true
}

// Ended returns a text for an item, clipped so that its end is kept.
func Ended(text, end string) string {
	return clipBytes(Neutral(text), max(0, maxItemText-len(end))) + end
}

// Quote returns a passage of a conversation with id, day and speaker. ok is false as for InjectableText, for text
// that the speaker may have copied from elsewhere, and for text that reads like an order, even in the person's own
// prompt: it may have been pasted, and it was meant for that time.
func Quote(h mem.Hit, piece string) (item Item, ok bool) {
	m := h.Memory
	if _, ok := InjectableText(m); !ok || m.Trust < mem.TrustAssistant || Suspicious(piece) {
		return Item{}, false
	}
	who := "the agent"
	if m.Who == "user" {
		who = "the person"
	}
	head := fmt.Sprintf("%s %s, %s said: ", Neutral(m.ID), m.Created.Local().Format("2006-01-02"), who)
	return Item{Text: head + chars.Clip(Neutral(piece), MaxQuote-len(head)), Quote: true, Injected: injectedItem(h)}, true
}

// IndexRow returns the row of a memory in the index. ok is as for InjectableText.
func IndexRow(m mem.Memory, zone *time.Location) (row Row, ok bool) {
	text, ok := InjectableText(m)
	if !ok {
		return Row{}, false
	}
	row = Row{ID: m.ID, At: m.Created.In(zone), Kind: m.Kind, Title: m.Title, Tokens: chars.Tokens(m.Title + m.Body)}
	if m.Title == "" {
		row.Title = text
	}
	row.File = fileOf(m)
	return row, true
}

// fileOf returns the first file of a memory whose name may be shown.
func fileOf(m mem.Memory) string {
	for _, f := range m.Files {
		if !Suspicious(f) {
			return f
		}
	}
	return ""
}

func injectedItem(h mem.Hit) mem.InjectedItem {
	return mem.InjectedItem{ID: h.Memory.ID, Kind: h.Memory.Kind, Title: h.Memory.Title, Score: h.Score, Parts: h.Parts}
}

// Age formats a duration in its largest whole unit: "now", "5 min", "3 h", "2 d", "3 wk", "5 mo", "2 yr". Less
// than a minute is "now".
func Age(d time.Duration) string {
	const (
		day   = 24 * time.Hour
		month = 365 * day / 12
	)
	for _, u := range []struct {
		span, from time.Duration
		name       string
	}{
		{365 * day, 2 * 365 * day, "yr"},
		{month, 2 * month, "mo"},
		{7 * day, 2 * 7 * day, "wk"},
		{day, day, "d"},
		{time.Hour, time.Hour, "h"},
		{time.Minute, time.Minute, "min"},
	} {
		if d >= u.from {
			return fmt.Sprintf("%d %s", d/u.span, u.name)
		}
	}
	return "now"
}
