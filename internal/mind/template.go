package mind

import "slices"

// templateFile is a file of a template.
type templateFile struct{ name, text string }

// Templates are the names of the templates, the plain one first.
func Templates() []string { return []string{"default", "web-app", "cli", "library", "example"} }

// Known reports whether there is such a template.
func Known(template string) bool { return slices.Contains(Templates(), template) }

const (
	emptyDecisions = "# Decision Log\n"
	emptyLog       = "# Session Log\n"
)

func stateText(phase, status, active, next string) string {
	return "# Project State\n\n## Current Phase\n" + phase + "\n\n## Current Status\n" + status + "\n\n## Active Work\n" +
		active +
		"\n\n## Blocked Items\nNone.\n\n## Next Action\n" + next + "\n\n## Last Updated\n[YYYY-MM-DD]\n"
}

func templates() map[string][]templateFile {
	of := func(state, progress, decisions, log string) []templateFile {
		return []templateFile{{stateFile, state}, {progressFile, progress}, {decisionFile, decisions}, {logFile, log}}
	}
	return map[string][]templateFile{
		"default": of(
			stateText("[name of the phase]", "[where things stand, in a sentence or two]", "None.",
				"[what comes first when work goes on]"),
			"# Progress Tracker\n\n## Phase 1: [name] — NOT STARTED\n\n### Completed\n\n### In Progress\n\n### Not "+
				"Started\n\n### Blocked\n\n## What's Next\n",
			emptyDecisions, emptyLog),
		"web-app": of(
			stateText("Phase 1: Foundation", "Nothing is built yet.", "None.",
				"Lay out the project: server, client, database, how they are started together."),
			phases("Foundation", []string{
				"Project layout and how it is started", "Database schema and migrations",
				"Configuration by environment",
			},
				"Back end", []string{
					"Sign-in and sessions", "Endpoints of the main objects",
					"Checking of input, errors in one form",
				},
				"Front end", []string{"Page frame and routes", "Forms and their errors", "States: loading, empty, failed"},
				"Release", []string{"End-to-end tests of the main paths", "Build, deploy and roll back", "Logs and alerts"}),
			emptyDecisions, emptyLog),
		"cli": of(
			stateText("Phase 1: Foundation", "Nothing is built yet.", "None.",
				"Lay out the project and decide on commands and flags."),
			phases("Foundation", []string{
				"Project layout and build", "Commands, flags and help",
				"Configuration file and environment",
			},
				"Commands", []string{
					"The main command", "Output for people and for programs",
					"Exit statuses and errors that say what to do",
				},
				"Proof", []string{"Tests of each command", "Tests of bad input", "Documentation by example"},
				"Release", []string{"Builds for each platform", "Package and install", "Change log"}),
			emptyDecisions, emptyLog),
		"library": of(
			stateText("Phase 1: Interface", "Nothing is built yet.", "None.",
				"Write down the interface as its users will call it."),
			phases("Interface", []string{
				"What it is for and what it is not for", "Types and functions, with examples",
				"Errors and limits",
			},
				"Implementation", []string{"The core", "Edge cases", "No needless dependencies"},
				"Proof", []string{"Tests of every promise", "Benchmarks", "Documentation that is run"},
				"Release", []string{"Version and compatibility", "Change log", "Publish"}),
			emptyDecisions, emptyLog),
		"example": of(
			stateText("Phase 2: Ordering",
				"The catalogue is done and in use. Orders can be placed; they cannot be paid for yet.",
				"- Payment page\n- Webhook of the payment provider",
				"Finish the webhook: an order becomes paid when it reports so."),
			"# Progress Tracker\n\n## Phase 1: Catalogue — COMPLETE\n\n### Completed\n- [x] Articles and prices (completed "+
				"2026-01-12)\n- [x] Search (completed 2026-01-19)\n\n"+
				"## Phase 2: Ordering — IN PROGRESS\n\n### Completed\n- [x] Basket (completed 2026-02-02)\n\n### In Progress\n- "+
				"[ ] Payment page\n- [ ] Webhook of the payment provider\n\n### Not Started\n- [ ] Invoices\n\n"+
				"### Blocked\n- [ ] Payment on account (the bank has not answered)\n\n## What's Next\nWebhook, then invoices.\n",
			"# Decision Log\n\n## DEC-001: Money is kept in cents\n- **Date:** 2026-01-08\n- **Decided by:** team\n- "+
				"**Decision:** Amounts are whole numbers of cents everywhere\n- **Rationale:** Sums of fractions do not add "+
				"up\n- **Status:** Final\n",
			"# Session Log\n\n## Session 1 — 2026-02-02\n- **Summary:** Built the basket and its tests.\n- **Completed:** "+
				"Basket\n- **Next session:** Payment page\n"),
	}
}

// phases is a PROGRESS.md of four phases with their tasks.
func phases(list ...any) string {
	out := "# Progress Tracker\n"
	for i := 0; i+1 < len(list); i += 2 {
		name, _ := list[i].(string)
		tasks, _ := list[i+1].([]string)
		out += "\n## Phase " + string(rune('1'+i/2)) + ": " + name + " — NOT STARTED\n\n### Not Started\n"
		for _, t := range tasks {
			out += "- [ ] " + t + "\n"
		}
	}
	first, _ := list[0].(string)
	return out + "\n## What's Next\nPhase 1: " + first + ".\n"
}
