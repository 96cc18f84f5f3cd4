package cli

import (
	"errors"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/doctor"
	"remanence/internal/setup"
)

// serverItem is the MCP server in the agent's configuration.
type serverItem struct {
	File    string  `json:"file"`
	Changes bool    `json:"changes"`
	Why     *string `json:"why"` // it cannot be put there; null: it can
	Fix     *string `json:"fix"`
}

// serverPlan plans the server that comes with hooks in the user's settings. Nil
// where none comes: a project's would need everybody's consent.
func serverPlan(c setup.Config, o setup.Options, how installing) (*setup.ServerPlan, error) {
	if how.hooksOnly || o.Scope == setup.ScopeProject {
		return nil, nil
	}
	p, err := setup.PlanServer(c)
	return &p, err
}

func serverOf(p *setup.ServerPlan, err error) *serverItem {
	if p == nil {
		return nil
	}
	v := &serverItem{File: p.File, Changes: p.Changes()}
	if err != nil {
		why := err.Error()
		v.Why, v.Changes = &why, false
		if !errors.Is(err, setup.ErrTaken) {
			fix := setup.CommandLine([]string{setup.AgentShort, "mcp", "add", "-s", "user", "remanence", "--", p.Binary, "mcp"})
			v.Fix = &fix
		}
	}
	return v
}

func (v *serverItem) plan(line func(string, ...any), home, head string) {
	switch {
	case v == nil:
	case v.Why != nil:
		line("%sno MCP server: %s", ui.Pad("Note", 7), ui.OneLine(*v.Why))
		if v.Fix != nil {
			line("       fix: %s", *v.Fix)
		}
	case v.Changes:
		line("%sthe MCP server in %s", ui.Pad(head, 7), ui.Tilde(v.File, home))
	default:
		line("%sthe MCP server in %s, which is there already", ui.Pad(head, 7), ui.Tilde(v.File, home))
	}
}

// installServer puts the server alone into the agent's configuration.
func installServer(a *app, c setup.Config, found setup.Agents, how installing) error {
	start := a.Sys.Now()
	plan, err := setup.PlanServer(c)
	if err != nil {
		return err
	}
	v := installView{
		DryRun: how.dry, Found: agentsOf(found), Scope: string(setup.ScopeUser), Events: []string{}, Changes: plan.Changes(),
		Create:   plan.Create,
		Warnings: []doctor.Check{}, Server: serverOf(&plan, nil), home: config.HomeDir(a.Sys.Getenv),
	}
	if how.dry {
		return a.out.Show(v)
	}
	if err := agreedToInstall(a, &v, how); err != nil {
		return err
	}
	rec, err := setup.ApplyServer(c, plan)
	if err != nil {
		return err
	}
	v.done(c, rec, a.Sys.Now().Sub(start))
	return a.out.Show(v)
}
