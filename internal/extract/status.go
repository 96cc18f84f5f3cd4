package extract

import (
	"slices"
	"strings"
	"unicode"

	"remanence/internal/shell"
)

// Worked reports whether a call whose exit status was 0 did its work. If a pipe or what stands behind a command hides
// the status of that command, its output decides; known is false if that says nothing.
func (c Call) Worked() (worked, known bool) {
	if !shell.HidesStatus(c.Command) {
		return true, true
	}
	failed, known := OutputStatus(c.Output)
	if !known && shell.Unfiltered(c.Command) && printsNothing(c.Output) {
		return true, true
	}
	return known && !failed, known
}

// Failed reports whether a command failed, and what it said: the client's error, or else the output by which a command
// fails whose exit status a pipe hides.
func (c Call) Failed() (said string, failed bool) {
	if c.Error != "" {
		return c.Error, true
	}
	worked, known := c.Worked()
	return c.Output, known && !worked
}

// printsNothing reports whether an output has no line, except those that repeat a command.
func printsNothing(output string) bool {
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "$ ") && !strings.HasPrefix(line, "> ") {
			return false
		}
	}
	return true
}

// OutputStatus returns what the output of commands that test, build or check something says of their success. Counts of
// failed tests and lines by which tools say that they stopped count most, and what passed more than a line that names
// an error, which a test may print that passes.
func OutputStatus(output string) (failed, known bool) {
	passed, named := false, false
	for line := range strings.Lines(output) {
		words := strings.Fields(strings.ToLower(strings.TrimFunc(line, decorates)))
		if len(words) == 0 || len(words) > maxStatusWords || words[0] == "$" {
			continue
		}
		failures, ok := counted(words, "fail", "failed", "failing", "failure", "failures")
		errors, clean := counted(words, "error", "errors", "problems", "issues")
		good, _ := counted(words, "pass", "passed", "passing")
		switch {
		case failures > 0 || saysExit(words, false) || stopped(strings.TrimSpace(line), words):
			return true, true
		case errors > 0:
			named = true
		case ok || clean || good > 0 || saysExit(words, true) || succeeded(words):
			passed = true
		case saysError(strings.TrimSpace(line)):
			named = true
		}
	}
	return named && !passed, passed || named
}

// maxStatusWords is how many words a line has at most that says whether a command worked.
const maxStatusWords = 20

// decorates reports whether a character stands around a line without a meaning: symbols, frames.
func decorates(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("=-_*()[]✓✔●│|✖✗✘×✕", r)
}

// counted returns the count that a line gives of one of some words: "2 failed, 10 passed", "Tests: 1 failed",
// "# fail 3", "Failures: 0", "no errors", and 1 of "some errors". A count within a sentence is none: "task 2 failed".
func counted(words []string, of ...string) (n int, ok bool) {
	for i, w := range words {
		if !slices.Contains(of, strings.Trim(w, ".,;:()[]")) {
			continue
		}
		if i > 0 {
			before := ""
			if i > 1 {
				before = words[i-2]
			}
			count, isNumber := number(words[i-1])
			begins := before == "" || strings.ContainsAny(before[len(before)-1:], ":,;|)") ||
				slices.Contains(countsAfter, before)
			if isNumber && begins || words[i-1] == "no" {
				n, ok = max(n, count), true
				continue
			}
		}
		if labels := i == 0 && strings.HasSuffix(w, ":") || i == 1 && words[0] == "#" || i == 0 && len(words) == 2; labels &&
			i+1 < len(words) {
			if count, isNumber := number(words[i+1]); isNumber {
				n, ok = max(n, count), true
			}
		}
	}
	return n, ok
}

// countsAfter are words that a count stands behind.
var countsAfter = []string{"tests", "files", "suites", "found", "with", "and", "problems", "assertions", "examples"}

// number reads a count: "3", "(12", "1,216", and 1 of "some".
func number(word string) (n int, ok bool) {
	if word == "some" {
		return 1, true
	}
	for _, r := range strings.Trim(word, "(),;:") {
		switch {
		case r == ',':
		case r < '0' || r > '9' || n > 1<<20:
			return 0, false
		default:
			n, ok = 10*n+int(r-'0'), true
		}
	}
	return n, ok
}

// saysExit reports whether a line says an exit status, that of a success or another one: "exit code 1", "EXIT=0",
// `script "test" exited with code 2`.
func saysExit(words []string, success bool) bool {
	text := " " + strings.Join(words, " ") + " "
	for _, before := range []string{
		"exit code", "exit status", "exited with code", "exited with", "exit", "exit_code", "rc",
	} {
		_, rest, ok := strings.Cut(text, " "+before)
		if rest = strings.TrimLeft(rest, ":= "); ok && rest != "" && len(rest) < 20 {
			n, isNumber := number(strings.Fields(rest)[0])
			return isNumber && (n == 0) == success
		}
	}
	return false
}

// stopped reports whether a line is one by which tools say that they failed, without a figure: "FAIL pkg", "--- FAIL:
// TestX", "FAILED tests/x.py::test_y", "BUILD FAILED", "make: *** [test] Error 2", "✖ 1 problem", "npm ERR! x".
func stopped(t string, words []string) bool {
	upper := strings.Fields(t)
	for i, w := range upper {
		w = strings.Trim(w, "-:()*>_=!")
		if (w == "FAIL" || w == "FAILED" || w == "ERR" && upper[0] == "npm") && (i < 2 || i == len(upper)-1) {
			return true
		}
	}
	first := []rune(t)[0]
	return slices.Contains([]rune("✖✗✘×✕"), first) || strings.Contains(t, ": *** [") || strings.HasPrefix(t, "(fail)") ||
		slices.Equal(words, []string{"build", "failed"}) || closesErrors(t)
}

// succeeded reports whether a line is one by which tools say that all went well.
func succeeded(words []string) bool {
	if words[0] == "ok" && len(words) > 1 || words[0] == "pass" || len(words) < 3 && words[len(words)-1] == "ok" {
		return true
	}
	text := strings.Join(words, " ")
	for _, says := range []string{
		"all checks passed", "all tests passed", "test result: ok", "build successful", "build succeeded",
		"compiled successfully", "built in ", "no issues found", "no fixes applied", "all matched files use", "0 problems",
		"0 issues",
	} {
		if strings.Contains(text, says) {
			return true
		}
	}
	return false
}
