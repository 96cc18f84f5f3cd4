package redact

import "strings"

// envelopes are the blocks that are removed whole, the user's private spans first. The others are put into the
// conversation by us, by another memory tool or by the client, and would come back as memories of ourselves.
// '_' in a tag counts as '-'. Envelopes that tell who speaks (task-notification, command-name, local-command-…) are
// left in place on purpose: their readers decide by them.
var envelopes = [...]string{
	"private",
	"remanence-context",
	"claude-mem-context",
	"session-handoff",
	"system-reminder",
	"system-instruction",
	"persisted-output",
	"user-instructions",
	"environment-context",
	"user-prompt-submit-hook",
}

const private = 0 // index in envelopes

// stripRounds bounds how often stripping starts again because removing a span made a new tag of its neighbours.
const stripRounds = 8

// stripAll returns s without envelopes. Removing one may join the text round it to a new tag, so it goes on until
// none is left; text that plays this game for too long loses all that follows its first tag.
func stripAll(s string, c *Counts) string {
	for range stripRounds {
		var st stripper
		out, n := st.strip(s, c)
		if n == 0 {
			return s
		}
		s = out
	}
	if at := firstTag(s); at >= 0 {
		return s[:at]
	}
	return s
}

func firstTag(s string) int {
	for at := nextTagStart(s, 0); at < len(s); {
		t, n := parseTag(s[at:], true)
		if t.is() {
			return at
		}
		at = nextTagStart(s, at+n)
	}
	return -1
}

// stripper knows, at any point of a text, whether what follows may be seen. The zero value stands before the text.
//
// Inside a private span only private tags count; inside another envelope its own tags and private ones, so that no
// mix of tags ends a private span but its own closer. What is not closed lasts to the end.
type stripper struct {
	private  int // open private tags
	envelope int // index of the open envelope; 0 when there is none
	depth    int // its open tags
	tags     int // tags seen so far
}

func (st *stripper) visible() bool { return st.private == 0 && st.envelope == 0 }

// strip returns the visible part of a whole text and how many tags it held.
func (st *stripper) strip(s string, c *Counts) (string, int) {
	if st.visible() && firstTag(s) < 0 {
		return s, 0
	}
	before := st.tags
	var b strings.Builder
	st.feed(s, true, c, func(run string) { b.WriteString(run) })
	return b.String(), max(st.tags-before, 1)
}

// feed goes over the next part of a text and hands its visible runs to emit. It returns how much of s is done with:
// the rest may be the beginning of a tag and must come again at the head of the next part. With final all is done.
func (st *stripper) feed(s string, final bool, c *Counts, emit func(run string)) int {
	from := 0 // the run not handed over yet begins here
	at := 0
	for {
		at = nextTagStart(s, at)
		if at == len(s) {
			break
		}
		t, n := parseTag(s[at:], final)
		if n == 0 { // not decidable before more of the text has come
			break
		}
		if !t.is() {
			at += n
			continue
		}
		if st.visible() && at > from {
			emit(s[from:at])
		}
		st.tags++
		st.apply(t, c)
		at += n
		from = at
	}
	if st.visible() && at > from {
		emit(s[from:at])
	}
	return at
}

func (st *stripper) apply(t tag, c *Counts) {
	switch {
	case t.name == private && t.closing:
		st.private = max(st.private-1, 0)
	case t.name == private:
		if st.private == 0 {
			c.Private++
		}
		st.private++
	case st.private > 0:
	case st.envelope == 0 && !t.closing:
		c.Injected++
		st.envelope, st.depth = t.name, 1
	case st.envelope != t.name:
	case !t.closing:
		st.depth++
	default:
		st.depth--
		if st.depth == 0 {
			st.envelope = 0
		}
	}
}
