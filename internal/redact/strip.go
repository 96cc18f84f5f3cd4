package redact

import "strings"

// envelopes are the names of tags whose blocks are removed, private spans first. The other blocks are injected by
// Remanence, another memory tool or the client, and must not become memories. '_' in a tag equals '-'. Tags that
// identify the speaker (task-notification, command-name, local-command-…) are not envelopes, because readers of the
// text need them.
var envelopes = [...]string{
	"private", "remanence-context", "claude-mem-context", "session-handoff", "system-reminder", "system-instruction",
	"persisted-output", "user-instructions", "environment-context", "user-prompt-submit-hook",
}

const private = 0 // index in envelopes

// stripRounds limits how often stripping is repeated because removing a span joined its neighbours to a new tag.
const stripRounds = 8

// stripAll returns s without envelopes. It repeats until no tag is left, at most stripRounds times; then it drops
// everything after the first tag.
func stripAll(s string, c *Counts) string {
	s, _ = stripUnpaired(s, c, false)
	return s
}

// unpairedTags records whether a text has private tags without a partner.
type unpairedTags struct{ opener, closer bool }

func (l unpairedTags) any() bool { return l.opener || l.closer }

func (l unpairedTags) or(o unpairedTags) unpairedTags {
	return unpairedTags{l.opener || o.opener, l.closer || o.closer}
}

// stripUnpaired is stripAll that also returns the unpaired private tags. If stored is set, only private spans are
// removed.
func stripUnpaired(s string, c *Counts, stored bool) (string, unpairedTags) {
	var left unpairedTags
	for range stripRounds {
		st := stripper{stored: stored}
		out, n := st.strip(s, c)
		left = left.or(st.unpaired())
		if n == 0 || stored && out == s {
			return s, left
		}
		s = out
	}
	if at := firstTag(s, stored); at >= 0 {
		return s[:at], left
	}
	return s, left
}

// firstTag returns the offset of the first tag, or -1. If stored is set, only tags of private spans count.
func firstTag(s string, stored bool) int {
	for at := nextTagStart(s, 0); at < len(s); {
		t, n := parseTag(s[at:], true)
		if t.is() && (!stored || t.name == private) {
			return at
		}
		at = nextTagStart(s, at+n)
	}
	return -1
}

// stripper is the state of stripping: it decides whether the next text is visible. The zero value is the state before
// the first byte.
//
// Inside a private span only private tags count. Inside another envelope, its own tags and private ones count. So only
// its own closer ends a private span. An unclosed span lasts to the end of the text.
type stripper struct {
	private    int    // number of open private tags
	envelope   int    // index of the open envelope; 0 if none is open
	depth      int    // number of its open tags
	tags       int    // tags seen so far
	stray      bool   // there was a private closer without an opener
	partialKey string // the key of the item that partialTag is from
	partialTag string // the beginning of a tag that the next item may continue
	stored     bool   // only private spans are removed
}

// unpaired returns the unpaired private tags so far.
func (st *stripper) unpaired() unpairedTags {
	return unpairedTags{opener: st.private > 0, closer: st.stray}
}

func (st *stripper) visible() bool { return st.private == 0 && st.envelope == 0 }

// strip returns the visible part of a whole text and the number of its tags.
func (st *stripper) strip(s string, c *Counts) (string, int) {
	if st.visible() && firstTag(s, st.stored) < 0 {
		return s, 0
	}
	before := st.tags
	var b strings.Builder
	st.feed(s, true, c, func(from, to int) { b.WriteString(s[from:to]) })
	return b.String(), max(st.tags-before, 1)
}

// item is strip for one of several strings in sequence. It also finds a tag that is split between two strings under the
// same key, when the second part arrives; the first part alone is harmless.
func (st *stripper) item(key, s string, c *Counts) string {
	if st.visible() && st.partialTag == "" && nextTagStart(s, 0) == len(s) {
		return s
	}
	if st.partialTag != "" && st.partialKey != key {
		s, _ = st.strip(s, c)
		return s
	}
	st.partialKey = key
	whole, old := st.partialTag+s, len(st.partialTag)
	var b strings.Builder
	done := st.feed(whole, false, c, func(from, to int) {
		if to > old {
			b.WriteString(whole[max(from, old):to])
		}
	})
	st.partialTag = whole[done:]
	if st.partialTag == "" {
		return b.String()
	}
	if t, _ := parseTag(st.partialTag, true); t.is() && !t.closing {
		st.partialTag = "" // all of its name is there
		st.tags++
		st.apply(t, c)
		return b.String()
	}
	if st.visible() {
		b.WriteString(whole[max(done, old):])
	}
	return b.String()
}

// feed processes the next part of a text and passes the visible ranges to emit. It returns how many bytes of s it used.
// The rest may begin a tag and must be repeated at the start of the next part. If final is set, all of s is used.
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
		if !t.is() || st.stored && t.name != private {
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
