package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/setup"
)

func uninstallCommand(a *app) *cobra.Command {
	var dry, yes, all, purge bool
	cmd := &cobra.Command{
		Use:   "uninstall [agent]...",
		Short: "take the hooks out again; memories stay unless --purge",
		Long: "The agent's settings get back the bytes they had. Where they changed since, only\nentries of Remanence " +
			"are cut out. A plugin is taken out by the agent's own\ncommands. --purge also erases all that was remembered.",
		Example: "  remanence uninstall --dry-run\n  remanence uninstall claude-code\n  remanence uninstall --purge --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			named, err := agentIDs(args)
			if err != nil {
				return err
			}
			c, err := a.checks().SetupConfig()
			if err != nil {
				return err
			}
			return runUninstall(a, cmd, c, uninstalling{dry: dry, yes: yes, purge: purge, agents: named})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "every agent, as without a name")
	cmd.Flags().BoolVar(&purge, "purge", false, "also erase every memory, log and setting")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be done")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.ValidArgs = setup.Names(true)
	return cmd
}

// uninstalling holds the options of a removal.
type uninstalling struct {
	dry, yes, purge bool
	agents          []string // empty means all
}

// of reports whether the removal is for an agent.
func (how uninstalling) of(id string) bool {
	return how.purge || len(how.agents) == 0 || slices.Contains(how.agents, id)
}

// planRemoval plans what is removed, and reports whether another agent keeps its hooks.
func planRemoval(c setup.Config, how uninstalling) (
	plan setup.Removal, plugin setup.PluginRemoval, others bool, err error,
) {
	claude, claudeErr := setup.PlanUninstall(c)
	plugin, pluginErr := setup.PlanPluginRemoval(c)
	if pluginErr != nil && claudeErr != nil && strings.Contains(claudeErr.Error(), pluginErr.Error()) {
		pluginErr = nil
	}
	if how.of(setup.AgentID) {
		plan, err = claude, errors.Join(claudeErr, pluginErr)
	} else {
		others = hasHooks(claude) || !plugin.Nothing()
		plugin = setup.PluginRemoval{}
	}
	for _, cl := range setup.Clients() {
		removal, clientErr := setup.PlanClientRemoval(c, cl, plan.Steps...)
		if !how.of(cl.ID) {
			others = others || hasHooks(removal)
			continue
		}
		plan.Steps = append(plan.Steps, removal.Steps...)
		if err == nil || clientErr != nil && !strings.Contains(err.Error(), clientErr.Error()) {
			err = errors.Join(err, clientErr)
		}
	}
	return plan, plugin, others, err
}

func hasHooks(r setup.Removal) bool {
	return slices.ContainsFunc(r.Steps, func(s setup.Step) bool { return s.Hooks > 0 })
}

func runUninstall(a *app, cmd *cobra.Command, c setup.Config, how uninstalling) error {
	start := a.Sys.Now()
	plan, plugin, others, planErr := planRemoval(c, how)
	v := uninstallView{
		DryRun: how.dry, Steps: []stepItem{}, Purged: []string{}, home: config.HomeDir(a.Sys.Getenv),
		data: a.Paths.Data,
	}
	for _, s := range plan.Steps {
		v.Steps = append(v.Steps, stepItem{
			cmp.Or(s.Agent, setup.AgentID), s.File, string(s.Action), s.Hooks, ui.NotNil(s.Records), s.Server, s.Line, s.Skill,
			s.Instructs,
		})
	}
	v.Plugin = pluginGoneOf(plugin)
	if how.purge {
		v.Purged = a.Paths.OwnFiles()
		if at := a.vault(); at.There() {
			v.Vault = at.Dir
		}
		if former := a.Paths.Vault(); former != v.Vault && config.Exists(former) {
			v.Former = former
		}
		v.StateFiles = daemon.TrustedStateDirs(a.Paths)
	}
	v.partly = planErr != nil
	if how.dry {
		return errors.Join(a.out.Show(v), planErr)
	}
	if err := agreeToUninstall(a, v, how); err != nil {
		return err
	}
	err := errors.Join(planErr, setup.Uninstall(c, plan), v.Plugin.remove(cmd.Context(), c, plugin))
	var stopErr error
	if !others { // whose hooks still need the daemon
		v.Stopped, stopErr = stopAndErase(cmd.Context(), a, how.purge)
	}
	v.partly = err != nil || stopErr != nil
	v.TookMS = daemon.Millis(a.Sys.Now().Sub(start))
	return errors.Join(a.out.Show(v), err, stopErr)
}

