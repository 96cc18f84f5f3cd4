package ui

import (
	"fmt"
	"slices"

	"remanence/internal/fault"
)

// Fail prints a fault and returns its exit status.
func (p *Printer) Fail(f fault.Fault) int {
	if f.Code == "" { // the output shows it already
		return f.Exit
	}
	fix := slices.DeleteFunc(slices.Clone(f.Fix), func(s string) bool { return s == "" })
	if p.Flags.JSON || p.Flags.JSONLines {
		b, err := Encode(errorView{"remanence.error/v1", errorBody{
			f.Code, f.What, TextOrNil(f.Why), NotNil(fix),
			"remanence help " + f.Code,
		}})
		if err == nil {
			fmt.Fprintf(p.Err, "%s\n", b)
		}
		return f.Exit
	}
	line := func(format string, args ...any) { fmt.Fprint(p.Err, p.wrapped(fmt.Sprintf(format, args...))) }
	line("%s %s", p.Style(Red, "error:"), Safe(f.What))
	if f.Why != "" {
		line("  why  %s", Safe(f.Why))
	}
	for i, s := range fix {
		label := "fix"
		if i > 0 {
			label = "or "
		}
		line("  %s  %s", label, Safe(s))
	}
	line("  %s · remanence help %s", f.Code, f.Code)
	return f.Exit
}

// errorView is the JSON form of a fault.
type errorView struct {
	Schema string    `json:"schema"`
	Error  errorBody `json:"error"`
}

type errorBody struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Cause   *string  `json:"cause"`
	Fix     []string `json:"fix"`
	Doc     string   `json:"doc"`
}

// FaultView explains an error code.
type FaultView struct {
	Code    string   `json:"code"`
	Exit    int      `json:"exit"`
	Message string   `json:"message"`
	About   string   `json:"about"`
	Fix     []string `json:"fix"`
}

// SchemaName returns the name of the view's schema.
func (FaultView) SchemaName() string { return "fault" }

// Print writes the view for a person.
func (v FaultView) Print(p *Printer) {
	p.Line("%s  %s", v.Code, v.Message)
	p.Line("  %s", v.About)
	for _, fix := range v.Fix {
		p.Line("  fix   %s", fix)
	}
	if v.Exit > 0 {
		p.Line("  exit  %d", v.Exit)
	}
}
