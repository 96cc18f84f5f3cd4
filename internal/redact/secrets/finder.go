// Package secrets finds secrets in text: passwords, tokens, private keys, cookies. It returns where they are and of
// which kind. It does not change the text, knows nothing of private spans or JSON, and does no I/O.
//
// Start reading at [Finder]. A secret is found in one of three ways: by a row of the table in rules.go, which also
// explains how to add a pattern; by the name beside it, such as "password" (assign.go, label.go, vendor.go); or by its
// form alone, as lines of a key (keybody.go), base64 that contains secrets (base64.go), or a long random value
// (barekey.go). A text in another notation, such as entities of HTML, is also searched in plain notation.
package secrets

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
	"remanence/internal/redact/notation"
)

// Rule is a user's own rule: text that matches Pattern is a secret. If Pattern has groups, only the first group is.
type Rule struct {
	Name    string // kind of the secret: in lower case, with '-' for anything but a-z, 0-9 and '-'
	Pattern string // syntax of package regexp
}

// Span is the position of a secret in a text.
type Span struct {
	From, To int
	Kind     string
	sure     bool // recognised by its own format, not by the text before it
}

// Finder finds secrets by the built-in rules and by a user's rules. It is safe for concurrent use.
type Finder struct {
	headIndex
	compiled []compiledTail
	user     []userRule
	errs     []error
}

type userRule struct {
	kind    string
	pattern *regexp.Regexp
}

// New returns a Finder that applies a user's rules after the built-in ones. A rule that does not compile is skipped;
// see [Finder.Errors]. Built-in patterns are compiled later, each when a text contains one of its heads.
func New(rules []Rule) *Finder {
	f := &Finder{compiled: make([]compiledTail, len(builtin))}
	f.build()
	for i, r := range rules {
		re, err := compileUser(r.Pattern)
		if err != nil {
			f.errs = append(f.errs, fmt.Errorf("rule %d %q: %w", i+1, r.Name, err))
			continue
		}
		f.user = append(f.user, userRule{kind: kindName(r.Name), pattern: re})
	}
	return f
}

// Errors returns one error for each of the user's rules that does not compile.
func (f *Finder) Errors() []error { return f.errs }

// Kinds returns the kinds of secrets that the built-in and the user's rules find, each sorted by name.
func (f *Finder) Kinds() (builtIn, user []string) {
	for i := range builtin {
		builtIn = append(builtIn, builtin[i].kind)
	}
	for _, r := range f.user {
		user = append(user, r.kind)
	}
	slices.Sort(builtIn)
	slices.Sort(user)
	return slices.Compact(builtIn), slices.Compact(user)
}

// Find returns the secrets of s, sorted and without overlap.
func (f *Finder) Find(s string) []Span { return f.findWithin(s, maxBase64Layers) }

// findWithin is Find with a limit on nested base64: it decodes at most layers levels. The texts on both sides of a
// marker are searched separately, so a marker is never part of a secret.
func (f *Finder) findWithin(s string, layers int) []Span {
	var found []Span
	for at := 0; at < len(s); {
		from, to := NextMarker(s, at)
		found = f.search(s[at:from], at, found, layers)
		at = to
	}
	return Merge(found)
}

// FindUnderKey returns the part of a value that is a secret because of the key it has in a settings file or an event.
func FindUnderKey(key, s string) (Span, bool) {
	switch ascii.Lower(key[:min(len(key), 16)]) {
	case "authorization":
		from, to, ok := schemeValue(s, 0)
		return Span{From: from, To: to, Kind: "authorization"}, ok
	case "cookie", "set-cookie":
		from, to, ok := cookieValue(s, 0, len(key) > len("cookie"))
		return Span{From: from, To: to, Kind: "cookie"}, ok
	}
	a := assignment{class: names.Classify(key), name: key, value: s, quoted: true}
	if a.class == noSecret || len(s) > maxValue && strings.ContainsAny(s, " \t\n") {
		return Span{}, false
	}
	kind := "token"
	if a.class == password {
		kind = "password"
	}
	return Span{To: len(s), Kind: kind}, a.isSecret()
}

// InIdentifier reports whether an id or a path contains a secret. Digits after "token=" or "key=" are common in file
// names and do not count.
func (f *Finder) InIdentifier(s string) bool {
	assigns := strings.ContainsAny(s, " =:")
	for _, p := range f.match(s, 0, nil) {
		if p.sure || assigns && p.Kind == "password" {
			return true
		}
	}
	return false
}

// IsFlag reports whether s is a flag of a command that takes a secret, such as --password.
func IsFlag(s string) bool {
	return len(s) <= maxName && strings.HasPrefix(s, "-") && ascii.All(s, isNamePart) && names.Classify(s) != noSecret
}

