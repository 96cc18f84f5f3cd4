package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/doctor"
	"remanence/internal/fault"
	"remanence/internal/setup"
)

func installCommand(a *app) *cobra.Command {
	var scope, hooks string
	var all, line, backfill, noBackfill, experimental bool
	var how installing
	cmd := &cobra.Command{
		Use:        "install [agent]...",
		SuggestFor: []string{"init", "setup"},
		Short:      "put the hooks into coding agents",
		Long: "Agents: " + strings.Join(setup.Names(true), ", ") + ".\n" +
			"Without a name: those on this machine. Only entries of Remanence are added to\n" +
			"an agent's settings; every other byte stays. An install record allows to\nundo it. Skills for " +
			"all agents but Claude Code go into ~/.agents/skills.\n\n" +
			"Codex runs a hook only after its hash is in its configuration. You are asked\nbefore it is put there; " +
			"--yes agrees, --no-trust leaves it to you. Until then\nCodex reports each turn when it ends, and nothing is " +
			"injected.\n\n" +
			"With --plugin the hooks come as a plugin, which the agent's own commands\nregister. The agent then lays its " +
			"settings out anew; uninstall gives the bytes\nback.",
		Example: "  remanence install --dry-run\n  remanence install codex gemini\n  remanence install --scope project " +
			"--hooks full\n  remanence install claude-code --plugin",
		RunE: func(cmd *cobra.Command, args []string) error {
			named, err := agentIDs(args)
			if err != nil {
				return err
			}
			if how.instructions && a.agent() != "" {
				return fault.PersonOnly.WithMessage("only a person can change a file of instructions").
					FixedBy("run it in a terminal of your own: remanence install --instructions")
			}
			if err := reachesHooks(a); err != nil {
				return err
			}
			c, err := a.checks().SetupConfig()
			if err != nil {
				return err
			}
			ids, err := setup.Choose(c, named, all, experimental)
			if err != nil {
				return fault.Input.WithMessage("%v", err).FixedBy("remanence install --experimental " + strings.Join(args, " "))
			}
			if len(ids) == 0 {
				return fault.NoAgent.Because("neither its directory nor its command is here")
			}
			if !cmd.Flags().Changed("hooks") {
				hooks = a.checks().Profile()
			}
			o := setup.Options{Scope: setup.Scope(scope), Profile: setup.Profile(hooks), StatusLine: line}
			how.profile = cmd.Flags().Changed("hooks")
			if len(named) == 0 && (how.plugin || o.Scope == setup.ScopeProject) { // which only Claude Code has
				ids = []string{setup.AgentID}
			}
			err = installFor(cmd.Context(), a, c, o, ids, how)
			if err == nil && how.dry && backfill {
				a.out.Say("Past sessions would be read in then; which: remanence backfill --dry-run")
			}
			if err != nil || how.dry || how.mcpOnly {
				return err
			}
			var wanted *bool
			if backfill || noBackfill {
				wanted = &backfill
			}
			return a.offerBackfill(cmd.Context(), wanted, how.yes)
		},
	}
	how.addFlags(cmd)
	cmd.Flags().StringVar(&scope, "scope", "user", "whose settings: user or project")
	cmd.Flags().StringVar(&hooks, "hooks", "", "lean, full or silent; also sets the profile (default: as the profile is)")
	cmd.MarkFlagsMutuallyExclusive("plugin", "hooks-only", "mcp-only")
	cmd.Flags().BoolVar(&all, "all", false, "every supported agent, found or not")
	cmd.Flags().BoolVar(&experimental, "experimental", false, "also agents that we could not run: cursor, windsurf")
	cmd.Flags().BoolVar(&line, "status-line", false, "also show Remanence in the agent's status line, if it has none")
	cmd.MarkFlagsMutuallyExclusive("plugin", "mcp-only", "status-line")
	cmd.Flags().BoolVar(&backfill, "backfill", false, "also read in the agent's past sessions, in the background")
	cmd.Flags().BoolVar(&noBackfill, "no-backfill", false, "do not ask about past sessions")
	cmd.MarkFlagsMutuallyExclusive("backfill", "no-backfill", "mcp-only")
	cmd.ValidArgs = setup.Names(true)
	return cmd
}

// installing holds the options of an installation.
type installing struct {
	dry, yes bool
	plugin   bool // as a plugin of Claude Code
	profile  bool // the profile was chosen, so the configuration gets it too

	hooksOnly bool // without the MCP server
	mcpOnly   bool // without hooks
	noTrust   bool // no agent is made to trust the hooks

	instructions bool // also a section in the files of instructions
}

