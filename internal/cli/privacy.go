package cli

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/redact"
)

func privacyCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "privacy",
		Short: "what is taken out before anything is kept",
		Long: "What stands between <private> and </private>, and what looks like a secret,\nis taken out of every text " +
			"before it is written anywhere.",
		Example: "  remanence privacy test 'my password is hunter2'\n  remanence privacy rules\n  remanence privacy scan",
		Args:    atMost(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.showHelp(cmd) },
	}
	cmd.AddCommand(privacyTest(a), privacyRules(a), privacyScan(a))
	return cmd
}

// maxTested bounds what privacy test reads, in bytes.
const maxTested = 16 << 20

func privacyTest(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "test <text>... | -",
		Short: "show what would be kept of a text",
		Long: "Shows what would be kept of a text and what would be taken out. Nothing is\nwritten anywhere. With - " +
			"the text is read from standard input.",
		Example: "  remanence privacy test 'my password is hunter2'\n  git diff | remanence privacy test -",
		Args:    atLeast(1, "a text, or - for standard input"),
		RunE: func(_ *cobra.Command, args []string) error {
			said := strings.Join(args, " ")
			if said == "-" {
				b, err := io.ReadAll(io.LimitReader(a.Sys.Stdin, maxTested))
				if err != nil {
					return fmt.Errorf("read standard input: %w", err)
				}
				said = strings.ToValidUTF8(string(b), "\uFFFD")
			}
			d := a.readOnlyRedactor()
			kept := d.Prompt(said)
			return a.out.Show(ui.RedactedOf(kept, d.Counts()))
		},
	}
}

// readOnlyRedactor is the redactor of hooks for previews: it creates no secret of the machine.
func (a *app) readOnlyRedactor() *redact.Redactor {
	cfg, _ := config.LoadConfig(a.Paths.Config, a.Sys.Getenv) // its mistakes are shown by config validate
	d := &redact.Redactor{Rules: config.OwnRules(cfg.OwnRules())}
	b, err := config.ReadSmall(a.Paths.Key())
	if key, herr := hex.DecodeString(string(b)); err == nil && herr == nil && len(key) == config.SecretLen {
		d.Key = key
	}
	return d
}

func privacyRules(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "rules",
		Short: "list the kinds of secrets that are known",
		Long: "Lists every kind with the marker that stands for such a secret. Your own are in\nthe setting " +
			"privacy.rules, as NAME=PATTERN.",
		Example: "  remanence privacy rules\n  remanence config set privacy.rules 'badge=EMP-\\d{6}'",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			d := a.readOnlyRedactor()
			v := ui.RulesView{Kinds: []ui.RuleItem{}, Skipped: []string{}}
			for _, k := range d.Kinds() {
				v.Kinds = append(v.Kinds, ui.RuleItem{Kind: k.Name, Marker: k.Marker, Own: k.UserRule})
			}
			for _, err := range d.Errors() {
				v.Skipped = append(v.Skipped, err.Error())
			}
			v.Total = len(v.Kinds)
			return a.out.Judged(v, len(v.Skipped) == 0)
		},
	}
}

func privacyScan(a *app) *cobra.Command {
	var fix, yes bool
	cmd := &cobra.Command{
		Use:   "scan",
		Short: "search what is kept for secrets",
		Long: "Searches everything that is kept, by today's rules, for secrets and private\nspans. With --fix they are " +
			"taken out, and no byte of them is left. What was\nfound is never shown.",
		Example: "  remanence privacy scan\n  remanence privacy scan --fix",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			got, err := ask(cmd.Context(), a, api.Scan, event.ScanRequest{})
			if err != nil {
				return err
			}
			if !fix || len(got.Finds) == 0 {
				return showScan(a, got)
			}
			if !yes {
				if err := allowFix(a, got); err != nil {
					return err
				}
			}
			if got, err = ask(cmd.Context(), a, api.Scan, event.ScanRequest{Fix: true}); err != nil {
				return err
			}
			return showScan(a, got)
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "take out what is found, for good")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// showScan prints what was found. What is still there is a problem.
func showScan(a *app, got mem.ScanResponse) error {
	return a.out.Judged(ui.ScanOf(got), got.Fixed || len(got.Finds) == 0)
}

func allowFix(a *app, got mem.ScanResponse) error {
	a.out.Say("This takes out for good, in %s:", ui.Plural(got.WithSecrets, "record", "records"))
	for _, f := range got.Finds {
		a.out.Say("  %d × %s in %s", f.Count, f.Kind, f.Where)
	}
	for _, l := range ui.CopyLines(a.copies()) {
		a.out.Say("%s", l)
	}
	return a.confirm("Take it out?")
}
