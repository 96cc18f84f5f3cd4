package inject

import (
	"fmt"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// InjectableText is what of a memory may be told unasked, as one line that is safe to
// tell, and whether anything may. It is title and body of what the person or
// the assistant said, no more than title and file names of what a tool put out,
// and nothing of unknown origin, of what is no longer valid, or of what reads
// like an order that a person has not approved.
func InjectableText(m mem.Memory) (text string, ok bool) {
	if !allowed(m) {
		return "", false
	}
	text = chars.Clip(Neutral(m.Title), maxTitle)
	if m.Trust >= mem.TrustAssistant {
		text = joined(text, Neutral(m.Body))
	}
	return text, text != ""
}

// Injectable is InjectableText for whoever does not need the text.
func Injectable(m mem.Memory) bool {
	return allowed(m) && (Neutral(m.Title) != "" || m.Trust >= mem.TrustAssistant && Neutral(m.Body) != "")
}

func allowed(m mem.Memory) bool {
	if m.Status != "" && m.Status != mem.Active && m.Status != mem.Archived || m.Trust <= mem.TrustNone {
		return false
	}
	return m.Trust >= mem.TrustUser || !SuspiciousMemory(m)
}

// joined is title and body in one line, without saying twice what the body begins with.
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

// Recall is the line of a memory that was found: id, kind, age, score or that
// its files are no longer the same, what it says, and a file. ok is false where
// InjectableText is.
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
	tail := ""
	if f := fileOf(m); f != "" {
		tail = " (" + clipBytes(Neutral(f), maxPath) + ")"
	}
	tail += before(h)
	line := head + clipBytes(text, maxItemText-len(head)-len(tail)) + tail
	told := injectedItem(h)
	told.Stale = files
	return Item{Text: line, Injected: told}, true
}

// maxBefore bounds what is told of an earlier form, in bytes.
const maxBefore = 120

// before tells of a memory what it took the place of, as far as that may be told.
func before(h mem.Hit) string {
	if h.Replaced == nil {
		return ""
	}
	was := *h.Replaced
	was.Status = mem.Active // when it was told, it was
	text, ok := InjectableText(was)
	if !ok {
		return ""
	}
	return " [since " + h.Memory.Created.Format("2 Jan 2006") + "; before: " + clipBytes(text, maxBefore) + "]"
}

// standing says in words how a memory's files stand. One that is not here may be
// on the branch that the memory is of.
func standing(m mem.Memory, files mem.Freshness) string {
	switch {
	case files != mem.FileGone:
		return "file changed since"
	case m.Branch != "":
		return "file not here, was on " + clipBytes(Neutral(m.Branch), maxBranch)
	}
	return "file gone"
}

// maxBranch bounds the branch of a line, in bytes.
const maxBranch = 60

// maxPath bounds the file of a line, in bytes.
const maxPath = 120

// Line is the plain line of a memory in a briefing: its id, its age, how its
// files stand if they are no longer the same, what it says, and what it was before. ok is false
// where InjectableText is.
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
	told := injectedItem(mem.Hit{Memory: m})
	told.Stale = files
	return Item{Text: clipBytes(head+text, maxItemText-len(tail)) + tail, Injected: told}, true
}

// Ended is a text for an item, cut so that its end is told whole.
func Ended(text, end string) string {
	return clipBytes(Neutral(text), max(0, maxItemText-len(end))) + end
}

// Quote is a piece of what was said in a conversation: id, day, who said it, and
// the piece. ok is false where InjectableText is, for what somebody else may have
// written, and for what reads like an order, also in the person's own prompt:
// that may have been pasted, and was meant for then.
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

// IndexRow is the row of a memory in the index. ok is false where InjectableText is.
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

// fileOf is the first file of a memory whose name may be told, if there is one.
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

// Age is a span in its largest whole unit: "now", "5 min", "3 h", "2 d", "3 wk",
// "5 mo", "2 yr". A span below a minute, or below 0, is "now".
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
