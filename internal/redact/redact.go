// Package redact is the one door every text passes before it is written down or handed over.
//
// It removes what the user marked private, what the client or we ourselves put into the conversation, and secrets.
// Private spans and injected blocks vanish; a secret leaves a marker that names its kind.
//
// The package is pure: it knows no event, no store and no configuration file, and does nothing at start-up; what it
// needs is built at the first text that needs it.
package redact

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
)

// Door strips and redacts. The zero value works: built-in rules only, markers without a suffix. Set the fields
// before the first use; after that a Door may be used by many goroutines. A Door must not be copied.
type Door struct {
	// Key makes the last part of a marker, four hex digits of a keyed hash of the secret, so that two places that
	// held the same secret can be matched and nobody without the key can test a guess. Empty: no such part.
	Key []byte
	// Rules are the user's own, applied after the built-in ones. One that does not compile is skipped; see Errors.
	Rules []Rule

	setup sync.Once
	finder
	compiled []compiledTail
	user     []userRule
	errs     []error

	mu    sync.Mutex
	total Counts
}

// Rule is a secret of the user's own: whatever matches Pattern is redacted. If Pattern has groups, the first one is
// the secret and the rest of the match stays.
type Rule struct {
	Name    string // the kind in the marker, made lower case; anything but a-z, 0-9 and '-' becomes '-'
	Pattern string // syntax of package regexp
}

// Counts says what was taken out. The zero value means nothing was.
type Counts struct {
	Private  int            // private spans, nested ones counted once
	Injected int            // blocks of ours or of the client
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

// Prompt is Text for what a user typed, without the white space around it; "" means that nothing of it may be kept.
func (d *Door) Prompt(s string) string { return strings.TrimSpace(d.Text(s)) }

// Text returns s without private spans, injected blocks and secrets. Text that holds none is returned as it is, and
// what Text returned passes a second time unchanged.
func (d *Door) Text(s string) string {
	var c Counts
	out := d.clean(s, false, &c)
	d.count(c)
	return out
}

// Scrub takes private spans and secrets out of a text that we keep and says what it took. Blocks that we told stay:
// the text may be one.
func (d *Door) Scrub(s string) (string, Counts) {
	var c Counts
	return d.clean(s, true, &c), c
}

// clean strips and redacts until nothing changes: taking a marker's place or a span's, the text on both sides may
// form what was not there before. With own set, of envelopes only private spans are stripped.
func (d *Door) clean(s string, own bool, c *Counts) string {
	for {
		plain, _ := stripLoose(s, c, own)
		out, _ := d.redact(plain, 0, c)
		if len(out) == len(s) && out == s {
			return out
		}
		s = out
	}
}

// Counts returns what this Door has taken out since it was made.
func (d *Door) Counts() Counts {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.total
	c.Secrets = maps.Clone(c.Secrets)
	return c
}

func (d *Door) count(c Counts) {
	if !c.any() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total.add(c)
}

// Errors reports the user rules that do not compile, in their order. They are skipped; all others work.
func (d *Door) Errors() []error {
	d.open()
	return d.errs
}

type userRule struct {
	kind    string
	pattern *regexp.Regexp
}

// open builds, once, what the first search for secrets needs. No built-in pattern is compiled here: each waits for
// the first text that holds one of its heads.
func (d *Door) open() {
	d.setup.Do(func() {
		d.fill()
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
