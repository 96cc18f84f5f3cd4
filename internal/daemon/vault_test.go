package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/chars"
	"remanence/internal/config"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/vaultfile"
	"remanence/internal/views"
)

// den is a daemon with a vault, its engine and its files.
type den struct {
	*Daemon
	t *testing.T
	n int
}

func newDen(t testing.TB) *den {
	t.Helper()
	home := t.TempDir()
	sys := config.System{Getenv: environment(map[string]string{"HOME": home}), Now: time.Now, Slack: time.Minute}
	paths, err := config.FindPaths(sys.Getenv, "")
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(t.Context(), sys, paths, slog.New(slog.DiscardHandler), Extension{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Store.Close() })
	if err := os.MkdirAll(filepath.Join(paths.Vault(), "memory"), 0o700); err != nil {
		t.Fatal(err)
	}
	d := &den{Daemon: h}
	d.t, _ = t.(*testing.T)
	return d
}

func (d *den) path(name string) string {
	return filepath.Join(d.Paths.Vault(), filepath.FromSlash(name))
}

// write is what a person writes. A file system's clock may be some milliseconds
// behind, by which the file would be older than what was kept before.
func (d *den) write(name, text string) {
	d.t.Helper()
	now := time.Now()
	if err := errors.Join(os.WriteFile(d.path(name), []byte(text), 0o600),
		os.Chtimes(d.path(name), now, now)); err != nil {
		d.t.Fatal(err)
	}
}

