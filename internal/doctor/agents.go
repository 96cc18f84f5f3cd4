package doctor

import (
	"context"
	"slices"
	"strings"
	"time"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/setup"
	"remanence/internal/views"
)

// AgentItem is an agent that hooks were installed for.
type AgentItem struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	State     string     `json:"state"` // of its hooks: ok or fail
	What      string     `json:"what"`
	LastEvent *time.Time `json:"last_event"` // of any project; null: none, or not known
	Sessions  *int       `json:"sessions"`   // null: not known
}

// Agents lists the agents that hooks are installed for. With ask, the daemon says when each last reported.
func (a *Checks) Agents(ctx context.Context, ask bool) []AgentItem {
	c, err := a.SetupConfig()
	if err != nil {
		return []AgentItem{}
	}
	list := []AgentItem{}
	if found := setup.Check(c); !slices.ContainsFunc(found, func(f setup.Finding) bool {
		return f.ID == "claude.hooks" && f.State == setup.Info // it has none
	}) {
		list = append(list, agentItem(setup.AgentID, "Claude Code", "", found))
	}
	for _, cl := range setup.Clients() {
		if s := setup.CheckClient(c, cl); s.Installed {
			list = append(list, agentItem(cl.ID, cl.Name, cl.Trust, s.Findings))
		}
	}
	for i := range list {
		if ask {
			a.addActivity(ctx, &list[i])
		}
	}
	return list
}

// agentItem is an agent with what was found of its hooks: the last fault, if there is one. Trust is what it asks trust
// for; "" for nothing.
func agentItem(id, name, trust string, findings []setup.Finding) AgentItem {
	item := AgentItem{ID: id, Name: name, State: setup.OK, What: "hooks are registered"}
	if trust != "" {
		item.What += " and trusted"
	}
	for _, f := range findings {
		if f.State == setup.Fail {
			item.State, item.What = f.State, strings.TrimPrefix(f.What, name+": ")
		}
	}
	return item
}

// addActivity adds when an agent last reported; nothing if the daemon does not say.
func (a *Checks) addActivity(ctx context.Context, item *AgentItem) {
	got, err := daemon.Ask(ctx, a.Connection, api.Sessions, views.SessionsRequest{
		Agent: item.ID, Limit: 1, // of all projects
	})
	if err != nil {
		return
	}
	item.Sessions = &got.Total
	if len(got.Sessions) > 0 {
		item.LastEvent = ui.TimeOrNil(got.Sessions[0].LastEvent)
	}
}

// firing reports when each agent that hooks are installed for last reported.
func firing(agents []AgentItem, now time.Time) []Check {
	var list []Check
	for _, it := range agents {
		id := strings.TrimSuffix(it.ID, "-code") + ".firing"
		switch {
		case it.LastEvent != nil:
			list = append(list, Good(id, false, "%s: %s, last event %s", it.Name,
				ui.Plural(*it.Sessions, "session", "sessions"), ui.DateTime(*it.LastEvent, now)))
		case it.Sessions != nil:
			list = append(list, Good(id, false, "%s: no event yet", it.Name))
		}
	}
	return list
}

func (it AgentItem) sentence(now time.Time) string {
	s := it.Name + ": " + ui.OneLine(it.What)
	switch {
	case it.LastEvent != nil:
		s += ", last event " + ui.DateTime(*it.LastEvent, now)
	case it.Sessions != nil:
		s += ", no event yet"
	}
	return s
}

// agentFields shows a row for each agent.
func (v StatusView) agentFields(p *ui.Printer) {
	name := "agents"
	for _, it := range v.Agents {
		p.Field(name, "%s", it.sentence(p.Now()))
		name = ""
	}
}
