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
	s, _ = stripLoose(s, c, false)
	return s
}

// loose says which private tags of a text had no partner in it.
type loose struct{ opener, closer bool }

func (l loose) any() bool { return l.opener || l.closer }

func (l loose) or(o loose) loose { return loose{l.opener || o.opener, l.closer || o.closer} }

// stripLoose is stripAll that tells of tags without a partner. With own set, all envelopes but private spans stay.
func stripLoose(s string, c *Counts, own bool) (string, loose) {
	var left loose
	for range stripRounds {
		st := stripper{own: own}
		out, n := st.strip(s, c)
		left = left.or(st.loose())
		if n == 0 || own && out == s {
			return s, left
		}
		s = out
	}
	if at := firstTag(s, own); at >= 0 {
		return s[:at], left
	}
	return s, left
}

// firstTag returns where the first tag stands, of private spans only with own set; -1 if there is none.
func firstTag(s string, own bool) int {
	for at := nextTagStart(s, 0); at < len(s); {
		t, n := parseTag(s[at:], true)
		if t.is() && (!own || t.name == private) {
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
	private  int  // open private tags
	envelope int  // index of the open envelope; 0 when there is none
	depth    int  // its open tags
	tags     int  // tags seen so far
	stray    bool // a private closer came that had nothing to close
	tornKey  string
	torn     string // what may be the beginning of a tag at the end of an item
	own      bool   // only private spans are looked for: the text is one of ours
}

// loose tells of the private tags that had no partner so far.
func (st *stripper) loose() loose { return loose{opener: st.private > 0, closer: st.stray} }

func (st *stripper) visible() bool { return st.private == 0 && st.envelope == 0 }

// strip returns the visible part of a whole text and how many tags it held.
func (st *stripper) strip(s string, c *Counts) (string, int) {
	if st.visible() && firstTag(s, st.own) < 0 {
		return s, 0
	}
	before := st.tags
	var b strings.Builder
	st.feed(s, true, c, func(from, to int) { b.WriteString(s[from:to]) })
	return b.String(), max(st.tags-before, 1)
}

// item is strip for one string of several that follow one another. A tag that was torn between two of them, which
// stand under the same key, is found when its second part comes; its first part is harmless.
func (st *stripper) item(key, s string, c *Counts) string {
	if st.visible() && st.torn == "" && nextTagStart(s, 0) == len(s) {
		return s
	}
	if st.torn != "" && st.tornKey != key {
		s, _ = st.strip(s, c)
		return s
	}
	st.tornKey = key
	whole, old := st.torn+s, len(st.torn)
	var b strings.Builder
	done := st.feed(whole, false, c, func(from, to int) {
		if to > old {
			b.WriteString(whole[max(from, old):to])
		}
	})
	st.torn = whole[done:]
	if st.torn == "" {
		return b.String()
	}
	if t, _ := parseTag(st.torn, true); t.is() && !t.closing {
		st.torn = "" // all of its name is there
		st.tags++
		st.apply(t, c)
		return b.String()
	}
	if st.visible() {
		b.WriteString(whole[max(done, old):])
	}
	return b.String()
}

// feed goes over the next part of a text and hands the places of its visible runs to emit. It returns how much of s is done with:
// the rest may be the beginning of a tag and must come again at the head of the next part. With final all is done.
func (st *stripper) feed(s string, final bool, c *Counts, emit func(from, to int)) int {
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
		if !t.is() || st.own && t.name != private {
			at += n
			continue
		}
		if st.visible() && at > from {
			emit(from, at)
		}
		st.tags++
		st.apply(t, c)
		at += n
		from = at
	}
	if st.visible() && at > from {
		emit(from, at)
	}
	return at
}

func (st *stripper) apply(t tag, c *Counts) {
	switch {
	case t.name == private && t.closing:
		st.stray = st.stray || st.private == 0
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
