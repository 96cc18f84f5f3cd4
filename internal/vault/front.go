package vault

import (
	"errors"
	"slices"
	"strings"
)

const fence = "---"

// frontmatter is the frontmatter of a text: which bytes hold which value. It reads what
// people write, be it YAML or only nearly so: a value with a colon in it, a fence
// that was forgotten. What it does not understand it leaves where it is.
type frontmatter struct {
	text   string
	fields []field
	end    int // where a further field would be put in
	body   int // where the rest begins
	none   bool
	eol    string
}

// field is one key at the left margin with all that belongs to it.
type field struct {
	key        string
	from, to   int // of the value, as it is written, without comment and line end
	value      string
	list       []string // of a list; value is empty then
	isList     bool
	opaque     bool // a nested map: left alone
	incomplete bool // a quote or bracket without its end
}

// knownKeys begin a frontmatter whose first fence was forgotten.
var knownKeys = [...]string{
	"name", "description", "type", "tags", "projects", "hits", "prevented", "last_applied", "created", "half_life_days",
	"critical", "evergreen", "invariant", "id",
}

// parseFront finds the frontmatter of a text.
func parseFront(text string) frontmatter {
	f := frontmatter{text: text, eol: "\n"}
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		f.eol = "\r\n"
	}
	at := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	begin := at
	line, next := lineAt(text, at)
	fenced := strings.TrimRight(line, " \t\r") == fence
	key, _ := keyOf(line)
	switch {
	case fenced:
		at = next
	case !slices.Contains(knownKeys[:], key):
		f.none, f.end, f.body = true, at, at
		return f
	}
	if end, body, ok := closing(text, at, !fenced); ok {
		f.end, f.body = end, body
	} else {
		f.end = run(text, at)
		f.body = f.end
	}
	f.fields = fieldsOf(text, at, f.end)
	if len(f.fields) == 0 && prose(text[at:f.end]) { // what stands between two rules
		f.none, f.end, f.body = true, begin, begin
	}
	return f
}

// prose reports whether a text has more than empty lines and comments.
func prose(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return true
		}
	}
	return false
}

// lineAt is the line at a place, without its end, and where the next one begins.
func lineAt(text string, at int) (line string, next int) {
	rest := text[at:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		return strings.TrimSuffix(rest[:i], "\r"), at + i + 1
	}
	return rest, len(text)
}

// closing finds the second fence. Without a first one it has to come before
// anything that is not part of a frontmatter.
func closing(text string, at int, strict bool) (end, body int, ok bool) {
	last := len(text)
	if strict {
		last = run(text, at)
	}
	for at < len(text) {
		line, next := lineAt(text, at)
		if t := strings.TrimRight(line, " \t"); t == fence || t == "..." {
			return at, next, true
		}
		if strict && at >= last {
			break
		}
		at = next
	}
	return 0, 0, false
}

// run is where lines end that can be part of a frontmatter.
func run(text string, at int) int {
	for at < len(text) {
		line, next := lineAt(text, at)
		_, isKey := keyOf(line)
		if !isKey && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "- ") &&
			!strings.HasPrefix(line, "#!") {
			break
		}
		at = next
	}
	return at
}

// keyOf is the key that a line begins with.
func keyOf(line string) (key string, ok bool) {
	i := strings.IndexByte(line, ':')
	if i <= 0 || i+1 < len(line) && line[i+1] != ' ' && line[i+1] != '\t' {
		return "", false
	}
	key = strings.TrimRight(line[:i], " ")
	if n := len(key); n > 2 && (key[0] == '"' || key[0] == '\'') && key[n-1] == key[0] {
		key = key[1 : n-1]
	}
	for j, r := range key {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r > 0x7f
		if !letter && (j == 0 || r != '-' && r != '.' && (r < '0' || r > '9')) {
			return "", false
		}
	}
	return key, key != ""
}

// fieldsOf takes the lines of a frontmatter to pieces.
func fieldsOf(text string, at, end int) []field {
	var out []field
	for at < end {
		line, next := lineAt(text, at)
		key, ok := keyOf(line)
		if !ok {
			at = next
			continue
		}
		stop := next
		for stop < end {
			l, n := lineAt(text, stop)
			if _, other := keyOf(l); other {
				break
			}
			stop = n
		}
		fd := field{key: key}
		colon := at + strings.IndexByte(line, ':') + 1
		fd.read(text, colon, stop)
		out = append(out, fd)
		at = max(next, lineEnd(text, fd.to))
	}
	return out
}

// lineEnd is where the line after a place begins.
func lineEnd(text string, at int) int {
	_, next := lineAt(text, at)
	return next
}

