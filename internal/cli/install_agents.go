package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/setup"
)

// agentIDs returns the full names of agents that can be set up, each once.
func agentIDs(args []string) ([]string, error) {
	var ids []string
	for _, name := range args {
		id, err := agentName(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// installFor installs for some agents, in the way that was chosen.
func installFor(ctx context.Context, a *app, c setup.Config, o setup.Options, ids []string, how installing) error {
	found := setup.Detect(c)
	switch claude := slices.Equal(ids, []string{setup.AgentID}); {
	case !claude && how.plugin:
		return fault.Input.WithMessage("only Claude Code takes the plugin this way").
			FixedBy("remanence install claude-code --plugin")
	case how.instructions && claude:
		return fault.Input.WithMessage("Claude Code gets no section in its file of instructions").
			FixedBy("remanence install claude-code --plugin")
	case !claude:
		return installMany(a, c, o, ids, how)
	case how.mcpOnly:
		return installServer(a, c, found, how)
	case how.plugin:
		return installPlugin(ctx, a, c, o, found, how)
	}
	return runInstall(a, c, o, found, how)
}

// installMany installs for several agents, or for one that is not Claude Code. What cannot be done for one keeps
// nothing from the others.
func installMany(a *app, c setup.Config, o setup.Options, ids []string, how installing) error {
	start := a.Sys.Now()
	if o.Scope == setup.ScopeProject {
		return fault.Input.WithMessage("only Claude Code has settings of a project").
			FixedBy("remanence install claude-code --scope project")
	}
	if o.StatusLine && !slices.Contains(ids, setup.AgentID) {
		return fault.Input.WithMessage("only Claude Code has a status line").
			FixedBy("remanence install claude-code --status-line")
	}
	if _, err := sensible(c, o); err != nil {
		return err
	}
	v := agentsView{DryRun: how.dry, Agents: []agentPlan{}, home: config.HomeDir(a.Sys.Getenv)}
	asks := ui.IsTerminal(a.Sys.Stdin) && !a.flags.NoInput && !how.yes
	trusted := how.yes && !how.noTrust
	for _, id := range ids {
		v.Agents = append(v.Agents, planAgent(c, o, id, how, trusted))
	}
	if how.profile {
		v.Profile = ui.TextOrNil(string(o.Profile))
	}
	if how.dry {
		return a.out.Show(v)
	}
	if asks && v.changes() {
		v.plan(a.out.Say)
		if err := a.confirm("Go on?"); err != nil {
			return err
		}
		v.shown = true
	}
	for i, p := range v.Agents {
		if p.trust == "" || p.Trusted || how.noTrust || !asks {
			continue
		}
		a.out.Say("%s.", p.trust)
		if a.confirm("Trust the hooks of "+p.Name+"?") == nil {
			v.Agents[i], v.shown = planAgent(c, o, p.ID, how, true), false
		}
	}
	if err := a.Paths.ClearUninstalled(); err != nil {
		return err
	}
	var errs []error
	for i := range v.Agents {
		errs = append(errs, v.Agents[i].do(c))
	}
	errs = append(errs, setProfile(a, o, how))
	v.TookMS = daemon.Millis(a.Sys.Now().Sub(start))
	return errors.Join(append([]error{a.out.Show(v)}, errs...)...)
}

// agentPlan is what an installation does for one agent.
type agentPlan struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	Events  []string   `json:"events"`
	Server  bool       `json:"server"`  // its MCP server is registered
	Trusted bool       `json:"trusted"` // the agent will run the hooks
	Files   []fileItem `json:"files"`
	Records []string   `json:"records"`
	Notes   []string   `json:"notes"`
	Error   *string    `json:"error"` // why nothing is done for it

	trust string // what it needs trust for; empty: nothing
	err   error
	apply func() ([]setup.Record, error)
}

type fileItem struct {
	File      string `json:"file"`
	Changes   bool   `json:"changes"`
	Create    bool   `json:"create"`
	Skill     bool   `json:"skill"`     // one that agents share
	Instructs bool   `json:"instructs"` // the person's file of instructions
}

func planAgent(c setup.Config, o setup.Options, id string, how installing, trusted bool) agentPlan {
	p := agentPlan{ID: id, Events: []string{}, Files: []fileItem{}, Records: []string{}, Notes: []string{}}
	if cl, ok := setup.ClientByID(id); ok {
		p.planClient(c, cl, setup.Parts{
			Hooks: !how.mcpOnly, Server: !how.hooksOnly, Skills: !how.mcpOnly && !how.hooksOnly, Trusted: trusted,
			Instructions: how.instructions,
		})
	} else {
		p.planClaude(c, o, how)
	}
	if p.err != nil {
		p.Error = ui.TextOrNil(p.err.Error())
	}
	return p
}

func (p *agentPlan) planClient(c setup.Config, cl setup.Client, parts setup.Parts) {
	p.Name, p.Trusted = cl.Name, true
	plan, err := setup.PlanClient(c, cl, parts)
	if err != nil {
		p.err = err
		return
	}
	p.Events, p.Server = ui.NotNil(plan.Events), plan.Parts.Server
	for _, f := range plan.Files {
		p.Files = append(p.Files, fileItem{f.File, f.Changes(), f.Create, f.Skill, f.Instructs})
	}
	if plan.NoServer != nil {
		p.Server = false
		p.Notes = append(p.Notes, "no MCP server: "+plan.NoServer.Error())
	}
	if plan.NoInstructions {
		p.Notes = append(p.Notes, "no section in a file of instructions: it has none that we know of")
	}
	if plan.NoSkills != nil {
		p.Notes = append(p.Notes, notAllSkills+plan.NoSkills.Error())
	}
	if cl.Experimental {
		p.Notes = append(p.Notes, setup.ErrExperimental.Error())
	}
	if parts.Hooks {
		p.trust = cl.Trust
		if until := plan.Untrusted(); until != "" {
			p.Trusted = false
			p.Notes = append(p.Notes, p.trust+"; "+until+"; to put it there: remanence install "+cl.ID+" --yes")
		}
	}
	p.apply = func() ([]setup.Record, error) { return setup.ApplyClient(c, plan) }
}

func (p *agentPlan) planClaude(c setup.Config, o setup.Options, how installing) {
	p.Name, p.Trusted = "Claude Code", true
	if how.instructions {
		p.Notes = append(p.Notes, "no section in a file of instructions: the skills of its plugin say the same")
	}
	var plan *setup.Plan
	if !how.mcpOnly {
		made, err := setup.PlanInstall(c, o)
		if err != nil {
			p.err = err
			return
		}
		plan = &made
		for _, e := range plan.Entries {
			p.Events = append(p.Events, e.Event)
		}
		p.Files = append(p.Files, fileItem{File: plan.File, Changes: plan.Changes(), Create: plan.Create})
		for _, w := range plan.Warnings {
			p.Notes = append(p.Notes, w.What)
		}
		if said := statusLineText(plan.StatusLine); said != "" {
			p.Notes = append(p.Notes, said)
		}
	}
	server, err := serverPlan(c, o, how)
	if p.Server = server != nil && err == nil; p.Server {
		p.Files = append(p.Files, fileItem{File: server.File, Changes: server.Changes(), Create: server.Create})
	} else if err != nil {
		p.Notes = append(p.Notes, "no MCP server: "+err.Error())
	}
	p.apply = func() (done []setup.Record, err error) {
		if plan != nil {
			r, err := setup.Apply(c, *plan)
			if err != nil {
				return nil, err
			}
			done = append(done, r)
		}
		if !p.Server {
			return done, nil
		}
		r, err := setup.ApplyServer(c, *server)
		return append(done, r), err
	}
}

// notAllSkills begins a note on skills, which are the same for all agents.
const notAllSkills = "not all skills: "

// do carries the plan out. Hooks are installed without skills where these cannot be written.
func (p *agentPlan) do(c setup.Config) error {
	put := map[string]bool{}
	if p.err == nil {
		var done []setup.Record
		done, p.err = p.apply()
		for _, r := range done {
			put[r.File] = true
			p.Records = append(p.Records, filepath.Join(c.RecordDir, r.ID+".json"))
		}
	}
	if errors.Is(p.err, setup.ErrSkills) {
		p.Notes, p.err = append(p.Notes, notAllSkills+p.err.Error()), nil
		p.Files = slices.DeleteFunc(p.Files, func(f fileItem) bool { return f.Skill && !put[f.File] })
	}
	if p.err != nil {
		p.Error = ui.TextOrNil(p.err.Error())
	}
	return p.err
}

// agentsView is what an installation for several agents will do, or did.
type agentsView struct {
	DryRun  bool        `json:"dry_run"`
	Agents  []agentPlan `json:"agents"`
	Profile *string     `json:"profile"` // as set in the configuration; null: left alone
	TookMS  float64     `json:"took_ms"`

	home  string
	shown bool // the person has seen the plan
}

func (agentsView) SchemaName() string { return "install_agents" }

func (v agentsView) changes() bool {
	return slices.ContainsFunc(v.Agents, func(p agentPlan) bool {
		return slices.ContainsFunc(p.Files, func(f fileItem) bool { return f.Changes })
	})
}

func (v agentsView) Print(p *ui.Printer) {
	failed := slices.ContainsFunc(v.Agents, func(p agentPlan) bool { return p.err != nil })
	if !v.shown || failed {
		v.plan(p.Line)
	}
	switch {
	case v.DryRun:
		p.Line("Dry run: nothing was written.")
	case failed:
		p.Line("Not everything was done: the error names what is left.")
	case !v.changes():
		p.Line("Done   nothing had to change. Undo: remanence uninstall")
	default:
		p.Line("Done in %.1f s. Undo: remanence uninstall · try: remanence next", v.TookMS/1000)
	}
}

// plan shows a row for each agent.
func (v agentsView) plan(line func(string, ...any)) {
	names := 0
	for _, a := range v.Agents {
		names = max(names, len(a.Name))
	}
	var skills []string
	for _, a := range v.Agents {
		var files []string
		for _, f := range a.Files {
			if !f.Skill {
				files = append(files, ui.Tilde(f.File, v.home))
			} else if !slices.Contains(skills, f.File) {
				skills = append(skills, f.File)
			}
		}
		hooks, server := ui.Plural(len(a.Events), "hook", "hooks"), "MCP server"
		if len(a.Events) == 0 {
			hooks = "no hooks"
		}
		if !a.Server {
			server = "no server"
		}
		line("%s  %s  %s  %s", ui.Pad(a.Name, names), ui.Pad(hooks, 8),
			ui.Pad(server, 10), strings.Join(files, ", "))
	}
	if len(skills) > 0 {
		line("Also   %s", ui.SkillsIn(skills, v.home))
	}
	if v.Profile != nil {
		line("Sets   profile %s in the configuration", *v.Profile)
	}
	line("Won't  touch your repositories, shell files, login items, or other tools' entries")
	said := map[string]bool{}
	for _, a := range v.Agents {
		for _, note := range a.Notes {
			if !strings.HasPrefix(note, notAllSkills) {
				line("Note   %s: %s", a.Name, ui.OneLine(note))
			} else if !said[note] {
				line("Note   %s", ui.OneLine(note))
			}
			said[note] = true
		}
		if a.Error != nil {
			line("Note   %s is left alone: %s", a.Name, ui.OneLine(*a.Error))
		}
	}
}
