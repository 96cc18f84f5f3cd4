package extract

import (
	"slices"
	"strings"
	"testing"

	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

func TestTablesAreWellFormed(t *testing.T) {
	if _, err := lang.ParseLexicon(lexiconTable, cueNames()); err != nil {
		t.Error(err)
	}
	features := Features()
	for line := range strings.Lines(weightTable) {
		if name := strings.Fields(line)[0]; name != "#" && name != "feature" && !slices.Contains(features, name) {
			t.Errorf("weights.tsv has %q, which is no feature", name)
		}
	}
	for _, r := range (TurnFacts{}).Rate("The cause was `x.go`: it never closed the file.", ModelAssistant) {
		if len(r.Features) != len(features) {
			t.Errorf("%d values of %d features", len(r.Features), len(features))
		}
	}
}

func chosen(answer string) []string {
	var out []string
	for _, p := range (TurnFacts{Request: "why is the export empty"}).Choose(Statements(answer), MaxStatements, 0) {
		out = append(out, p.Text)
	}
	return out
}

func TestWhatOnlyAccompaniesTheWorkIsNotKept(t *testing.T) {
	for _, said := range []string{
		"Perfect! All tests pass and the build is green.",
		"Let me look at `export.go` first.",
		"Would you like me to add a test for `export.go`?",
		"I can also split `export.go` in two if you like.",
		"Committed as `1a2b3c4`.",
		"Отлично, все тесты проходят.",
		"すべて完了しました。",
		"`internal/export/export.go`",
	} {
		if got := chosen(said); len(got) > 0 {
			t.Errorf("%q: kept %q", said, got)
		}
	}
}

func TestWhatIsKeptIsCompletedByItsHeadingOrItsList(t *testing.T) {
	for _, tt := range []struct{ said, want string }{
		{
			"## `pool.go`\n\n- The default of 4 workers is not enough, because each import holds one for a minute.",
			"`pool.go`: The default of 4 workers is not enough, because each import holds one for a minute.",
		},
		{
			"| setting | meaning |\n|---|---|\n| `max_conn` | must stay below 60, otherwise the replica refuses connections |",
			"`max_conn`: must stay below 60, otherwise the replica refuses connections",
		},
		{
			"The header comes from `csv.Writer`. It never flushes, because `Close` returned early.",
			"The header comes from `csv.Writer`. It never flushes, because `Close` returned early.",
		},
	} {
		if got := chosen(tt.said); !slices.Contains(got, tt.want) {
			t.Errorf("got %q\nwant %q", got, tt.want)
		}
	}
}

func BenchmarkChoose(b *testing.B) {
	answer := strings.Repeat("The cause was `pool.go`: it never closed the file. Each import held one worker for a "+
		"minute.\n\n"+
		"- I decided to use a semaphore instead of a pool\n- Still open: the nightly job\n\n", 8)
	for b.Loop() {
		(TurnFacts{Request: "why is the export empty"}).Choose(Statements(answer), MaxStatements, 0)
	}
}

func TestALabelThatSaysNothingIsLeftOut(t *testing.T) {
	const cause = "The export was empty because `Flush` was never called on the writer."
	for said, want := range map[string]string{
		"**Summary**: " + cause:            cause,
		"- **What changed:** " + cause:     cause,
		"Summary of `export.go`: " + cause: "Summary of `export.go`: " + cause,
		"Final design: one writer per tenant, because a shared one was flushed too late.": "Final design: one writer per " +
			"tenant, because a shared one was flushed too late.",
	} {
		if got := chosen(said); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: kept %q, want %q", said, got, want)
		}
	}
}

