package extract

import (
	"path"
	"slices"
	"strings"
)

// simpleCommands returns the words of each simple command of a shell's command line,
// those of command substitutions and of scripts given to a shell included. Quotes are
// removed and the bodies of here-documents are left out, unless a program reads them as a
// script. A line whose quotes do not close is split at every separator, quoted or not.
func simpleCommands(line string) [][]string {
	p := shellParser{text: line}
	if p.commands(0); p.unclosed {
		return splitCommands(line)
	}
	return p.out
}

// splitCommands splits a command line without regard to quotes.
func splitCommands(line string) [][]string {
	var out [][]string
	for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("|;&()$`\n{}", r) }) {
		if words := strings.Fields(strings.NewReplacer(`"`, " ", "'", " ", "!", " ").Replace(part)); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// maxNesting bounds command substitutions and scripts within each other.
const maxNesting = 8

// shellParser reads a command line as far as it is needed to tell programs from data. It
// knows words, quotes, separators, substitutions, comments and here-documents.
type shellParser struct {
	text     string
	at       int
	depth    int
	unclosed bool
	out      [][]string

	words    []string // of the command that is being read
	word     []byte
	inWord   bool
	heredocs []heredoc // whose bodies begin with the next line
}

// heredoc is a here-document: its delimiter, and the command that reads it.
type heredoc struct {
	end   string
	words int // index in out of the command, once that is complete
}

// commands reads commands up to the byte end, or the end of the text if end is 0.
func (p *shellParser) commands(end byte) {
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == end && end != 0:
			p.endCommand()
			return
		case c == '\\':
			if p.at < len(p.text) {
				p.add(p.text[p.at])
				p.at++
			}
		case c == '\'':
			p.quoted()
		case c == '"':
			p.doubleQuoted()
		case c == '`':
			p.substitution('`')
		case c == '$' && p.next('('):
			p.substitution(')')
		case c == '#' && !p.inWord:
			p.skipLine()
		case c == '<' && strings.HasPrefix(p.text[p.at:], "<") && !strings.HasPrefix(p.text[p.at:], "<<"):
			p.at++
			p.beginHeredoc()
		case c == '&' && (p.at > 1 && p.text[p.at-2] == '>' || strings.HasPrefix(p.text[p.at:], ">")):
			p.endWord() // part of a redirection
		case c == '>' || c == '<' || c == ' ' || c == '\t' || c == '\r':
			p.endWord()
		case c == '\n':
			p.endCommand()
			p.skipHeredocs()
		case strings.IndexByte("|;&()", c) >= 0:
			p.endCommand()
		default:
			p.add(c)
		}
	}
	if end != 0 {
		p.unclosed = true
	}
	p.endCommand()
}

func (p *shellParser) add(c byte) { p.word, p.inWord = append(p.word, c), true }

// next consumes c if it is the next byte.
func (p *shellParser) next(c byte) bool {
	if p.at >= len(p.text) || p.text[p.at] != c {
		return false
	}
	p.at++
	return true
}

func (p *shellParser) endWord() {
	if p.inWord {
		switch w := string(p.word); w {
		case "{", "}", "!":
		default:
			p.words = append(p.words, w)
		}
	}
	p.word, p.inWord = p.word[:0], false
}

func (p *shellParser) endCommand() {
	p.endWord()
	if len(p.words) == 0 {
		return
	}
	words := p.words
	p.words = nil
	p.out = append(p.out, words)
	if p.depth < maxNesting && slices.ContainsFunc(words, runsScripts) {
		for _, w := range words {
			if strings.ContainsAny(w, " \n;|&") {
				p.script(w)
			}
		}
	}
}

// script reads a text that a shell is given.
func (p *shellParser) script(text string) {
	inner := shellParser{text: text, depth: p.depth + 1}
	if inner.commands(0); inner.unclosed {
		inner.out = splitCommands(text)
	}
	p.out = append(p.out, inner.out...)
}

func (p *shellParser) quoted() {
	n := strings.IndexByte(p.text[p.at:], '\'')
	if n < 0 {
		p.unclosed, n = true, len(p.text)-p.at
	}
	p.word, p.inWord = append(p.word, p.text[p.at:p.at+n]...), true
	p.at = min(p.at+n+1, len(p.text))
}

func (p *shellParser) doubleQuoted() {
	p.inWord = true
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			return
		case c == '\\' && p.at < len(p.text):
			p.add(p.text[p.at])
			p.at++
		case c == '`':
			p.substitution('`')
		case c == '$' && p.next('('):
			p.substitution(')')
		default:
			p.add(c)
		}
	}
	p.unclosed = true
}

// substitution reads the commands of a substitution, whose output stays unknown.
func (p *shellParser) substitution(end byte) {
	p.inWord = true
	if p.depth >= maxNesting {
		p.unclosed = true
		return
	}
	inner := shellParser{text: p.text, at: p.at, depth: p.depth + 1}
	inner.commands(end)
	p.at, p.unclosed = inner.at, p.unclosed || inner.unclosed
	p.out = append(p.out, inner.out...)
}

func (p *shellParser) skipLine() {
	if n := strings.IndexByte(p.text[p.at:], '\n'); n >= 0 {
		p.at += n
		return
	}
	p.at = len(p.text)
}

// beginHeredoc reads the delimiter behind "<<".
func (p *shellParser) beginHeredoc() {
	p.endWord()
	p.next('-')
	rest := strings.TrimLeft(p.text[p.at:], " \t")
	n := strings.IndexAny(rest, " \t\n;|&)")
	if n < 0 {
		n = len(rest)
	}
	p.at = len(p.text) - len(rest) + n
	p.heredocs = append(p.heredocs, heredoc{strings.Trim(rest[:n], `'"\`), len(p.out)})
}

// skipHeredocs passes over the bodies that begin here. One that a shell or another
// interpreter reads is read as commands.
func (p *shellParser) skipHeredocs() {
	for _, h := range p.heredocs {
		begin, body := p.at, ""
		for {
			line, rest, more := strings.Cut(p.text[p.at:], "\n")
			if strings.TrimSpace(line) == h.end {
				body, p.at = p.text[begin:p.at], len(p.text)-len(rest)
				break
			}
			if p.at = len(p.text) - len(rest); !more {
				p.unclosed = true
				return
			}
		}
		if h.words < len(p.out) && slices.ContainsFunc(p.out[h.words], interprets) {
			p.out = append(p.out, splitCommands(body)...)
		}
	}
	p.heredocs = nil
}

// runsScripts reports whether a program reads commands of a shell from its arguments.
func runsScripts(program string) bool {
	switch path.Base(program) {
	case "bash", "sh", "zsh", "dash", "ksh", "fish", "eval", "su", "ssh", "xargs", "watch", "parallel":
		return true
	}
	return false
}

// interprets reports whether a program runs what stands in its standard input.
func interprets(program string) bool {
	program, _, _ = strings.Cut(path.Base(program), ".")
	switch strings.TrimRight(program, "0123456789") {
	case "python", "node", "deno", "bun", "ruby", "perl", "php", "psql", "sqlite":
		return true
	}
	return runsScripts(program)
}
