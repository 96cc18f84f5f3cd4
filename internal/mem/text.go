package mem

import (
	"strings"

	"remanence/internal/chars"
)

// Text returns title and body of a memory. The title is left out if the body
// begins with it.
func (m Memory) Text() string {
	switch {
	case m.Body == "":
		return m.Title
	case strings.HasPrefix(chars.Line(m.Body), strings.TrimSuffix(m.Title, "…")):
		return m.Body
	}
	return m.Title + "\n" + m.Body
}
