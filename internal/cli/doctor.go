package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/setup"
)

func (a *app) doctorCommand() *cobra.Command {
	var fix bool
	var bundle string
	cmd := &cobra.Command{
		Use:        "doctor",
		SuggestFor: []string{"check", "diagnose", "fix"},
		Short:      "find what is wrong and name the fix; exit 5 if it fails",
		Long:       "Required checks fail, optional ones warn. --fix does only what is safe.",
		Example:    "  remanence doctor\n  remanence doctor --fix\n  remanence doctor --bundle report.txt\n  remanence doctor --json",
		Args:       atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			checks, did := a.examine(cmd.Context()), []string{}
			if fix {
				if did = some(a.repair(cmd.Context(), checks)); len(did) > 0 {
					checks = a.examine(cmd.Context())
				}
			}
			if bundle != "" {
				if err := a.bundle(cmd, bundle, checks); err != nil {
					return err
				}
			}
			return a.diagnose(checks, did, bundle)
		},
	}
	cmd.Flags().StringVar(&bundle, "bundle", "", "write what a bug report needs into this new file: no memories, no prompts, no secrets")
	cmd.Flags().BoolVar(&fix, "fix", false, "do the fixes that are safe, then look again")
	return cmd
}

func (a *app) diagnose(checks []checkItem, did []string, bundle string) error {
	v := tally(checks, did)
	v.Bundle = nullable(bundle)
	return a.out.judged(v, v.OK)
}

func tally(checks []checkItem, did []string) doctorView {
	v := doctorView{Checks: checks, Fixed: did}
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

// doctorView is what a check-up found.
type doctorView struct {
	OK      bool        `json:"ok"`
	Checks  []checkItem `json:"checks"`
	Summary summary     `json:"summary"`
	Fixed   []string    `json:"fixed"`
	Bundle  *string     `json:"bundle"` // the file that was written for a bug report; null: none
}

type summary struct {
	OK   int `json:"ok"`
	Warn int `json:"warn"`
	Fail int `json:"fail"`
}

// checkItem is the result of one check.
type checkItem struct {
	ID       string   `json:"id"`
	Required bool     `json:"required"`
	State    string   `json:"state"` // ok, warn, fail or info
	Code     *string  `json:"code"`
	What     string   `json:"what"`
	Why      *string  `json:"why"`
	Fix      []string `json:"fix"`
	SafeFix  bool     `json:"safe_fix"`

	repair func(context.Context) error // of a safe fix
}

// good is a check that found nothing wrong.
func good(id string, required bool, format string, args ...any) checkItem {
	return checkItem{ID: id, Required: required, State: setup.OK, What: fmt.Sprintf(format, args...), Fix: []string{}}
}

// bad is a check that found a fault: required ones fail, others warn.
func bad(id string, required bool, f Fault) checkItem {
	state := setup.Warn
	if required {
		state = setup.Fail
	}
	return checkItem{ID: id, Required: required, State: state, Code: nullable(f.Code), What: f.What, Why: nullable(f.Why), Fix: some(f.Fix)}
}

// note is a check that found something worth knowing.
func note(id string, f Fault) checkItem {
	c := bad(id, false, f)
	c.State = setup.Info
	return c
}

// safely adds a repair that may be done without asking.
func (c checkItem) safely(repair func(context.Context) error) checkItem {
	c.SafeFix, c.repair = true, repair
	return c
}

// checkOf is a finding on an agent's settings.
func checkOf(f setup.Finding) checkItem {
	optional := map[string]bool{setup.CodeDoubled: true, setup.CodeStale: true, setup.CodeOthers: true}
	ids := map[string]bool{"claude.doubled": true, "claude.version": true, "claude.others": true, "claude.records": true}
	return checkItem{
		ID: f.ID, Required: !optional[f.Code] && !ids[f.ID], State: f.State, Code: nullable(f.Code),
		What: f.What, Why: nullable(f.Why), Fix: some(f.Fix), SafeFix: f.Safe,
	}
}

func (doctorView) schema() string { return "doctor" }

func (v doctorView) list() []any { return items(v.Checks) }

func (v doctorView) human(p *printer) {
	for _, f := range v.Fixed {
		p.line("fixed  %s", oneLine(f))
	}
	for _, group := range []struct {
		title    string
		required bool
	}{{"required", true}, {"optional", false}} {
		p.line("%s", group.title)
		for _, c := range v.Checks {
			if c.Required == group.required {
				c.human(p)
			}
		}
	}
	s := fmt.Sprintf("%d ok · %d failed · %s", v.Summary.OK, v.Summary.Fail, plural(v.Summary.Warn, "warning", "warnings"))
	if v.repairable() {
		s += " · repair the safe ones: remanence doctor --fix"
	}
	p.line("%s", s)
	if v.Bundle != nil {
		p.line("written: %s · read it before you send it", oneLine(*v.Bundle))
	}
}

func (v doctorView) repairable() bool {
	return slices.ContainsFunc(v.Checks, func(c checkItem) bool { return c.SafeFix && (c.State == setup.Fail || c.State == setup.Warn) })
}

func (c checkItem) human(p *printer) {
	signs := map[string]string{
		setup.OK: p.style(green, "✓ ok  "), setup.Warn: "! warn", setup.Fail: p.style(red, "✗ fail"), setup.Info: "· info",
	}
	code := ""
	if c.Code != nil {
		code = "  " + *c.Code
	}
	p.line("  %s  %s %s%s", signs[c.State], pad(c.ID, 16), oneLine(c.What), code)
	if c.Why != nil {
		p.line("          %s why: %s", pad("", 16), oneLine(*c.Why))
	}
	if len(c.Fix) > 0 {
		p.line("          %s fix: %s", pad("", 16), oneLine(strings.Join(c.Fix, " · or: ")))
	}
}
