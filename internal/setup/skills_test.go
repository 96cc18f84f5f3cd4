package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// skillFiles are the files below the directory of the skills, each with its text.
func skillFiles(t *testing.T, c Config) map[string]string {
	t.Helper()
	files := map[string]string{}
	paths, err := filepath.Glob(filepath.Join(c.SkillsDir(), "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(path, c.SkillsDir()+string(filepath.Separator))] = string(b)
	}
	return files
}

func clientsOf(t *testing.T, ids ...string) []Client {
	t.Helper()
	var list []Client
	for _, id := range ids {
		cl, ok := ClientByID(id)
		if !ok {
			t.Fatalf("no agent %s", id)
		}
		list = append(list, cl)
	}
	return list
}

func TestSkillsGoWithTheLastAgentThatHasThem(t *testing.T) {
	c := emptyMachine(t)
	list := clientsOf(t, "codex", "gemini", "qwen")
	for _, cl := range list {
		installClient(t, c, cl)
	}
	installed := skillFiles(t, c)
	const recall = "---\nname: remanence-recall\ndescription: Use it.\n---\nDo it.\n"
	if len(installed) != 2 || installed[filepath.Join("remanence-recall", "SKILL.md")] != recall {
		t.Fatalf("installed: %q", installed)
	}
	for i, cl := range list {
		if got := skillFiles(t, c); !sameTexts(got, installed) {
			t.Errorf("before the last: %q", got)
		}
		if i == len(list)-1 {
			break
		}
		uninstallClient(t, c, cl)
	}
	uninstallClient(t, c, list[len(list)-1])
	if dir := filepath.Dir(c.SkillsDir()); SameFile(dir, dir) {
		t.Errorf("%s is left: %q", dir, skillFiles(t, c))
	}
}

func TestSkillsGoWhereAllAgentsAreUninstalledAtOnce(t *testing.T) {
	c := emptyMachine(t)
	theirs := filepath.Join(c.SkillsDir(), "theirs", "SKILL.md")
	writeFile(t, theirs, "mine")
	var plans []ClientPlan // all before the first is carried out
	for _, cl := range clientsOf(t, "gemini", "codex") {
		p, err := PlanClient(c, cl, Parts{Hooks: true, Server: true, Skills: true})
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, p)
	}
	for _, p := range plans {
		if _, err := ApplyClient(c, p); err != nil {
			t.Fatal(err)
		}
	}
	if got := skillFiles(t, c); len(got) != 3 {
		t.Errorf("installed: %q", got)
	}
	var plan Removal
	for _, cl := range Clients() {
		removal, err := PlanClientRemoval(c, cl, plan.Steps...)
		if err != nil {
			t.Fatal(err)
		}
		plan.Steps = append(plan.Steps, removal.Steps...)
	}
	if err := Uninstall(c, plan); err != nil {
		t.Fatal(err)
	}
	if got := skillFiles(t, c); len(got) != 1 || got[filepath.Join("theirs", "SKILL.md")] != "mine" {
		t.Errorf("left: %q", got)
	}
	if left, _ := os.ReadDir(c.RecordDir); len(left) > 0 {
		t.Errorf("records are left: %v", left)
	}
}

func TestAFileOfAnotherNameInTheFolderOfASkillStays(t *testing.T) {
	c := emptyMachine(t)
	file := filepath.Join(c.SkillsDir(), "remanence-recall", "SKILL.md")
	writeFile(t, file, "---\nname: theirs\n---\n")
	cl := clientsOf(t, "codex")[0]
	p := installClient(t, c, cl)
	if !errors.Is(p.NoSkills, ErrForeign) || len(p.Events) == 0 || len(skillFiles(t, c)) != 2 {
		t.Errorf("got %v, %d events, %q", p.NoSkills, len(p.Events), skillFiles(t, c))
	}
	found, _ := CheckSkills(c)
	want := []string{"move " + file + " elsewhere", "remanence install codex"} // which alone would change nothing
	if found.State != Info || !slices.Equal(found.Fix, want) {
		t.Errorf("the finding is %+v, want the way to our skill", found)
	}
	uninstallClient(t, c, cl)
	got := skillFiles(t, c)
	if len(got) != 1 || got[filepath.Join("remanence-recall", "SKILL.md")] != "---\nname: theirs\n---\n" {
		t.Errorf("after uninstalling: %q", got)
	}
}

func TestHooksAreInstalledWhereSkillsCannotBeWritten(t *testing.T) {
	c := emptyMachine(t)
	cl := clientsOf(t, "codex")[0]
	p, err := PlanClient(c, cl, Parts{Hooks: true, Server: true, Skills: true, Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Dir(c.SkillsDir()), "no directory")
	done, err := ApplyClient(c, p)
	if !errors.Is(err, ErrSkills) || len(done) != 2 {
		t.Errorf("%d records, %v, want those of the settings and that skills are missing", len(done), err)
	}
	if left, _ := os.ReadDir(c.RecordDir); len(left) != 2 {
		t.Errorf("%d records are kept, want 2", len(left))
	}
	if got := CheckClient(c, cl); got.Findings[0].State != OK {
		t.Errorf("the hooks are %+v", got.Findings[0])
	}
}

// A later version has other skills, and others in their place.
func TestSkillsOfAnotherVersionAreReportedReplacedAndRemoved(t *testing.T) {
	c := emptyMachine(t)
	cl := clientsOf(t, "codex")[0]
	installClient(t, c, cl)
	later := c
	later.Plugin = fstest.MapFS{"skills/recall/SKILL.md": {Data: []byte("---\nname: recall\n---\nBetter.\n")}}
	differs := func() bool {
		found, ok := CheckSkills(later)
		return ok && found.State == Warn
	}
	if !differs() {
		t.Error("skills of another version are no finding")
	}
	installClient(t, later, cl)
	got := skillFiles(t, c)[filepath.Join("remanence-recall", "SKILL.md")]
	if !strings.Contains(got, "Better.") || differs() {
		t.Errorf("after the later version: %q, it differs: %v", got, differs())
	}
	uninstallClient(t, later, cl)
	if dir := filepath.Dir(c.SkillsDir()); SameFile(dir, dir) {
		t.Errorf("%s is left: %q", dir, skillFiles(t, c))
	}
}

func TestAVersionIsAddedToTheHooksOfCursorThatLackOne(t *testing.T) {
	cl := clientsOf(t, "cursor")[0]
	for text, want := range map[string]string{
		`{"hooks": {}}`: `"version": 1`, "{}": `"version": 1`, `{"version": 2}`: `{"version": 2`, "": `"version": 1`,
	} {
		c := emptyMachine(t)
		file := cl.targets[0].path(c)
		writeFile(t, file, text)
		installClient(t, c, cl)
		b, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(b), want) || strings.Count(string(b), `"version"`) != 1 {
			t.Errorf("%q became %q, %v", text, b, err)
		}
		uninstallClient(t, c, cl)
		if b, err := os.ReadFile(file); err != nil || string(b) != text {
			t.Errorf("after uninstalling: %q, %v; want %q", b, err, text)
		}
	}
}
