package cli

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/redact"
	"remanence/internal/store/sqlite"
)

func (a *app) privacyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "privacy",
		Short:   "what is taken out before anything is kept",
		Long:    "What stands between <private> and </private>, and what looks like a secret,\nis taken out of every text before it is written anywhere.",
		Example: "  remanence privacy test 'my password is hunter2'\n  remanence privacy rules\n  remanence privacy scan",
		Args:    atMost(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { a.help(cmd, nil); return nil },
	}
	cmd.AddCommand(a.privacyTest(), a.privacyRules(), a.privacyScan())
	return cmd
}

// maxTested bounds what privacy test reads, in bytes.
const maxTested = 16 << 20

func (a *app) privacyTest() *cobra.Command {
	return &cobra.Command{
		Use:     "test <text>... | -",
		Short:   "show what would be kept of a text",
		Long:    "Shows what would be kept of a text and what would be taken out. Nothing is\nwritten anywhere. With - the text is read from standard input.",
		Example: "  remanence privacy test 'my password is hunter2'\n  git diff | remanence privacy test -",
		Args:    atLeast(1, "a text, or - for standard input"),
		RunE: func(_ *cobra.Command, args []string) error {
			said := strings.Join(args, " ")
			if said == "-" {
				b, err := io.ReadAll(io.LimitReader(a.sys.Stdin, maxTested))
				if err != nil {
					return fmt.Errorf("read standard input: %w", err)
				}
				said = strings.ToValidUTF8(string(b), "\uFFFD")
			}
			d := a.lookingDoor()
			kept := d.Prompt(said)
			return a.out.show(redactedOf(kept, d.Counts()))
		},
	}
}

// lookingDoor is the door as hooks have it, for looking only: the machine's
// secret is not made if there is none yet.
func (a *app) lookingDoor() *redact.Door {
	cfg, _ := LoadConfig(a.paths.Config, a.sys.Getenv) // its mistakes are shown by config validate
	d := &redact.Door{Rules: ownRules(cfg.ownRules())}
	b, err := readSmall(a.paths.Key())
	if key, herr := hex.DecodeString(string(b)); err == nil && herr == nil && len(key) == secretLen {
		d.Key = key
	}
	return d
}

// ownRules are the configured ones: NAME=PATTERN each.
func (c Config) ownRules() []string { return value[[]string](c, "privacy.rules") }

// ownRules reads rules; one without a name has the pattern alone.
func ownRules(list []string) []redact.Rule {
	var rules []redact.Rule
	for _, entry := range list {
		name, pattern, named := strings.Cut(entry, "=")
		if !named || !isRuleName(name) {
			name, pattern = "", entry
		}
		rules = append(rules, redact.Rule{Name: name, Pattern: pattern})
	}
	return rules
}

// checkRules finds the first of the person's rules that is no pattern.
func checkRules(list any) error {
	for _, r := range ownRules(list.([]string)) {
		if _, err := regexp.Compile(r.Pattern); err != nil {
			return fmt.Errorf("%q is no pattern: %w", r.Pattern, err)
		}
	}
	return nil
}

func isRuleName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_. ") == ""
}

type redactedView struct {
	Text     string      `json:"text"` // what would be kept
	Private  int         `json:"private"`
	Injected int         `json:"injected"`
	Secrets  []kindCount `json:"secrets"`
}

type kindCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

func redactedOf(kept string, c redact.Counts) redactedView {
	v := redactedView{Text: kept, Private: c.Private, Injected: c.Injected, Secrets: []kindCount{}}
	for _, kind := range slices.Sorted(maps.Keys(c.Secrets)) {
		v.Secrets = append(v.Secrets, kindCount{kind, c.Secrets[kind]})
	}
	return v
}

func (redactedView) schema() string { return "redacted" }

func (v redactedView) human(p *printer) {
	if v.Text == "" {
		p.line("Nothing would be kept.")
	} else {
		p.line("%s", safe(v.Text))
	}
	var out []string
	if v.Private > 0 {
		out = append(out, plural(v.Private, "private span", "private spans"))
	}
	if v.Injected > 0 {
		out = append(out, plural(v.Injected, "block that was told", "blocks that were told"))
	}
	for _, k := range v.Secrets {
		out = append(out, fmt.Sprintf("%d × %s", k.Count, k.Kind))
	}
	if len(out) == 0 {
		p.hint("taken out: nothing")
		return
	}
	p.hint("taken out: %s", strings.Join(out, ", "))
}

func (a *app) privacyRules() *cobra.Command {
	return &cobra.Command{
		Use:     "rules",
		Short:   "list the kinds of secrets that are known",
		Long:    "Lists every kind with the marker that stands for such a secret. Your own are in\nthe setting privacy.rules, as NAME=PATTERN.",
		Example: "  remanence privacy rules\n  remanence config set privacy.rules 'badge=EMP-\\d{6}'",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			d := a.lookingDoor()
			v := rulesView{Kinds: []ruleItem{}, Skipped: []string{}}
			for _, k := range d.Kinds() {
				v.Kinds = append(v.Kinds, ruleItem{k.Name, k.Marker, k.Own})
			}
			for _, err := range d.Errors() {
				v.Skipped = append(v.Skipped, err.Error())
			}
			v.Total = len(v.Kinds)
			return a.out.judged(v, len(v.Skipped) == 0)
		},
	}
}

