package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Failure is what identifies a failure of a command: the words of its error that say what went wrong.
type Failure struct{ words []string }

// FailureOf returns the failure that a command's error message describes. Words of the command itself, names of files,
// figures, and words that every failure has do not distinguish one.
func FailureOf(command, message string) Failure {
	said := errorWords(command)
	var f Failure
	for _, w := range errorWords(ErrorLine(message)) {
		if !slices.Contains(said, w) && !slices.Contains(f.words, w) {
			f.words = append(f.words, w)
		}
	}
	return f
}

// Is reports whether a memory is about this failure: it has more than half of the words. A failure without words is
// none that could be recognised.
func (f Failure) Is(m mem.Memory) bool {
	text := append([]string{m.Title, m.Body}, m.Facts...)
	have := errorWords(strings.Join(text, "\n"))
	n := 0
	for _, w := range f.words {
		if slices.Contains(have, w) {
			n++
		}
	}
	return 2*n > len(f.words)
}

// Words returns the words that identify the failure, in order; "" if it has none.
func (f Failure) Words() string { return strings.Join(f.words, " ") }

// Same reports whether two failures of one command are the same: each has more than half of the other's words.
func (f Failure) Same(other Failure) bool {
	n := 0
	for _, w := range f.words {
		if slices.Contains(other.words, w) {
			n++
		}
	}
	return 2*n > len(f.words) && 2*n > len(other.words)
}

// errorWords returns the words of a text in lower case that may say what went wrong.
func errorWords(s string) []string {
	var out []string
	for field := range strings.FieldsSeq(s) {
		field = strings.Trim(field, "`'\"()[]{}<>,;:.!?")
		if namesPlace(field) {
			continue
		}
		for word := range strings.FieldsFuncSeq(field, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' }) {
			long := utf8.RuneCountInString(word) > 2 || strings.ContainsFunc(word, chars.Wide)
			if word = strings.ToLower(word); long && !everyFailure(word) {
				out = append(out, word)
			}
		}
	}
	return out
}

// namesPlace reports whether a word is an absolute or relative path, or a file with a line. A name with a dot or a
// slash in it, as of a package, says what went wrong.
func namesPlace(word string) bool {
	for _, root := range []string{"/", "./", "../", "~/", `\`, `.\`} {
		if strings.HasPrefix(word, root) {
			return true
		}
	}
	file, line, ok := strings.Cut(word, ":")
	return ok && strings.Contains(file, ".") && line != "" && line[0] >= '0' && line[0] <= '9'
}

// everyFailure lists words of test runners, shells and compilers that say only that something failed.
func everyFailure(word string) bool {
	switch word {
	case "error", "errors", "err", "fail", "fails", "failed", "failure", "failures", "fatal", "exit", "exited", "status",
		"code", "test", "tests", "line", "want", "wanted", "got", "expected", "actual", "received", "expect", "the", "and",
		"for", "was", "but", "with", "from", "that", "not":
		return true
	}
	return false
}
