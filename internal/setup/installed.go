package setup

import (
	"slices"
	"time"
)

// InstalledAgent is an agent that hooks of ours are installed for.
type InstalledAgent struct {
	ID, Name string
	Trusted  bool      // it asks for trust in hooks, and has it
	Fault    *Finding  // the last on its hooks; nil if they are fine
	Since    time.Time // when they were last put there; zero if no record says that
}

// Installed lists the agents that hooks of ours are installed for. It changes nothing.
func Installed(c Config) []InstalledAgent {
	records, _ := allRecords(c) // a damaged one is a finding of Check
	var list []InstalledAgent
	if found := Check(c); !slices.ContainsFunc(found, func(f Finding) bool { return f.ID == hooksID && f.State == Info }) {
		list = append(list, installed(AgentID, "Claude Code", found, records))
	}
	for _, cl := range Clients() {
		if s := CheckClient(c, cl); s.Installed {
			a := installed(cl.ID, cl.Name, s.Findings, records)
			a.Trusted = cl.Trust != "" && a.Fault == nil
			list = append(list, a)
		}
	}
	return list
}

func installed(id, name string, findings []Finding, records []Record) InstalledAgent {
	a := InstalledAgent{ID: id, Name: name}
	for i, f := range findings {
		if f.State == Fail {
			a.Fault = &findings[i]
		}
	}
	for _, r := range records {
		if r.Agent == id && len(r.Entries) > 0 && r.When.After(a.Since) {
			a.Since = r.When
		}
	}
	return a
}
