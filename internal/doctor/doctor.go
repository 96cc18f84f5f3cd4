package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/cli/ui"
	"remanence/internal/fault"
	"remanence/internal/setup"
)

// Tally counts the results of checks.
func Tally(checks []Check, did []string) Report {
	v := Report{Checks: checks, Fixed: did}
	for _, c := range checks {
		switch c.State {
		case setup.Fail:
			v.Summary.Fail++
		case setup.Warn:
			v.Summary.Warn++
		case setup.OK:
			v.Summary.OK++
		}
	}
	v.OK = v.Summary.Fail == 0
	return v
}

// Report is what a check-up found.
type Report struct {
	OK      bool     `json:"ok"`
	Checks  []Check  `json:"checks"`
	Summary Summary  `json:"summary"`
	Fixed   []string `json:"fixed"`
	Bundle  *string  `json:"bundle"` // the file that was written for a bug report; null: none
}

// Summary counts results by state.
type Summary struct {
	OK   int `json:"ok"`
	Warn int `json:"warn"`
	Fail int `json:"fail"`
}

// Check is the result of one check.
type Check struct {
	ID       string   `json:"id"`
	Required bool     `json:"required"`
	State    string   `json:"state"` // ok, warn, fail or info
	Code     *string  `json:"code"`
	What     string   `json:"what"`
	Why      *string  `json:"why"`
	Fix      []string `json:"fix"`
	SafeFix  bool     `json:"safe_fix"`

	Repair func(context.Context) error `json:"-"` // of a safe fix
}

// Good is a check that found nothing wrong.
func Good(id string, required bool, format string, args ...any) Check {
	return Check{ID: id, Required: required, State: setup.OK, What: fmt.Sprintf(format, args...), Fix: []string{}}
}

// Bad is a check that found a fault: required ones fail, others warn.
func Bad(id string, required bool, f fault.Fault) Check {
	state := setup.Warn
	if required {
		state = setup.Fail
	}
	return Check{
		ID: id, Required: required, State: state, Code: ui.TextOrNil(f.Code), What: f.What,
		Why: ui.TextOrNil(f.Why), Fix: ui.NotNil(f.Fix),
	}
}

// note is a check that found something worth knowing.
func note(id string, f fault.Fault) Check {
	c := Bad(id, false, f)
	c.State = setup.Info
	return c
}

// Safely adds a repair that may be done without asking.
func (c Check) Safely(repair func(context.Context) error) Check {
	c.SafeFix, c.Repair = true, repair
	return c
}

// CheckOf is a finding on an agent's settings.
func CheckOf(f setup.Finding) Check {
	optional := map[string]bool{setup.CodeDoubled: true, setup.CodeStale: true, setup.CodeOthers: true}
	ids := map[string]bool{"claude.doubled": true, "claude.version": true, "claude.others": true, "claude.records": true}
	return Check{
		ID: f.ID, Required: !optional[f.Code] && !ids[f.ID], State: f.State, Code: ui.TextOrNil(f.Code),
		What: f.What, Why: ui.TextOrNil(f.Why), Fix: ui.NotNil(f.Fix), SafeFix: f.Safe,
	}
}

// SchemaName returns the name of the view's schema.
func (Report) SchemaName() string { return "doctor" }

// List returns the items that --jsonl prints.
func (v Report) List() []any { return ui.Items(v.Checks) }

// Print writes the view for a person.
func (v Report) Print(p *ui.Printer) {
	for _, f := range v.Fixed {
		p.Line("fixed  %s", ui.OneLine(f))
	}
	for _, group := range []struct {
		title    string
		required bool
	}{{"required", true}, {"optional", false}} {
		p.Line("%s", group.title)
		for _, c := range v.Checks {
			if c.Required == group.required {
				c.human(p)
			}
		}
	}
	s := fmt.Sprintf("%d ok · %d failed · %s", v.Summary.OK, v.Summary.Fail, ui.Plural(v.Summary.Warn, "warning",
		"warnings"))
	if v.repairable() {
		s += " · repair the safe ones: remanence doctor --fix"
	}
	p.Line("%s", s)
	if v.Bundle != nil {
		p.Line("written: %s · read it before you send it", ui.OneLine(*v.Bundle))
	}
}

func (v Report) repairable() bool {
	return slices.ContainsFunc(v.Checks, func(c Check) bool {
		return c.SafeFix && (c.State == setup.Fail || c.State == setup.Warn)
	})
}

func (c Check) human(p *ui.Printer) {
	signs := map[string]string{
		setup.OK: p.Style(ui.Green, "✓ ok  "), setup.Warn: "! warn", setup.Fail: p.Style(ui.Red, "✗ fail"),
		setup.Info: "· info",
	}
	code := ""
	if c.Code != nil {
		code = "  " + *c.Code
	}
	p.Line("  %s  %s %s%s", signs[c.State], ui.Pad(c.ID, 16), ui.OneLine(c.What), code)
	if c.Why != nil {
		p.Line("          %s why: %s", ui.Pad("", 16), ui.OneLine(*c.Why))
	}
	if len(c.Fix) > 0 {
		p.Line("          %s fix: %s", ui.Pad("", 16), ui.OneLine(strings.Join(c.Fix, " · or: ")))
	}
}