// runningHooks bounds the time of a hook that is already running, and of a daemon that it starts until the daemon
// checks the mark of the uninstallation.
const runningHooks = 1200 * time.Millisecond

// stopAndErase stops the daemon and erases everything, or everything but the data. It first sets the mark at which
// hooks of running sessions do nothing. A hook that started before might create files again, so an erasure waits for
// its end.
func stopAndErase(ctx context.Context, a *app, purge bool) (was bool, err error) {
	if err := a.Paths.MarkUninstalled(); err != nil {
		return false, err
	}
	if purge && config.Exists(a.Paths.UninstalledMark()) {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(runningHooks):
		}
	}
	if was, err = a.StopForRemoval(ctx); err != nil {
		return was, err
	}
	if !purge {
		return was, leaveData(a.Paths)
	}
	if err := a.Paths.RemoveOwn(); err != nil || !config.Exists(a.Paths.Work) && !config.Exists(a.Paths.Data) {
		return was, err
	}
	if _, err := a.StopForRemoval(ctx); err != nil {
		return was, err
	}
	return was, a.Paths.RemoveOwn()
}

// agreeToUninstall asks before hooks are removed, if a person can be asked, and always before data is erased.
func agreeToUninstall(a *app, v uninstallView, how uninstalling) error {
	if how.yes {
		return nil
	}
	ask := ui.IsTerminal(a.Sys.Stdin) && !a.flags.NoInput
	if !ask && !how.purge {
		return nil
	}
	question := "Go on?"
	if how.purge {
		question = "This erases every memory for good. Go on?"
	}
	v.plan(a.out.Say)
	return a.confirm(question)
}

// uninstallView is what a removal will do, or did.
type uninstallView struct {
	DryRun  bool       `json:"dry_run"`
	Steps   []stepItem `json:"steps"`
	Stopped bool       `json:"daemon_stopped"`
	Purged  []string   `json:"purged"` // files and directories; empty: data is kept
	TookMS  float64    `json:"took_ms"`

	// What is kept where data is not, for it is the person's; missing: there is none.
	Vault      string   `json:"vault,omitempty"`
	Former     string   `json:"former_vault,omitempty"` // made before vault.dir named another
	StateFiles []string `json:"state_files,omitempty"`  // directories of projects

	Plugin *pluginGone `json:"plugin,omitempty"` // missing: there is none

	home, data string
	partly     bool // the error says what is not done
}

type stepItem struct {
	Agent     string   `json:"agent"`
	File      string   `json:"file"`
	Action    string   `json:"action"` // restore, delete, edit or keep
	Hooks     int      `json:"hooks"`
	Records   []string `json:"records"`
	Server    bool     `json:"server"`      // our MCP server goes, out of the agent's configuration
	Line      bool     `json:"status_line"` // our status line goes too
	Skill     bool     `json:"skill"`       // it is a skill, which stays while another agent has it
	Instructs bool     `json:"instructs"`   // it is a file of instructions, out of which our section goes
}

// pluginGone is what becomes of the plugin.
type pluginGone struct {
	File     string   `json:"file"`     // the settings that name it
	Action   string   `json:"action"`   // what became of them: restore, delete, edit or keep; empty: not yet done
	Commands []string `json:"commands"` // of the agent
	Dirs     []string `json:"dirs"`     // where its files were
	Records  []string `json:"records"`
	Notes    []string `json:"notes"` // what the agent did not do, so that it was done for it
}

// pluginGoneOf is nil if there is no plugin.
func pluginGoneOf(p setup.PluginRemoval) *pluginGone {
	if p.Nothing() {
		return nil
	}
	g := &pluginGone{
		File: p.File, Commands: []string{}, Dirs: ui.NotNil(p.Dirs), Records: ui.NotNil(p.Records),
		Notes: []string{},
	}
	for _, cmd := range p.Commands {
		g.Commands = append(g.Commands, setup.CommandLine(cmd))
	}
	return g
}

