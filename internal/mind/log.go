package mind

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/workstate"
)

// logEntry is a session in SESSION-LOG.md.
type logEntry struct {
	workstate.Session
	span
	number int
	auto   bool // written by Remanence, because the session had no entry
}

// sessions are the entries of SESSION-LOG.md, in their order.
func (t *document) sessions() []logEntry {
	var out []logEntry
	for h, head := range t.heads {
		n, ok := sessionNumber(head.name)
		if !ok {
			continue
		}
		s := t.block(h, isSession)
		e := logEntry{workstate.Session{Title: head.name}, s, n, strings.Contains(head.name, "(auto-captured)")}
		for i := s.from + 1; i < s.to; i++ {
			name, value, ok := labelled(strings.TrimSpace(t.lines[i]))
			if !ok || isPlaceholder(value) {
				continue
			}
			switch l := strings.ToLower(name); {
			case l == "summary":
				e.Summary = value
			case l == "completed":
				e.Completed = []string{value}
			case strings.HasPrefix(l, "decision"):
				e.Decisions = []string{value}
			case strings.HasPrefix(l, "block") || strings.HasPrefix(l, "issue"):
				e.Blockers = []string{value}
			case strings.HasPrefix(l, "next"):
				e.Next = []string{value}
			case l == "phase" && e.Summary == "":
				e.Summary = value
			}
		}
		out = append(out, e)
	}
	return out
}

// sessionNumber reads "Session 12 — 2026-05-01".
func sessionNumber(name string) (int, bool) {
	const word = "session "
	if len(name) < len(word) || !strings.EqualFold(name[:len(word)], word) {
		return 0, false
	}
	rest := name[len(word):]
	n, err := strconv.Atoi(rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))])
	return n, err == nil
}

func isSession(name string) bool {
	_, ok := sessionNumber(name)
	return ok
}

// addSession adds an entry under the next number.
func (t *document) addSession(s workstate.Session, at time.Time) {
	title := fmt.Sprintf("Session %d — %s", t.nextSession(), at.UTC().Format(time.DateOnly))
	lines := []string{"## " + title, "- **Summary:** " + chars.Line(s.Summary)}
	for _, f := range []struct {
		name string
		list []string
	}{{"Completed", s.Completed}, {"Decisions", s.Decisions}, {"Blocked/Issues", s.Blockers}, {"Next session", s.Next}} {
		if len(f.list) > 0 {
			lines = append(lines, "- **"+f.name+":** "+chars.Line(strings.Join(f.list, "; ")))
		}
	}
	t.append(lines...)
}

func (t *document) nextSession() int {
	most := 0
	for _, e := range t.sessions() {
		most = higher(most, e.number)
	}
	if h := t.find(headOldSessions); h >= 0 {
		for _, it := range t.items(t.body(h, false)) {
			n, _ := sessionNumber(it.text)
			most = higher(most, n)
		}
	}
	return most + 1
}

// higher is the higher of two numbers. One that nothing comes after does not
// count, nor does what is read as it: a larger one.
func higher(most, n int) int {
	if n == math.MaxInt {
		return most
	}
	return max(most, n)
}

// maxLogFiles is how many files an automatic entry names.
const maxLogFiles = 15

// addAutomatic adds the entry of a session that has none.
func (t *document) addAutomatic(reason string, files []string, at time.Time) {
	lines := []string{
		fmt.Sprintf("## Session %d — %s (auto-captured)", t.nextSession(), at.UTC().Format(time.DateOnly)),
		"- **Reason ended:** " + chars.Line(reason),
		fmt.Sprintf("- **Files changed:** %d", len(files)),
	}
	for _, f := range files[:min(len(files), maxLogFiles)] {
		lines = append(lines, "  - "+chars.Line(f))
	}
	if more := len(files) - maxLogFiles; more > 0 {
		lines = append(lines, fmt.Sprintf("  - … and %d more", more))
	}
	t.append(append(lines, "- **Note:** written automatically, as the session had no entry.")...)
}

// tail are the last lines that hold something. Entries that we wrote ourselves
// are left out: the summary of the session says more.
func (t *document) tail(n int) []string {
	var lines []string
	at := 0
	for _, e := range t.sessions() {
		if e.auto {
			lines = append(lines, t.contentLines(span{at, e.from})...)
			at = e.to
		}
	}
	lines = append(lines, t.contentLines(span{at, len(t.lines)})...)
	return lines[max(0, len(lines)-n):]
}