func (how *installing) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&how.plugin, "plugin", false, "as a plugin of the agent, not in its settings")
	cmd.Flags().BoolVar(&how.hooksOnly, "hooks-only", false, "neither the MCP server nor skills")
	cmd.Flags().BoolVar(&how.mcpOnly, "mcp-only", false, "only the MCP server: nothing is captured or injected")
	cmd.Flags().BoolVar(&how.instructions, "instructions", false, "also a section in the agent's file of instructions")
	cmd.Flags().BoolVar(&how.dry, "dry-run", false, "only show what would be done")
	cmd.Flags().BoolVar(&how.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&how.noTrust, "no-trust", false, "do not tell Codex to trust the hooks")
}

func runInstall(a *app, c setup.Config, o setup.Options, found setup.Agents, how installing) error {
	start := a.Sys.Now()
	entries, err := sensible(c, o)
	if err != nil {
		return err
	}
	plan, err := setup.PlanInstall(c, o)
	if err != nil && !errors.Is(err, setup.ErrBinary) { // of that one nothing belongs there
		a.out.Say("This is what belongs into the settings:\n%s", setup.Paste(entries))
	}
	if err != nil {
		return err
	}
	server, serverErr := serverPlan(c, o, how)
	v := newInstallView(a, found, plan)
	v.DryRun = how.dry
	v.Server = serverOf(server, serverErr)
	if how.profile {
		v.Profile = ui.TextOrNil(string(o.Profile))
	}
	if how.dry {
		return a.out.Show(v)
	}
	if err := agreedToInstall(a, &v, how); err != nil {
		return err
	}
	rec, err := setup.Apply(c, plan)
	if err != nil {
		return err
	}
	if server != nil && serverErr == nil {
		if _, err := setup.ApplyServer(c, *server); err != nil {
			v.Server = serverOf(server, err)
		}
	}
	if err := setProfile(a, o, how); err != nil {
		return err
	}
	v.done(c, rec, a.Sys.Now().Sub(start))
	return a.out.Show(v)
}

// agreedToInstall shows a person what would change and asks, unless that was said before,
// and makes the folders that what is installed needs.
func agreedToInstall(a *app, v *installView, how installing) error {
	if !how.yes && v.Changes && ui.IsTerminal(a.Sys.Stdin) && !a.flags.NoInput {
		v.preview(a.out)
		v.shown = true
		if err := a.confirm("Go on?"); err != nil {
			return err
		}
	}
	return a.Paths.ClearUninstalled()
}

// sensible refuses what cannot be installed, and returns the hooks of what can.
func sensible(c setup.Config, o setup.Options) ([]setup.Entry, error) {
	switch {
	case o.Scope != setup.ScopeUser && o.Scope != setup.ScopeProject:
		return nil, fault.Input.WithMessage("no such scope: %q", o.Scope).FixedBy("use user or project")
	case o.Scope == setup.ScopeProject && c.Project == "":
		return nil, fault.Input.WithMessage("this directory belongs to no project").FixedBy("remanence install --scope user")
	}
	entries, err := setup.Entries(o.Profile, c.Binary)
	if err != nil {
		return nil, fault.Input.WithMessage("no such hooks: %q", o.Profile).FixedBy("use lean, full or silent")
	}
	return entries, nil
}

// setProfile puts a profile that was chosen into the configuration.
func setProfile(a *app, o setup.Options, how installing) error {
	if !how.profile {
		return nil
	}
	return changeConfig(a, func(src []byte) ([]byte, error) {
		return config.SetKey(src, "profile", fmt.Sprintf("%q", o.Profile))
	})
}

// installPlugin registers the hooks as a plugin. Hooks that settings hold beside it are taken out, if the person says
// so, since both would run; but not before the plugin is there: until then they are all that listens.
func installPlugin(ctx context.Context, a *app, c setup.Config, o setup.Options, found setup.Agents,
	how installing,
) error {
	start := a.Sys.Now()
	if _, err := sensible(c, o); err != nil {
		return err
	}
	if o.Scope != setup.ScopeUser {
		return fault.Input.WithMessage("a plugin is for all projects of a user").FixedBy("remanence install claude-code " +
			"--plugin --scope user")
	}
	plan, err := setup.PlanPlugin(c, o.Profile)
	if err != nil {
		return pluginFault(err)
	}
	v := pluginView(a, found, plan, o, how)
	if how.dry {
		return a.out.Show(v)
	}
	if err := agreeToPlugin(a, &v, how); err != nil {
		return err
	}
	if err := a.Paths.ClearUninstalled(); err != nil {
		return err
	}
	rec, err := setup.InstallPlugin(ctx, c, plan)
	if err != nil {
		return pluginFault(err)
	}
	if v.Plugin.TakesOut {
		if err := takeHooksOut(c); err != nil {
			return err
		}
	}
	if err := setProfile(a, o, how); err != nil {
		return err
	}
	v.done(c, rec, a.Sys.Now().Sub(start))
	return a.out.Show(v)
}

