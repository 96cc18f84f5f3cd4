// Package blame finds which edit of a session wrote a line of a file, and whether an edit takes another one back. It
// compares text and times; it runs no git and reads no store. Start with Match and ChangeOf.
package blame

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// Line is one line of a file, as git blame reports it.
type Line struct {
	Number    int       `json:"number"` // from 1
	Text      string    `json:"text"`
	Commit    string    `json:"commit,omitempty"` // full hash; empty if it is not committed
	Author    string    `json:"author,omitempty"`
	Subject   string    `json:"subject,omitempty"`
	Committed time.Time `json:"committed,omitzero"` // the committer's time, which a rebase renews
	Authored  time.Time `json:"authored,omitzero"`  // when it was committed first
	Name      string    `json:"name,omitempty"`     // the file's path in that commit, from the top of the repository
	Session   string    `json:"session,omitempty"`  // that the last trailer of the commit names
}

// Edit is one change that an agent made to the file.
type Edit struct {
	At    time.Time
	Old   string // the text that was replaced; empty for a whole file
	New   string
	Whole bool // New is the whole file
}

// Match returns for each line the index of the edit that wrote it, or -1. Edits are in the order of their time.
//
// A line belongs to the edit that added its text and is not newer than its commit. Where several did, that of the line
// before or after it in the same commit counts, or else the newest that is not newer than the commit was at first: a
// rebase renews the committer's time only. A line without a word, such as a brace, belongs to the edit of its
// neighbour.
func Match(lines []Line, edits []Edit) []int {
	added := additions(edits)
	out := make([]int, len(lines))
	candidates := make([][]int, len(lines)) // oldest first
	for i, line := range lines {
		out[i] = -1
		for _, e := range added[strings.TrimSpace(line.Text)] {
			if line.Commit == "" || !edits[e].At.After(line.Committed.Add(time.Second)) { // git counts whole seconds
				candidates[i] = append(candidates[i], e)
			}
		}
		if len(candidates[i]) == 1 {
			out[i] = candidates[i][0]
		}
	}
	for i, line := range lines {
		if out[i] < 0 && len(candidates[i]) > 0 {
			out[i] = choose(line, candidates[i], edits, beside(lines, out, i, -1), beside(lines, out, i, 1))
		}
	}
	for i := range lines {
		if out[i] < 0 && !telling(lines[i].Text) {
			out[i] = beside(lines, out, i, -1)
		}
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if out[i] < 0 && !telling(lines[i].Text) {
			out[i] = beside(lines, out, i, 1)
		}
	}
	return out
}

// choose returns the edit that wrote a line which several edits added.
func choose(line Line, candidates []int, edits []Edit, beside ...int) int {
	for _, e := range beside {
		if e >= 0 && slices.Contains(candidates, e) {
			return e
		}
	}
	for _, e := range slices.Backward(candidates) {
		if line.Commit != "" && !edits[e].At.After(line.Authored.Add(time.Second)) {
			return e
		}
	}
	return candidates[len(candidates)-1]
}

// beside returns the edit of the nearest line before (-1) or after (1) a line that has a word, if it is of the same
// commit; else -1.
func beside(lines []Line, out []int, i, step int) int {
	for j := i + step; j >= 0 && j < len(lines) && lines[j].Commit == lines[i].Commit; j += step {
		if out[j] >= 0 || telling(lines[j].Text) {
			return out[j]
		}
	}
	return -1
}

// additions lists for each text of a line the edits that added it, oldest first. A whole file adds only lines that the
// edits before it had not left there.
func additions(edits []Edit) map[string][]int {
	added := map[string][]int{}
	present := map[string]bool{}
	for i, e := range edits {
		was, is := textLines(e.Old), textLines(e.New)
		if e.Whole {
			was = present
			present = map[string]bool{}
		}
		for text := range was {
			if !is[text] {
				delete(present, text)
			}
		}
		for text := range is {
			if !was[text] {
				added[text] = append(added[text], i)
			}
			present[text] = true
		}
	}
	return added
}

func textLines(s string) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(s) {
		if t := strings.TrimSpace(line); telling(t) {
			out[t] = true
		}
	}
	return out
}

// telling reports whether a line has a word.
func telling(line string) bool { return strings.ContainsFunc(line, unicode.IsLetter) }
