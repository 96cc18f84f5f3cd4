package redact

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"sync"
)

const (
	markerHead = "[secret:"
	maxKind    = 32 // longest kind in a marker, in bytes
)

// span is the position of a secret in a text.
type span struct {
	from, to int
	kind     string
	sure     bool // recognised by its own format, not by the text before it
}

// redact replaces the secrets of s by markers until it finds no more. It also returns the
// position in the result that corresponds to cut; a cut inside a secret moves to the start of
// its marker.
func (d *Door) redact(s string, cut int, c *Counts) (string, int) {
	for {
		found := d.secrets(s)
		if len(found) == 0 {
			return s, cut
		}
		s, cut = d.render(s, cut, found, c)
	}
}

// secrets returns the secrets of s, sorted and without overlap.
func (d *Door) secrets(s string) []span { return d.secretsWithin(s, maxBase64Layers) }

// secretsWithin is secrets with a limit on nested base 64: it decodes at most layers levels.
// The texts on both sides of a marker are searched separately, so a marker is never part of a
// secret.
func (d *Door) secretsWithin(s string, layers int) []span {
	var found []span
	for at := 0; at < len(s); {
		from, to := nextMarker(s, at)
		found = d.search(s[at:from], at, found, layers)
		at = to
	}
	return merge(found)
}

// search searches s as it is, and again without ANSI escape sequences.
func (d *Door) search(s string, offset int, found []span, layers int) []span {
	d.prepare()
	found = d.searchText(s, offset, found, layers)
	if plain, places := stripANSI(s); places != nil {
		for _, f := range d.searchText(plain, 0, nil, layers) {
			found = append(found, span{offset + places.of(f.from), offset + places.of(f.to-1) + 1, f.kind, f.sure})
		}
	}
	return found
}

func (d *Door) searchText(s string, offset int, found []span, layers int) []span {
	found = d.match(s, offset, found)
	found = keyBodies(s, offset, found)
	if layers > 0 {
		found = d.base64Secrets(s, offset, found, layers)
	}
	for _, r := range d.user {
		for _, m := range r.pattern.FindAllStringSubmatchIndex(s, -1) {
			from, to := m[0], m[1]
			if len(m) > 2 && m[2] >= 0 {
				from, to = m[2], m[3]
			}
			if from < to {
				found = append(found, span{from + offset, to + offset, r.kind, true})
			}
		}
	}
	return found
}

// match finds secrets of the built-in kinds.
func (d *Door) match(s string, offset int, found []span) []span {
	var done [len(builtin)]int // end of each rule's last match
	var rows span              // rows of the last table; they are not searched for headers
	for at := d.next(s, 0); at < len(s); at = d.next(s, at+1) {
		for i := d.bucket(s, at); i > 0; i = d.entries[i].next {
			e := &d.entries[i]
			r := &builtin[e.rule]
			end, ok := e.at(s, at)
			if !ok || at < done[e.rule] || !r.left.allows(s, at) {
				continue
			}
			if r.named && (at < rows.from || at >= rows.to) {
				below, table, ok := columns(s, at, end)
				if !ok {
					below, table, ok = inserted(s, at, end)
				}
				if ok {
					for _, f := range below {
						found = append(found, span{f.from + offset, f.to + offset, r.kind, false})
					}
					rows = table
					continue
				}
			}
			from, to, ok := d.matchRule(r, int(e.rule), s, at, end)
			if ok {
				done[e.rule] = to
				found = append(found, span{from + offset, to + offset, r.kind, r.sure})
			}
		}
	}
	return found
}

// matchRule matches rule r after its head at s[at:end] and returns the position of the secret.
func (d *Door) matchRule(r *rule, index int, s string, at, end int) (from, to int, ok bool) {
	if r.find != nil {
		return r.find(s, at, end)
	}
	limit := min(len(s), end+cmp.Or(r.reach, defaultReach))
	m := d.tail(index).FindStringSubmatchIndex(s[end:limit])
	if m == nil {
		return 0, 0, false
	}
	from, to = at, end+m[1]
	if len(m) > 2 && m[2] >= 0 {
		from, to = end+m[2], end+m[3]
	}
	if r.check != nil && !r.check(s[from:to]) {
		return 0, 0, false
	}
	for n := 0; n < r.back && from > 0 && isBackByte(s[from-1]); n++ {
		from--
	}
	if to == limit { // the search window ended inside the secret
		for to < len(s) && isTokenByte(s[to]) {
			to++
		}
	}
	return from, to, true
}

// compiledTail is a rule's tail pattern, compiled when a text first contains one of the rule's
// heads.
type compiledTail struct {
	once    sync.Once
	pattern *regexp.Regexp
}

func (d *Door) tail(index int) *regexp.Regexp {
	t := &d.compiled[index]
	t.once.Do(func() { t.pattern = regexp.MustCompile(`^(?:` + builtin[index].tail + `)`) })
	return t.pattern
}

// merge joins overlapping spans into one. The joined span has the kind of the first sure one.
func merge(found []span) []span {
	if len(found) < 2 {
		return found
	}
	slices.SortStableFunc(found, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	merged := found[:1]
	for _, next := range found[1:] {
		last := &merged[len(merged)-1]
		if next.from >= last.to {
			merged = append(merged, next)
			continue
		}
		if next.sure && !last.sure {
			last.kind, last.sure = next.kind, true
		}
		last.to = max(last.to, next.to)
	}
	return merged
}

func (d *Door) render(s string, cut int, found []span, c *Counts) (string, int) {
	var b strings.Builder
	b.Grow(len(s) + 16*len(found))
	moved, last := cut, 0
	for _, f := range found {
		b.WriteString(s[last:f.from])
		start := b.Len()
		b.WriteString(d.marker(f.kind, s[f.from:f.to]))
		switch {
		case cut >= f.to:
			moved = b.Len() + cut - f.to
		case cut > f.from:
			moved = start
		}
		c.secret(f.kind, 1)
		last = f.to
	}
	b.WriteString(s[last:])
	return b.String(), moved
}

func (d *Door) marker(kind, secret string) string {
	if len(d.Key) == 0 {
		return markerHead + kind + "]"
	}
	h := hmac.New(sha256.New, d.Key)
	h.Write([]byte(secret))
	return markerHead + kind + ":" + hex.EncodeToString(h.Sum(nil)[:2]) + "]"
}

// nextMarker returns the position of the first marker at or after i, or len(s) twice if there
// is none.
func nextMarker(s string, i int) (from, to int) {
	for i < len(s) {
		n := strings.Index(s[i:], markerHead)
		if n < 0 {
			break
		}
		from = i + n
		if to, ok := markerEnd(s, from+len(markerHead)); ok {
			return from, to
		}
		i = from + len(markerHead)
	}
	return len(s), len(s)
}

// markerEnd parses the rest of a marker: kind, optional hash, closing bracket.
func markerEnd(s string, i int) (int, bool) {
	start := i
	for i < len(s) && isKindByte(s[i]) {
		i++
	}
	if i == start || i-start > maxKind {
		return 0, false
	}
	if i+5 < len(s) && s[i] == ':' && isAll(s[i+1:i+5], isLowerHex) {
		i += 5
	}
	if i < len(s) && s[i] == ']' {
		return i + 1, true
	}
	return 0, false
}

func isKindByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' }
