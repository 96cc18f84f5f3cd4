package extract

import (
	"strings"

	"remanence/internal/chars"
)

// Headline is the first line as title, and all of the text as body where the
// title does not say it all.
func Headline(s string) (title, body string) {
	s = strings.TrimSpace(s)
	title = chars.Clip(chars.Line(chars.FirstLine(s)), 160)
	if title != s {
		body = s
	}
	return title, body
}