// agreeToPlugin prints what the agent will do to its settings, and asks for consent if a person can be asked.
func agreeToPlugin(a *app, v *installView, how installing) error {
	if how.yes || a.flags.NoInput || !ui.IsTerminal(a.Sys.Stdin) {
		a.out.Say("%s", v.rewrites())
		return nil
	}
	v.preview(a.out)
	if len(v.Plugin.Beside) > 0 {
		err := a.confirm("Take the hooks out of the settings then?")
		if err != nil && !errors.Is(err, fault.Declined) {
			return err
		}
		v.Plugin.TakesOut = err == nil
	}
	return a.confirm("Go on?")
}

// takeHooksOut removes our hooks from all settings. The plugin stays.
func takeHooksOut(c setup.Config) error {
	plan, err := setup.PlanUninstall(c)
	if err != nil {
		return err
	}
	return setup.Uninstall(c, plan)
}

// pluginFault is the fault of a plugin that cannot be registered, with its fix.
func pluginFault(err error) error {
	switch {
	case errors.Is(err, setup.ErrNoClient):
		return fault.NoAgent.WithMessage("the plugin needs Claude Code's own command").Because("%s", err).
			FixedBy("put the directory of claude into PATH", "remanence install claude-code")
	case errors.Is(err, setup.ErrClient):
		return fault.Other.WithMessage("Claude Code did not take the plugin").Because("%s",
			err).FixedBy("remanence install claude-code")
	}
	return err
}

// installView is what an installation will do, or did.
type installView struct {
	DryRun   bool           `json:"dry_run"`
	Found    []agentItem    `json:"found"`
	Scope    string         `json:"scope"`
	Hooks    string         `json:"hooks"`
	Profile  *string        `json:"profile"` // as set in the configuration; null: left alone
	File     string         `json:"file"`
	Events   []string       `json:"events"`
	Changes  bool           `json:"changes"`
	Create   bool           `json:"create"`
	Added    int            `json:"added"`
	Replaced int            `json:"replaced"`
	Removed  int            `json:"removed"`
	Line     *string        `json:"status_line"` // null: the settings have none, otherwise added, ours or other
	Warnings []doctor.Check `json:"warnings"`
	Record   *string        `json:"record"`
	TookMS   float64        `json:"took_ms"`
	Plugin   *pluginItem    `json:"plugin,omitempty"` // missing: the hooks are in the settings
	Server   *serverItem    `json:"server,omitempty"` // missing: none is put into the agent's configuration

	home  string
	shown bool // the person has seen the plan
}

type pluginItem struct {
	Dir      string   `json:"dir"`
	Commands []string `json:"commands"`  // of the agent
	Beside   []string `json:"beside"`    // settings that hold hooks too
	TakesOut bool     `json:"takes_out"` // those hooks go then
}

type agentItem struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Dir      *string `json:"dir"`
	Program  *string `json:"program"`
	Sessions int     `json:"sessions"` // transcripts of past sessions
}

func agentsOf(found setup.Agents) []agentItem {
	out := []agentItem{}
	for _, f := range found {
		out = append(out, agentItem{f.ID, f.Name, ui.TextOrNil(f.Dir), ui.TextOrNil(f.Program), f.Sessions})
	}
	return out
}

func newInstallView(a *app, found setup.Agents, p setup.Plan) installView {
	v := installView{
		Found: agentsOf(found), Scope: string(p.Scope), Hooks: string(p.Profile), File: p.File, Events: []string{},
		Changes: p.Changes(),
		Create:  p.Create, Added: p.Added, Replaced: p.Replaced, Removed: p.Removed, home: config.HomeDir(a.Sys.Getenv),
		Line: ui.TextOrNil(string(p.StatusLine)),
	}
	v.printWarnings(p.Entries, p.Warnings)
	return v
}

func pluginView(a *app, found setup.Agents, p setup.PluginPlan, o setup.Options, how installing) installView {
	v := installView{
		DryRun: how.dry, Found: agentsOf(found), Scope: string(o.Scope), Hooks: string(p.Profile), File: p.File,
		Changes: true,
		Create:  p.Create, home: config.HomeDir(a.Sys.Getenv),
		Plugin: &pluginItem{Dir: p.Dir, Commands: []string{}, Beside: ui.NotNil(p.Beside), TakesOut: how.yes &&
			len(p.Beside) > 0},
	}
	if how.profile {
		v.Profile = ui.TextOrNil(string(o.Profile))
	}
	for _, cmd := range p.Commands {
		v.Plugin.Commands = append(v.Plugin.Commands, setup.CommandLine(cmd))
	}
	v.printWarnings(p.Entries, p.Warnings)
	return v
}

