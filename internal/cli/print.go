package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// view is what a command shows. Human and JSON output come from the one value:
// it is marshalled for --json and writes itself for people.
type view interface {
	schema() string // name of the JSON shape, without "remanence." and version
	human(p *printer)
}

// printer writes what commands show: data to standard output, talk to standard error.
type printer struct {
	out, err io.Writer
	flags    flags
	colour   bool
	width    int // columns
	height   int // lines of the screen; 0 if standard output is no terminal
	pager    string
	now      func() time.Time
	failed   error // the first that kept data from being written; nil without one
}

func newPrinter(sys System, f flags) *printer {
	p := &printer{out: sys.Stdout, err: sys.Stderr, flags: f, now: sys.Now}
	p.width, p.height = terminalSize(sys)
	if !f.noPager {
		p.pager = sys.Getenv("PAGER")
		if p.pager == "" {
			p.pager = "less -FRX"
		}
	}
	switch {
	case f.noColor, f.color == "never", f.json, f.jsonl:
	case f.color == "always", sys.Getenv("CLICOLOR_FORCE") != "" && sys.Getenv("CLICOLOR_FORCE") != "0":
		p.colour = true
	default:
		p.colour = sys.Getenv("NO_COLOR") == "" && sys.Getenv("TERM") != "dumb" && isTerminal(sys.Stdout)
	}
	return p
}

// show prints a value in the form that was asked for. People's output that is
// longer than their screen goes through the pager.
func (p *printer) show(v view) error {
	if p.flags.json || p.flags.jsonl {
		return p.machine(v)
	}
	if p.height == 0 {
		v.human(p)
		return p.failed
	}
	var page bytes.Buffer
	screen := p.out
	p.out = &page
	v.human(p)
	p.out = screen
	if p.pager != "" && bytes.Count(page.Bytes(), []byte("\n")) >= p.height && runPager(p.pager, page.Bytes(), screen) {
		return nil
	}
	return p.write(page.String())
}

// judged shows what a check found. The exit status says so too if it is not ok.
func (p *printer) judged(v view, ok bool) error {
	if err := p.show(v); err != nil || ok {
		return err
	}
	return foundProblems
}

// write prints data as it is.
func (p *printer) write(text string) error {
	_, err := fmt.Fprint(p.out, text)
	if err != nil && p.failed == nil {
		p.failed = faultOther.about("the output is incomplete").because("%s", err).fixedBy("free some space, or send it elsewhere")
	}
	return p.failed
}

func (p *printer) machine(v view) error {
	if p.flags.jsonl {
		if l, ok := v.(lister); ok {
			return p.lines(l.list())
		}
	}
	b, err := withSchema(v)
	if err != nil {
		return err
	}
	return p.write(string(b) + "\n")
}

// lister is a view that is a list: --jsonl prints its items alone, one a line.
type lister interface{ list() []any }

// items are the elements of a list for lister.
func items[T any](list []T) []any {
	out := make([]any, 0, len(list))
	for _, x := range list {
		out = append(out, x)
	}
	return out
}

func (p *printer) lines(items []any) error {
	for _, it := range items {
		b, err := encode(it)
		if err != nil {
			return err
		}
		if err := p.write(string(b) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// withSchema is the JSON of v with its schema as the first field.
func withSchema(v view) ([]byte, error) {
	b, err := encode(v)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf(`{"schema":"remanence.%s/v1"`, v.schema())
	if string(b) == "{}" {
		return []byte(head + "}"), nil
	}
	return append([]byte(head+","), b[1:]...), nil
}

func encode(v any) ([]byte, error) {
	var sb strings.Builder
	enc := json.NewEncoder(&sb)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return []byte(strings.TrimSpace(sb.String())), nil
}

// line prints one line of data. Text of memories goes through safe first. That it
// failed is found at the end.
func (p *printer) line(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	_ = p.write(strings.TrimRight(s, " ") + "\n")
}

// field prints a named value, its name padded to the names beside it.
func (p *printer) field(name, format string, args ...any) {
	p.line("  %s%s", pad(name, 14), fmt.Sprintf(format, args...))
}

// hint prints what could be done next below the data, unless --quiet.
func (p *printer) hint(format string, args ...any) {
	if !p.flags.quiet {
		p.line(format, args...)
	}
}

// say prints one line of talk, unless --quiet.
func (p *printer) say(format string, args ...any) {
	if !p.flags.quiet && !p.flags.json && !p.flags.jsonl {
		fmt.Fprintf(p.err, format+"\n", args...)
	}
}

// The styles. Colour is never the only carrier of a meaning.
const (
	bold  = "1"
	dim   = "2"
	red   = "31"
	green = "32"
)

func (p *printer) style(code, s string) string {
	if !p.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// safe makes text of a memory fit for a terminal: control characters and those
// that turn the direction of writing, or that nobody sees, are shown as escapes.
func safe(s string) string {
	if strings.IndexFunc(s, steers) < 0 {
		return s
	}
	var sb strings.Builder
	for _, r := range s {
		if !steers(r) {
			sb.WriteRune(r)
			continue
		}
		fmt.Fprintf(&sb, "\\u{%x}", r)
	}
	return sb.String()
}

// steers reports whether r acts on a terminal or on its reader instead of being
// read. The two joiners are letters' business and stay.
func steers(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d':
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// plural is e.g. "1 memory" or "2 memories".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// nullable is nil for an empty text: what is unknown is null in JSON, not absent.
func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// moment is nil for the zero time, else the time in UTC.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// some is never nil, so that an empty list is [] in JSON.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