// search searches s as it is, and again in plain notation.
func (f *Finder) search(s string, offset int, found []Span, layers int) []Span {
	found = f.searchText(s, offset, found, layers)
	if plain, places := notation.Plain(s); places != nil {
		for _, p := range f.searchText(plain, 0, nil, layers) {
			found = append(found, Span{offset + places.From(p.From), offset + places.To(p.To), p.Kind, p.sure})
		}
	}
	return found
}

func (f *Finder) searchText(s string, offset int, found []Span, layers int) []Span {
	earlier := len(found)
	found = f.match(s, offset, found)
	found = keyBodies(s, offset, found)
	if layers > 0 {
		found = f.base64Secrets(s, offset, found, layers)
	}
	found = append(found[:earlier], outsidePublicBlocks(s, offset, found[earlier:])...)
	for _, r := range f.user {
		for _, m := range r.pattern.FindAllStringSubmatchIndex(s, -1) {
			from, to := m[0], m[1]
			if len(m) > 2 && m[2] >= 0 {
				from, to = m[2], m[3]
			}
			if from < to {
				found = append(found, Span{from + offset, to + offset, r.kind, true})
			}
		}
	}
	return found
}

// match finds secrets of the built-in kinds.
func (f *Finder) match(s string, offset int, found []Span) []Span {
	var done [len(builtin)]int // end of each rule's last match
	var rows Span              // rows of the last table; they are not searched for headers
	for at := f.next(s, 0); at < len(s); at = f.next(s, at+1) {
		t := triple(s, at)
		for i := f.bucket(t); i > 0; i = f.entries[i].next {
			e := &f.entries[i]
			if !e.maybe(s, at, t) {
				continue
			}
			r := &builtin[e.rule]
			end, ok := e.at(s, at)
			if !ok || at < done[e.rule] {
				continue
			}
			glued := !r.left.allows(s, at)
			if glued && !r.mayBeGlued(s, at) {
				continue
			}
			if r.named && (at < rows.From || at >= rows.To) {
				below, table, ok := findColumns(s, at, end)
				if !ok {
					below, table, ok = findInserted(s, at, end)
				}
				if !ok {
					below, table, ok = findAligned(s, at, end)
				}
				if ok {
					for _, cell := range below {
						found = append(found, Span{cell.From + offset, cell.To + offset, r.kind, false})
					}
					rows = table
				}
				if len(below) > 0 {
					continue
				}
			}
			from, to, ok := f.matchRule(r, int(e.rule), s, at, end)
			if ok && (!glued || isGluedToken(s[from:to])) {
				done[e.rule] = to
				found = append(found, Span{from + offset, to + offset, r.kind, r.sure})
			}
		}
	}
	return found
}

// matchRule matches rule r after its head at s[at:end] and returns the position of the secret.
func (f *Finder) matchRule(r *rule, index int, s string, at, end int) (from, to int, ok bool) {
	switch {
	case r.find != nil:
		return r.find(s, at, end)
	case r.flag != "":
		return spacedFlag(s, end, r.flag)
	}
	limit := min(len(s), end+cmp.Or(r.reach, defaultReach))
	m := f.tail(index).FindStringSubmatchIndex(s[end:limit])
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
		for to < len(s) && ascii.IsToken(s[to]) {
			to++
		}
	}
	return from, to, true
}

// isBackByte reports whether c, before a head, may belong to the same token.
func isBackByte(c byte) bool { return ascii.IsWordByte(c) || c == '-' || c == '~' }

// compiledTail is a rule's tail pattern, compiled when a text first contains one of the rule's heads.
type compiledTail = atomic.Pointer[regexp.Regexp]

func (f *Finder) tail(index int) *regexp.Regexp {
	t := &f.compiled[index]
	if pattern := t.Load(); pattern != nil {
		return pattern
	}
	t.CompareAndSwap(nil, regexp.MustCompile(`^(?:`+builtin[index].tail+`)`)) // another goroutine may be faster
	return t.Load()
}

// Merge sorts spans and joins overlapping ones. The joined span has the kind of the first sure one.
func Merge(found []Span) []Span {
	if len(found) < 2 {
		return found
	}
	slices.SortStableFunc(found, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	merged := found[:1]
	for _, next := range found[1:] {
		last := &merged[len(merged)-1]
		if next.From >= last.To {
			merged = append(merged, next)
			continue
		}
		if next.sure && !last.sure {
			last.Kind, last.sure = next.Kind, true
		}
		last.To = max(last.To, next.To)
	}
	return merged
}

var errEmptyRule = errors.New("pattern matches the empty text")

func compileUser(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	if re.MatchString("") {
		return nil, errEmptyRule
	}
	return re, nil
}

func kindName(name string) string {
	kind := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
	kind = strings.Trim(kind, "-")
	if kind == "" {
		return "custom"
	}
	return kind[:min(len(kind), maxKind)]
}
