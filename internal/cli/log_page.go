package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"remanence/internal/config"
	"remanence/internal/redact"
)

// logAsk requests the end of the log.
type logAsk struct {
	Level string `json:"level,omitempty"` // the least: debug, info, warn or error; "" means all
	Has   string `json:"has,omitempty"`   // a text of the line, in any case
	Limit int    `json:"limit,omitempty"` // 0 means 200; at most 2000
}

// logView is the end of the log, and what went wrong there.
type logView struct {
	File   string     `json:"file"`
	Lines  []logLine  `json:"lines"`  // newest first
	Groups []logGroup `json:"groups"` // equal warnings and errors, newest first
}

type logLine struct {
	At    *time.Time `json:"at"`
	Level string     `json:"level"` // debug, info, warn, error; "" if the line has none
	Text  string     `json:"text"`
	More  string     `json:"more"` // attributes, as written
}

type logGroup struct {
	Level string     `json:"level"`
	Text  string     `json:"text"`
	Count int        `json:"count"`
	First *time.Time `json:"first"`
	Last  *time.Time `json:"last"`
	More  string     `json:"more"` // of the newest
}

// Bounds of a page of the log.
const (
	logPage    = 200
	maxLogPage = 2000
)

// logLevels, in order.
func logLevels() []string { return []string{"debug", "info", "warn", "error"} }

// logPage reads the end of the log, redacted.
func (h *programPages) logPage(_ context.Context, ask logAsk) (logView, error) {
	v := logView{File: h.Paths.Log(), Lines: []logLine{}, Groups: []logGroup{}}
	raw, _, err := config.LastLines(h.Paths.Log(), maxLogPage)
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return v, fmt.Errorf("read log: %w", err)
	}
	least := slices.Index(logLevels(), ask.Level)
	limit := min(cmp.Or(max(ask.Limit, 0), logPage), maxLogPage)
	at, redactor := map[string]int{}, h.app().readOnlyRedactor() // the daemon's counts what it removes
	for _, b := range slices.Backward(raw) {
		l := logLineOf(strings.TrimRight(string(b), "\r\n"), redactor)
		if l.Text == "" {
			continue
		}
		if l.Level == "warn" || l.Level == "error" {
			group(&v.Groups, at, l)
		}
		whole := strings.ToLower(l.Text + " " + l.More)
		if len(v.Lines) < limit && slices.Index(logLevels(), l.Level) >= least &&
			strings.Contains(whole, strings.ToLower(ask.Has)) {
			v.Lines = append(v.Lines, l)
		}
	}
	return v, nil
}

func group(groups *[]logGroup, at map[string]int, l logLine) {
	key := l.Level + " " + l.Text
	i, seen := at[key]
	if !seen {
		i, at[key] = len(*groups), len(*groups)
		*groups = append(*groups, logGroup{Level: l.Level, Text: l.Text, Last: l.At, More: l.More})
	}
	(*groups)[i].Count++
	(*groups)[i].First = l.At
}

// logLineOf reads a line as slog's text handler writes it. Another line is all text.
func logLineOf(s string, d *redact.Redactor) logLine {
	var l logLine
	rest := s
	for rest != "" {
		key, after, ok := strings.Cut(rest, "=")
		if !ok || strings.ContainsAny(key, " \"") {
			break
		}
		val, next := logValue(after)
		switch key {
		case "time":
			if t, err := time.Parse(time.RFC3339Nano, val); err == nil {
				t = t.UTC()
				l.At = &t
			}
		case "level":
			l.Level = strings.ToLower(val)
		case "msg":
			l.Text, l.More = d.Text(val), d.Text(strings.TrimSpace(next))
			return l
		}
		rest = strings.TrimLeft(next, " ")
	}
	return logLine{Text: d.Text(s)}
}

// logValue takes a value off, which may be quoted.
func logValue(s string) (val, rest string) {
	if q, err := strconv.QuotedPrefix(s); err == nil && strings.HasPrefix(s, `"`) {
		if val, err = strconv.Unquote(q); err == nil {
			return val, s[len(q):]
		}
	}
	val, rest, _ = strings.Cut(s, " ")
	return val, rest
}