func TestItemsOfAListAreKeptTogether(t *testing.T) {
	const lead = "These limits apply to the exporter:\n\n"
	const long = "because each worker holds a connection for a minute and the replica refuses more than that at a time"
	for _, tt := range []struct {
		name, said string
		want       []string
	}{
		{
			"the whole list, if it fits",
			lead + "- `max_conn` must stay below 60, otherwise the replica refuses connections\n" +
				"- `batch` is 500 rows, since larger ones time out\n",
			[]string{
				"These limits apply to the exporter: `max_conn` must stay below 60, otherwise the replica refuses connections; " +
					"`batch` is 500 rows, since larger ones time out",
			},
		},
		{
			"sentences of an item keep their full stops",
			lead + "- `max_conn` must stay below 60. Otherwise the replica refuses connections.\n" +
				"- `batch` is 500 rows, since larger ones time out.\n",
			[]string{
				"These limits apply to the exporter: `max_conn` must stay below 60. Otherwise the replica refuses connections; " +
					"`batch` is 500 rows, since larger ones time out",
			},
		},
		{
			"what does not fit stays apart, and says so",
			lead + "- `max_conn` must stay below 60, " + long + " and after\n- `min_conn` must stay above 6, " + long +
				" and before\n- `idle_conn` must stay below 20, " + long + " as well\n",
			[]string{
				"These limits apply to the exporter: `max_conn` must stay below 60, " + long + " and after; `min_conn` must stay " +
					"above 6, " + long + " and before; …",
				"These limits apply to the exporter: `idle_conn` must stay below 20, " + long + " as well; …",
			},
		},
		{
			"what is left to do stays apart",
			"Still open:\n\n- The nightly job does not use `exporter` yet\n- The metrics of `exporter` are missing\n",
			[]string{
				"The nightly job does not use `exporter` yet", "The metrics of `exporter` are missing",
			},
		},
	} {
		if got := chosen(tt.said); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestACauseIsKeptWithItsFix(t *testing.T) {
	const cause = "The root cause was `pool.go`: each import held one worker until the timeout."
	const fix = "Fixed by closing the connection in `release`."
	if got := chosen(cause + "\n\n" + fix); !slices.Equal(got, []string{cause + " " + fix}) {
		t.Errorf("got %q", got)
	}
	if got := chosen("## Pool\n\n" + cause + "\n\n## Export\n\n" + fix); slices.Contains(got, cause+" "+fix) {
		t.Errorf("the fix of another section was taken: %q", got)
	}
	const apart = "Downside: imports of more than 60 files now wait for each other."
	if got := chosen(cause + "\n\n" + apart); slices.Contains(got, cause+" "+apart) {
		t.Errorf("a trade-off was taken for a fix: %q", got)
	}
}

func TestAReportOfAnEditIsNotKept(t *testing.T) {
	edited := map[string]bool{}
	for _, term := range rank.Terms("countClassName badge tabs className interface TabItem") {
		edited[term] = true
	}
	w := TurnFacts{Changed: true, Edited: edited}
	for _, tt := range []struct {
		said string
		kept bool
	}{
		{"`Tabs.tsx` — Added `countClassName` to the `TabItem` interface of the badge `className`.", false},
		{"`TabItem` of `Tabs.tsx` has a badge, a `countClassName` and a `className`.", false},
		{"Larger header of the agents: Imported `agentLogoMap` in `Header.tsx` with its 12 logos.", false},
		{"The header of `Header.tsx` asks `agentLogoMap` for the logo of an agent, and shows none if there is none.", true},
		{"`Tabs.tsx` — Added `countClassName`, because the badge of `TabItem` must not inherit the `className`.", true},
		{"Added `retryLimit` to `queue.go`, which stops after 5 failures of one job, otherwise it never ends.", true},
	} {
		if got := w.Choose(Statements(tt.said), MaxStatements, 0); (len(got) > 0) != tt.kept {
			t.Errorf("%q: kept %v", tt.said, got)
		}
	}
}

func TestOfAPlanOnlyWhatLastsIsKept(t *testing.T) {
	const plan = "# Plan: close idle connections\n\n## Context\n\nThe root cause is `pool.go`: each import holds one " +
		"worker until the timeout of 60 s.\n\n## Decisions\n\n- Connections are closed after 30 s, not pooled again\n\n" +
		"## Steps\n\n" +
		"- In `release`, call `Close` when the worker is idle, otherwise keep it\n- Current behavior: `release` keeps " +
		"connections, since `idle` is zero\n"
	var got []string
	before := false
	for _, p := range FromPerson(plan, "") {
		got, before = append(got, p.Text), before || p.Before && strings.Contains(p.Text, "root cause")
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{"root cause", "closed after 30 s"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, step := range []string{"call `Close`", "Current behavior"} {
		if strings.Contains(all, step) {
			t.Errorf("%q is kept in %q", step, got)
		}
	}
	weak := FromPerson("# Plan: clearer guide\n\n## Context\n\nThe guide has two weaknesses:\n\n- Decision criteria are "+
		"vague: its three questions do not separate `rules.md` from `guide.md`\n\n## Steps\n\n- a\n", "")
	for _, p := range weak {
		if p.Kind == mem.Decision {
			t.Errorf("the problem was kept as a decision: %q", p.Text)
		}
	}
	rules := FromPerson("# Plan\n\n## Rules\n\n"+
		"- Errors of `pool.go` must never be swallowed silently\n\n## Steps\n\n- a\n", "")
	if len(rules) == 0 {
		t.Error("no rule of the plan was kept")
	}
	for _, p := range rules {
		if p.Before {
			t.Errorf("a rule is marked as being of before the plan: %q", p.Text)
		}
	}
	if !before {
		t.Errorf("the cause is not marked as being of before the plan: %q", got)
	}
}

func TestOnlyTheLayoutChanges(t *testing.T) {
	for _, tt := range []struct {
		file, before, after string
		want                bool
	}{
		{"a.ts", "f( a, b, );", "f(a, b);", true},
		{"a.ts", "if x {\n  y()\n}", "if x {\n\ty()\n}", true},
		{"a.ts", `f( "a b" )`, `f("a b")`, true},
		{"a.ts", "f(a, b)", "f(b, a)", false},
		{"a.ts", "f(a)", "f(a)", false},
		{"a.ts", `join(",")`, `join(", ")`, false},
		{"a.ts", "elseif x", "else if x", false},
		{"a.ts", "const a", "consta", false},
		{"a.py", "if x:\n  y()\nz()", "if x:\n  y()\n  z()", false},
		{"deploy.YAML", "a:\n  b: 1", "a:\nb: 1", false},
	} {
		if got := OnlyReformats(tt.file, tt.before, tt.after); got != tt.want {
			t.Errorf("%s: %q to %q: %v", tt.file, tt.before, tt.after, got)
		}
	}
}

func TestWhatGoesOnInTheNextParagraphIsOneStatement(t *testing.T) {
	said := "The list was stale, because `load` keeps what it read from `state.json` at the start.\n\n" +
		"The `refresh` of `state.json` runs once a minute, so that a slow disk does not hold up the list."
	want := strings.ReplaceAll(said, "\n\n", " ")
	if got := chosen(said); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want one of both paragraphs", got)
	}
}

const planPrompt = `Implement the following plan:

# Plan: Show the newest result

## Context
The list is stale, because ` + "`refresh`" + ` was missing where a run ends.

## Changes
Add a ` + "`newest`" + ` field to the store that forces the list to open, because the person waits for it.
` + "```sh\n# a comment\n```\n"

func TestTheStepsOfAPlanAreNotWhatWasWrong(t *testing.T) {
	var got []string
	for _, p := range FromPerson(planPrompt, "") {
		if !p.Before {
			t.Errorf("%q is not marked as of before the change", p.Text)
		}
		got = append(got, p.Text)
	}
	if want := []string{"The list is stale, because `refresh` was missing where a run ends."}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestADocumentIsNamedByItsTitle(t *testing.T) {
	for prompt, want := range map[string]string{
		planPrompt:                             "Implement the following plan: Show the newest result",
		"# **Fix the clock**\n\n## Steps\n- x": "Fix the clock",
		"please run\n```\n# one\n# two\n```":   "please run ``` # one # two ```",
		"# one heading\nand its text":          "# one heading and its text",
	} {
		if got := Request(prompt); got != want {
			t.Errorf("%q: got %q, want %q", prompt, got, want)
		}
	}
}

func TestMemoriesAreSearchedByWhatAPromptIsAbout(t *testing.T) {
	long := "Why does the import stop here?\n" +
		strings.Repeat("[worker] GET /api/jobs/17 -> http://localhost:3001/jobs\n", 12)
	for prompt, want := range map[string]string{
		"fix the export": "fix the export",
		planPrompt:       "Show the newest result\nThe list is stale, because `refresh` was missing where a run ends.",
		"# Sort\nBy date.\n\n## Why\n`load` is slow.\n\n## Steps\nAdd `index`.": "Sort\nBy date.\n`load` is slow.",
	} {
		if got := Topic(prompt); got != want {
			t.Errorf("%q: got %q, want %q", prompt, got, want)
		}
	}
	if got := Topic(long); strings.Contains(got, "localhost") {
		t.Errorf("got %q with lines of a log", got)
	}
}

func TestAMessageThatOnlyAccompaniesTheWorkExplainsNothing(t *testing.T) {
	for text, want := range map[string]bool{
		"Now update the main prompt to match.":                                                       false,
		"The issue is likely a specificity problem, because `.tab` may override it.":                 false,
		"Committed, because all tests pass.":                                                         false,
		"`refresh` is slow because it reads every file twice.":                                       true,
		"Let me look at `refresh`. The root cause was a stale lock in `load.go`. Now let me see it.": true,
	} {
		if got := Explains(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestADocumentOrOutputIsPasted(t *testing.T) {
	for text, want := range map[string]bool{
		"use the pool, not a new connection":                                       false,
		"## Context\nThe list is stale.":                                           true,
		"[api] GET /jobs\n[api] 200 in 3 ms\nwhat is this?":                        true,
		"what is this?\nit comes twice\n[api] GET /jobs":                           false,
		"[x] is the mark that I want for a done item, nothing else in that column": false,
	} {
		if got := Pasted(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestAListOfChangesIsKeptForWhatItExplains(t *testing.T) {
	turn := TurnFacts{Files: []string{"pool.go"}, Changed: true, Request: "limit the pool"}
	answer := "Done:\n\n" +
		"- Added the fields `size` and `limit` to the struct `Pool`, and the flag `--pool-limit` to the program\n" +
		"- Passed the value of the flag from `main.go` through `app.go` and `server.go` to the function `NewPool`\n" +
		"- `Pool.Get` waits at most 5 s, because `Close` holds the lock while it drains and would never let a caller in"
	var got []string
	for _, p := range turn.Choose(Statements(answer), MaxStatements, 0) {
		got = append(got, p.Text)
	}
	if len(got) != 1 || !strings.HasPrefix(got[0], "`Pool.Get` waits") {
		t.Errorf("got %q, want only the item that says why", got)
	}
}

func TestLateItemsOfAReportNeedAReason(t *testing.T) {
	turn := TurnFacts{Files: []string{"pool.go"}, Changed: true, Request: "limit the pool"}
	const late = "`Pool.Stats` counts the idle workers when the flag `--stats` is given, and `/health` shows `idle`"
	opening := "The pool is limited to 20 workers, since the database accepts 25 connections.\n\n" +
		"`Pool.Get` waits for a worker that is returned, and never opens one beyond the limit.\n\n"
	kept := func(answer string) bool {
		return slices.ContainsFunc(turn.Choose(Statements(answer), MaxStatements, 0), func(p Point) bool {
			return strings.Contains(p.Text, "`Pool.Stats`")
		})
	}
	if kept(opening + "Also:\n\n- `pool_test.go` has a case for each limit of the table\n- " + late) {
		t.Error("a late item without a reason was kept")
	}
	if !kept(opening + "Also:\n\n- `pool_test.go` has a case for each limit of the table\n- " + late +
		", because a leaked worker showed nowhere") {
		t.Error("a late item with a reason was not kept")
	}
}

func TestWhatIsOnlyProposedIsNotKept(t *testing.T) {
	const design = "The pool could work in `pool.go` like this:\n\n" +
		"- `Pool.Get` waits at most 5 s when all workers are busy, then fails with `ErrBusy`, never with a nil worker\n" +
		"- `Pool.Close` drains the queue when the process ends"
	turn := TurnFacts{Request: "how could the pool be limited?"}
	if got := turn.Choose(Statements(design+"\n\nShall I implement it?"), MaxStatements, 0); len(got) != 0 {
		t.Errorf("kept of a proposal: %v", got)
	}
	if got := turn.Choose(Statements(design), MaxStatements, 0); len(got) == 0 {
		t.Error("nothing is kept of a description")
	}
}

func TestASentenceThatPointsBackIsKeptWithWhatItPointsTo(t *testing.T) {
	turn := TurnFacts{Files: []string{"poll.ts", "api.ts"}, Changed: true, Request: "stop the flood of requests"}
	const cause = "`poll.ts`: The object returned by `useApi` is wrapped in `useMemo`, because each render made a new one"
	const effect = "This stops `useEffect` in `tab.ts` from calling `GET /state` on every render."
	var got []string
	for _, p := range turn.Choose(Statements("- "+cause+"\n\n"+effect), MaxStatements, 0) {
		got = append(got, p.Text)
	}
	if want := []string{cause + ". " + effect}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	const other = "`state.ts`: The state of `useState` is wrapped in `useMemo` too, because it had the same problem"
	got = nil
	for _, p := range turn.Choose(Statements("- "+cause+"\n- "+other+"\n\n"+effect), MaxStatements, 0) {
		got = append(got, p.Text)
	}
	if want := []string{cause + ". " + effect, other}; !slices.Equal(got, want) {
		t.Errorf("behind a list: got %q, want %q", got, want)
	}
	if got := turn.Choose(Statements(effect), MaxStatements, 0); len(got) != 0 {
		t.Errorf("kept without what it points to: %v", got)
	}
}

func TestAStatementIsCoveredByOneThatSaysItAndMore(t *testing.T) {
	whole := mem.Memory{
		Title: "`finder.go` reads plain .md files of older patches too, and counts each file once by its path",
	}
	for part, want := range map[string]bool{
		"`finder.go` reads plain .md files of older patches too":   true,
		"`finder.go` reads plain .md files of 3 older patches too": false,
		"`finder.go` never reads plain .md files of older patches": false,
		"`reader.go` reads plain .md files of older patches too":   false,
		"files of patches": false,
		"`finder.go` reads plain .md files of newer patches too": false,
	} {
		if got := Covers(whole, mem.Memory{Title: part}); got != want {
			t.Errorf("%q: got %v, want %v", part, got, want)
		}
	}
}

func TestALineOfCodeIsNoError(t *testing.T) {
	output := "480 │ + → → console.warn(\"failed to load\")\n  12 | let x = failed()\n" +
		"Formatter would have printed the above\nerror: 5 files differ"
	if got := ErrorLine(output); got != "error: 5 files differ" {
		t.Errorf("got %q", got)
	}
}

func TestAStatementThatOnlyReportsWhatAnotherExplains(t *testing.T) {
	explained := mem.Memory{Title: "`fetchState` of `tab.ts` ran on every render, because `useApi` returned a new object"}
	for part, want := range map[string]bool{
		"`tab.ts`: Wrapped what `useApi` returns for `fetchState` in a memo":                      true,
		"`fetchState` of `tab.ts` fails with 409, because another job holds the lock of `useApi`": false,
		"`Header.tsx`: Renamed the badge of `fetchState`":                                         false,
	} {
		if got := OnlyReports(explained, mem.Memory{Title: part}); got != want {
			t.Errorf("%q: got %v, want %v", part, got, want)
		}
	}
}

// What a sentence of the person's is about stands before it, or in the prompt before.
func TestASentenceOfThePersonIsCompletedWithWhatItIsAbout(t *testing.T) {
	for _, tt := range []struct{ before, prompt, want string }{
		{
			"make the export button larger", "It must not overlap the legend on small screens.",
			"It must not overlap the legend on small screens. (on: make the export button larger)",
		},
		{
			"# Plan: Totals in the invoice list\n\n## Steps\n\n- a", "it should be below the header instead, never inside it",
			"it should be below the header instead, never inside it (on: Totals in the invoice list)",
		},
		{
			"", "We need a row of totals in the invoice list. It should be bold and must stay visible.",
			"We need a row of totals in the invoice list. It should be bold and must stay visible.",
		},
		{"", "It must not overlap the legend on small screens.", ""},
		{"look at the export", "It only writes half of the rows.", ""},
	} {
		var got string
		if points := FromPerson(tt.prompt, tt.before); len(points) > 0 {
			last := points[len(points)-1]
			if got = last.Text; last.Pasted != strings.HasPrefix(tt.before, "#") {
				t.Errorf("after %q: %q is of a document: %v", tt.before, got, last.Pasted)
			}
		}
		if got != tt.want {
			t.Errorf("after %q: %q is kept as %q, want %q", tt.before, tt.prompt, got, tt.want)
		}
	}
}
