package ui

// TrailersView says whether commits of a repository name the agent's session that makes them.
type TrailersView struct {
	Hook      string `json:"hook"`              // path of git's hook
	Installed bool   `json:"installed"`         // the hook names sessions
	Removed   bool   `json:"removed,omitempty"` // it did until now
	Setting   bool   `json:"setting"`           // of blame.trailers
}

// SchemaName returns the name of the view's schema.
func (TrailersView) SchemaName() string { return "trailers" }

// Print writes the view for a person.
func (v TrailersView) Print(p *Printer) {
	switch {
	case v.Removed:
		p.Line("The hook is removed: %s", OneLine(v.Hook))
	case !v.Installed:
		p.Line("off: this repository has no hook for it")
		p.Say("Install it with: remanence trailers on")
	case !v.Setting:
		p.Line("off: the hook is installed, but the setting blame.trailers is off")
		p.Say("Turn it on with: remanence config set blame.trailers true")
	default:
		p.Line("on: commits of agents in this repository name their session")
	}
}
