// Package shell splits command lines of a POSIX shell into the words of their commands. It runs nothing, and reads
// neither files nor the environment. Start with Words and Parse.
package shell

import (
	"path"
	"slices"
	"strings"
)

// Words returns the words of each command of a line. Quotes are passed
// over, so that what a shell is given as text counts as commands too.
func Words(line string) [][]string {
	var out [][]string
	for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("|;&()$`\n{}", r) }) {
		if words := strings.Fields(strings.NewReplacer(`"`, " ", "'", " ", "!", " ").Replace(part)); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// Parse returns the words of each command of a line, without quotes, redirections
// and the bodies of here-documents, those of command substitutions first. ok is false for a
// line that it does not understand as a whole: one with groups, loops, process
// substitution, here-strings, functions, or quotes that do not close.
func Parse(line string) (commands [][]string, ok bool) {
	commands, _, ok = parse(line)
	return commands, ok
}

// parse is Parse with what stands behind each command: "|", "||", "&&", "&", ";" or nothing, or "$" for one in a
// substitution.
func parse(line string) (commands [][]string, behind []string, ok bool) {
	p := shellParser{text: strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(line)}
	p.commands(0)
	return p.out, p.behind, !p.failed
}

// IsAssignment reports whether a word of a command line sets a variable.
func IsAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	if !ok || name == "" {
		return false
	}
	for i, r := range name {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return true
}

// shellParser reads a command line. It stops at what it does not understand.
type shellParser struct {
	text   string
	at     int
	nested bool // in a substitution, which may hold no other
	failed bool
	out    [][]string
	behind []string // what stands behind each of out

	words    []string // of the command that is being read
	word     []byte
	inWord   bool
	target   bool // the next word is the target of a redirection
	heredocs []heredoc
}

// heredoc is a here-document whose body begins with the next line.
type heredoc struct {
	end     string
	literal bool   // the shell replaces nothing in it
	reader  string // the program that reads it
}

// commands reads commands up to the byte end, or the end of the text if end is 0.
func (p *shellParser) commands(end byte) {
	for p.at < len(p.text) && !p.failed {
		c := p.text[p.at]
		p.at++
		switch {
		case c == end && end != 0:
			p.endCommand("")
			p.failed = p.failed || len(p.heredocs) > 0
			return
		case c == '\\' && p.at < len(p.text):
			p.add(p.text[p.at])
			p.at++
		case c == '\'':
			p.literal()
		case c == '"':
			p.quoted()
		case c == '$' && p.has("("):
			p.substitution()
		case c == '`', c == '(', c == ')', c == '$' && p.has("{"):
			p.failed = true
		case c == '#' && !p.inWord:
			p.skipComment()
		case c == '<' || c == '>':
			p.redirection(c)
		case c == '&' && p.has(">"):
			p.endWord()
		case c == ' ' || c == '\t' || c == '\r':
			p.endWord()
		case c == '\n':
			p.endCommand(";")
			p.skipHeredocs()
		case c == '|' || c == ';' || c == '&':
			mark := string(c)
			if c != ';' && p.has(mark) {
				p.at++
				mark += mark
			} else if c == '|' && p.has("&") {
				p.at++
			}
			p.endCommand(mark)
		default:
			p.add(c)
		}
	}
	p.failed = p.failed || end != 0 || len(p.heredocs) > 0
	p.endCommand("")
}

func (p *shellParser) has(next string) bool { return strings.HasPrefix(p.text[p.at:], next) }

func (p *shellParser) add(c byte) { p.word, p.inWord = append(p.word, c), true }

func (p *shellParser) endWord() {
	if p.inWord && !p.target {
		p.words = append(p.words, string(p.word))
	}
	p.target = p.target && !p.inWord
	p.word, p.inWord = p.word[:0], false
}

// shellWords begin what is more than a list of commands.
var shellWords = []string{
	"if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "function", "select", "{",
	"}", "[[", "!", "eval", "exec", "source", ".", "alias", "trap",
}

func (p *shellParser) endCommand(behind string) {
	p.endWord()
	if len(p.words) > 0 {
		p.failed = p.failed || slices.Contains(shellWords, p.words[0])
		p.out, p.behind, p.words = append(p.out, p.words), append(p.behind, behind), nil
	}
}

// literal reads what stands in single quotes.
func (p *shellParser) literal() {
	n := strings.IndexByte(p.text[p.at:], '\'')
	if n < 0 {
		p.failed = true
		return
	}
	p.word, p.inWord = append(p.word, p.text[p.at:p.at+n]...), true
	p.at += n + 1
}

// quoted reads what stands in double quotes.
func (p *shellParser) quoted() {
	p.inWord = true
	for p.at < len(p.text) && !p.failed {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			return
		case c == '\\' && p.at < len(p.text):
			p.add(p.text[p.at])
			p.at++
		case c == '$' && p.has("("):
			p.substitution()
		case c == '`', c == '$' && p.has("{"):
			p.failed = true
		default:
			p.add(c)
		}
	}
	p.failed = true
}

// substitution reads the commands of $(…), whose output stays unknown.
func (p *shellParser) substitution() {
	if p.nested {
		p.failed = true
		return
	}
	inner := shellParser{text: p.text, at: p.at + 1, nested: true}
	inner.commands(')')
	p.at, p.failed = inner.at, p.failed || inner.failed
	for _, words := range inner.out {
		p.out, p.behind = append(p.out, words), append(p.behind, "$")
	}
	p.add('$') // whatever it is
}

func (p *shellParser) skipComment() {
	if n := strings.IndexByte(p.text[p.at:], '\n'); n >= 0 {
		p.at += n
		return
	}
	p.at = len(p.text)
}

// redirection reads what follows < or >: another file, another descriptor, or the delimiter
// of a here-document.
func (p *shellParser) redirection(c byte) {
	if p.inWord && strings.Trim(string(p.word), "0123456789") == "" { // of a descriptor
		p.word, p.inWord = p.word[:0], false
	}
	p.endWord()
	switch {
	case p.has("("), p.has("<<"), p.nested && c == '<' && !p.has("<"): // $(<file) shows one
		p.failed = true
	case c == '<' && p.has("<"):
		p.at++
		p.beginHeredoc()
	default:
		for p.has(">") || p.has("&") || p.has("|") {
			p.at++
		}
		p.target = true
	}
}

// beginHeredoc reads the delimiter behind "<<".
func (p *shellParser) beginHeredoc() {
	if p.has("-") {
		p.at++
	}
	rest := strings.TrimLeft(p.text[p.at:], " \t")
	n := strings.IndexAny(rest, " \t\n;|&)<>")
	if n <= 0 || len(p.words) == 0 {
		p.failed = true
		return
	}
	end := strings.Trim(rest[:n], `'"\`)
	p.heredocs = append(p.heredocs, heredoc{end, end != rest[:n], path.Base(p.words[0])})
	p.at = len(p.text) - len(rest) + n
}

// skipHeredocs passes over the bodies that begin here. A program that could run one is not
// understood.
func (p *shellParser) skipHeredocs() {
	for _, h := range p.heredocs {
		for line := ""; ; {
			rest := ""
			more := false
			if line, rest, more = strings.Cut(p.text[p.at:], "\n"); strings.TrimSpace(line) == h.end {
				p.at += len(line) // the end of the line ends the command
				if more {
					p.at++
				}
				break
			}
			if !more || !h.literal && (strings.Contains(line, "$(") || strings.Contains(line, "`")) {
				p.failed = true
				return
			}
			p.at = len(p.text) - len(rest)
		}
		p.failed = p.failed || !slices.Contains([]string{"cat", "tee", "git", "gh", "glab"}, h.reader)
	}
	p.heredocs = nil
}

// RunsAnother reports whether the words before a program are those of commands
// that run one: wrappers, their flags and numbers, variables, shell keywords.
func RunsAnother(before []string) bool {
	for i, w := range before {
		switch path.Base(w) {
		case "sudo", "doas", "env", "time", "timeout", "nohup", "nice", "stdbuf", "xargs", "parallel", "watch", "exec",
			"eval", "command", "bash", "sh", "zsh", "do", "then", "else", "elif", "if", "while", "until", "for":
			continue
		}
		if i > 0 && slices.Contains([]string{"-I", "-u", "-n", "-P", "-s", "-k", "-L", ">", ">>", "<"}, before[i-1]) {
			continue // the value of a flag, the target of a redirection
		}
		if !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, "<>") && !IsAssignment(w) &&
			strings.Trim(w, "0123456789.smh") != "" {
			return false
		}
	}
	return true
}
