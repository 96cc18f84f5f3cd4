//go:build linux || darwin

package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/views"
)

// twoClones makes two checkouts of one repository that have no remote, and so nothing in common that git knows.
func twoClones(t *testing.T) (one, two string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		who := []string{"-C", top, "-c", "user.name=x", "-c", "user.email=x@x.example"}
		cmd := exec.Command("git", append(who, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	one, two = filepath.Join(top, "one"), filepath.Join(top, "two")
	git("init", "-q", one)
	git("-C", one, "commit", "-q", "-m", "x", "--allow-empty")
	git("clone", "-q", one, two)
	git("-C", two, "remote", "remove", "origin")
	return one, two
}

func trust(t *testing.T, p config.Paths, dir string) {
	t.Helper()
	pr, err := project.Identify(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := TrustProject(p, pr, "", time.Now()); err != nil {
		t.Fatal(err)
	}
}

// A file of a trusted repository names its project, so that clones without a remote share a memory, also one that was
// stored before. The file of a repository that is not trusted has no effect.
func TestAProjectIDJoinsClonesOnceTheyAreTrusted(t *testing.T) {
	h, p := openDaemon(t)
	defer h.Store.Close()
	one, two := twoClones(t)
	n := 0
	finds := func(dir, query string) bool {
		t.Helper()
		n++
		e := mem.Event{
			ID: "e_" + string(rune('a'+n)), Agent: "claude-code", Kind: mem.UserPromptSubmit, At: time.Now(),
			Root: dir, Cwd: dir, Session: dir, PromptID: "p" + string(rune('a'+n)), Text: "go on, please",
		}
		if _, err := h.Engine.Handle(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		at, err := h.Engine.Event.Place(t.Context(), mem.ProjectRef{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		got, err := h.Store.List(t.Context(), mem.Query{Text: query, Project: at.Key, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return len(got) > 0
	}
	if finds(one, "jitter") {
		t.Fatal("something is there before it is stored")
	}
	if _, err := h.Engine.Curate.Add(t.Context(), curate.AddRequest{
		ProjectRef: mem.ProjectRef{Dir: one}, Text: "The gateway of the till needs a backoff with jitter",
	}); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{one, two} {
		lay(t, config.ProjectFile(dir), "[project]\nid = \"till\"\nname = \"The till\"\n")
	}
	if !finds(one, "jitter") || finds(two, "jitter") {
		t.Fatal("the files of repositories that are not trusted have an effect")
	}
	trust(t, p, one)
	trust(t, p, two)
	if !finds(one, "jitter") || !finds(two, "jitter") {
		t.Error("clones with one project.id do not share the memory that one of them had")
	}
	ps, err := h.Store.Projects(t.Context(), "The till")
	if err != nil || len(ps) == 0 {
		t.Errorf("no project has the name of the file: %v, %v", ps, err)
	}
	lay(t, config.ProjectFile(two), "[project]\nid = \"another\"\n")
	if !finds(one, "jitter") {
		t.Error("the other clone lost it")
	}
}

// The file may lower a budget and exclude paths, and nothing else.
func TestAProjectFileNeverGivesMore(t *testing.T) {
	h, p := openDaemon(t)
	defer h.Store.Close()
	root, _ := twoClones(t)
	lay(t, config.ProjectFile(root), strings.Join([]string{
		"privacy.exclude_paths = ['**/customers/**']", "digest.provider = 'openai'", "hooks.user_prompt.token_budget = 100",
		"hooks.session_start.token_budget = 9999",
	}, "\n"))
	trust(t, p, root)
	files := &projectFiles{trust: &TrustList{Paths: p}, log: discard()}
	pr, err := files.identify(root)
	if err != nil || pr.File == nil {
		t.Fatalf("%+v, %v", pr, err)
	}
	own := h.Config.settings()
	got := own.In(pr)
	if got.Budgets.UserPrompt != 100 || got.Budgets.SessionStart != own.Budgets.SessionStart {
		t.Errorf("budgets %+v, want 100 with a prompt, and that of the person at the start", got.Budgets)
	}
	ask := views.NextRequest{ProjectRef: mem.ProjectRef{Dir: root}, Prompt: "which customer?"}
	next, err := h.Engine.Next(t.Context(), ask)
	if err != nil || next.Budget != 100 {
		t.Errorf("next shows a budget of %d, want 100: %v", next.Budget, err)
	}
	if n := len(got.ExcludePaths); n != len(own.ExcludePaths)+1 || got.ExcludePaths[n-1] != "**/customers/**" {
		t.Errorf("excluded are %v, want one more than %v", got.ExcludePaths, own.ExcludePaths)
	}
}
