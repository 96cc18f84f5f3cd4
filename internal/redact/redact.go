// Package redact removes private spans, injected blocks and secrets from text before it is
// stored or sent. A private span or an injected block is deleted. A secret is replaced by a
// marker that names its kind, such as [secret:aws-key-id].
//
// The package does no I/O except reading a stream in [Door.Object]. It does not know events,
// stores or configuration files, and does no work at start-up: indexes and patterns are built
// at their first use. Start reading at [Door], then rules.go for the patterns of secrets.
package redact

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
)

// Redactor removes private spans, injected blocks and secrets from text. The zero value uses the
// built-in rules and writes markers without a hash. Set the fields before the first use; after
// that a Door is safe for concurrent use. A Door must not be copied.
type Redactor struct {
	// Key is the key of a hash whose first four hex digits end each marker. Equal secrets get
	// equal markers, and nobody can test a guess without the key. If Key is empty, markers
	// have no hash.
	Key []byte
	// Rules are the person's own rules, applied after the built-in ones. A rule that does not
	// compile is skipped; see Errors.
	Rules []Rule

	setup sync.Once
	finder
	compiled []compiledTail
	user     []userRule
	errs     []error

	mu    sync.Mutex
	total Counts
}

// Rule is a person's own rule: text that matches Pattern is redacted. If Pattern has groups,
// only the first group is redacted.
type Rule struct {
	Name    string // kind in the marker: in lower case, with '-' for anything but a-z, 0-9 and '-'
	Pattern string // syntax of package regexp
}

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

// Prompt returns Text(s) without surrounding white space. It is for text that a person typed;
// "" means that nothing of it may be stored.
func (d *Redactor) Prompt(s string) string { return strings.TrimSpace(d.Text(s)) }

// Text returns s without private spans, injected blocks and secrets. Text without any of these
// is returned unchanged, and so is the result of an earlier call.
func (d *Redactor) Text(s string) string {
	var c Counts
	out := d.clean(s, false, &c)
	d.count(c)
	return out
}

// Scrub removes private spans and secrets from a text that is already stored, and counts them.
// Injected blocks stay, because the stored text may be one.
func (d *Redactor) Scrub(s string) (string, Counts) {
	var c Counts
	return d.clean(s, true, &c), c
}

// clean strips and redacts until nothing changes, because removing a span may join its
// neighbours to a new tag or secret. If stored is set, envelopes other than private spans
// stay.
func (d *Redactor) clean(s string, stored bool, c *Counts) string {
	for {
		plain, _ := stripUnpaired(s, c, stored)
		out, _ := d.redact(plain, 0, c)
		if len(out) == len(s) && out == s {
			return out
		}
		s = out
	}
}

// Counts returns what the Door has removed so far. Calls of Scrub and ScrubJSON do not count.
func (d *Redactor) Counts() Counts {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.total
	c.Secrets = maps.Clone(c.Secrets)
	return c
}

func (d *Redactor) count(c Counts) {
	if !c.any() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total.add(c)
}

// Errors returns one error for each of Rules that does not compile. Such rules are skipped.
func (d *Redactor) Errors() []error {
	d.prepare()
	return d.errs
}

type userRule struct {
	kind    string
	pattern *regexp.Regexp
}

// prepare builds, once, what the first search for secrets needs. Built-in patterns are
// compiled later, each when a text contains one of its heads.
func (d *Redactor) prepare() {
	d.setup.Do(func() {
		d.buildIndex()
		d.compiled = make([]compiledTail, len(builtin))
		for i, r := range d.Rules {
			re, err := compileUser(r.Pattern)
			if err != nil {
				d.errs = append(d.errs, fmt.Errorf("rule %d %q: %w", i+1, r.Name, err))
				continue
			}
			d.user = append(d.user, userRule{kind: kindName(r.Name), pattern: re})
		}
	})
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
