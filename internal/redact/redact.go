// Package redact removes private spans, injected blocks and secrets from text before it is stored or sent. A private
// span or an injected block is deleted. A secret is replaced by a marker that names its kind, such as
// [secret:aws-key-id].
//
// The package does no I/O except reading a stream in [Redactor.Object]. It knows neither events nor stores nor
// configuration files, and does no work at start-up. Start reading at [Redactor]; private spans are in strip.go, JSON
// is in walker.go, and the patterns of secrets are in package secrets.
package redact

import (
	"maps"
	"strings"
	"sync"

	"remanence/internal/redact/secrets"
)

// Redactor removes private spans, injected blocks and secrets from text. The zero value uses the built-in rules and
// writes markers without a hash. Set the fields before the first use; after that a Redactor is safe for concurrent use.
// It must not be copied.
type Redactor struct {
	// Key is the key of a hash whose first four hex digits end each marker. Equal secrets get equal markers, and a guess
	// cannot be tested without the key. If Key is empty, markers have no hash.
	Key []byte
	// Rules are the user's own rules, applied after the built-in ones. A rule that does not compile is skipped; see
	// Errors.
	Rules []Rule

	setup sync.Once
	found *secrets.Finder // see finder

	mu    sync.Mutex
	total Counts
}

// Rule is a user's own rule.
type Rule = secrets.Rule

// Counts counts what was removed from texts.
type Counts struct {
	Private  int            // private spans; nested spans count as one
	Injected int            // blocks that Remanence, another memory tool or the client injected
	Secrets  map[string]int // by kind; nil when there are none
}

func (c *Counts) add(o Counts) {
	c.Private += o.Private
	c.Injected += o.Injected
	for kind, n := range o.Secrets {
		c.secret(kind, n)
	}
}

func (c *Counts) secret(kind string, n int) {
	if c.Secrets == nil {
		c.Secrets = map[string]int{}
	}
	c.Secrets[kind] += n
}

func (c Counts) any() bool { return c.Private+c.Injected+len(c.Secrets) > 0 }

// Prompt returns Text(s) without surrounding white space. It is for text that a person typed; "" means that nothing of
// it may be stored.
func (r *Redactor) Prompt(s string) string { return strings.TrimSpace(r.Text(s)) }

// Text returns s without private spans, injected blocks and secrets. Text without any of these is returned unchanged,
// and so is the result of an earlier call.
func (r *Redactor) Text(s string) string {
	var c Counts
	out := r.clean(s, false, &c)
	r.count(c)
	return out
}

// Scrub removes private spans and secrets from a text that is already stored, and counts them. Injected blocks stay,
// because the stored text may be one.
func (r *Redactor) Scrub(s string) (string, Counts) {
	var c Counts
	return r.clean(s, true, &c), c
}

// clean strips and redacts until nothing changes, because removing a span may join its neighbours to a new tag or
// secret. If stored is set, envelopes other than private spans stay.
func (r *Redactor) clean(s string, stored bool, c *Counts) string {
	for {
		plain, _ := stripUnpaired(s, c, stored)
		out, _ := r.redact(plain, 0, c)
		if len(out) == len(s) && out == s {
			return out
		}
		s = out
	}
}

// Counts returns what the Redactor has removed so far. Calls of Scrub and ScrubJSON do not count.
func (r *Redactor) Counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.total
	c.Secrets = maps.Clone(c.Secrets)
	return c
}

func (r *Redactor) count(c Counts) {
	if !c.any() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total.add(c)
}

// Errors returns one error for each of Rules that does not compile. Such rules are skipped.
func (r *Redactor) Errors() []error { return r.finder().Errors() }

// finder returns the finder of secrets, which the first call makes.
func (r *Redactor) finder() *secrets.Finder {
	r.setup.Do(func() { r.found = secrets.New(r.Rules) })
	return r.found
}

// redact replaces the secrets of s by markers until it finds no more. It also returns the position in the result that
// corresponds to cut; a cut inside a secret moves to the start of its marker.
func (r *Redactor) redact(s string, cut int, c *Counts) (string, int) {
	for {
		found := r.finder().Find(s)
		if len(found) == 0 {
			return s, cut
		}
		s, cut = r.render(s, cut, found, c)
	}
}

func (r *Redactor) render(s string, cut int, found []secrets.Span, c *Counts) (string, int) {
	var b strings.Builder
	b.Grow(len(s) + 16*len(found))
	moved, last := cut, 0
	for _, f := range found {
		b.WriteString(s[last:f.From])
		start := b.Len()
		b.WriteString(secrets.Marker(r.Key, f.Kind, s[f.From:f.To]))
		switch {
		case cut >= f.To:
			moved = b.Len() + cut - f.To
		case cut > f.From:
			moved = start
		}
		c.secret(f.Kind, 1)
		last = f.To
	}
	b.WriteString(s[last:])
	return b.String(), moved
}
