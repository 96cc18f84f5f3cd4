package mem

import (
	"strings"

	"remanence/internal/chars"
)

// Text is what a memory says in title and body: the title stands before a body
// that does not begin with it.
func (m Memory) Text() string {
	switch {
	case m.Body == "":
		return m.Title
	case strings.HasPrefix(chars.Line(m.Body), strings.TrimSuffix(m.Title, "…")):
		return m.Body
	}
	return m.Title + "\n" + m.Body
}