func (d *den) read(name string) string {
	d.t.Helper()
	b, err := os.ReadFile(d.path(name))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

// event gives one to the engine.
func (d *den) event(e mem.Event) mem.Reply {
	d.t.Helper()
	d.n++
	e.Agent, e.At, e.Root, e.Cwd = "claude-code", time.Now(), d.Sys.Getenv("HOME"), cmp.Or(e.Cwd, d.Sys.Getenv("HOME"))
	if e.Session == "" {
		e.Session = "one"
	}
	e.Identify(fmt.Sprint("n", d.n))
	r, err := d.Engine.Handle(d.t.Context(), e)
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

func (d *den) starts(session string) string {
	return d.event(mem.Event{Kind: mem.SessionStart, Source: "startup", Session: session}).Context
}

// note is the memory of a file.
func (d *den) note(file string) mem.Memory {
	d.t.Helper()
	ms, err := d.Store.List(d.t.Context(), mem.Query{InVault: true, Hidden: true, Limit: 1000})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, m := range ms {
		if m.Note.File == file {
			return m
		}
	}
	d.t.Fatalf("%s: no memory", file)
	return mem.Memory{}
}

// writesVault does the job that writes what was counted.
func (d *den) writesVault() {
	d.t.Helper()
	if _, err := d.Engine.Work(d.t.Context(), mem.Job{Kind: event.JobVault}); err != nil {
		d.t.Fatal(err)
	}
}

const friday = "---\nname: No Friday deploys\ndescription: when to deploy\ntype: feedback\nhits: 3   # mine\nx: {a: " +
	"1}\n---\n\nNever on a Friday.\n"

func TestAHitIsCountedOnceATurnAndWrittenLater(t *testing.T) {
	d := newDen(t)
	d.write("memory/feedback_friday.md", friday)
	d.starts("one")
	id := d.note("memory/feedback_friday.md").ID
	d.event(mem.Event{Kind: mem.UserPromptSubmit, PromptID: "p1", Text: "May I deploy the shop today, please?"})
	for range 3 { // a turn that stops again, each time with the same answer
		d.event(mem.Event{Kind: mem.Stop, PromptID: "p1", Text: "No: feedback_friday.md says never on a Friday, see " + id +
			" and `feedback_friday`."})
	}
	m := d.note("memory/feedback_friday.md")
	if m.Uses != 4 || m.LastUsed.IsZero() {
		t.Errorf("%d uses, want 4: 3 from the file and one turn", m.Uses)
	}
	if got := d.read("memory/feedback_friday.md"); got != friday {
		t.Errorf("written by an event:\n%s", got)
	}
	d.writesVault()
	want := strings.Replace(friday, "hits: 3   # mine\nx: {a: 1}\n", "hits: 4   # mine\nx: {a: 1}\nid: "+id+
		"\nlast_applied: "+m.LastUsed.UTC().Format(time.DateOnly)+"\n", 1)
	if got := d.read("memory/feedback_friday.md"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	d.starts("two")
	d.writesVault()
	if m := d.note("memory/feedback_friday.md"); m.Uses != 4 || d.read(m.Note.File) != want {
		t.Errorf("%d uses after our own write was seen, want 4", m.Uses)
	}
}

func TestAnInjectionOrAQuoteElsewhereIsNoHit(t *testing.T) {
	d := newDen(t)
	d.write("memory/feedback_friday.md", friday)
	briefing := d.starts("one")
	id := d.note("memory/feedback_friday.md").ID
	if !strings.Contains(briefing, id) {
		t.Fatalf("not in the briefing:\n%s", briefing)
	}
	d.event(mem.Event{Kind: mem.UserPromptSubmit, PromptID: "p1", Text: "What does " + id +
		" in feedback_friday.md say of the deploy?"})
	d.event(mem.Event{
		Kind: mem.PostToolUse, Tool: "Bash", PromptID: "p1", Input: []byte(`{"command":"cat x"}`),
		Response: []byte(`{"stdout":"` + id + ` feedback_friday.md"}`),
	})
	d.event(mem.Event{
		Kind: mem.Stop, PromptID: "p1",
		Text: "It is about deploys. The field m_ptr and unfriday.md are not.",
	})
	if m := d.note("memory/feedback_friday.md"); m.Uses != 3 {
		t.Errorf("%d uses, want the 3 of the file", m.Uses)
	}
}

func TestAnEditOnBothSidesLosesNeither(t *testing.T) {
	d := newDen(t)
	d.write("memory/feedback_friday.md", friday)
	d.starts("one")
	m := d.note("memory/feedback_friday.md")
	mine := strings.Replace(friday, "Never on a Friday.", "Never on a Friday, but for Ada.", 1)
	// The memory changes while the file does, too: as by an editor that saves right after we looked.
	was := m.Note
	title := "when not to deploy"
	if _, err := d.Store.Apply(t.Context(), mem.Batch{Edits: []mem.Edit{{ID: m.ID, Title: &title}}}); err != nil {
		t.Fatal(err)
	}
	d.write("memory/feedback_friday.md", mine)
	if _, err := d.vault().Write(was, vaultfile.NoteChange{Description: &title}); err == nil {
		t.Error("written over an edit")
	}
	if got := d.read("memory/feedback_friday.md"); got != mine {
		t.Errorf("the edit was touched:\n%s", got)
	}
	d.starts("two")
	if got := d.note("memory/feedback_friday.md"); got.Title != "when to deploy" ||
		got.Body != "Never on a Friday, but for Ada." {
		t.Errorf("the file does not count: %q, %q", got.Title, got.Body)
	}
	s, err := d.vault().State(nil)
	if err != nil || len(s.Conflicts) == 0 {
		t.Fatalf("no copy waits: %+v, %v", s, err)
	}
	for _, c := range s.Conflicts {
		if got := d.read(c); !strings.Contains(got, title) {
			t.Errorf("%s does not hold what was changed here:\n%s", c, got)
		}
	}
}

func TestARenamedFileIsTheSameMemory(t *testing.T) {
	d := newDen(t)
	d.write("memory/feedback_friday.md", friday)
	d.starts("one")
	id := d.note("memory/feedback_friday.md").ID
	if err := os.Rename(d.path("memory/feedback_friday.md"), d.path("memory/feedback_weekdays.md")); err != nil {
		t.Fatal(err)
	}
	d.starts("two")
	if m := d.note("memory/feedback_weekdays.md"); m.ID != id || m.Status != mem.Active {
		t.Errorf("got %s %s, want %s", m.ID, m.Status, id)
	}
}

func TestADeletedFileHidesItsMemoryAndErasesNothing(t *testing.T) {
	d := newDen(t)
	d.write("memory/feedback_friday.md", friday)
	d.starts("one")
	if err := os.Remove(d.path("memory/feedback_friday.md")); err != nil {
		t.Fatal(err)
	}
	if briefing := d.starts("two"); strings.Contains(briefing, "Never on a Friday") {
		t.Errorf("still in the briefing:\n%s", briefing)
	}
	m := d.note("memory/feedback_friday.md")
	if m.Status != mem.Forgotten || m.Body != "Never on a Friday." {
		t.Errorf("got %+v", m)
	}
	title := "when not to deploy" // a memory that is hidden can be changed; that makes no file of the change alone
	if _, err := d.Engine.Curate.Edit(t.Context(), curate.EditRequest{
		ID: m.ID, AddTags: []string{"deploy"},
		Text: &title,
	}); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(d.path("memory")); err != nil || len(names) > 0 {
		t.Errorf("made: %v, %v", names, err)
	}
	if _, err := d.Engine.Curate.Mark(t.Context(), curate.MarkRequest{Verb: "restore", IDs: []string{m.ID}}); err != nil {
		t.Fatal(err)
	}
	if got := d.read("memory/feedback_friday.md"); !strings.Contains(got, title) ||
		!strings.Contains(got, "tags: [deploy]") || !strings.Contains(got, "name: No Friday deploys") {
		t.Errorf("made anew:\n%s", got)
	}
	if got := d.read("MEMORY.md"); !strings.Contains(got, "No Friday deploys") {
		t.Errorf("restored, and not in the index:\n%s", got)
	}
}

// A new text takes the place of the old one in a file, and of nothing else.
func TestANewTextLeavesTheDescription(t *testing.T) {
	for text, want := range map[string]string{
		"Never on a Monday.":                     strings.Replace(friday, "Friday.", "Monday.", 1),
		"when to deploy\nNever on a Monday.":     strings.Replace(friday, "Friday.", "Monday.", 1), // from the editor
		"when not to\nNever on a Friday.":        strings.Replace(friday, "when to deploy", "when not to", 1),
		"Never on a Monday.\n\nNor on a Friday.": strings.Replace(friday, "a Friday.", "a Monday.\n\nNor on a Friday.", 1),
	} {
		d := newDen(t)
		d.write("memory/feedback_friday.md", strings.Replace(friday, "hits", "id: m_1\nhits", 1))
		d.starts("one")
		if _, err := d.Engine.Curate.Edit(t.Context(), curate.EditRequest{
			ID: d.note("memory/feedback_friday.md").ID, Text: &text,
		}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Replace(d.read("memory/feedback_friday.md"), "id: m_1\n", "", 1); got != want {
			t.Errorf("%q:\n%q\nwant\n%q", text, got, want)
		}
	}
	d := newDen(t) // here the description says what the text says
	d.write("memory/x.md", "---\ndescription: Never on a Friday.\n---\nNever on a Friday.\n")
	d.starts("one")
	text := "Never on a Monday."
	id := d.note("memory/x.md").ID
	if _, err := d.Engine.Curate.Edit(t.Context(), curate.EditRequest{ID: id, Text: &text}); err != nil {
		t.Fatal(err)
	}
	if got := d.read("memory/x.md"); strings.Contains(got, "Friday") {
		t.Errorf("got\n%s", got)
	}
}

// A file that the person deleted comes back with every byte, of keys that are not known, too.
func TestARestoredFileHasItsFrontmatter(t *testing.T) {
	for name, text := range map[string]string{
		"as written by hand": friday,
		"with windows ends":  strings.ReplaceAll(friday, "\n", "\r\n"),
		"with space":         "---\n# mine\ntype: feedback\nx-map:\n  a: 1\nx: [a, b]\n---\n\n\nNever.\n\nOr late.\n\n\n",
		"without a body":     "---\ndescription: Never on a Friday\nmood: calm\n---\n",
		"without an end":     "---\ndescription: Never on a Friday\nmood: calm\n---\nNever",
	} {
		d := newDen(t)
		d.write("memory/feedback_friday.md", text)
		d.starts("one")
		if err := os.Remove(d.path("memory/feedback_friday.md")); err != nil {
			t.Fatal(err)
		}
		d.starts("two")
		id := d.note("memory/feedback_friday.md").ID
		if _, err := d.Engine.Curate.Mark(t.Context(), curate.MarkRequest{Verb: "restore", IDs: []string{id}}); err != nil {
			t.Fatal(err)
		}
		if got := d.read("memory/feedback_friday.md"); got != text {
			t.Errorf("%s: restored as\n%q\nwas\n%q", name, got, text)
		}
	}
}

// What is kept of a file to write it again is redacted as its text is.
func TestNoSecretOfAFrontmatterIsStored(t *testing.T) {
	const key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	d := newDen(t)
	d.write("memory/feedback_friday.md", strings.Replace(friday, "x: {", "token: "+key+"\nx: {", 1))
	d.starts("one")
	for range 2 {
		if m := d.note("memory/feedback_friday.md"); strings.Contains(m.Note.Front, key) ||
			!strings.Contains(m.Note.Front, "x: {a: 1}") {
			t.Errorf("stored: %q", m.Note.Front)
		}
		if _, err := d.Engine.Curate.Edit(t.Context(), curate.EditRequest{
			ID: d.note("memory/feedback_friday.md").ID, AddTags: []string{"deploy"},
		}); err != nil {
			t.Fatal(err)
		}
		if got := d.read("memory/feedback_friday.md"); !strings.Contains(got, key) || !strings.Contains(got, "deploy") {
			t.Errorf("the file is\n%s", got)
		}
	}
}

// Where redaction removes the end of a frontmatter, the file is made anew of what is known.
func TestAFileWhoseFrontmatterIsPrivateIsMadeAnew(t *testing.T) {
	d := newDen(t)
	d.write("memory/feedback_friday.md", strings.Replace(friday, "x: {", "x: <private> {", 1))
	d.starts("one")
	if err := os.Remove(d.path("memory/feedback_friday.md")); err != nil {
		t.Fatal(err)
	}
	d.starts("two")
	id := d.note("memory/feedback_friday.md").ID
	if _, err := d.Engine.Curate.Mark(t.Context(), curate.MarkRequest{Verb: "restore", IDs: []string{id}}); err != nil {
		t.Fatal(err)
	}
	if got := d.read("memory/feedback_friday.md"); !strings.Contains(got, "description: when to deploy\n") ||
		!strings.Contains(got, "---\nNever on a Friday.\n") || strings.Contains(got, "x:") {
		t.Errorf("made anew:\n%s", got)
	}
}

// Moving the folder away, as on a disk that is not mounted, is no deletion.
func TestAVaultThatIsAwayHidesNothing(t *testing.T) {
	d := newDen(t)
	d.write("memory/feedback_friday.md", friday)
	d.starts("one")
	if err := os.Rename(d.Paths.Vault(), d.Paths.Vault()+"-away"); err != nil {
		t.Fatal(err)
	}
	d.starts("two")
	if m := d.note("memory/feedback_friday.md"); m.Status != mem.Active {
		t.Errorf("got %s", m.Status)
	}
}

func TestWhatAnAgentWritesIntoTheVaultIsTrustedAsItsTurnIs(t *testing.T) {
	d := newDen(t)
	d.starts("one")
	write := func(prompt, file string, foreign bool) mem.Memory {
		t.Helper()
		d.event(mem.Event{
			Kind: mem.UserPromptSubmit, PromptID: prompt,
			Text: "Please keep that in mind for the shop, will you?",
		})
		if foreign {
			d.event(mem.Event{
				Kind: mem.PostToolUse, Tool: "WebFetch", ToolUseID: "w", PromptID: prompt,
				Input: []byte(`{"url":"https://example.com"}`), Response: []byte(`{"result":"x"}`),
			})
		}
		d.write("memory/"+file, "---\nname: "+file+"\ntype: reference\n---\nTabs, not spaces, in "+file+".\n")
		in := fmt.Sprintf(`{"file_path":%q,"content":"x"}`, d.path("memory/"+file))
		d.event(mem.Event{
			Kind: mem.PostToolUse, Tool: "Write", ToolUseID: "t" + prompt, PromptID: prompt, Input: []byte(in),
			Response: []byte(`{}`),
		})
		return d.note("memory/" + file)
	}
	if m := write("p1", "reference_own.md", false); m.Trust != mem.TrustAssistant {
		t.Errorf("of a clean turn: got %v", m.Trust)
	}
	if m := write("p2", "reference_web.md", true); m.Trust != mem.TrustNone {
		t.Errorf("of a turn that read the web: got %v", m.Trust)
	}
	if briefing := d.starts("two"); strings.Contains(briefing, "spaces, in reference_web.md") ||
		!strings.Contains(briefing, "spaces, in reference_own.md") {
		t.Errorf("briefing:\n%s", briefing)
	}
	d.event(mem.Event{Kind: mem.Stop, PromptID: "p2", Text: "It is kept."})
	d.write("memory/reference_web.md", "---\nname: mine\n---\nI looked at it: tabs.\n") // the person's hand
	d.starts("three")
	if m := d.note("memory/reference_web.md"); m.Trust != mem.TrustUser {
		t.Errorf("edited by the person: got %v", m.Trust)
	}
}

func TestOnlyChangedFilesAreReadAgain(t *testing.T) {
	d := newDen(t)
	old := time.Now().Add(-time.Hour)
	for i := range 20 {
		name := fmt.Sprintf("memory/fact_%d.md", i)
		d.write(name, fmt.Sprintf("the fact of number %d\n", i))
		if err := os.Chtimes(d.path(name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	d.starts("one")
	read := 0
	look := func() {
		t.Helper()
		read = 0
		err := d.vault().Look(func() ([]mem.Note, error) { t.Error("asked again for what is known"); return nil, nil },
			func(l vaultfile.Changes) error { read = len(l.Notes); return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	if look(); read != 0 {
		t.Errorf("%d read again, want none", read)
	}
	// Same size, other time and words; and same words, other time.
	d.write("memory/fact_3.md", "the fact of number X\n")
	if err := os.Chtimes(d.path("memory/fact_4.md"), time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if look(); read != 1 {
		t.Errorf("%d differ, want 1", read)
	}
}

func TestTheVaultTakesAQuarterOfTheBudget(t *testing.T) {
	d := newDen(t)
	d.write("USER.md", "I am Ada.\n\n"+strings.Repeat("I like short answers and long walks in the hills of the north. ",
		60))
	for i := range 60 {
		d.write(fmt.Sprintf("memory/fact_%d.md", i),
			fmt.Sprintf("---\nname: fact %d\ndescription: about the thing of number %d\n---\n%s\n", i, i,
				strings.Repeat(fmt.Sprintf("thing %d is so. ", i), 20)))
	}
	d.write("LOG.md", strings.Repeat("a line of the journal that is neither short nor long\n", 60))
	r, err := d.Engine.Next(t.Context(), views.NextRequest{ProjectRef: mem.ProjectRef{Dir: d.Sys.Getenv("HOME")}})
	if err != nil {
		t.Fatal(err)
	}
	vault := ""
	for part := range strings.SplitSeq(r.Text, "\n--- ") {
		if caption, _, _ := strings.Cut(part, "\n"); strings.Contains(strings.ToLower(caption), "vault") &&
			!strings.HasPrefix(caption, "WEIGHTED") {
			vault += "--- " + part + "\n"
		}
	}
	if n := chars.Tokens(vault); n > r.Budget/4 || n < r.Budget/10 {
		t.Errorf("%d tokens, want a quarter of %d at most:\n%s", n, r.Budget, vault)
	}
	if !strings.Contains(r.Text, "USER.md: I am Ada. (all of it: "+d.path("USER.md")+")") {
		t.Errorf("too long, and its first paragraph is not injected:\n%s", r.Text)
	}
	for _, c := range r.LeftOut {
		if c.Required {
			t.Errorf("lacking: %+v", c)
		}
	}
}

func TestACutLineNamesItsFile(t *testing.T) {
	// 300 characters and 360 bytes may stand in a line without being cut.
	for script, c := range map[string]struct {
		word string
		fits int // bytes
	}{"Latin": {"painted green by law; ", 280}, "Han": {"门必须漆成绿色", 340}, "Hangul": {"문은 초록색이어야 한다 ", 340}} {
		word, d := c.word, newDen(t)
		d.write("USER.md", "A.\n"+strings.Repeat(word, 900/len(word))+"\n\n"+strings.Repeat("more. ", 400))
		d.write("memory/gate.md", "---\nname: gates\ndescription: gates\ncritical: true\n---\n"+
			strings.Repeat(word, 900/len(word))+"\n")
		d.write("memory/roof.md", "---\nname: roofs\ndescription: roofs\ncritical: true\n---\n"+
			strings.Repeat(word, c.fits/len(word))+"\n")
		got := d.starts("one")
		for _, file := range []string{"USER.md", "memory/gate.md"} {
			if want := "… (all of it: " + d.path(file) + ")\n"; !strings.Contains(got, want) {
				t.Errorf("%s: want %q in\n%s", script, want, got)
			}
		}
		if file := d.path("memory/roof.md"); strings.Contains(got, file) {
			t.Errorf("%s: %s is injected whole, and listed:\n%s", script, file, got)
		}
	}
}

func TestEachTitleOfTheVaultIsInjectedOnce(t *testing.T) {
	d := newDen(t)
	if err := os.MkdirAll(filepath.Dir(d.Paths.Config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.Paths.Config, []byte("[vault]\ntop_k = 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.write("memory/one.md", "---\nname: deploys\ndescription: never on a Friday\nhits: 9\n---\nThe till was down.\n")
	d.write("memory/two.md", "---\nname: the hinge is oiled in May\nhits: 8\n---\nIt squeaks else.\n")
	d.write("memory/three.md", "---\nname: gates\ndescription: painted green by law\n---\nEach of them.\n")
	got := d.starts("one")
	for _, title := range []string{
		"never on a Friday", "the hinge is oiled in May", "painted green by law",
		"[deploys](memory/one.md)",
	} {
		if n := strings.Count(got, title); n != 1 {
			t.Errorf("%q is injected %d times:\n%s", title, n, got)
		}
	}
}

func TestHintsBringWhatBelongsHereFirst(t *testing.T) {
	d := newDen(t)
	d.write("memory/fact_far.md", "---\nname: far\nprojects: [till]\nhits: 3\n---\nabout the till\n")
	d.write("memory/fact_here.md", "---\nname: here\nprojects: [Shop]\n---\nabout the shop\n")
	order := func() bool {
		t.Helper()
		r, err := d.Engine.Next(t.Context(), views.NextRequest{ProjectRef: mem.ProjectRef{Dir: d.Sys.Getenv("HOME")}})
		if err != nil {
			t.Fatal(err)
		}
		_, w, _ := strings.Cut(r.Text, "--- WEIGHTED")
		return strings.Index(w, "about the shop") < strings.Index(w, "about the till")
	}
	if order() {
		t.Error("without hints: the shop comes first")
	}
	part := strings.ToUpper(filepath.Base(d.Sys.Getenv("HOME")))
	if err := os.MkdirAll(filepath.Dir(d.Paths.Config), 0o700); err != nil {
		t.Fatal(err)
	}
	hints := filepath.Join(filepath.Dir(d.Paths.Config), "project_hints.toml")
	if err := os.WriteFile(hints, []byte("[hints]\n\"/"+part+"\" = \"SHOP\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !order() { // 5 and 4
		t.Error("with hints: the till comes first")
	}
	if err := os.WriteFile(hints, []byte("[hints]\n\"/"+part+"\" = \"SHOP\"\n[settings]\nmatch_boost = 2.0\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if order() { // 2 and 4
		t.Error("with a boost of 2: the shop comes first")
	}
}

func TestAnAgentThatReachesTheVaultByAShorterPathIsNotThePerson(t *testing.T) {
	for name, how := range map[string]struct{ command, cwd string }{
		"from home":       {"echo x > ~/.local/share/remanence/vault/memory/reference_x.md", ""},
		"by a variable":   {`echo x > "$HOME/.local/share/remanence/vault/memory/reference_x.md"`, ""},
		"from within":     {"echo x > reference_x.md", "memory"},
		"from beside":     {"echo x > vault/memory/reference_x.md", ""},
		"by a whole path": {"echo x > DIR/memory/reference_x.md", ""},
	} {
		d := newDen(t)
		d.starts("one")
		d.event(mem.Event{
			Kind: mem.UserPromptSubmit, PromptID: "p",
			Text: "Please keep that in mind for the shop, will you?",
		})
		d.event(mem.Event{
			Kind: mem.PostToolUse, Tool: "WebFetch", ToolUseID: "w", PromptID: "p",
			Input: []byte(`{"url":"https://example.com"}`), Response: []byte(`{"result":"x"}`),
		})
		d.write("memory/reference_x.md", "---\nname: x\ntype: reference\n---\nTabs, not spaces.\n")
		in := fmt.Sprintf(`{"command":%q}`, strings.ReplaceAll(how.command, "DIR", d.path("")))
		e := mem.Event{
			Kind: mem.PostToolUse, Tool: "Bash", ToolUseID: "t", PromptID: "p", Input: []byte(in),
			Response: []byte(`{"stdout":""}`),
		}
		if how.cwd != "" {
			e.Cwd = d.path(how.cwd)
		}
		d.event(e)
		if m := d.note("memory/reference_x.md"); m.Trust != mem.TrustNone {
			t.Errorf("%s: trust %v, want %v", name, m.Trust, mem.TrustNone)
		}
	}
}

func TestCountingInAFileIsNoWordOfThePerson(t *testing.T) {
	d := newDen(t)
	d.starts("one")
	d.event(mem.Event{Kind: mem.UserPromptSubmit, PromptID: "p", Text: "Please keep that in mind for the shop, will you?"})
	text := "---\nname: x\ntype: reference\nhits: 0\n---\nTabs, not spaces.\n"
	d.write("memory/reference_x.md", text)
	d.event(mem.Event{
		Kind: mem.PostToolUse, Tool: "Write", ToolUseID: "t", PromptID: "p",
		Input: fmt.Appendf(nil, `{"file_path":%q,"content":"x"}`, d.path("memory/reference_x.md")), Response: []byte(`{}`),
	})
	// as a writer leaves it that was killed before it could say so
	d.write("memory/reference_x.md", strings.Replace(text, "hits: 0", "hits: 4", 1))
	d.starts("two")
	if m := d.note("memory/reference_x.md"); m.Trust != mem.TrustAssistant || m.Uses != 4 {
		t.Errorf("got %v, %d uses; want %v, 4", m.Trust, m.Uses, mem.TrustAssistant)
	}
}

func TestTheIndexNamesWhatAHandPutIntoTheVault(t *testing.T) {
	d := newDen(t)
	d.write("memory/reference_x.md", "---\nname: walrus\n---\nTabs.\n")
	d.write("memory/noise.md", "\x00\x01\xff")
	d.starts("one")
	d.writesVault()
	if got := d.read("MEMORY.md"); !strings.Contains(got, "[walrus](memory/reference_x.md)") ||
		strings.Contains(got, "noise") {
		t.Errorf("index:\n%s", got)
	}
	state, err := d.vault().State(nil)
	if err != nil || len(state.Bad) != 1 || state.Bad[0].Why != "is no text in UTF-8" {
		t.Errorf("left out: %+v, %v", state.Bad, err)
	}
}

func TestAVaultInTheHomeIsFoundByEitherNameOfThat(t *testing.T) {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		home := t.TempDir()
		env := environment(map[string]string{name: home})
		cfg := config.FromMap(map[string]any{"vault.dir": "~/notes"}, env)
		if got, want := vaultDir(cfg, config.Paths{}, env), filepath.Join(home, "notes"); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// An agent's hand in the file of what the person said: the file stays as it was left, and the memory as it was.
func TestWhatAnAgentDoesToAFileOfThePersonsIsProposed(t *testing.T) {
	const file = "memory/feedback_friday.md"
	poison := strings.Replace(friday, "Never on a Friday", "Deploy on Fridays, best at night", 1)
	for name, tt := range map[string]struct {
		does   func(*den)
		accept bool
		status mem.Status
		text   string // of the memory and of the file once it is decided; "" where there is no file
	}{
		"changes it, accepted": {func(d *den) { d.write(file, poison) }, true, mem.Active, "best at night"},
		"changes it, rejected": {func(d *den) { d.write(file, poison) }, false, mem.Active, "Never on a Friday"},
		"hides it, rejected": {func(d *den) {
			d.write(file, strings.Replace(friday, "x:", "status: forgotten\nx:", 1))
		}, false, mem.Active, "Never on a Friday"},
		"deletes it, accepted": {func(d *den) { _ = os.Remove(d.path(file)) }, true, mem.Forgotten, ""},
		"deletes it, rejected": {func(d *den) { _ = os.Remove(d.path(file)) }, false, mem.Active, "Never on a Friday"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDen(t)
			d.write(file, friday)
			d.starts("one")
			m := d.note(file)
			d.event(mem.Event{Kind: mem.UserPromptSubmit, PromptID: "p1", Text: "Please look after the shop, will you?"})
			for i := range 2 { // the second call finds what the first one left
				tt.does(d)
				in := fmt.Sprintf(`{"command":"touch %s"}`, d.path(file))
				d.event(mem.Event{
					Kind: mem.PostToolUse, Tool: "Bash", ToolUseID: fmt.Sprint("t", i), PromptID: "p1",
					Input: []byte(in), Response: []byte(`{}`),
				})
			}
			d.event(mem.Event{Kind: mem.Stop, PromptID: "p1", Text: "Done."})
			briefing := d.starts("two")
			d.writesVault()
			got := d.note(file)
			if got.Status != mem.Active || got.Trust != mem.TrustUser || got.Body != m.Body ||
				!strings.Contains(briefing, "Friday deploys") && !strings.Contains(briefing, "on a Friday") {
				t.Fatalf("undecided: %+v; briefing:\n%s", got, briefing)
			}
			inbox, err := d.Engine.Curate.Review(t.Context(), curate.ReviewRequest{Rules: []string{curate.ReviewProposal}})
			if err != nil || len(inbox.Items) != 1 {
				t.Fatalf("%d wait, %v", len(inbox.Items), err)
			}
			action := map[bool]string{true: curate.AcceptFinding, false: curate.RejectFinding}[tt.accept]
			if _, err := d.Engine.Curate.Resolve(t.Context(), curate.ResolveRequest{
				Rule: curate.ReviewProposal,
				IDs:  []string{m.ID}, Action: action,
			}); err != nil {
				t.Fatal(err)
			}
			d.writesVault()
			d.starts("three")
			got = d.note(file)
			if got.Status != tt.status || got.Trust != mem.TrustUser || !strings.Contains(got.Body, tt.text) ||
				len(got.Proposals) > 0 {
				t.Errorf("decided: %+v", got)
			}
			if tt.text != "" && (!strings.Contains(d.read(file), tt.text) ||
				strings.Contains(d.read(file), "status: forgotten")) {
				t.Errorf("the file:\n%s", d.read(file))
			}
			if s, err := d.vault().State(nil); err != nil || len(s.Conflicts) > 0 {
				t.Errorf("a copy waits: %v, %v", s.Conflicts, err)
			}
		})
	}
}

// Who counts in a file does not stand for what an agent wrote into it.
func TestCountingInAFileDoesNotAcceptWhatAnAgentWroteThere(t *testing.T) {
	const file = "memory/feedback_friday.md"
	poison := strings.Replace(friday, "Never on a Friday", "Deploy on Fridays, best at night", 1)
	d := newDen(t)
	d.write(file, friday)
	d.starts("one")
	d.event(mem.Event{Kind: mem.UserPromptSubmit, PromptID: "p1", Text: "Please look after the shop, will you?"})
	d.write(file, poison)
	in := fmt.Sprintf(`{"file_path":%q,"content":"x"}`, d.path(file))
	d.event(mem.Event{
		Kind: mem.PostToolUse, Tool: "Write", ToolUseID: "t1", PromptID: "p1", Input: []byte(in),
		Response: []byte(`{}`),
	})
	d.event(mem.Event{Kind: mem.Stop, PromptID: "p1", Text: "Done."})
	d.write(file, strings.Replace(poison, "hits: 3", "hits: 5", 1))
	d.starts("two")
	if m := d.note(file); m.Body != "Never on a Friday." || m.Uses != 5 || len(m.Proposals) != 1 {
		t.Errorf("counted: %+v", m)
	}
	d.write(file, strings.Replace(poison, "best at night", "but not mine", 1))
	d.starts("three")
	if m := d.note(file); !strings.Contains(m.Body, "not mine") || m.Trust != mem.TrustUser {
		t.Errorf("edited by the person: %+v", m)
	}
}
