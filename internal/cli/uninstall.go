package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"remanence/internal/setup"
)

func (a *app) uninstallCommand() *cobra.Command {
	var dry, yes, all, purge bool
	cmd := &cobra.Command{
		Use:     "uninstall [agent]...",
		Short:   "take the hooks out again; memories stay unless --purge",
		Long:    "The agent's settings get back the bytes they had. Where they changed since, only\nentries of Remanence are cut out. --purge also erases all that was remembered.",
		Example: "  remanence uninstall --dry-run\n  remanence uninstall claude-code\n  remanence uninstall --purge --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := supported(args); err != nil {
				return err
			}
			c, err := a.setupConfig()
			if err != nil {
				return err
			}
			return a.uninstall(cmd, c, uninstalling{dry: dry, yes: yes, purge: purge})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "every agent; the only one there is now")
	cmd.Flags().BoolVar(&purge, "purge", false, "also erase every memory, log and setting")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be done")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.ValidArgs = []string{setup.AgentID}
	return cmd
}

// uninstalling says how a removal is carried out.
type uninstalling struct{ dry, yes, purge bool }

func (a *app) uninstall(cmd *cobra.Command, c setup.Config, how uninstalling) error {
	start := a.sys.Now()
	plan, planErr := setup.PlanUninstall(c)
	v := uninstallView{DryRun: how.dry, Steps: []stepItem{}, Purged: []string{}, home: a.sys.Getenv("HOME"), data: a.paths.Data}
	for _, s := range plan.Steps {
		v.Steps = append(v.Steps, stepItem{s.File, string(s.Action), s.Hooks, some(s.Records)})
	}
	if how.purge {
		v.Purged = a.paths.all()
	}
	if how.dry {
		return errors.Join(a.out.show(v), planErr)
	}
	if err := a.agree(v, how); err != nil {
		return err
	}
	err := errors.Join(planErr, setup.Uninstall(c, plan))
	was, stopErr := a.stopDaemon(cmd.Context())
	v.Stopped = was
	if how.purge && stopErr == nil {
		stopErr = a.paths.remove()
	}
	v.TookMS = float64(a.sys.Now().Sub(start).Microseconds()) / 1000
	return errors.Join(a.out.show(v), err, stopErr)
}

// agree asks before hooks go, where somebody can be asked, and always before data goes.
func (a *app) agree(v uninstallView, how uninstalling) error {
	if how.yes {
		return nil
	}
	ask := isTerminal(a.sys.Stdin) && !a.flags.noInput
	if !ask && !how.purge {
		return nil
	}
	question := "Go on?"
	if how.purge {
		question = "This erases every memory for good. Go on?"
	}
	v.plan(a.out.say)
	return a.confirm(question, "--yes")
}

// uninstallView is what a removal will do, or did.
type uninstallView struct {
	DryRun  bool       `json:"dry_run"`
	Steps   []stepItem `json:"steps"`
	Stopped bool       `json:"daemon_stopped"`
	Purged  []string   `json:"purged"` // files and directories; empty: data is kept
	TookMS  float64    `json:"took_ms"`

	home, data string
}

type stepItem struct {
	File    string   `json:"file"`
	Action  string   `json:"action"` // restore, delete, edit or keep
	Hooks   int      `json:"hooks"`
	Records []string `json:"records"`
}

func (uninstallView) schema() string { return "uninstall" }

func (v uninstallView) human(p *printer) {
	v.plan(p.line)
	if v.DryRun {
		p.line("Dry run: nothing was written.")
		return
	}
	p.line("Done in %.1f s. Back again: remanence install", v.TookMS/1000)
}

func (v uninstallView) plan(line func(string, ...any)) {
	does := map[string]string{
		"restore": "gets back the bytes it had", "delete": "goes, it was made for the hooks",
		"edit": "only the hooks are cut out, the rest has changed since", "keep": "holds no hooks any more",
	}
	if len(v.Steps) == 0 {
		line("No settings hold hooks of Remanence.")
	}
	for i, s := range v.Steps {
		line("%s%s: %s, %s", pad(first(i, "Will"), 7), tilde(s.File, v.home), plural(s.Hooks, "hook", "hooks"), does[s.Action])
	}
	if len(v.Purged) == 0 {
		line("Keeps  what was remembered in %s", tilde(v.data, v.home))
		return
	}
	for i, f := range v.Purged {
		line("%s%s", pad(first(i, "Erases"), 7), tilde(f, v.home))
	}
}
