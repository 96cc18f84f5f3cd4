package mem

import (
	"strings"
	"time"
)

// Fill is how full the context of a session is, as the client's own record tells.
type Fill struct {
	Session string
	Tokens  int       // of the newest message of the main conversation; 0 if there is none since the last compaction
	At      time.Time // of that message; without one when the record was read
	Model   string    // that wrote it
	Window  int       // tokens the context can hold, where the client tells; 0 if it does not
	Cliff   int       // tokens at which the client last compacted by itself; 0 if it did not
	Rearm   bool      // there is so much room that the handoff is asked for again when it runs out
	Taken   time.Time // when the record was read
}

// TailHeading begins the part of a handoff's file that is written by rule.
const TailHeading = "## RECENT TAIL (since rich handoff)"

// SplitHandoff splits a handoff where its tail begins. Sections that follow the
// tail belong to what stands before it, and so does all of a text without one.
func SplitHandoff(s string) (rich, tail string) {
	for {
		start := tailAt(s)
		if start < 0 {
			return rich + s, tail
		}
		rich += s[:start]
		rest := s[start+len(TailHeading):]
		end := nextHeading(rest)
		tail = rest[:end] // the last one counts
		s = rest[end:]
	}
}

// tailAt is where a line begins that is TailHeading, -1 if none is.
func tailAt(s string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], TailHeading)
		if i < 0 {
			return -1
		}
		i += from
		after := s[i+len(TailHeading):]
		line, _, _ := strings.Cut(after, "\n")
		if (i == 0 || s[i-1] == '\n') && strings.TrimSpace(line) == "" {
			return i
		}
		from = i + len(TailHeading)
	}
}

// nextHeading is where the next section of the same or a higher level begins,
// or the end.
func nextHeading(s string) int {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '\n')
		if i < 0 {
			return len(s)
		}
		from += i + 1
		if strings.HasPrefix(s[from:], "# ") || strings.HasPrefix(s[from:], "## ") {
			return from
		}
	}
}