// remove removes the plugin and takes down what became of it.
func (g *pluginGone) remove(ctx context.Context, c setup.Config, p setup.PluginRemoval) error {
	if g == nil {
		return nil
	}
	done, err := setup.RemovePlugin(ctx, c, p)
	g.Action, g.Notes = string(done.Settings), ui.NotNil(done.Notes)
	return err
}

func (g *pluginGone) plan(line func(string, ...any), home, head string) {
	if g == nil {
		return
	}
	for _, cmd := range g.Commands {
		line("%srun %s", ui.Pad(head, 7), cmd)
		head = ""
	}
	for _, dir := range g.Dirs {
		line("%sremove the plugin from %s", ui.Pad(head, 7), ui.Tilde(dir, home))
		head = ""
	}
	does := map[string]string{
		"":        "get back the bytes they had; only the plugin is cut out if they have changed since",
		"restore": "got back the bytes they had",
		"delete":  "gone, they were made for the plugin", "edit": "only the plugin was cut out, the rest has changed since",
		"keep": "do not name the plugin any more",
	}
	line("%s%s: %s", ui.Pad(head, 7), ui.Tilde(g.File, home), does[g.Action])
	for _, note := range g.Notes {
		line("Note   %s; what was left was cut out all the same", ui.OneLine(note))
	}
}

func (uninstallView) SchemaName() string { return "uninstall" }

func (v uninstallView) Print(p *ui.Printer) {
	v.plan(p.Line)
	if v.DryRun {
		p.Line("Dry run: nothing was written.")
		return
	}
	if v.partly {
		p.Line("Not everything was done: the error names what is left. Then again: remanence uninstall")
		return
	}
	p.Line("Done in %.1f s. Back again: remanence install", v.TookMS/1000)
}

func (v uninstallView) plan(line func(string, ...any)) {
	does := map[string]string{
		"restore": "gets back the bytes it had", "delete": "goes, it was made for the hooks",
		"edit": "only the hooks are cut out, the rest has changed since", "keep": "holds no hooks any more",
	}
	if len(v.Steps) == 0 && v.Plugin == nil && !v.partly {
		line("No settings hold hooks of Remanence.")
	}
	var skills [2][]string // those that stay, those that go
	for i, s := range v.Steps {
		switch {
		case s.Skill && s.Action == string(setup.Delete):
			skills[1] = append(skills[1], s.File)
			continue
		case s.Skill:
			skills[0] = append(skills[0], s.File)
			continue
		case s.Server, s.Instructs:
			line("%s%s: %s", ui.Pad(first(i, "Will"), 7), ui.Tilde(s.File, v.home), ui.Removal(s.Action, s.Instructs))
			continue
		}
		holds := ui.Plural(s.Hooks, "hook", "hooks")
		if s.Line {
			holds += " and the status line"
		}
		line("%s%s: %s, %s", ui.Pad(first(i, "Will"), 7), ui.Tilde(s.File, v.home), holds, does[s.Action])
	}
	if len(skills[1]) > 0 {
		line("       %s: go", ui.SkillsIn(skills[1], v.home))
	} else if len(skills[0]) > 0 {
		line("       %s: stay, another agent has them", ui.SkillsIn(skills[0], v.home))
	}
	v.Plugin.plan(line, v.home, first(len(v.Steps), "Will"))
	if len(v.Purged) == 0 && !config.Exists(v.data) {
		line("Keeps  nothing: nothing is remembered in %s", ui.Tilde(v.data, v.home))
		return
	}
	if len(v.Purged) == 0 {
		line("Keeps  what was remembered in %s", ui.Tilde(v.data, v.home))
		return
	}
	for i, f := range v.Purged {
		line("%s%s", ui.Pad(first(i, "Erases"), 7), ui.Tilde(f, v.home))
	}
	var kept []string
	if v.Vault != "" {
		kept = append(kept, ui.Tilde(v.Vault, v.home)+": the files of the vault are yours")
	}
	if v.Former != "" {
		kept = append(kept, ui.Tilde(v.Former, v.home)+": the files of an earlier vault are yours")
	}
	for _, dir := range v.StateFiles {
		kept = append(kept, ui.OneLine(ui.Tilde(dir, v.home))+": the state files of a project are yours")
	}
	for i, what := range kept {
		line("%s%s", ui.Pad(first(i, "Keeps"), 7), what)
	}
}
