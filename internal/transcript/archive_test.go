package transcript_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/transcript"
)

// fixture is an archive and the record that a client writes.
type fixture struct {
	*transcript.Archive
	t       *testing.T
	session mem.Session
	record  string
	text    strings.Builder
	n       int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := t.TempDir()
	return &fixture{
		Archive: &transcript.Archive{Dir: filepath.Join(dir, "kept"), Redact: func(s string) string {
			if strings.HasPrefix(s, "<private>") {
				return ""
			}
			s = strings.ReplaceAll(s, "<private>hush</private>", "")
			return strings.ReplaceAll(s, "hunter2", "[secret]")
		}, Private: func(s string) bool { return strings.Contains(s, "<private>") }},
		t: t, record: filepath.Join(dir, "one.jsonl"),
		session: mem.Session{ID: "one", Project: "p_1", Created: time.Date(2026, 3, 2, 23, 0, 0, 0, time.UTC)},
	}
}

// writes adds things said to the record: "user p1: text", "assistant: text", or
// a line as it is.
func (d *fixture) writes(lines ...string) {
	d.t.Helper()
	for _, l := range lines {
		d.n++
		head, text, spoken := strings.Cut(l, ": ")
		if spoken && !strings.HasPrefix(l, "{") {
			who, prompt, _ := strings.Cut(head, " ")
			l = fmt.Sprintf(`{"type":%q,"uuid":"u%d","promptId":%q,"timestamp":"2026-03-02T09:00:%02d.000Z",`+
				`"gitBranch":"main","message":{"id":"msg%d","content":%q}}`,
				who, d.n, prompt, d.n%60, d.n, text)
		}
		d.text.WriteString(l + "\n")
	}
	d.save(d.text.String())
}

func (d *fixture) save(text string) {
	d.t.Helper()
	put(d.t, d.record, text)
}

func all(*mem.ArchivedUtterance) mem.Verdict { return mem.Keep }

func (d *fixture) takes(judge func(*mem.ArchivedUtterance) mem.Verdict) {
	d.t.Helper()
	if _, err := d.Take(d.t.Context(), d.session, d.record, judge); err != nil {
		d.t.Fatal(err)
	}
}

