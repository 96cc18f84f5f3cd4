package inject

import (
	"fmt"
	"strings"
	"time"

	"remanence/internal/mem"
)

// Tellable is what of a memory may be told unasked, as one line that is safe to
// tell, and whether anything may. It is title and body of what the person or
// the assistant said, no more than title and file names of what a tool put out,
// and nothing of unknown origin, of what is no longer valid, or of what reads
// like an order that a person has not approved.
func Tellable(m mem.Memory) (text string, ok bool) {
	if m.Status != "" && m.Status != mem.Active || m.Trust <= mem.TrustNone {
		return "", false
	}
	if m.Trust < mem.TrustUser && (Suspicious(m.Title) || Suspicious(m.Body)) {
		return "", false
	}
	text = mem.Clip(Neutral(m.Title), maxTitle)
	if m.Trust >= mem.TrustAssistant {
		text = joined(text, Neutral(m.Body))
	}
	return text, text != ""
}

// joined is title and body in one line, without saying twice what the body begins with.
func joined(title, body string) string {
	plain := strings.TrimSuffix(title, "…")
	switch {
	case body == "" || title == body:
		return title
	case strings.HasPrefix(body, plain):
		return body
	}
	return strings.TrimRight(title, ".:") + ": " + body
}

// Recall is the line of a memory that was found: id, kind, age, score or that
// a file of it changed since, what it says, and a file. ok is false where
// Tellable is.
func Recall(h mem.Hit, now time.Time, stale bool) (item Item, ok bool) {
	text, ok := Tellable(h.Memory)
	if !ok {
		return Item{}, false
	}
	m := h.Memory
	state := fmt.Sprintf("score %.2f", h.Score)
	if stale {
		state = "file changed since"
	}
	head := fmt.Sprintf("%s %s, %s, %s: ", Neutral(m.ID), m.Kind, Age(now.Sub(m.Created)), state)
	tail := ""
	if f := fileOf(m); f != "" {
		tail = " (" + clipBytes(Neutral(f), maxPath) + ")"
	}
	line := head + clipBytes(text, maxItemText-len(head)-len(tail)) + tail
	return Item{Text: line, Told: toldOf(h)}, true
}

// maxPath bounds the file of a line, in bytes.
const maxPath = 120

// Line is the plain line of a memory in a briefing: its id and what it says.
// ok is false where Tellable is.
func Line(m mem.Memory) (item Item, ok bool) {
	text, ok := Tellable(m)
	if !ok {
		return Item{}, false
	}
	return Item{Text: clipBytes(Neutral(m.ID)+" "+text, maxItemText), Told: toldOf(mem.Hit{Memory: m})}, true
}

// Quote is a piece of a conversation, with the day of its session.
func Quote(text string, at time.Time) Item {
	return Item{Text: at.Format("2006-01-02") + ": " + text, Quote: true}
}

// IndexRow is the row of a memory in the index. ok is false where Tellable is.
func IndexRow(m mem.Memory, zone *time.Location) (row Row, ok bool) {
	text, ok := Tellable(m)
	if !ok {
		return Row{}, false
	}
	row = Row{ID: m.ID, At: m.Created.In(zone), Kind: m.Kind, Title: m.Title, Tokens: mem.Tokens(m.Title + m.Body)}
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

func toldOf(h mem.Hit) mem.Told {
	return mem.Told{ID: h.Memory.ID, Kind: h.Memory.Kind, Title: h.Memory.Title, Score: h.Score, Parts: h.Parts}
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
