package mind

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/workstate"
)

// decision is a block of DECISIONS.md.
type decision struct {
	workstate.Decision
	span
}

// decisions are the blocks of DECISIONS.md, in their order: those under a
// heading with a number, and those of the older form, which are a numbered list.
// A list within a block is a part of it, such as what was decided against.
func (t *document) decisions() []decision {
	var out, listed []decision
	end := 0 // of the block before
	for h, head := range t.heads {
		if id, title, ok := decisionHead(head.name); ok {
			s := t.block(h, isDecision)
			d := decision{workstate.Decision{ID: id, Title: title}, s}
			t.readFields(&d, span{s.from + 1, s.to})
			out, end = append(out, d), s.to
			continue
		}
		if head.at < end {
			continue
		}
		for _, it := range t.items(t.body(h, false)) {
			if d, ok := t.listed(it); ok {
				listed = append(listed, d)
			}
		}
	}
	return append(out, listed...)
}

func isDecision(name string) bool {
	_, _, ok := decisionHead(name)
	return ok
}

// decisionHead reads "DEC-012: title", "DEC-012-7f3a: title" or "Decision 12: title".
func decisionHead(name string) (id, title string, ok bool) {
	rest, isDec := strings.CutPrefix(strings.ToUpper(name), "DEC-")
	if !isDec {
		if rest, isDec = strings.CutPrefix(strings.ToUpper(name), "DECISION "); !isDec {
			return "", "", false
		}
	}
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return "", "", false
	}
	_, title, _ = strings.Cut(name, digits)
	mark := markOf(title)
	title = strings.TrimLeft(title[len(mark):], ":—–- ")
	return fmt.Sprintf("DEC-%03d", n) + strings.ToLower(mark), strings.TrimSpace(title), true
}

const markDigits = 4 // hex digits of the mark of a branch

// markOf returns the mark of a branch that follows a number, with the dash before it, or "". Only a colon may follow.
func markOf(rest string) string {
	mark := rest[:min(len(rest), 1+markDigits)]
	if len(mark) != 1+markDigits || mark[0] != '-' || strings.Trim(mark[1:], "0123456789abcdefABCDEF") != "" ||
		len(rest) > len(mark) && rest[len(mark)] != ':' {
		return ""
	}
	return mark
}

// branchMark returns what is put behind the number of a decision that is made on a branch: two branches that count on
// from the same number must not give two decisions one name. On a main branch, and outside of git, it is empty.
func branchMark(branch string) string {
	switch branch {
	case "", "main", "master", "trunk":
		return ""
	}
	return newMark(branch)
}

// newMark returns the mark that stands for a text, with the dash before it.
func newMark(of string) string {
	sum := sha256.Sum256([]byte(of))
	return "-" + hex.EncodeToString(sum[:])[:markDigits]
}

// numberOf returns the number of a decision, 0 without one.
func numberOf(id string) int {
	digits, _, _ := strings.Cut(strings.TrimPrefix(id, "DEC-"), "-")
	n, _ := strconv.Atoi(digits)
	return n
}

