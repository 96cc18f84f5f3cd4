//go:build e2e

package e2e

import (
	"sync"
	"testing"
)

// together plays sessions at the same time.
func (u *user) together(ss ...session) []ran {
	u.t.Helper()
	out, errs := make([]ran, len(ss)), make([]error, len(ss))
	var all sync.WaitGroup
	for i, s := range ss {
		all.Go(func() { out[i], errs[i] = u.play(s) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			u.t.Fatal(err)
		}
	}
	return out
}

func TestParallelSessionsDoNotMix(t *testing.T) {
	u := newUser(t)
	for _, p := range []string{"project", "elsewhere"} {
		u.newProject(p)
		// settings and repository are there
		u.run(session{project: p, script: script(says("Hello.")), prompts: []string{"hello there, first of all"}})
	}
	works := func(project, name string) session {
		return session{
			project: project, hooks: asTheyAre,
			script: script(
				bash("echo "+name+" is broken >&2; exit 7"),
				bash("echo "+name+" looks on"),
				says("I decided to use "+name+" instead of hemp for the mooring."),
				says("Still open: "+name+" is not covered by a test."),
			),
			prompts: []string{"moor the boat with " + name, "what is open about " + name + "?"},
		}
	}
	rs := u.together(works("project", "manila"), works("project", "sisal"), works("elsewhere", "nylon"))

	// The two in one project may know each other's decisions, never of another project's.
	for i, strangers := range [][]string{{"nylon"}, {"nylon"}, {"manila", "sisal"}} {
		wantsNot(t, "side by side", rs[i].injected(), strangers...)
	}
	next := func(project string) string {
		return u.run(session{
			project: project, hooks: asTheyAre, script: script(says("I know.")),
			prompts: []string{"what do we use for the mooring?"},
		}).injected()
	}
	here, there := next("project"), next("elsewhere")
	wants(t, "the first project", here, "manila instead of hemp", "sisal instead of hemp", "manila is not covered",
		"sisal is not covered")
	wantsNot(t, "the first project", here, "nylon")
	wants(t, "the second project", there, "nylon instead of hemp", "nylon is not covered")
	wantsNot(t, "the second project", there, "manila", "sisal")

	of := map[string]int{}
	for _, m := range u.finds("-k", "decision") {
		of[m.Title]++
	}
	if len(of) != 2 || of["I decided to use manila instead of hemp for the mooring."] != 1 {
		t.Errorf("decisions of the first project: %v, want one of each session", of)
	}
}
