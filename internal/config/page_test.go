package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"remanence/test/golden"
)

// configSections are the headings of docs/configuration.md: the first part of a key and what its settings are about.
var configSections = []struct{ name, about string }{
	{"profile", "One setting that chooses the defaults of several others."},
	{"hooks", "Token budgets of what each hook injects."},
	{"context", "The briefing at the start of a session and the context window."},
	{"handoff", "The handoff that the agent is asked to write when its context is nearly full: " +
		"[continuity.md](continuity.md)."},
	{"nudge", "A nudge is what comes with a prompt besides memories: the state line (what is next, what is blocked), " +
		"reminders and a request for a note. With `never`, or with 0 tokens, only the request comes; `nudge.notes` " +
		"switches it off."},
	{"recall", "What a prompt recalls: [internals/recall.md](internals/recall.md)."},
	{"use", "How much past use and age count in the order of memories."},
	{"vault", "The folder of memories as Markdown files: [vault.md](vault.md)."},
	{"embed", "Search by meaning with an embedding server; off by default: [embedding.md](embedding.md)."},
	{"digest", "Notes by a language model; off by default: [digest.md](digest.md)."},
	{"state", "State files in `.mind/`: [state-files.md](state-files.md)."},
	{"store", "Where the memory is stored: [postgresql.md](postgresql.md), [surrealdb.md](surrealdb.md)."},
	{"share", "What a team shares on a server: [team.md](team.md)."},
	{"worker", "The daemon behind the hooks."},
	{"spool", "The queue on disk for events that the daemon has not taken yet."},
	{"privacy", "What is never kept, and for how long the rest is: [privacy.md](privacy.md)."},
	{"blame", "Why a line is as it is: [blame.md](blame.md)."},
	{"mcp", "The tools offered to agents: [mcp.md](mcp.md)."},
	{"log", "The log file of the daemon and the hooks."},
}

const configIntro = `<!-- Generated from the program's table of settings by "make docs"; do not edit. -->
# Configuration

This page lists every setting with its default and the values it accepts. You need none of them to begin: Remanence
works without a configuration file.

Change a setting with a command. It rewrites only the line of that setting in the file:

` + "```" + `
remanence config list                                        every setting: its value and meaning; --short, --origin
remanence config describe embed                              the same of some
remanence config set hooks.user_prompt.token_budget 200      change one
remanence config unset hooks.user_prompt.token_budget        return to the default
remanence config validate                                    look for mistakes; exit status 5 if there are any
` + "```" + `

The file is ` + "`~/.config/remanence/config.toml`" + ` (TOML; ` + "`remanence config path`" +
	` prints the path, [config.schema.json](config.schema.json) is its JSON
Schema). A key such as
` + "`worker.idle_exit`" + ` is the key ` + "`idle_exit`" + ` in the table ` + "`[worker]`" +
	`. An environment variable overrides
the file: ` + "`REMANENCE_`" + ` and the key in capitals with underscores, such as ` +
	"`REMANENCE_WORKER_IDLE_EXIT=1h`" + `.
A change applies to the next event; no restart is needed unless the setting says so. A key that does not exist, or a
value that does not fit, is reported by ` + "`config validate`" + ` and ` + "`remanence doctor`" +
	`; the default is used then.
`

// TestConfigurationPageListsEverySetting compares docs/configuration.md with Options; "make docs" writes it anew.
func TestConfigurationPageListsEverySetting(t *testing.T) {
	golden.Compare(t, filepath.Join("..", "..", "docs", "configuration.md"), configurationPage(t))
	schema, err := json.MarshalIndent(Schema(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("..", "..", "docs", "config.schema.json"), string(schema)+"\n")
}

// configurationPage is the Markdown of docs/configuration.md. It fails the test for a setting without a section or
// text.
func configurationPage(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(configIntro)
	shown := 0
	for _, s := range configSections {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| setting | default | accepts | meaning |\n|---|---|---|---|\n", s.name, s.about)
		for _, o := range Options() {
			if section, _, _ := strings.Cut(o.Key, "."); section != s.name {
				continue
			}
			if o.Doc == "" {
				t.Errorf("%s has no description", o.Key)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", o.Key, defaultCell(o), o.Accepts(), meaningCell(o))
			shown++
		}
	}
	if shown != len(Options()) {
		t.Errorf("the page shows %d of %d settings: a section is missing", shown, len(Options()))
	}
	return b.String()
}

// defaultCell is the default of a setting, with that of the full profile where it differs.
func defaultCell(o Option) string {
	cell := cellOf(o.Def)
	if o.Full != nil && cellOf(o.Full) != cell {
		cell += "; full: " + cellOf(o.Full)
	}
	return cell
}

func cellOf(v any) string {
	text := SettingOf(Value{Value: v}).ValueText()
	if text == "" {
		return "empty"
	}
	return "`" + text + "`"
}

func meaningCell(o Option) string {
	text := o.Doc + "."
	if len(o.Env) > 0 {
		text += " Also read from `" + strings.Join(o.Env, "`, `") + "`."
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