type rulesView struct {
	Total   int        `json:"total"`
	Kinds   []ruleItem `json:"kinds"`
	Skipped []string   `json:"skipped"` // rules of the person's that cannot be used, and why
}

type ruleItem struct {
	Kind   string `json:"kind"`
	Marker string `json:"marker"`
	Own    bool   `json:"own"`
}

func (rulesView) schema() string { return "rules" }

func (v rulesView) list() []any { return items(v.Kinds) }

func (v rulesView) human(p *printer) {
	for _, k := range v.Kinds {
		own := ""
		if k.Own {
			own = "  yours"
		}
		p.line("%s%s%s", pad(k.Kind, 18), k.Marker, own)
	}
	for _, s := range v.Skipped {
		p.line("skipped: %s", safe(s))
	}
}

func (a *app) privacyScan() *cobra.Command {
	var fix, yes bool
	cmd := &cobra.Command{
		Use:     "scan",
		Short:   "search what is kept for secrets",
		Long:    "Searches everything that is kept, by today's rules, for secrets and private\nspans. With --fix they are taken out, and no byte of them is left. What was\nfound is never shown.",
		Example: "  remanence privacy scan\n  remanence privacy scan --fix",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			got, err := ask(cmd.Context(), a, api.Scan, event.ScanRequest{})
			if err != nil {
				return err
			}
			if !fix || len(got.Finds) == 0 {
				return a.showScan(got)
			}
			if !yes {
				if err := a.allowFix(got); err != nil {
					return err
				}
			}
			if got, err = ask(cmd.Context(), a, api.Scan, event.ScanRequest{Fix: true}); err != nil {
				return err
			}
			return a.showScan(got)
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "take out what is found, for good")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// showScan prints what was found. What is still there is a problem.
func (a *app) showScan(got mem.ScanResponse) error {
	return a.out.judged(scanOf(got), got.Fixed || len(got.Finds) == 0)
}

func (a *app) allowFix(got mem.ScanResponse) error {
	a.out.say("This takes out for good, in %s:", plural(got.Held, "record", "records"))
	for _, f := range got.Finds {
		a.out.say("  %d × %s in %s", f.Count, f.Kind, f.Where)
	}
	for _, l := range copyLines(a.copies()) {
		a.out.say("%s", l)
	}
	return a.confirm("Take it out?")
}

type scanView struct {
	Records   int        `json:"records"`
	Held      int        `json:"held"`
	Fixed     bool       `json:"fixed"`
	Finds     []mem.Find `json:"finds"`
	Unreached []string   `json:"unreached"`
}

func scanOf(s mem.ScanResponse) scanView {
	return scanView{s.Records, s.Held, s.Fixed, some(s.Finds), some(s.Unreached)}
}

func (scanView) schema() string { return "scan" }

func (v scanView) list() []any { return items(v.Finds) }

func (v scanView) human(p *printer) {
	if len(v.Finds) == 0 {
		p.line("No secret and no private span in %s.", plural(v.Records, "record", "records"))
		return
	}
	verb := "Found"
	if v.Fixed {
		verb = "Taken out for good"
	}
	p.line("%s, in %d of %s:", verb, v.Held, plural(v.Records, "record", "records"))
	for _, f := range v.Finds {
		named := ""
		if len(f.IDs) > 0 {
			named = "  " + strings.Join(f.IDs, " ")
		}
		p.line("  %s%s%d%s", pad(f.Where, 14), pad(f.Kind, 18), f.Count, named)
	}
	for _, u := range v.Unreached {
		if v.Fixed {
			p.line("  not reached: %s", safe(u))
		}
	}
	if !v.Fixed {
		p.hint("take it out: remanence privacy scan --fix")
	}
}

// scan takes the spool in first: what waits there is part of what is kept.
func (h *house) scan(ctx context.Context, ask event.ScanRequest) (mem.ScanResponse, error) {
	left, err := h.takeSpool(ctx)
	if err != nil {
		return mem.ScanResponse{}, err
	}
	copies, _ := sqlite.Copies(h.paths.Database()) // only a malformed pattern fails
	got, err := h.engine.Erase.Scan(ctx, ask)
	if err == nil && ask.Fix && len(copies) > 0 {
		h.keepDaily(ctx) // they went with what was taken out
	}
	got.Unreached = append(got.Unreached, h.stillSpooled(left)...)
	return got, err
}

// doomed takes the spool in first, as purge does.
func (h *house) doomed(ctx context.Context, ask event.IDs) (event.PurgeResponse, error) {
	left, err := h.takeSpool(ctx)
	if err != nil {
		return event.PurgeResponse{}, err
	}
	would, err := h.engine.Erase.Doomed(ctx, ask)
	would.Unreached = append(would.Unreached, h.stillSpooled(left)...)
	return would, err
}
