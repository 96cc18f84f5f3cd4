package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/project"
	"remanence/internal/setup"
)

// setupConfig is what package setup has to know about this machine.
func (a *app) setupConfig() (setup.Config, error) {
	home := a.sys.Getenv("HOME")
	if home == "" {
		home = a.sys.Getenv("USERPROFILE")
	}
	if home == "" {
		return setup.Config{}, faultNoHome
	}
	exe, err := os.Executable()
	if err != nil {
		return setup.Config{}, fmt.Errorf("find this program: %w", err)
	}
	c := setup.FromEnv(home, a.sys.Getenv)
	c.Binary, c.RecordDir, c.Now = exe, a.paths.Installs(), a.sys.Now
	if p, err := project.Identify(a.place().Dir); err == nil && p.Root != home {
		c.Project = p.Root
	}
	return c, nil
}

// supported refuses agents that cannot be set up.
func supported(args []string) error {
	for _, name := range args {
		if _, err := agentName(name); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) installCommand() *cobra.Command {
	var scope, hooks string
	var dry, yes, all bool
	cmd := &cobra.Command{
		Use:     "install [agent]...",
		Short:   "put the hooks into a coding agent",
		Long:    "Supported now: claude-code. Only entries of Remanence are added to the agent's\nsettings; every other byte stays. An install record allows to undo it.",
		Example: "  remanence install\n  remanence install claude-code --dry-run\n  remanence install --scope project --hooks full",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := supported(args); err != nil {
				return err
			}
			c, err := a.setupConfig()
			if err != nil {
				return err
			}
			found := setup.Detect(c)
			if len(found) == 0 && len(args) == 0 && !all {
				return faultNoAgent.because("neither its directory nor its command is here")
			}
			if !cmd.Flags().Changed("hooks") {
				hooks = a.profile()
			}
			o := setup.Options{Scope: setup.Scope(scope), Profile: setup.Profile(hooks)}
			return a.install(c, o, found, installing{dry: dry, yes: yes, profile: cmd.Flags().Changed("hooks")})
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "user", "whose settings: user or project")
	cmd.Flags().StringVar(&hooks, "hooks", "", "lean, full or silent; also sets the profile (default: as the profile is)")
	cmd.Flags().BoolVar(&all, "all", false, "every supported agent, found or not")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be done")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.ValidArgs = []string{setup.AgentID}
	return cmd
}

// profile is the configured one.
func (a *app) profile() string {
	cfg, _ := LoadConfig(a.paths.Config, a.sys.Getenv) // a mistake there has its default
	return value[string](cfg, "profile")
}

// installing says how an installation is carried out.
type installing struct {
	dry, yes bool
	profile  bool // the profile was chosen, so the configuration gets it too
}

func (a *app) install(c setup.Config, o setup.Options, found setup.Agents, how installing) error {
	start := a.sys.Now()
	switch {
	case o.Scope != setup.ScopeUser && o.Scope != setup.ScopeProject:
		return faultInput.about("no such scope: %q", o.Scope).fixedBy("use user or project")
	case o.Scope == setup.ScopeProject && c.Project == "":
		return faultInput.about("this directory belongs to no project").fixedBy("remanence install --scope user")
	}
	entries, err := setup.Entries(o.Profile, c.Binary)
	if err != nil {
		return faultInput.about("no such hooks: %q", o.Profile).fixedBy("use lean, full or silent")
	}
	plan, err := setup.PlanInstall(c, o)
	if err != nil {
		a.out.say("This is what belongs into the settings:\n%s", setup.Paste(entries))
		return err
	}
	v := a.installView(found, plan)
	v.DryRun = how.dry
	if how.profile {
		v.Profile = nullable(string(o.Profile))
	}
	if how.dry {
		return a.out.show(v)
	}
	if !how.yes && plan.Changes() && isTerminal(a.sys.Stdin) && !a.flags.noInput {
		v.preview(a.out)
		if err := a.confirm("Go on?", "--yes"); err != nil {
			return err
		}
	}
	rec, err := setup.Apply(c, plan)
	if err != nil {
		return err
	}
	if how.profile {
		err := a.changeConfig(func(src []byte) ([]byte, error) { return setKey(src, "profile", fmt.Sprintf("%q", o.Profile)) })
		if err != nil {
			return err
		}
	}
	v.Record, v.TookMS = nullable(filepath.Join(c.RecordDir, rec.ID+".json")), float64(a.sys.Now().Sub(start).Microseconds())/1000
	return a.out.show(v)
}

// installView is what an installation will do, or did.
type installView struct {
	DryRun   bool        `json:"dry_run"`
	Found    []agentItem `json:"found"`
	Scope    string      `json:"scope"`
	Hooks    string      `json:"hooks"`
	Profile  *string     `json:"profile"` // as set in the configuration; null: left alone
	File     string      `json:"file"`
	Events   []string    `json:"events"`
	Changes  bool        `json:"changes"`
	Create   bool        `json:"create"`
	Added    int         `json:"added"`
	Replaced int         `json:"replaced"`
	Removed  int         `json:"removed"`
	Warnings []checkItem `json:"warnings"`
	Record   *string     `json:"record"`
	TookMS   float64     `json:"took_ms"`

	home string
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
		out = append(out, agentItem{f.ID, f.Name, nullable(f.Dir), nullable(f.Program), f.Sessions})
	}
	return out
}

