package vault

import (
	"strings"
)

// Front is the frontmatter of a Markdown file, as it is read in the vault.
type Front struct{ f frontmatter }

// ReadFront reads the frontmatter of a text; the zero values if it has none.
func ReadFront(text string) Front { return Front{parseFront(text)} }

// Text returns the value of a key in one line, "" if there is none.
func (f Front) Text(key string) string { return f.f.text1(key) }

// List returns the values of a key; a single value is divided at its commas.
func (f Front) List(key string) []string { return f.f.texts(key) }

// Below returns the keys that are nested below a key.
func (f Front) Below(key string) Front {
	fd, _ := f.f.get(key)
	if !fd.opaque {
		return Front{}
	}
	lines := strings.Split(strings.Trim(f.f.text[fd.from:fd.to], "\r\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, " \t")
	}
	text := strings.Join(lines, "\n") + "\n"
	return Front{frontmatter{text: text, fields: fieldsOf(text, 0, len(text)), end: len(text), body: len(text)}}
}

// Body returns the text after the frontmatter.
func (f Front) Body() string { return strings.ReplaceAll(f.f.text[f.f.body:], "\r\n", "\n") }
