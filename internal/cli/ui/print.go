package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"remanence/internal/config"
	"remanence/internal/fault"
)

// View is what a command shows. Human and JSON output come from the one value:
// it is marshalled for --json and writes itself for people.
type View interface {
	SchemaName() string // name of the JSON shape, without "remanence." and version
	Print(p *Printer)
}

// Printer writes what commands show: data to standard output, messages to standard error.
type Printer struct {
	Out, Err io.Writer
	Flags    Flags
	colour   bool
	Width    int  // columns
	Whole    bool // the output is not limited by a terminal: tables cut nothing
	Height   int  // lines of the screen; 0 if standard output is no terminal
	Pager    string
	Now      func() time.Time
	Failed   error // the first that kept data from being written; nil without one
}

// NewPrinter returns a printer to the output of sys in the form that the flags select.
func NewPrinter(sys config.System, f Flags) *Printer {
	p := &Printer{Out: sys.Stdout, Err: sys.Stderr, Flags: f, Now: sys.Now}
	p.Width, p.Height = terminalSize(sys)
	if p.Whole = p.Width == 0; p.Whole {
		p.Width = plainWidth
	}
	if !f.NoPager {
		p.Pager = sys.Getenv("PAGER")
		if p.Pager == "" {
			p.Pager = "less -FRX"
		}
	}
	switch {
	case f.NoColor, f.Color == "never", f.JSON, f.JSONLines:
	case f.Color == "always", sys.Getenv("CLICOLOR_FORCE") != "" && sys.Getenv("CLICOLOR_FORCE") != "0":
		p.colour = true
	default:
		p.colour = sys.Getenv("NO_COLOR") == "" && sys.Getenv("TERM") != "dumb" && IsTerminal(sys.Stdout)
	}
	return p
}

// Show prints a value in the requested form. People's output that is
// longer than their screen goes through the pager.
func (p *Printer) Show(v View) error {
	if p.Flags.JSON || p.Flags.JSONLines {
		return p.machine(v)
	}
	if p.Height == 0 {
		v.Print(p)
		return p.Failed
	}
	var page bytes.Buffer
	screen := p.Out
	p.Out = &page
	v.Print(p)
	p.Out = screen
	if p.Pager != "" && bytes.Count(page.Bytes(), []byte("\n")) >= p.Height && runPager(p.Pager, page.Bytes(), screen) {
		return nil
	}
	return p.Write(page.String())
}

// Judged shows the result of a check. The exit status reports whether it is ok.
func (p *Printer) Judged(v View, ok bool) error {
	if err := p.Show(v); err != nil || ok {
		return err
	}
	return fault.FoundProblems
}

// Write prints data as it is.
func (p *Printer) Write(text string) error {
	_, err := fmt.Fprint(p.Out, text)
	if err != nil && p.Failed == nil {
		p.Failed = fault.Other.WithMessage("the output is incomplete").Because("%s",
			err).FixedBy("free some space, or send it elsewhere")
	}
	return p.Failed
}

func (p *Printer) machine(v View) error {
	if p.Flags.JSONLines {
		if l, ok := v.(Lister); ok {
			return p.lines(l.List())
		}
	}
	b, err := WithSchema(v)
	if err != nil {
		return err
	}
	return p.Write(string(b) + "\n")
}

// Lister is a view that is a list: --jsonl prints its items alone, one a line.
type Lister interface{ List() []any }

// Items are the elements of a list for lister.
func Items[T any](list []T) []any {
	out := make([]any, 0, len(list))
	for _, x := range list {
		out = append(out, x)
	}
	return out
}

func (p *Printer) lines(items []any) error {
	for _, it := range items {
		b, err := Encode(it)
		if err != nil {
			return err
		}
		if err := p.Write(string(b) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// WithSchema is the JSON of v with its schema as the first field.
func WithSchema(v View) ([]byte, error) {
	b, err := Encode(v)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf(`{"schema":"remanence.%s/v1"`, v.SchemaName())
	if string(b) == "{}" {
		return []byte(head + "}"), nil
	}
	return append([]byte(head+","), b[1:]...), nil
}

// Encode returns the JSON of a value on one line.
func Encode(v any) ([]byte, error) {
	var sb strings.Builder
	enc := json.NewEncoder(&sb)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return []byte(strings.TrimSpace(sb.String())), nil
}

// Line prints one line of data, wrapped to the terminal. Text of memories goes through safe first. That it
// failed is found at the end.
func (p *Printer) Line(format string, args ...any) {
	_ = p.Write(p.wrapped(fmt.Sprintf(format, args...)))
}

// wrapped is a text whose lines fit the terminal, with a line break at its end.
func (p *Printer) wrapped(text string) string {
	var sb strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " ")
		lines := []string{line}
		if !p.Whole {
			lines = Wrap(line, p.Width)
		}
		for _, line := range lines {
			sb.WriteString(line + "\n")
		}
	}
	return sb.String()
}

// Field prints a named value, its name padded to the names beside it.
func (p *Printer) Field(name, format string, args ...any) {
	p.Line("  %s%s", Pad(name, 14), fmt.Sprintf(format, args...))
}

// Hint prints what could be done next below the data, unless --quiet.
func (p *Printer) Hint(format string, args ...any) {
	if !p.Flags.Quiet {
		p.Line(format, args...)
	}
}

// Say prints one line of a message, unless --quiet.
func (p *Printer) Say(format string, args ...any) {
	if !p.Flags.Quiet && !p.Flags.JSON && !p.Flags.JSONLines {
		fmt.Fprint(p.Err, p.wrapped(fmt.Sprintf(format, args...)))
	}
}

// The styles. Colour is never the only carrier of a meaning.
const (
	Bold  = "1"
	Dim   = "2"
	Red   = "31"
	Green = "32"
)

// Style returns s with a code of the terminal around it where colours are on.
func (p *Printer) Style(code, s string) string {
	if !p.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Safe makes text of a memory fit for a terminal: control characters and those
// that turn the direction of writing, or are invisible, are shown as escapes.
func Safe(s string) string {
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

// Plural is e.g. "1 memory" or "2 memories".
func Plural(n int, one, many string) string { return fault.Count(n, one, many) }

// TextOrNil is nil for an empty text: what is unknown is null in JSON, not absent.
func TextOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// TimeOrNil is nil for the zero time, else the time in UTC.
func TimeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// NotNil is never nil, so that an empty list is [] in JSON.
func NotNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Flags are the flags every command has.
type Flags struct {
	JSON, JSONLines, NoColor, Quiet, Verbose bool
	NoInput, NoPager                         bool
	Color, Config, DataDir                   string
}

// BytesText is a size for people.
func BytesText(n int64) string { return fault.ByteCount(n) }