// read finds the value in text[at:stop], which begins behind the colon.
func (f *field) read(text string, at, stop int) {
	line, next := lineAt(text, at)
	from := at + len(line) - len(strings.TrimLeft(line, " \t"))
	f.from, f.to = from, from
	rest := text[from : at+len(line)]
	switch {
	case rest == "" || rest[0] == '#':
		f.from, f.to = at, at
		f.below(text, next, stop)
	case rest[0] == '|' || rest[0] == '>':
		f.block(text, rest, next, stop)
	case rest[0] == '"' || rest[0] == '\'':
		f.quoted(text, stop)
	case rest[0] == '[' || rest[0] == '{':
		f.flow(text, stop)
	default:
		f.plain(text, at+len(line), next, stop)
	}
}

// below reads what stands in the lines under a key: a list, or something nested.
func (f *field) below(text string, at, stop int) {
	for at < stop {
		line, next := lineAt(text, at)
		bare := strings.TrimSpace(line)
		switch {
		case bare == "" || bare[0] == '#':
		case bare == "-" || strings.HasPrefix(bare, "- "):
			f.isList, f.to = true, at+len(line)
			if item := scalar(strings.TrimSpace(strings.TrimPrefix(bare, "-"))); item != "" {
				f.list = append(f.list, item)
			}
		case line[0] == ' ' || line[0] == '\t':
			f.to = at + len(line)
			if f.isList && len(f.list) > 0 {
				break
			}
			f.opaque = true
		default: // a line that is part of nothing
			return
		}
		at = next
	}
}

// block reads a block scalar. What it keeps of its last line ends does not matter here.
func (f *field) block(text, head string, at, stop int) {
	f.to = f.from + len(strings.TrimRight(head, " \t\r"))
	var lines []string
	indent := -1
	for at < stop {
		line, next := lineAt(text, at)
		bare := strings.TrimLeft(line, " ")
		if bare != "" && len(bare) == len(line) {
			break
		}
		if bare != "" && indent < 0 {
			indent = len(line) - len(bare)
		}
		if bare != "" {
			f.to = at + len(line)
		}
		lines = append(lines, line[min(len(line), max(0, min(indent, len(line)-len(bare)))):])
		at = next
	}
	sep := "\n"
	if head[0] == '>' {
		sep = " "
	}
	f.value = strings.TrimSpace(strings.Join(lines, sep))
}

// quoted reads a value in quotes, over several lines if need be.
func (f *field) quoted(text string, stop int) {
	end := quoteEnd(text[:stop], f.from)
	if end < 0 { // no end: as it stands
		line, _ := lineAt(text, f.from)
		f.to, f.value, f.incomplete = f.from+len(line), strings.TrimSpace(line), true
		return
	}
	f.to = end
	f.value = scalar(text[f.from:end])
}

// quoteEnd is behind the quote that ends the one at from, -1 without one.
func quoteEnd(text string, from int) int {
	q := text[from]
	for i := from + 1; i < len(text); i++ {
		switch {
		case q == '"' && text[i] == '\\':
			i++
		case q == '\'' && text[i] == q && i+1 < len(text) && text[i+1] == q:
			i++
		case text[i] == q:
			return i + 1
		}
	}
	return -1
}

// flow reads a list in brackets. One in braces is left alone.
func (f *field) flow(text string, stop int) {
	depth, item := 0, f.from+1
	var items []string
	for i := f.from; i < stop; i++ {
		switch text[i] {
		case '"', '\'':
			if !strings.ContainsAny(text[i-1:i], "[,{ \t\n:") { // it begins nothing
				continue
			}
			if end := quoteEnd(text[:stop], i); end > 0 {
				i = end - 1
			}
		case '[', '{':
			depth++
		case ',':
			if depth == 1 {
				items, item = append(items, text[item:i]), i+1
			}
		case ']', '}':
			if depth--; depth > 0 {
				continue
			}
			f.to = i + 1
			f.opaque = text[f.from] == '{'
			f.isList = !f.opaque
			for _, it := range append(items, text[item:i]) {
				if it = scalar(strings.TrimSpace(it)); it != "" && f.isList {
					f.list = append(f.list, it)
				}
			}
			return
		}
	}
	line, _ := lineAt(text, f.from)
	f.to, f.value, f.incomplete = f.from+len(line), strings.TrimSpace(line), true
}

// plain reads a value without quotes, and the indented lines that go on with it.
func (f *field) plain(text string, end, at, stop int) {
	first := uncommented(text[f.from:end])
	f.to = f.from + len(first)
	parts := []string{first}
	for at < stop && len(first) == len(strings.TrimRight(text[f.from:end], " \t")) {
		line, next := lineAt(text, at)
		bare := strings.TrimSpace(line)
		if bare == "" || line[0] != ' ' && line[0] != '\t' || bare[0] == '#' {
			break
		}
		more := uncommented(bare)
		parts = append(parts, more)
		f.to = at + strings.Index(line, bare) + len(more)
		at = next
	}
	f.value = scalar(strings.Join(parts, " "))
}

