package mind

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/workstate"
)

// The sections of PROGRESS.md.
const (
	headDone    = "Completed"
	headDoing   = "In Progress"
	headWaiting = "Not Started"
	headStopped = "Blocked"
	headLater   = "What's Next"
)

// namesOf are the names of a section, ours first and then those of older files.
func namesOf(section string) []string {
	for _, names := range [...][]string{
		{headDone, "Done"},
		{headDoing, "Doing", "Current"},
		{headWaiting, "To Do", "Todo", "Backlog"},
		{headStopped, headBlocked},
		{headLater, "Next", "Next Up", "Whats Next"},
	} {
		if named(section, names...) {
			return names
		}
	}
	return []string{section}
}

// task is an item of work and where it stands.
type task struct {
	item
	head int // index of its heading
}

// tasks are the items of work under all headings; what stands under Completed
// is done, ticked or not.
func (t *document) tasks() []task {
	var out []task
	for h, head := range t.heads {
		done := named(head.name, namesOf(headDone)...)
		for _, it := range t.items(t.body(h, false)) {
			if isPlaceholder(it.text) {
				continue
			}
			it.done = it.done || done
			out = append(out, task{it, h})
		}
	}
	return out
}

// progress are the items as the state shows them.
func (t *document) progress() []workstate.Item {
	out := []workstate.Item{}
	for _, k := range t.tasks() {
		section := t.heads[k.head].name
		if known := namesOf(section)[0]; known != "" {
			section = known
		}
		out = append(out, workstate.Item{Section: section, Text: plain(chars.Line(k.text)), Done: k.done})
	}
	return out
}

// open returns the sections of current and future work in the order in which they are injected, at most most lines
// in all.
func (t *document) open(most int) []workstate.Section {
	var out []workstate.Section
	for _, name := range []string{headDoing, headStopped, headLater, headWaiting} {
		names := namesOf(name)
		for h, head := range t.heads {
			if most == 0 || !named(head.name, names...) {
				continue
			}
			var lines []string
			for _, line := range t.contentLines(t.body(h, false)) {
				if body, isEntry := listEntry(line); len(lines) < most && !isPlaceholder(line) && !(isEntry && ticked(body)) {
					lines = append(lines, strings.TrimSpace(line))
				}
			}
			most -= len(lines)
			if len(lines) > 0 {
				out = append(out, workstate.Section{Heading: name, Lines: lines})
			}
		}
	}
	return out
}

func ticked(body string) bool { return strings.HasPrefix(strings.ToLower(body), "[x]") }

// addTask adds an item to a section. A section that is not there is made: in the
// phase that is in hand, else before what comes next.
func (t *document) addTask(section, what string) {
	if section == "" {
		section = headDoing
	}
	line := "- [ ] " + oneLine(what)
	names := namesOf(section)
	h := -1
	for i, head := range t.heads { // of several phases the one in hand: the first that is not done
		if named(head.name, names...) && (h < 0 || t.phaseDone(h)) {
			h = i
		}
	}
	if h < 0 {
		t.insertSection("### "+section, line)
		return
	}
	t.addBelow(h, line)
}

// addBelow adds a line to the list below a heading, in the place of a line that
// says there is nothing.
func (t *document) addBelow(h int, lines ...string) {
	body := t.trimmed(t.body(h, false))
	if last := body.to - 1; len(t.contentLines(body)) == 1 && isPlaceholder(t.lines[last]) {
		t.replace(span{last, body.to}, lines...)
		return
	}
	if items := t.items(body); len(items) > 0 {
		body.to = items[len(items)-1].to
	}
	t.replace(span{body.to, body.to}, lines...)
}

// phaseOf is the heading of the phase that a heading belongs to, or -1.
func (t *document) phaseOf(h int) int {
	for i := h - 1; i >= 0; i-- {
		if t.heads[i].level < t.heads[h].level && strings.HasPrefix(strings.ToLower(t.heads[i].name), "phase") {
			return i
		}
	}
	return -1
}

func (t *document) phaseDone(h int) bool {
	p := t.phaseOf(h)
	return p >= 0 && strings.Contains(strings.ToLower(t.heads[p].name), "complete")
}

// insertSection makes a section before what comes next, else at the end.
func (t *document) insertSection(lines ...string) {
	h := t.find(namesOf(headLater)...)
	if h < 0 {
		t.append(lines...)
		return
	}
	at := t.heads[h].at
	t.replace(span{at, at}, append(lines, "")...)
}

// complete moves the open item that is most like what to Completed, ticked and
// dated. Where several are alike, or none, nothing changes and the notes say so.
func (t *document) complete(what string, at time.Time) (done bool, rivals []string, note string) {
	tasks := slices.DeleteFunc(t.tasks(), func(k task) bool {
		return k.done || !k.box && !named(t.heads[k.head].name, append(append(namesOf(headDoing), namesOf(headWaiting)...),
			namesOf(headStopped)...)...)
	})
	list := make([]string, len(tasks))
	for i, k := range tasks {
		list[i] = plain(chars.Line(k.text))
	}
	found, many := chars.BestMatch(list, what)
	if found < 0 {
		for _, i := range many {
			rivals = append(rivals, list[i])
		}
		if len(many) > 0 {
			return false, rivals, fmt.Sprintf("%d open items are like %q; none was completed", len(many), what)
		}
		return false, nil, fmt.Sprintf("no open item is like %q; nothing was completed", what)
	}
	t.move(tasks[found], at)
	return true, nil, ""
}

// move puts an item under Completed of its phase.
func (t *document) move(k task, at time.Time) {
	lines := make([]string, 0, k.to-k.from)
	for _, l := range t.lines[k.from:k.to] {
		lines = append(lines, strings.TrimRight(l, "\r\n"))
	}
	text := strings.TrimRight(k.text, " \t") // as it was written
	lines[0] = "- [x] " + text + " (completed " + at.UTC().Format(time.DateOnly) + ")"
	phase := t.phaseOf(k.head)
	level := t.heads[k.head].level
	t.replace(k.span)
	to := -1
	for i, h := range t.heads {
		if named(h.name, namesOf(headDone)...) && t.phaseOf(i) == phase {
			to = i
		}
	}
	if to >= 0 {
		t.addBelow(to, lines...)
		return
	}
	section := append([]string{strings.Repeat("#", level) + " " + headDone}, lines...)
	if phase >= 0 {
		below := t.heads[phase].at + 1
		t.replace(span{below, below}, append([]string{""}, section...)...)
	} else if h := t.find(namesOf(headDoing)...); h >= 0 {
		above := t.heads[h].at
		t.replace(span{above, above}, append(section, "")...)
	} else {
		t.insertSection(section...)
	}
}
