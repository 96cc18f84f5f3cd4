package project

import "strings"

// origin is the URL of remote "origin" in git's config file, as written; empty
// if there is none.
func (d folder) origin() string {
	return configValue(d.text("config", maxConfig), "remote", "origin", "url")
}

// configValue reads git's configuration language as far as needed: section
// headers, quoting, comments, lines continued by a backslash. As with git's URLs
// the first value counts, and an empty one takes back those before it.
func configValue(text, section, sub, name string) string {
	found, in := "", false
	text = strings.TrimPrefix(text, "\uFEFF")
	for text != "" {
		var line string
		line, text = configLine(text)
		if strings.HasPrefix(line, "[") {
			var s, of string
			s, of, line = header(line)
			in = s == section && of == sub
		}
		key, value, _ := strings.Cut(line, "=")
		if !in || !strings.EqualFold(strings.TrimSpace(key), name) {
			continue
		}
		if value = unquote(value); found == "" || value == "" {
			found = value
		}
	}
	return found
}

// configLine takes one logical line off text.
func configLine(text string) (line, rest string) {
	var b strings.Builder
	for text != "" {
		part, after, _ := strings.Cut(text, "\n")
		part, text = strings.TrimSuffix(part, "\r"), after
		slashes := len(part) - len(strings.TrimRight(part, `\`))
		if slashes%2 == 0 || comment(part) {
			b.WriteString(part)
			break
		}
		b.WriteString(part[:len(part)-1])
	}
	return strings.TrimSpace(b.String()), text
}

func comment(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";")
}

// header reads a section header: its section in lower case, its subsection, and
// what follows it on its line.
func header(line string) (section, sub, rest string) {
	end := headerEnd(line)
	if end < 0 {
		return "", "", ""
	}
	inner, rest := line[1:end], strings.TrimSpace(line[end+1:])
	section, sub, quoted := strings.Cut(inner, `"`)
	if !quoted {
		section, sub, _ = strings.Cut(strings.ToLower(strings.TrimSpace(inner)), ".")
		return section, sub, rest
	}
	sub = strings.TrimSuffix(strings.TrimSpace(sub), `"`)
	return strings.ToLower(strings.TrimSpace(section)), strings.ReplaceAll(sub, `\`, ""), rest
}

// headerEnd returns where the bracket closes; a quoted one does not.
func headerEnd(line string) int {
	quoted := false
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quoted:
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ']' && !quoted:
			return i
		}
	}
	return -1
}

// unquote returns a value without quotes, escapes, comment and outer blanks.
func unquote(s string) string {
	var b strings.Builder
	quoted := false
	keep := 0 // length up to the last character that is no trailing blank
	s = strings.TrimSpace(s)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			quoted = !quoted
			continue
		case (c == '#' || c == ';') && !quoted:
			return b.String()[:keep]
		case c == '\\' && i+1 < len(s):
			i++
			c = escaped(s[i])
		}
		b.WriteByte(c)
		if quoted || (c != ' ' && c != '\t') {
			keep = b.Len()
		}
	}
	return b.String()[:keep]
}

func escaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}
