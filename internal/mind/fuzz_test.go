package mind

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/chars"
	"remanence/internal/workstate"
)

func seeds(f *testing.F) {
	f.Add("# Project State\n\n## Current Phase\nx\n\n## Blocked Items\n- a\n- b\n\n## Notes\nhand\n", "next", "entry")
	f.Add("# S\r\n## Current Phase\r\n\r\n```\n## Next Action\n```\n\ufeff## x", "- y", "# z")
	f.Add("### In Progress\n* [ ] one\n  more\n+ [x] two\n1. three\n~~~~\n### Completed\n~~~~\n## What’s Next\n", "one",
		"None.")
	f.Add("## Phase 1: a — COMPLETE\n### Completed\n## DEC-1: t\n- **Date:** d\n  e\n1. **x — y**\n## Session 9 — z "+
		"(auto-captured)\n", "\\", "[x]")
	f.Add("# \n* [ ]one\n 0\n0", "one", "0")
}

// FuzzNoHandIsLost changes texts of every shape in every way there is: what is
// no part of what was asked for keeps its bytes and its order.
func FuzzNoHandIsLost(f *testing.F) {
	seeds(f)
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, before, one, two string) {
		if got := parse([]byte(before)); got.String() != before {
			t.Fatalf("read and written it is %q", got.String())
		}
		fresh := func() document { return parse([]byte(before)) }
		check := func(what string, after document, may func(line string) bool) {
			t.Helper()
			if lost := lostLine(before, after.String(), may); lost != "" {
				t.Errorf("%s lost %q\nbefore %q\nafter  %q", what, lost, before, after.String())
			}
			_, _, _ = after.progress(), after.decisions(), after.sessions()
		}
		field := fresh()
		value := field.value(headPhase)
		was := field.contentLines(value)
		field.setField(headPhase, one)
		check("a field", field, func(l string) bool { return len(was) > 0 && strings.TrimRight(l, " \t\r\n") == was[0] })

		list := fresh()
		gone := map[string]bool{}
		if h := list.find(headBlocked); h >= 0 {
			body := list.body(h, false)
			for _, it := range list.items(body) {
				for _, l := range list.lines[it.from:it.to] {
					gone[l] = true
				}
			}
			for _, l := range list.lines[body.from:body.to] {
				gone[l] = gone[l] || isPlaceholder(l)
			}
		}
		list.setList(headBlocked, []string{chars.Line(one), chars.Line(two)})
		check("a list", list, func(l string) bool { return gone[l] })

		for what, do := range map[string]func(*document){
			"a decision": func(d *document) {
				d.addDecision(workstate.Decision{Title: one, Text: two, Rationale: one, By: "a", Status: "Open"}, two, at)
			},
			"a session":         func(d *document) { d.addSession(workstate.Session{Summary: one, Next: []string{two}}, at) },
			"an automatic one":  func(d *document) { d.addAutomatic(one, []string{two}, at) },
			"what is kept away": func(d *document) { d.addNotWritten(one, two, at) },
		} {
			d := fresh()
			do(&d)
			check(what, d, func(string) bool { return false })
		}
		task := fresh()
		task.addTask(chars.Line(two), one)
		check("a task", task, isPlaceholder)

		moved := fresh()
		if done, _, _ := moved.complete(one, at); done {
			if n := strings.Count(moved.String(), "- [x] "); n == 0 {
				t.Errorf("completed, and not to be seen: %q", moved.String())
			}
			check("a completed task", moved, func(l string) bool {
				_, is := listEntry(l)
				return is || isPlaceholder(l) || l[0] == ' ' || l[0] == '\t'
			})
		} else if moved.String() != before {
			t.Errorf("not completed, and changed: %q", moved.String())
		}

		out, _ := update(fresh(), fresh(), workstate.Update{}, at)
		stamp := out.value(headUpdated)
		_ = stamp
		was = func() []string { d := fresh(); return d.contentLines(d.value(headUpdated)) }()
		check("nothing", out, func(l string) bool { return len(was) > 0 && strings.TrimRight(l, " \t\r\n") == was[0] })

		var m workstate.Files
		view(&m, map[string]document{stateFile: fresh(), progressFile: fresh(), decisionFile: fresh(), logFile: fresh()},
			workstate.DefaultLimits())
		short := fresh()
		_, _ = short.shortenSessions(1)
		_, _ = short.shortenDecisions(1)
		_, _ = short.takeOld(at)
	})
}

// lostLine is the first line of before that is not in after, in its order, and
// that may not be lost. That the last line of a text gets an ending is no loss.
func lostLine(before, after string, may func(string) bool) string {
	have := strings.SplitAfter(after, "\n")
	i := 0
	for line := range strings.Lines(before) {
		if strings.TrimSpace(line) == "" || may(line) {
			continue // one that was moved says nothing about the order of the others
		}
		j := i
		for j < len(have) && have[j] != line && strings.TrimRight(have[j], "\r\n") != strings.TrimRight(line, "\r\n") {
			j++
		}
		if j == len(have) {
			return line
		}
		i = j + 1
	}
	return ""
}
