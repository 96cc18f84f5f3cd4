package outcome

import (
	"fmt"
	"slices"
	"strings"

	"remanence/internal/extract"
	"remanence/internal/lang"
	"remanence/internal/shell"
)

// Check is a check by hand that a plan or an answer lists.
type Check struct {
	parts    []string // each in one line: the item, and what is below it
	commands []string // that it names
	manual   bool     // it says that it is done by hand
}

// Checks returns what stands to be checked by hand below a heading such as "Verification" or "Test plan": the items of
// lists that are not ticked and that no program checks, and paragraphs that begin "Manual check:". With boxes only
// items with an empty box count, as in an answer, which reports there what was checked.
func Checks(text string, boxes bool) (out []Check) {
	section, fence, indent := 0, false, 0
	for raw := range strings.Lines(text) {
		t := strings.TrimSpace(raw)
		if strings.HasPrefix(t, "```") {
			fence = !fence
		}
		if fence || t == "" {
			continue
		}
		if level := headingLevel(t); level > 0 {
			if section == 0 || level <= section {
				section = 0
				if dutyCues().Find(lang.CueText(strings.Trim(t, "#* :"))).Has(cueSection) {
					section = level
				}
			}
			continue
		}
		plain, item := lang.TrimListMark(t)
		if section == 0 || !item && !labelled(t) {
			continue
		}
		open, box := strings.CutPrefix(plain, "[ ] ")
		ticked := !box && strings.Contains(t[:len(t)-len(plain)], "[")
		depth := len(raw) - len(strings.TrimLeft(raw, " \t"))
		if n := len(out); n > 0 && depth > indent { // a part of the item above
			out[n-1].join(open)
			continue
		}
		if indent = depth; !ticked && (box || !boxes) {
			out = append(out, newCheck(open))
		}
	}
	return slices.DeleteFunc(out, func(c Check) bool { return !c.byHand() })
}

// headingLevel returns the level of a heading, 1 for the highest; 0 for other lines.
func headingLevel(line string) int {
	if lang.IsBoldLine(line) {
		return maxHeading
	}
	n := len(line) - len(strings.TrimLeft(line, "#"))
	if n > 0 && n < maxHeading && strings.HasPrefix(line[n:], " ") {
		return n
	}
	return 0
}

// maxHeading is the level of a line that is nothing but bold.
const maxHeading = 7

func newCheck(item string) Check {
	c := Check{parts: []string{lang.WithoutEmphasis(item)}}
	for _, code := range codeIn(item) {
		if isCommand(code) || len(shell.Checks(code)) > 0 {
			c.commands = append(c.commands, shell.Work(code)...)
		}
	}
	c.manual = dutyCues().Find(lang.CueText(item)).Has(cueManual)
	return c
}

// labelled reports whether a line begins with a label such as "Manual test:".
func labelled(line string) bool {
	label, _, ok := strings.Cut(line, ":")
	return ok && len(strings.Fields(label)) <= 3 && dutyCues().Find(lang.CueText(label)).Has(cueManual)
}

// said returns the beginning of a check without a label, at most maxCheck characters unless its first part is longer,
// and how many parts are left.
func (c Check) said() (text string, left int) {
	for i, part := range c.parts {
		if i == 0 && labelled(part) {
			_, part, _ = strings.Cut(part, ":")
			part = strings.TrimSpace(part)
		}
		with := text + "; " + part
		if text == "" || strings.HasSuffix(text, ":") {
			with = strings.TrimSpace(text + " " + part)
		}
		if text != "" && len([]rune(with)) > maxCheck {
			return text, len(c.parts) - i
		}
		text = with
	}
	return text, 0
}

// join adds an item of a list below.
func (c *Check) join(item string) {
	part := newCheck(item)
	c.manual = c.manual || part.manual
	c.commands = append(c.commands, part.commands...)
	c.parts = append(c.parts, part.parts...)
}

// whole returns all of a check in one line.
func (c Check) whole() string { return strings.Join(c.parts, "; ") }

// automaticWords are of what programs check.
var automaticWords = []string{"test", "tests", "suite", "lint", "typecheck", "build", "ci"}

// byHand reports whether nothing but a person or a browser can do a check.
func (c Check) byHand() bool {
	words := strings.Fields(strings.ToLower(c.whole()))
	if len(words) > 0 && words[0] == "test" { // it is to be tested
		words = words[1:]
	}
	automatic := slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(automaticWords, strings.Trim(w, ".,;:`*"))
	})
	return c.manual || !automatic &&
		!slices.ContainsFunc(c.commands, func(command string) bool { return len(shell.Checks(command)) > 0 })
}

// looksAt reports whether a check says what to look at.
func (c Check) looksAt() bool { return dutyCues().Find(lang.CueText(c.whole())).Has(cueLook) }

// checks returns what the last plan that a session carried out, or an answer, lists as checks by hand, if nothing in
// the session did them. later is what was asked for since.
func (s *Session) checks(later []string) (end End, ok bool) {
	i := len(s.Exchanges) - 1
	for i >= 0 && (len(s.Exchanges[i].Checks) == 0 || len(s.changedIn(s.Exchanges[i].Prompt)) == 0) {
		i--
	}
	if i < 0 {
		return end, false
	}
	x := s.Exchanges[i]
	made := s.changedIn(x.Prompt)
	for _, next := range s.Exchanges[i+1:] {
		if slices.ContainsFunc(s.changedIn(next.Prompt), func(f string) bool { return slices.Contains(made, f) }) {
			return end, false // the person looked at it and wanted it otherwise
		}
		later = append(slices.Clone(later), next.Asked)
	}
	did := map[string]bool{}
	for _, line := range s.Ran {
		if looks(line) {
			return end, false
		}
		for _, command := range shell.Work(line) {
			did[command] = true
		}
	}
	left := slices.DeleteFunc(slices.Clone(x.Checks), func(c Check) bool {
		ran := len(c.commands) > 0 && !slices.ContainsFunc(c.commands, func(command string) bool { return !did[command] })
		about := topics(c.whole(), c.whole())
		return ran || slices.ContainsFunc(later, func(l string) bool {
			return 2*shared(about, topics(l, c.whole())) > len(about)
		})
	})
	if len(left) == 0 {
		return end, false
	}
	first := max(0, slices.IndexFunc(left, Check.looksAt)) // before it may stand how to begin
	said, more := left[first].said()
	text := "check by hand: " + extract.WholeTitle(strings.TrimRight(said, ":： "), maxCheck)
	if more += len(left) - 1; more > 0 {
		text += fmt.Sprintf("; %d more", more)
	}
	return End{Prompt: x.Prompt, At: x.At, Text: text, Person: true, Minor: true}, true
}

// maxCheck is how much of a check is shown, in characters.
const maxCheck = 140

// looks reports whether a command line uses a browser or asks a server on this machine.
func looks(line string) bool {
	return slices.ContainsFunc([]string{"playwright", "cypress", "puppeteer", "selenium", "localhost:", "127.0.0.1:"},
		func(name string) bool { return strings.Contains(line, name) })
}
