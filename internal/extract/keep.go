package extract

import (
	"strings"

	"remanence/internal/mem"
)

// headline is the first line as title, and all of the text as body where the
// title does not say it all.
func Headline(s string) (title, body string) {
	s = strings.TrimSpace(s)
	title = mem.Clip(mem.Line(mem.FirstLine(s)), 160)
	if title != s {
		body = s
	}
	return title, body
}
