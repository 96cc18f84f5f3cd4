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
	text     string   // in one line
	commands []string // that it names
	manual   bool     // it says that it is done by hand
}

// Checks returns what stands to be checked by hand below a heading such as "Verification" or "Test plan": the items of
// lists that are not ticked and say so, or say what to look at. With boxes only items with an empty box count, as in an
// answer, which reports there what was checked.
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
		if section == 0 || !item {
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
	c := Check{text: lang.WithoutEmphasis(item)}
	for _, code := range codeIn(item) {
		if isCommand(code) || len(shell.Checks(code)) > 0 {
			c.commands = append(c.commands, shell.Work(code)...)
		}
	}
	c.manual = dutyCues().Find(lang.CueText(c.text)).Has(cueManual)
	return c
}

// said returns a check without a label such as "Manual test:".
func (c Check) said() string {
	label, rest, ok := strings.Cut(c.text, ": ")
	if ok && len(strings.Fields(label)) <= 2 && dutyCues().Find(lang.CueText(label)).Has(cueManual) {
		return strings.TrimSpace(rest)
	}
	return c.text
}

// join adds an item of a list below.
func (c *Check) join(item string) {
	part := newCheck(item)
	c.manual = c.manual || part.manual
	c.commands = append(c.commands, part.commands...)
	mark := "; "
	if strings.HasSuffix(c.text, ":") {
		mark = " "
	}
	c.text += mark + part.text
}

// byHand reports whether nothing but a person or a browser can do a check.
func (c Check) byHand() bool {
	automatic := slices.ContainsFunc(strings.Fields(strings.ToLower(c.text)), func(w string) bool {
		return slices.Contains([]string{"test", "tests", "lint", "typecheck", "build", "ci"}, strings.Trim(w, ".,;:`*"))
	})
	return c.manual || !automatic && dutyCues().Find(lang.CueText(c.text)).Has(cueLook) &&
		!slices.ContainsFunc(c.commands, func(command string) bool { return len(shell.Checks(command)) > 0 })
}

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
		about := topics(c.text, c.text)
		return ran || slices.ContainsFunc(later, func(l string) bool {
			return 2*shared(about, topics(l, c.text)) > len(about)
		})
	})
	if len(left) == 0 {
		return end, false
	}
	more := ""
	if n := len(left) - 1; n > 0 {
		more = fmt.Sprintf("; %d more", n)
	}
	text := "check by hand: " + extract.WholeTitle(strings.TrimRight(left[0].said(), ":： "), maxCheck) + more
	return End{Prompt: x.Prompt, At: x.At, Text: text, Person: true, Minor: true}, true
}

// maxCheck is how much of a check is shown, in characters.
const maxCheck = 140

// looks reports whether a command line uses a browser or asks a server on this machine.
func looks(line string) bool {
	return slices.ContainsFunc([]string{"playwright", "cypress", "puppeteer", "selenium", "localhost:", "127.0.0.1:"},
		func(name string) bool { return strings.Contains(line, name) })
}