// listed reads an entry of the older form: 1. **date — title** and its fields.
func (t *document) listed(it item) (decision, bool) {
	head := strings.TrimSpace(it.text)
	bold, rest, closed := strings.Cut(strings.TrimPrefix(head, "**"), "**")
	if !strings.HasPrefix(head, "**") || !closed {
		return decision{}, false
	}
	mark := strings.TrimSpace(t.lines[it.from])
	number := mark[:len(mark)-len(strings.TrimLeft(mark, "0123456789"))]
	d := decision{workstate.Decision{
		ID: number, Title: strings.TrimSpace(bold),
		Text: strings.TrimSpace(strings.TrimLeft(rest, ":—–- ")),
	}, it.span}
	if number == "" || isPlaceholder(d.Title) {
		return decision{}, false
	}
	if date, title, ok := strings.Cut(d.Title, " — "); ok && isDate(strings.Trim(date, "[] ")) {
		d.Date, d.Title = strings.Trim(date, "[] "), strings.Trim(title, "[] ")
	}
	if strings.Contains(d.Title, "YYYY-MM-DD") {
		return decision{}, false // the blank of a form
	}
	t.readFields(&d, span{it.from + 1, it.to})
	return d, true
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// readFields reads "- **Name:** value", a value over several lines whole.
func (t *document) readFields(d *decision, s span) {
	var into *string
	for i := s.from; i < s.to; i++ {
		line := strings.TrimSpace(t.lines[i])
		name, value, ok := labelled(line)
		if !ok {
			if into != nil && line != "" {
				*into = chars.Line(*into + " " + line)
			}
			continue
		}
		switch strings.ToLower(name) {
		case "date":
			into = &d.Date
		case "decided by", "by":
			into = &d.By
		case "decision":
			into = &d.Text
		case "rationale", "why", "reason":
			into = &d.Rationale
		case "status":
			into = &d.Status
		default:
			into = nil
			continue
		}
		*into = value
	}
}

// labelled splits "- **Name:** value" and "- Name: value".
func labelled(line string) (name, value string, ok bool) {
	body, isEntry := listEntry(line)
	if !isEntry {
		body = line
		if !strings.HasPrefix(body, "**") {
			return "", "", false
		}
	}
	bare := strings.TrimPrefix(body, "**")
	name, value, ok = strings.Cut(bare, ":")
	if !ok || len(name) > 40 || strings.ContainsAny(name, "`[(") {
		return "", "", false
	}
	return strings.Trim(name, "* "), chars.Line(strings.TrimPrefix(strings.TrimSpace(value), "**")), true
}

// separate gives decisions of one number names of their own: two clones of one branch count on from the same number.
// The oldest keeps the number, the others get a mark made of their title, so that all clones write the same whatever
// the order in which git merged them.
func (t *document) separate() {
	all, first := t.decisions(), map[string]decision{}
	for _, d := range all {
		if f, known := first[d.ID]; !known || cmp.Or(cmp.Compare(d.Date, f.Date), cmp.Compare(d.Title, f.Title)) < 0 {
			first[d.ID] = d
		}
	}
	lines := slices.Clone(t.lines)
	for _, d := range all {
		level, rest, own := strings.Cut(lines[d.from], "DEC-") // another form of a number is not ours to change
		id := fmt.Sprintf("DEC-%03d", numberOf(d.ID)) + newMark(d.Title)
		if _, taken := first[id]; !own || taken || first[d.ID].from == d.from || strings.Trim(level, "# ") != "" {
			continue
		}
		first[id] = d
		lines[d.from] = level + id + ": " + d.Title + rest[len(strings.TrimRight(rest, "\r\n")):]
	}
	t.lines = lines
	t.findHeadings()
}

// addDecision adds a decision under the next number, with the mark of the branch.
func (t *document) addDecision(d workstate.Decision, branch string, at time.Time) {
	t.separate()
	id := fmt.Sprintf("DEC-%03d", t.lastDecision()+1) + branchMark(branch)
	lines := []string{
		"## " + id + ": " + chars.Line(d.Title),
		"- **Date:** " + at.UTC().Format(time.DateOnly),
		"- **Decided by:** " + chars.Line(d.By),
		"- **Status:** " + chars.Line(d.Status),
		"- **Decision:** " + chars.Line(d.Text), // the last line is not that of another decision, or a merge would join them
	}
	if d.Rationale != "" {
		lines = append(lines, "- **Rationale:** "+chars.Line(d.Rationale))
	}
	t.append(lines...)
}

// lastDecision is the highest number that a decision has, short ones and those
// of the older form too.
func (t *document) lastDecision() int {
	most := 0
	for _, old := range t.decisions() {
		most = higher(most, numberOf(old.ID))
	}
	if h := t.find(headOldDecisions); h >= 0 {
		for _, it := range t.items(t.body(h, false)) {
			if id, _, ok := decisionHead(it.text); ok {
				most = higher(most, numberOf(id))
			}
		}
	}
	return most
}