// done shows where the record of the installation is, and how long it took.
func (v *installView) done(c setup.Config, rec setup.Record, took time.Duration) {
	v.Record, v.TookMS = ui.TextOrNil(filepath.Join(c.RecordDir, rec.ID+".json")), daemon.Millis(took)
}

// printWarnings names the hooks, and what keeps them from serving well.
func (v *installView) printWarnings(entries []setup.Entry, warnings []setup.Finding) {
	v.Events, v.Warnings = []string{}, []doctor.Check{}
	for _, e := range entries {
		name := e.Event
		if e.Matcher != "" {
			name += " (" + e.Matcher + ")"
		}
		v.Events = append(v.Events, name)
	}
	for _, f := range warnings {
		v.Warnings = append(v.Warnings, doctor.CheckOf(f))
	}
}

func (installView) SchemaName() string { return "install" }

func (v installView) Print(p *ui.Printer) {
	if !v.shown || v.Server != nil && v.Server.Why != nil {
		v.plan(p.Line)
	}
	switch {
	case v.DryRun:
		p.Line("Dry run: nothing was written.")
	case !v.Changes:
		p.Line("Done   nothing had to change. Record: %s · undo: remanence uninstall", v.short(*v.Record))
	default:
		p.Line("Done in %.1f s. Record: %s · undo: remanence uninstall · try: remanence next", v.TookMS/1000,
			v.short(*v.Record))
	}
	if !v.DryRun && v.Line == nil && v.Plugin == nil && v.File != "" && v.Scope == string(setup.ScopeUser) {
		p.Line("A status line with what is known and injected: remanence install --status-line")
	}
}

// preview shows the changes before the confirmation.
func (v installView) preview(p *ui.Printer) { v.plan(p.Say) }

func (v installView) plan(line func(string, ...any)) {
	for i, f := range v.Found {
		where := ""
		if f.Dir != nil {
			where = "  " + v.short(*f.Dir)
		}
		if f.Sessions > 0 {
			where += fmt.Sprintf("  (%s)", ui.Plural(f.Sessions, "past session", "past sessions"))
		}
		line("%s%s%s", ui.Pad(first(i, "Found"), 7), f.Name, where)
	}
	if v.Plugin != nil {
		v.pluginPlan(line)
	} else if v.File != "" {
		v.settingsPlan(line)
	}
	v.Server.plan(line, v.home, first(len(v.Events), "Will"))
	if v.Profile != nil {
		line("       profile %s in the configuration", *v.Profile)
	}
	line("Won't  touch your repositories, shell files, login items, or other tools' entries")
	head := "Also"
	for _, w := range v.Warnings {
		if v.Plugin != nil && v.Plugin.TakesOut && ui.Deref(w.Code) == setup.CodeDoubled {
			continue // not for long
		}
		line("%s%s: %s", ui.Pad(head, 7), w.What, ui.OneLine(ui.Deref(w.Why)))
		head = ""
		for _, fix := range w.Fix {
			line("       fix: %s", fix)
		}
	}
}

func (v installView) settingsPlan(line func(string, ...any)) {
	file := v.short(v.File)
	if v.Create {
		file += ", which is made"
	}
	line("Will   %s in %s", ui.Plural(len(v.Events), "hook", "hooks"), file)
	line("       %s", ui.ChangesText(v.Added, v.Replaced, v.Removed))
	if said := statusLineText(setup.LineState(ui.Deref(v.Line))); said != "" {
		line("       %s", said)
	}
}

func (v installView) pluginPlan(line func(string, ...any)) {
	line("Will   write a plugin with %s to %s", ui.Plural(len(v.Events), "hook", "hooks"), v.short(v.Plugin.Dir))
	for _, cmd := range v.Plugin.Commands {
		line("       run %s", cmd)
	}
	if v.Plugin.TakesOut {
		for _, file := range v.Plugin.Beside {
			line("       take the hooks out of %s", v.short(file))
		}
	}
	line("Note   %s", v.rewrites())
}

// rewrites describes what the agent does when it registers a plugin.
func (v installView) rewrites() string {
	if v.Create {
		return fmt.Sprintf("Claude Code itself makes %s for it; uninstall removes it again", v.short(v.File))
	}
	return fmt.Sprintf("Claude Code itself lays %s out anew (order, spaces, long numbers); uninstall gives the bytes back",
		v.short(v.File))
}

// short writes the home directory as ~.
func (v installView) short(path string) string { return ui.Tilde(path, v.home) }

// first is the heading of the first of several lines.
func first(i int, head string) string {
	if i == 0 {
		return head
	}
	return ""
}