// uncommented is a plain text up to its comment.
func uncommented(s string) string {
	for i := 1; i < len(s); i++ {
		if s[i] == '#' && (s[i-1] == ' ' || s[i-1] == '\t') {
			s = s[:i]
			break
		}
	}
	return strings.TrimRight(s, " \t\r")
}

// scalar is the value of a single one as it is written. Nothing is "" here.
func scalar(s string) string {
	switch {
	case s == "~" || s == "null" || s == "Null" || s == "NULL":
		return ""
	case len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'':
		return folded(strings.ReplaceAll(s[1:len(s)-1], "''", "'"))
	case len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"':
		return unescaped(folded(s[1 : len(s)-1]))
	}
	return uncommented(s)
}

// folded joins the lines of a quoted value: one line end is a space.
func folded(s string) string {
	if !strings.ContainsRune(s, '\n') {
		return s
	}
	var b strings.Builder
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		l = strings.TrimSuffix(l, "\r")
		if i > 0 {
			l = strings.TrimLeft(l, " \t")
		}
		if i < len(lines)-1 {
			l = strings.TrimRight(l, " \t")
		}
		switch {
		case i == 0:
		case l == "" && i < len(lines)-1:
			b.WriteByte('\n')
			continue
		case !strings.HasSuffix(b.String(), "\n"):
			b.WriteByte(' ')
		}
		b.WriteString(l)
	}
	return b.String()
}

// unescaped reads the escapes that people write. Others stay as they are.
func unescaped(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\/`, "/").Replace(s)
}

// get returns the value of a key.
func (f frontmatter) get(key string) (field, bool) {
	for _, fd := range f.fields {
		if fd.key == key {
			return fd, true
		}
	}
	return field{}, false
}

// errUnsure is what keeps a value from being written: afterwards the text would
// say something else elsewhere, too.
var errUnsure = errors.New("its frontmatter cannot be changed without changing more of it")

// set returns the text with a value, as it is to be written, under a key. Every
// other byte stays.
func (f frontmatter) set(key, value string) (string, error) {
	out := ""
	fd, there := f.get(key)
	switch {
	case f.none && f.end < len(f.text) && strings.HasPrefix(f.text[f.end:], fence):
		return "", errUnsure
	case f.none:
		out = f.text[:f.end] + fence + f.eol + key + ": " + value + f.eol + fence + f.eol + f.text[f.end:]
	case there && (fd.opaque || fd.incomplete):
		return "", errUnsure
	case there:
		gap := ""
		if fd.from == fd.to || fd.from > 0 && f.text[fd.from-1] == ':' {
			gap = " "
		}
		out = f.text[:fd.from] + gap + value + f.text[fd.to:]
	default:
		gap := ""
		if f.end > 0 && f.text[f.end-1] != '\n' {
			gap = f.eol
		}
		out = f.text[:f.end] + gap + key + ": " + value + f.eol + f.text[f.end:]
	}
	return out, f.confirm(out, key)
}

// confirm reads what was written: every other value and all below have to be as
// they were.
func (f frontmatter) confirm(out, key string) error {
	now := parseFront(out)
	if now.text[now.body:] != f.text[f.body:] {
		return errUnsure
	}
	rest := slices.DeleteFunc(slices.Clone(now.fields), func(fd field) bool { return fd.key == key })
	was := slices.DeleteFunc(slices.Clone(f.fields), func(fd field) bool { return fd.key == key })
	if len(now.fields)-len(rest) != max(1, len(f.fields)-len(was)) || len(rest) != len(was) {
		return errUnsure
	}
	for i, fd := range rest {
		if fd.key != was[i].key || now.text[fd.from:fd.to] != f.text[was[i].from:was[i].to] || fd.value != was[i].value ||
			!slices.Equal(fd.list, was[i].list) {
			return errUnsure
		}
	}
	return nil
}

// written is a text as a value: plain where that can be read as nothing else.
func written(s string) string {
	plain := s != "" && s == strings.TrimSpace(s) && !strings.ContainsAny(s, "\"'#:\n\r\t[]{},&*!|>%@`\\~") &&
		!strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "?")
	for _, r := range s {
		plain = plain && r >= ' ' && r != 0x7f && r != 0x85 && r != 0x2028 && r != 0x2029 && r != 0xfeff
	}
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		plain = false
	}
	if plain && (s[0] < '0' || s[0] > '9') && s[0] != '.' && s[0] != '+' && s[0] != '=' {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(s) + `"`
}

// writtenList is a list as a value.
func writtenList(list []string) string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, written(s))
	}
	return "[" + strings.Join(out, ", ") + "]"
}
