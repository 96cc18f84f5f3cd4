package propose

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"remanence/internal/chars"
)

// Heading begins the section of a file into which lines are inserted.
const Heading = "## From past sessions"

// Unconfirmed marks a line that an agent noted and no person confirmed.
const Unconfirmed = "(noted by an agent, not confirmed by a person) "

// MaxFile is the size of the largest file that is edited, in bytes, and MaxClaim the length of a line, in characters.
const (
	MaxFile  = 256 << 10
	MaxClaim = 300
)

const bom = "\ufeff"

// Line is a line to insert.
type Line struct {
	Text string // as Bullet returns it
	Note string // its evidence, which becomes a comment
}

// Bullet returns a claim as the text of a list item. ok is false for one that is too long for a line.
func Bullet(claim string, confirmed bool) (text string, ok bool) {
	text = chars.Line(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, Claim(claim)))
	text = strings.TrimLeft(text, "#>|-*+ ")
	if text == "" || utf8.RuneCountInString(text) > MaxClaim {
		return "", false
	}
	text = strings.NewReplacer("<!--", "<! --", "-->", "-- >").Replace(text)
	if first, size := utf8.DecodeRuneInString(text); unicode.IsLower(first) {
		if word, _, _ := strings.Cut(text, " "); strings.ToLower(word) == word && !strings.ContainsAny(word, "._/-`()") {
			text = string(unicode.ToUpper(first)) + text[size:]
		}
	}
	text = withoutImports(text)
	if !confirmed {
		text = Unconfirmed + text
	}
	return text, true
}

// withoutImports quotes words such as @path, which a client may replace by a file.
func withoutImports(text string) string {
	words := strings.Split(text, " ")
	for i, w := range words {
		if strings.HasPrefix(w, "@") && len(w) > 1 && !strings.Contains(w, "`") &&
			strings.Count(strings.Join(words[:i], " "), "`")%2 == 0 {
			words[i] = "`" + w + "`"
		}
	}
	return strings.Join(words, " ")
}

// Errors of Check.
var (
	ErrNotText  = errors.New("it is not UTF-8 text")
	ErrOpenCode = errors.New("its last block of code or comment has no end")
	ErrConflict = errors.New("it has unresolved merge conflicts")
)

// Check returns why nothing can be inserted into a file.
func Check(text string) error {
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return ErrNotText
	}
	if chars.HasConflictMarkers(text) {
		return ErrConflict
	}
	r, number := reader{}, 0
	for line := range strings.Lines(strings.TrimPrefix(text, bom)) {
		number++
		r.read(line, number)
	}
	if r.fence != "" || r.comment || r.matter {
		return ErrOpenCode
	}
	return nil
}

// Insert returns the text with the lines at the end of the section below Heading, which it adds at the end if there is
// none. Everything else stays as it is, byte for byte, and a text that does not end in a line break does not get one.
func Insert(text string, lines []Line) string {
	if len(lines) == 0 {
		return text
	}
	eol := "\n"
	if 2*strings.Count(text, "\r\n") > strings.Count(text, "\n") {
		eol = "\r\n"
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("- " + l.Text + eol)
		if l.Note != "" {
			b.WriteString("  <!-- " + strings.ReplaceAll(l.Note, "--", "- -") + " -->" + eol)
		}
	}
	added := b.String()
	at, found := sectionEnd(text)
	switch {
	case !found && strings.TrimSpace(strings.TrimPrefix(text, bom)) == "":
		return text + Heading + eol + eol + added
	case !found:
		added = Heading + eol + eol + added
		if !strings.HasSuffix(text, eol+eol) {
			added = eol + added
		}
		at = len(text)
	}
	if !strings.HasSuffix(text[:at], "\n") { // the last line of the file
		added = eol + strings.TrimSuffix(added, eol)
	}
	return text[:at] + added + text[at:]
}

// sectionEnd returns the position behind the last line with text of the section below Heading.
func sectionEnd(text string) (at int, found bool) {
	r, number, pos := reader{}, 0, 0
	if strings.HasPrefix(text, bom) {
		pos = len(bom)
	}
	for line := range strings.Lines(text[pos:]) {
		number++
		pos += len(line)
		t, plain := r.read(line, number)
		switch {
		case plain && t == Heading:
			found, at = true, pos
		case found && plain && (strings.HasPrefix(t, "# ") || strings.HasPrefix(t, "## ")):
			return at, true
		case found && strings.TrimSpace(line) != "":
			at = pos
		}
	}
	return at, found
}

// Diff returns the difference of two texts in the unified format; empty if they are equal. It has one hunk: all that
// lies between the first and the last line that differ.
func Diff(name, old, changed string) string {
	if old == changed {
		return ""
	}
	a, b := slices.Collect(strings.Lines(old)), slices.Collect(strings.Lines(changed))
	head, tail := 0, 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	const context = 3
	from, below := max(0, head-context), min(tail, context)
	var out strings.Builder
	fmt.Fprintf(&out, "--- a/%s\n+++ b/%s\n@@ -%s +%s @@\n", name, name,
		hunk(from, len(a)-tail+below-from), hunk(from, len(b)-tail+below-from))
	put := func(sign string, lines []string) {
		for _, l := range lines {
			out.WriteString(sign + l)
			if !strings.HasSuffix(l, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	put(" ", a[from:head])
	put("-", a[head:len(a)-tail])
	put("+", b[head:len(b)-tail])
	put(" ", a[len(a)-tail:len(a)-tail+below])
	return out.String()
}

// hunk is a range of lines in a hunk's header. An empty range names the line before it.
func hunk(from, n int) string {
	if n == 0 {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, n)
}
