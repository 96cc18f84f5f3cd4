package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Failure identifies a failure of a command: by the words of its error that say what went wrong, and the tests that it
// names as failed.
type Failure struct{ words, tests []string }

// FailureOf returns the failure that what a command said describes. Words of the command itself, names of files,
// figures, and words that every failure has do not distinguish one; nor does a line that counts errors.
func FailureOf(command, said string) Failure {
	var f Failure
	_, message := ExitOf(said)
	line := ErrorLine(message)
	if onlyCounts(line) {
		return f
	}
	own := errorWords(command)
	for _, w := range errorWords(line) {
		if !slices.Contains(own, w) && !slices.Contains(f.words, w) {
			f.words = append(f.words, w)
		}
	}
	for line := range strings.Lines(message) {
		if name := failedTest(strings.TrimSpace(line)); name != "" {
			f.tests = AppendNew(f.tests, name, MaxFiles)
		}
	}
	return f
}

// failedTest returns the test that a line of a test runner names as failed: "--- FAIL: TestFee (0.01s)",
// "FAILED tests/fee.py::test_fee - assert 1 == 2", "(fail) fee > rounds [0.3ms]", "✕ rounds (3 ms)".
func failedTest(line string) string {
	for _, mark := range []string{"--- FAIL: ", "FAILED ", "(fail) ", "✕ ", "✗ ", "✘ ", "× "} {
		if name, ok := strings.CutPrefix(line, mark); ok {
			name, _, _ = strings.Cut(strings.NewReplacer(" - ", "\n", " (", "\n", " [", "\n").Replace(name), "\n")
			return name
		}
	}
	return ""
}

const aboutTest = 12 // lines before the name of a failed test that may say what is wrong with it

// fromFailedTest returns an output from the last error before the first test that failed, or all of it if it names
// none. What stands further above are errors that other tests logged. A list of failed tests at the end of an output is
// not where one failed.
func fromFailedTest(output string) string {
	lines := slices.Collect(strings.Lines(output))
	for i, line := range lines {
		if line = strings.TrimSpace(line); failedTest(line) != "" && !strings.HasPrefix(line, "FAILED ") {
			from := max(0, i-aboutTest)
			for k := from; k < i; k++ {
				if namesError(strings.TrimSpace(lines[k])) {
					from = k
				}
			}
			return strings.Join(lines[from:], "")
		}
	}
	return output
}

// Is reports whether a memory is about this failure: it has more than half of the words. A failure without words is
// none that could be recognised.
func (f Failure) Is(m mem.Memory) bool {
	text := append([]string{m.Title, m.Body}, m.Facts...)
	have := errorWords(strings.Join(text, "\n"))
	return 2*CountShared(f.words, have) > len(f.words)
}

// Words returns the words that identify the failure, in order; "" if it has none.
func (f Failure) Words() string { return strings.Join(f.words, " ") }

// Same reports whether two failures of one command are the same: each has more than half of the other's words, and if
// both name tests, one of them failed both times.
func (f Failure) Same(other Failure) bool {
	if len(f.tests) > 0 && len(other.tests) > 0 &&
		!slices.ContainsFunc(f.tests, func(name string) bool { return slices.Contains(other.tests, name) }) {
		return false
	}
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