func (d *fixture) kept(after string) []string {
	d.t.Helper()
	var out []string
	err := d.Utterances(d.t.Context(), d.session, after, func(list []mem.ArchivedUtterance) error {
		for _, s := range list {
			out = append(out, s.Who+" "+s.PromptID+": "+s.Text)
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

func (d *fixture) wants(what string, want ...string) {
	d.t.Helper()
	if got := d.kept(""); !slices.Equal(got, want) {
		d.t.Errorf("%s: kept\n%q, want\n%q", what, got, want)
	}
}

// file is the session's file in the archive.
func (d *fixture) file() string { return filepath.Join(d.Dir, "p_1", "2026-03-02__one.jsonl") }

func (d *fixture) bytes() string {
	d.t.Helper()
	b, err := os.ReadFile(d.file())
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

func TestWhatIsSaidIsKeptOnceAndRedacted(t *testing.T) {
	d := newFixture(t)
	d.takes(all) // there is no record yet
	d.writes("user p1: the pass is hunter2", "assistant: noted")
	d.takes(all)
	d.takes(all)
	d.writes(`{"type":"user","promptId":"p1","toolUseResult":{},"message":{"content":"tool output"}}`, "assistant: done",
		"no record")
	d.takes(all)
	d.wants("all", "user p1: the pass is [secret]", "assistant p1: noted", "assistant p1: done")
	for path, want := range map[string]os.FileMode{d.Dir: 0o700, filepath.Dir(d.file()): 0o700, d.file(): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
	for _, word := range []string{"hunter2", "tool output"} {
		if strings.Contains(d.bytes(), word) {
			t.Errorf("%q is in the file", word)
		}
	}
	var last struct {
		Mark struct{ Bad int }
	}
	lines := strings.Split(strings.TrimSpace(d.bytes()), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Mark.Bad != 1 {
		t.Errorf("%d bad lines counted, %v, want 1", last.Mark.Bad, err)
	}
}

// Whatever of the last write reached the disk, the next time makes it whole.
func TestTakingInThatWasKilledIsNeitherLostNorDoubled(t *testing.T) {
	d := newFixture(t)
	d.writes("user p1: one", "assistant: two")
	d.takes(all)
	before := len(d.bytes())
	d.writes("user p2: three", "assistant: four")
	d.takes(all)
	whole := d.bytes()
	for cut := before; cut <= len(whole); cut++ {
		put(t, d.file(), whole[:cut])
		if got := d.kept(""); cut < len(whole) && len(got) != 2 {
			t.Fatalf("cut at %d: %q counts before it is marked", cut, got)
		}
		d.takes(all)
		if got := d.bytes(); got != whole {
			t.Fatalf("cut at %d: got\n%s\nwant\n%s", cut, got, whole)
		}
	}
}

func TestWhatCannotBeJudgedYetWaits(t *testing.T) {
	d := newFixture(t)
	known := map[string]bool{"p1": true}
	judge := func(s *mem.ArchivedUtterance) mem.Verdict {
		switch {
		case known[s.PromptID]:
			return mem.Keep
		case known["p3"]:
			return mem.Skip
		}
		return mem.Defer
	}
	d.writes("user p1: one", "assistant: two", "user p2: three", "assistant: four")
	d.takes(judge)
	d.takes(judge)
	d.wants("before the second turn is known", "user p1: one", "assistant p1: two")
	known["p3"] = true
	d.writes("user p3: five", "assistant: six")
	d.takes(judge)
	d.wants("once a later one is", "user p1: one", "assistant p1: two", "user p3: five", "assistant p3: six")
}

func TestWhatWaitedIsTakenInOnceItIsKnown(t *testing.T) {
	d := newFixture(t)
	known := map[string]bool{"p1": true}
	judge := func(s *mem.ArchivedUtterance) mem.Verdict {
		if known[s.PromptID] {
			return mem.Keep
		}
		return mem.Defer
	}
	d.writes("user p1: one", "assistant: two", "user p2: three", "assistant: four")
	d.takes(judge)
	d.takes(judge)
	known["p2"] = true
	d.takes(judge)
	d.wants("all", "user p1: one", "assistant p1: two", "user p2: three", "assistant p2: four")
}

func TestALongTornEndIsCutOff(t *testing.T) {
	d := newFixture(t)
	d.writes("user p1: one")
	d.takes(all)
	torn := d.bytes() + strings.Repeat(`{"id":"u9","text":"torn"}`+"\n", 100)
	put(t, d.file(), torn)
	d.writes("assistant: two")
	d.takes(all)
	if strings.Contains(d.bytes(), "torn") {
		t.Errorf("left: %s", d.bytes())
	}
	d.wants("all", "user p1: one", "assistant p1: two")
}

func TestAnswersToAPrivatePromptStayOutInALaterPartToo(t *testing.T) {
	for name, prompts := range map[string][2]string{
		"numbered":     {"user p1: ", "user p2: "},
		"not numbered": {"user : ", "user : "},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			d.writes(prompts[0]+"<private>one</private>", "assistant: two")
			d.takes(all)
			d.writes("assistant: three", `{"type":"user","toolUseResult":{},"message":{"content":"x"}}`)
			d.takes(all)
			d.writes("assistant: four", prompts[1]+"five", "assistant: six")
			d.takes(all)
			var got []string
			for _, s := range d.kept("") {
				_, text, _ := strings.Cut(s, ": ")
				got = append(got, text)
			}
			if !slices.Equal(got, []string{"five", "six"}) {
				t.Errorf("kept %q, want five and six", got)
			}
		})
	}
}

func TestAnswersToAPromptWithAPrivatePartStayOut(t *testing.T) {
	for _, parts := range []int{1, 2} {
		d := newFixture(t)
		d.writes("user p1: hello there", "assistant: hello", "user p2: my name is <private>hush</private>, say hello")
		if parts == 2 {
			d.takes(all)
		}
		d.writes("assistant: hello hush", "user p2: louder", "assistant: HELLO hush", "user p3: and now",
			"assistant: nothing")
		d.takes(all)
		d.wants(fmt.Sprint("in parts: ", parts), "user p1: hello there", "assistant p1: hello",
			"user p2: my name is , say hello",
			"user p2: louder", "user p3: and now", "assistant p3: nothing")
	}
}

func TestAnArchiveWithoutAPrivacyCheckTakesNothingIn(t *testing.T) {
	d := newFixture(t)
	d.Private = nil
	d.writes("user p1: hello there")
	if _, err := d.Take(t.Context(), d.session, d.record, all); err == nil {
		t.Error("no error")
	}
	d.wants("nothing")
}

func TestARecordThatWasWrittenAnewIsNotTakenTwice(t *testing.T) {
	d := newFixture(t)
	d.writes("user p1: one", "assistant: two", "user p2: three")
	d.takes(all)
	lines := strings.SplitAfter(d.text.String(), "\n")
	d.text.Reset()
	d.text.WriteString(strings.Join(lines[1:], "")) // the client dropped its first line
	d.writes("assistant: four")
	d.takes(all)
	d.wants("again", "user p1: one", "assistant p1: two", "user p2: three", "assistant p2: four")
}

func TestErasedWordsLeaveNoByteAndDoNotComeBack(t *testing.T) {
	d := newFixture(t)
	d.writes("user p1: keep one", "assistant: lose two", "user p2: keep three")
	d.takes(all)
	for name, text := range map[string]string{d.file(): d.bytes() + `{"id":"u9","text":"lose torn`, d.file() +
		".part": "lose more"} {
		put(t, name, text)
	}
	err := d.Rewrite(t.Context(), "one", func(s mem.ArchivedUtterance) (mem.ArchivedUtterance, bool) {
		return s, !strings.Contains(s.Text, "lose")
	})
	if err != nil {
		t.Fatal(err)
	}
	d.wants("rest", "user p1: keep one", "user p2: keep three")
	entries, _ := os.ReadDir(filepath.Dir(d.file()))
	if strings.Contains(d.bytes(), "lose") || len(entries) != 1 {
		t.Errorf("left: %d files, %s", len(entries), d.bytes())
	}
	d.writes("assistant: keep four")
	d.takes(all)
	d.wants("later", "user p1: keep one", "user p2: keep three", "assistant p2: keep four")

	torn := d.bytes() + `{"id":"u9","text":"lose torn`
	put(t, d.file(), torn)
	nothing := func(s mem.ArchivedUtterance) (mem.ArchivedUtterance, bool) { return s, true }
	if err := d.Rewrite(t.Context(), "one", nothing); err != nil || strings.Contains(d.bytes(), "lose") {
		t.Errorf("%v; what was cut off is left: %s", err, d.bytes())
	}
	if err := d.Rewrite(t.Context(), "", func(s mem.ArchivedUtterance) (mem.ArchivedUtterance, bool) {
		return s, false
	}); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(d.Dir, "*")); len(left) > 0 {
		t.Errorf("nothing is kept, but %q", left)
	}
}

func TestLookingThroughTheArchiveChangesNothing(t *testing.T) {
	d := newFixture(t)
	d.writes("user p1: one", "assistant: two")
	d.takes(all)
	lines := strings.SplitAfter(d.bytes(), "\n")
	was := lines[0] + "{what nobody can read\n" + strings.Join(lines[1:], "") + `{"id":"u9","text":"torn`
	put(t, d.file(), was)
	var said []string
	if err := d.Each(t.Context(), func(s mem.ArchivedUtterance) { said = append(said, s.Text) }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"one", "two"}; !slices.Equal(said, want) || d.bytes() != was {
		t.Errorf("gave out %q, want %q; left\n%s, want\n%s", said, want, d.bytes(), was)
	}
}

func TestChangedWordsTakeThePlaceOfTheOldOnes(t *testing.T) {
	d := newFixture(t)
	d.writes("user p1: one", "assistant: two")
	d.takes(all)
	err := d.Rewrite(t.Context(), "", func(s mem.ArchivedUtterance) (mem.ArchivedUtterance, bool) {
		s.Text = strings.ReplaceAll(s.Text, "two", "[mark]")
		return s, true
	})
	if err != nil {
		t.Fatal(err)
	}
	d.wants("all", "user p1: one", "assistant p1: [mark]")
	was, _ := os.Stat(d.file())
	if err := d.Rewrite(t.Context(), "another", nil); err != nil {
		t.Fatal(err)
	}
	if now, _ := os.Stat(d.file()); !os.SameFile(was, now) {
		t.Error("another session's file was written")
	}
}

func TestSaidGoesOnAfterWhatWasGivenEvenIfItIsErased(t *testing.T) {
	d := newFixture(t)
	for n := range 120 {
		d.writes(fmt.Sprintf("user p%d: number %d", n, n))
	}
	d.takes(all)
	if got := d.kept("u118"); len(got) != 2 || got[0] != "user p118: number 118" {
		t.Errorf("after the 118th: %q", got)
	}
	if got := d.kept("not there"); len(got) != 120 {
		t.Errorf("after one that is not there: %d, want all", len(got))
	}
	var groups []int
	err := d.Utterances(t.Context(), d.session, "", func(list []mem.ArchivedUtterance) error {
		groups = append(groups, len(list))
		return nil
	})
	if err != nil || !slices.Equal(groups, []int{50, 50, 20}) {
		t.Errorf("groups %v, %v", groups, err)
	}
}

func TestOldWordsAreDropped(t *testing.T) {
	d := newFixture(t)
	d.writes("user p1: one", "assistant: two", "user p2: three")
	d.takes(all)
	n, err := d.DropBefore(t.Context(), time.Date(2026, 3, 2, 9, 0, 3, 0, time.UTC))
	if err != nil || n != 2 {
		t.Errorf("dropped %d, %v, want 2", n, err)
	}
	d.wants("rest", "user p2: three")
	if n, err := d.DropBefore(t.Context(), time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC)); err != nil || n != 0 {
		t.Errorf("dropped %d, %v, want 0", n, err)
	}
}

func TestNoIdLeadsOutOfTheArchive(t *testing.T) {
	d := newFixture(t)
	d.writes("user p1: one")
	for _, id := range []string{"../../out", "a/b", "..", "", strings.Repeat("x", 300), "a__b", "a\x00b", "a b"} {
		d.session.ID, d.session.Project = id, id
		d.takes(all)
		d.wants(id, "user p1: one")
	}
	outside, _ := filepath.Glob(filepath.Join(filepath.Dir(d.Dir), "*"))
	if len(outside) != 2 { // the archive and the record
		t.Errorf("there is %q", outside)
	}
}

func TestAPartHoldsABoundedNumberOfWords(t *testing.T) {
	long := strings.Repeat("word ", 50_000)
	var b strings.Builder
	for n := range 60 {
		fmt.Fprintf(&b, `{"type":"assistant","uuid":"u%d","message":{"id":"m%d","content":%q}}`+"\n", n, n, long)
	}
	p := readText(t, b.String())
	if got := len(p.Said) * len(long); !p.More || got > transcript.MaxWords+transcript.MaxLine {
		t.Errorf("%d bytes in one part, more %t", got, p.More)
	}
	d := newFixture(t)
	d.save(b.String())
	d.takes(all)
	if got := d.kept(""); len(got) != 60 {
		t.Errorf("kept %d, want 60", len(got))
	}
}