func (a *app) installView(found setup.Agents, p setup.Plan) installView {
	v := installView{
		Found: agentsOf(found), Scope: string(p.Scope), Hooks: string(p.Profile), File: p.File, Events: []string{}, Changes: p.Changes(),
		Create: p.Create, Added: p.Added, Replaced: p.Replaced, Removed: p.Removed, Warnings: []checkItem{}, home: a.sys.Getenv("HOME"),
	}
	for _, e := range p.Entries {
		name := e.Event
		if e.Matcher != "" {
			name += " (" + e.Matcher + ")"
		}
		v.Events = append(v.Events, name)
	}
	for _, f := range p.Warnings {
		v.Warnings = append(v.Warnings, checkOf(f))
	}
	return v
}

func (installView) schema() string { return "install" }

func (v installView) human(p *printer) {
	v.plan(p.line)
	switch {
	case v.DryRun:
		p.line("Dry run: nothing was written.")
	case !v.Changes:
		p.line("Done   nothing had to change. Record: %s · undo: remanence uninstall", v.short(*v.Record))
	default:
		p.line("Done in %.1f s. Record: %s · undo: remanence uninstall · try: remanence next", v.TookMS/1000, v.short(*v.Record))
	}
}

// preview says before the question what is going to happen.
func (v installView) preview(p *printer) { v.plan(p.say) }

func (v installView) plan(line func(string, ...any)) {
	for i, f := range v.Found {
		where := ""
		if f.Dir != nil {
			where = "  " + v.short(*f.Dir)
		}
		if f.Sessions > 0 {
			where += fmt.Sprintf("  (%s)", plural(f.Sessions, "past session", "past sessions"))
		}
		line("%s%s%s", pad(first(i, "Found"), 7), f.Name, where)
	}
	file := v.short(v.File)
	if v.Create {
		file += ", which is made"
	}
	line("Will   %s in %s", plural(len(v.Events), "hook", "hooks"), file)
	line("       %s", changesText(v.Added, v.Replaced, v.Removed))
	if v.Profile != nil {
		line("       profile %s in the configuration", *v.Profile)
	}
	line("Won't  touch your repositories, shell files, login items, or other tools' entries")
	for i, w := range v.Warnings {
		line("%s%s: %s", pad(first(i, "Also"), 7), w.What, oneLine(deref(w.Why)))
		for _, fix := range w.Fix {
			line("       fix: %s", fix)
		}
	}
}

// short writes the home directory as ~.
func (v installView) short(path string) string { return tilde(path, v.home) }

func tilde(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

func changesText(added, replaced, removed int) string {
	var out []string
	for _, c := range []struct {
		n    int
		what string
	}{{added, "new"}, {replaced, "replaced"}, {removed, "removed"}} {
		if c.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(out) == 0 {
		return "all there already"
	}
	return strings.Join(out, ", ")
}

// first is the heading of the first of several lines.
func first(i int, head string) string {
	if i == 0 {
		return head
	}
	return ""
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
