package outcome

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/extract"
	"remanence/internal/lang"
)

//go:embed duties.tsv
var dutyTable string

// The classes of duties.tsv.
const (
	cueDuty uint8 = iota
	cueAct
	cueOp
	cueMust
	cueHand
	cueMaybe
	cueNone
	cueAny
	cueSection
	cueManual
	cueLook
)

var (
	dutiesOnce sync.Once
	dutyWords  *lang.Lexicon
)

// dutyCues returns the cues of duties.tsv. The table is read once.
func dutyCues() *lang.Lexicon {
	dutiesOnce.Do(func() {
		var err error
		dutyWords, err = lang.ParseLexicon(dutyTable, []string{
			"duty", "act", "op", "must", "hand", "maybe", "none", "any", "section", "manual", "look",
		})
		if err != nil {
			panic(err) // a test reads the table
		}
	})
	return dutyWords
}

// Bounds of what an answer leaves to the person.
const (
	closingLines = 14 // of an answer that are looked at
	shortAnswer  = 8  // lines, all of which are looked at
	maxDuty      = 200
	maxDuties    = 3
	namedDuties  = 3 // items of a list
)

// duties returns what the end of an answer says that the person has to do. Each names a command, a variable or a place
// that the agent does not reach. ran reports whether the agent ran a command that names something.
func duties(answer string, ran func(name string) bool) (out []string) {
	lines := closing(answer)
	for i := 0; i < len(lines) && len(out) < maxDuties; i++ {
		line := lines[i]
		items := itemsBelow(lines[i+1:])
		if line.leads && len(items) > 0 {
			if last := lastOf(lang.SplitSentences(strings.TrimRight(line.text, ":："))); leadsToDuties(last, items, ran) {
				out = append(out, chars.Clip(last+": "+listed(items), maxDuty))
				i += len(items)
			}
			continue
		}
		for _, s := range lang.SplitSentences(line.text) {
			if isDuty(s, line, ran) {
				said := strings.TrimRight(chars.Clip(s, maxDuty), ".。")
				if len(items) > 0 && !line.item {
					said = chars.Clip(said+": "+listed(items), maxDuty)
				}
				out = extract.AppendNew(out, said, maxDuties)
			}
		}
	}
	return out
}

// leadsToDuties reports whether a line says that the person has to do what the items below it name.
func leadsToDuties(lead string, items []string, ran func(string) bool) bool {
	found := dutyCues().Find(lang.CueText(lead))
	names := codeIn(strings.Join(items, " "))
	if found.Has(cueMaybe, cueNone) || slices.ContainsFunc(names, ran) {
		return false
	}
	return found.Has(cueDuty) || found.Has(cueMust) && slices.ContainsFunc(names, outside)
}

// outside reports whether a name in code is of what the person runs or sets: a command or a variable.
func outside(name string) bool { return isCommand(name) || isVariable(name) }

// isDuty reports whether a sentence says that the person has to do something: it addresses them, or it begins with what
// to do and names a command or a variable that the agent did not run.
func isDuty(s string, in line, ran func(string) bool) bool {
	found := dutyCues().Find(lang.CueText(s))
	if extract.Asks(s) || found.Has(cueMaybe, cueNone) || in.heading {
		return false
	}
	names := codeIn(s)
	if slices.ContainsFunc(names, ran) {
		return false
	}
	named := slices.ContainsFunc(names, outside)
	return found.Has(cueOp) || found.Has(cueDuty) && (named || found.Has(cueHand)) || found.Has(cueAct) && named
}

// line is one of the closing lines of an answer.
type line struct {
	text    string // without marks
	item    bool   // of a list or a table
	heading bool
	leads   bool // a list follows
}

// closing returns the last lines of an answer without code: those of its second half, and of a short one all.
func closing(answer string) (out []line) {
	fence, header := false, false
	for raw := range strings.Lines(answer) {
		t := strings.TrimSpace(raw)
		if strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") {
			fence = !fence
			continue
		}
		if fence || t == "" || t[0] == '>' {
			header = false
			continue
		}
		if t[0] == '|' {
			first, _, _ := strings.Cut(strings.Trim(t, "|"), "|")
			if strings.Trim(t, "|-: ") != "" && header {
				out = append(out, line{text: strings.TrimSpace(lang.WithoutEmphasis(first)), item: true})
			}
			header = true
			continue
		}
		header = false
		plain, item := lang.TrimListMark(t)
		heading := t[0] == '#' || lang.IsBoldLine(t)
		plain = strings.TrimSpace(lang.WithoutEmphasis(strings.TrimLeft(plain, "# ")))
		leads := strings.HasSuffix(plain, ":") || strings.HasSuffix(plain, "：") || heading
		out = append(out, line{plain, item, heading, leads})
	}
	if len(out) <= shortAnswer {
		return out
	}
	start := max(len(out)/2, len(out)-closingLines)
	for start > 0 && out[start].item { // a list is looked at with the line above it
		start--
	}
	return out[start:]
}

// itemsBelow returns the texts of the list that begins with the first of some lines.
func itemsBelow(lines []line) (out []string) {
	for _, l := range lines {
		if !l.item {
			break
		}
		out = append(out, l.text)
	}
	return out
}

// listed names the items of a list by their code, or else by their words up to a dash or a colon.
func listed(items []string) string {
	var names []string
	for _, item := range items[:min(len(items), namedDuties)] {
		if code := codeIn(item); len(code) > 0 && strings.HasPrefix(item, "`") {
			item = code[0]
		}
		names = append(names, strings.TrimRight(chars.Clip(item, maxCommand), ".;"))
	}
	text := strings.Join(names, ", ")
	if more := len(items) - namedDuties; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// codeIn returns what stands between backticks, and names of variables.
func codeIn(s string) (out []string) {
	for i, part := range strings.Split(s, "`") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		for _, w := range strings.FieldsFunc(part, endsName) {
			if isVariable(w) {
				out = append(out, w)
			}
		}
	}
	return out
}

func endsName(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// isCommand reports whether code is a command with its arguments.
func isCommand(code string) bool {
	first, _, more := strings.Cut(strings.TrimSpace(code), " ")
	return more && first != "" && !strings.ContainsAny(first, "=(){}<>\"':;,") && first == strings.ToLower(first)
}

// isVariable reports whether a name is written as those of environment variables are.
func isVariable(name string) bool {
	name, _, _ = strings.Cut(name, "=")
	return strings.Contains(name, "_") && len(name) > 4 &&
		strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// lastOf returns the last value of a list, or "" if it is empty.
func lastOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}
