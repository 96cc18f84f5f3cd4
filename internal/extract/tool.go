package extract

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/rawjson"
	"remanence/internal/shell"
)

// Call is what is understood of a tool call. Fields the tool does not have are empty.
type Call struct {
	Command  string // Bash, as typed
	Plain    string // normalised, see plainCommand
	File     string // project-relative
	Old, New string
	Pattern  string
	Prompt   string // Agent
	About    string // description
	Subagent string
	Output   string // what the tool printed, or its text
	Error    string // by which the client reports that it failed
	Todos    []Todo
	Whole    bool // todos is the whole list: what is not on it is off it
}

// Items are the objects of a JSON list. They share its bytes.
func Items(raw json.RawMessage) []map[string]json.RawMessage {
	list, whole := []map[string]json.RawMessage(nil), true
	if !rawjson.Array(raw, func(item []byte) {
		f := Fields(item)
		whole = whole && (f != nil || string(item) == "null")
		list = append(list, f)
	}) || !whole {
		return nil
	}
	return list
}

// Fields returns the members of a JSON object; nil if it is none. They share its bytes.
func Fields(raw json.RawMessage) map[string]json.RawMessage {
	f := map[string]json.RawMessage{}
	if !rawjson.Object(raw, func(key, value []byte) { f[string(key)] = value }) {
		return nil
	}
	return f
}

// Text returns a JSON string; empty if it is none.
func Text(raw json.RawMessage) string {
	s, _ := rawjson.String(raw)
	return s
}

// ResponseText is what a tool's answer says: a string as it is, an object's
// stdout, stderr or text, an array's texts joined.
func ResponseText(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	switch raw[0] {
	case '"':
		return Text(raw)
	case '{':
		f := Fields(raw)
		if list := f["content"]; len(list) > 0 && list[0] == '[' {
			return ResponseText(list)
		}
		out := []string{Text(f["stdout"]), Text(f["stderr"]), Text(f["text"]), Text(f["content"])}
		return strings.TrimSpace(strings.Join(out, "\n"))
	case '[':
		var out []string
		if !rawjson.Array(raw, func(item []byte) {
			if t := ResponseText(item); t != "" {
				out = append(out, t)
			}
		}) {
			return ""
		}
		return strings.Join(out, "\n")
	}
	return ""
}

// PlainCommand is the command without what varies between two runs of the same
// thing: a leading cd, variables set in front, redirections to view the output,
// or to search that of a check, and surplus white space.
func PlainCommand(s string) string {
	s = chars.Line(s)
	for strings.HasPrefix(s, "cd ") {
		_, rest, ok := strings.Cut(s, "&& ")
		if !ok {
			break
		}
		s = strings.TrimSpace(rest)
	}
	for {
		word, rest, ok := strings.Cut(s, " ")
		if !ok || !shell.IsAssignment(word) {
			break
		}
		s = rest
	}
	for i := strings.LastIndex(s, " | "); i > 0; i = strings.LastIndex(s, " | ") {
		filter, _, _ := strings.Cut(s[i+3:], " ")
		shows := slices.Contains([]string{"tail", "head", "less", "cat"}, filter) ||
			filter == "grep" && len(shell.Checks(s[:i])) > 0
		if !shows || strings.Contains(s[i:], " && ") || strings.Contains(s[i:], "; ") {
			break
		}
		s = s[:i]
	}
	s = strings.TrimSuffix(strings.TrimSpace(s), "2>&1")
	return strings.TrimSpace(s)
}

// ExitOf splits the error text of a failed tool into exit status and message.
// A message without a status counts as status 1.
func ExitOf(s string) (code int, message string) {
	rest, ok := strings.CutPrefix(s, "Exit code ")
	if !ok {
		return 1, strings.TrimSpace(s)
	}
	digits, message, _ := strings.Cut(rest, "\n")
	for _, r := range strings.TrimSpace(digits) {
		if r < '0' || r > '9' || code > 1<<20 {
			return 1, strings.TrimSpace(s)
		}
		code = code*10 + int(r-'0')
	}
	return code, strings.TrimSpace(message)
}

// ErrorLine is the line of an output that says most: the first that names a place in a file and what is wrong there,
// else the first that says what the error is, else the first that names one, else one that counts errors, else the
// first. A line that only repeats a command, "$ eslint .", is none; nor is what was logged before a test that failed.
func ErrorLine(output string) string {
	said, named, counted, first := "", "", "", ""
	for line := range strings.Lines(fromFailedTest(output)) {
		t := chars.WithoutClock(strings.TrimFunc(chars.Line(line), drawn))
		if strings.HasPrefix(t, "$ ") || framed(t) { // the command that a runner was asked for, or a line of code
			continue
		}
		if placed(t) {
			return withoutFolder(t)
		}
		first = cmp.Or(first, t)
		switch {
		case strings.HasPrefix(line, "E   "): // pytest
			said = cmp.Or(said, t)
		case !namesError(t), strings.Contains(t, "expect(received)"): // what every failed expectation says
		case onlyCounts(t) || strings.HasSuffix(t, ":") || stepFailed(t):
			counted = cmp.Or(counted, t)
		case saysError(t):
			said = cmp.Or(said, t)
		case countsErrors(t):
			counted = cmp.Or(counted, t)
		default:
			named = cmp.Or(named, t)
		}
	}
	return cmp.Or(said, named, counted, first, chars.Line(chars.FirstLine(output)))
}

// drawn reports whether a character only decorates a line: white space, a symbol, part of a drawn line.
func drawn(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.So, r) }

// framed reports whether a line shows a line of code by its number, as compilers and linters do below an error: "12 |
// let x", "480 │ + x".
func framed(line string) bool {
	numbers, code, ok := strings.Cut(strings.ReplaceAll(line, "│", "|"), "|")
	numbers = strings.TrimSpace(numbers)
	return ok && numbers != "" && code != "" && strings.Trim(numbers, "0123456789 >") == ""
}

// stepFailed reports whether a line only says which step of the work failed:
// "> Task :app:compileKotlin FAILED", "3 of 7 ERROR creating table orders", or is
// the heading of what failed: "==== FAILURES ====".
func stepFailed(line string) bool {
	words := strings.Fields(line)
	last := words[len(words)-1]
	of := len(words) > 3 && words[1] == "of" && strings.Trim(words[0]+words[2], "0123456789") == ""
	banner := strings.HasPrefix(line, "===") && strings.HasSuffix(line, "===") ||
		strings.HasPrefix(line, "___") && strings.HasSuffix(line, "___")
	return last == "FAILED" || of || banner ||
		len(words) == 4 && words[2] == "code" && strings.EqualFold(words[0], "npm")
}

// saysError reports whether a line says what an error is, behind its name and a
// colon: "TypeError: x is undefined", "error[E0382]: borrow of moved value".
func saysError(line string) bool {
	for {
		name, what, ok := strings.Cut(line, ": ")
		if !ok {
			return false
		}
		if namedError(name) && strings.Contains(what, " ") {
			return true
		}
		line = what
	}
}

// namedError reports whether a few words are the name of an error, also with its
// code: "error TS2304".
func namedError(name string) bool {
	words := strings.Fields(strings.ToLower(name))
	if len(words) == 0 || len(words) > 3 {
		return false
	}
	last, _, _ := strings.Cut(words[len(words)-1], "[")
	if len(words) > 1 && strings.ContainsAny(last, "0123456789") {
		last = words[len(words)-2]
	}
	return slices.ContainsFunc(
		[]string{"error", "exception", "panic", "fatal"},
		func(w string) bool { return strings.HasSuffix(last, w) },
	)
}

// closesErrors reports whether a line only says that there were errors.
func closesErrors(line string) bool {
	l := strings.ToLower(line)
	return strings.HasPrefix(l, "error: ") &&
		lang.ContainsAny(l, "aborting due to", "could not compile", "exited with code", "exit code", "exit status")
}

// onlyCounts reports whether a line says how many errors there were, or that there were some, and not which.
func onlyCounts(line string) bool {
	words := strings.Fields(strings.ToLower(strings.TrimFunc(line, decorates)))
	n, _ := counted(words, "fail", "failed", "failing", "failure", "failures", "error", "errors", "problem", "problems")
	return n > 0 && len(words) <= maxStatusWords || closesErrors(line)
}

// countsErrors reports whether a line only counts what failed, or names it:
// "Tests: 1 failed, 120 passed", "FAIL src/cart.test.ts".
func countsErrors(line string) bool {
	words := strings.Fields(strings.ToLower(line))
	for i, w := range words {
		counts := i > 0 && strings.Trim(words[i-1], "(0123456789") == "" && strings.HasPrefix(w, "fail")
		if counts || strings.Trim(w, "-:") == "fail" && i < 2 {
			return true
		}
	}
	return false
}

// ShortError is a telling line without the tag that it is an error, which is said
// before it, and without the folder or the package of what it begins with.
func ShortError(line string) string {
	for _, tag := range []string{"[error] ", "error: "} {
		if len(line) > len(tag) && strings.EqualFold(line[:len(tag)], tag) {
			line = line[len(tag):]
		}
	}
	first, rest, ok := strings.Cut(line, " ")
	switch {
	case !ok:
		return line
	case strings.HasPrefix(first, "/") && strings.Contains(path.Base(first), ":"):
		first = path.Base(first)
	case strings.HasSuffix(first, ":") && namedError(strings.TrimSuffix(first, ":")):
		first = first[strings.LastIndex(first, ".")+1:]
	}
	return first + " " + rest
}

// placed reports whether a line begins like "file.go:12: message", the form in
// which compilers and tests say where something is wrong, or names it by an address.
func placed(line string) bool {
	if withoutFolder(line) != line {
		return true
	}
	file, rest, ok := strings.Cut(line, ":")
	if !ok || strings.ContainsAny(file, " \t") || !strings.Contains(file, ".") {
		return false
	}
	digits := strings.TrimLeft(rest, "0123456789")
	return digits != rest && strings.HasPrefix(digits, ":") && len(digits) > 4 &&
		strings.Contains(strings.TrimSpace(digits[1:]), " ")
}

// withoutFolder is a line that says by an address where something is wrong,
// "e: file:///src/a.kt:3:7 message", with the file's name instead.
func withoutFolder(line string) string {
	kind, rest, ok := strings.Cut(line, ": file://")
	at, message, _ := strings.Cut(rest, " ")
	if !ok || len(kind) != 1 || message == "" || strings.Count(at, ":") < 2 {
		return line
	}
	return path.Base(at) + " " + message
}

func namesError(line string) bool {
	l := strings.ToLower(line)
	for _, w := range []string{
		"error", "fail", "panic", "fatal", "cannot", "not found", "undefined", "denied",
		"exception", "expected",
	} {
		if strings.Contains(l, w) && len(l) > len(w)+2 {
			return true
		}
	}
	return false
}
