package instructions_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"remanence/internal/instructions"
	"remanence/internal/mem"
)

// tree writes files below a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		put(t, dir, name, text)
	}
	return dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTheFileThatAgentsReadIsChosen(t *testing.T) {
	for name, c := range map[string]struct {
		files       map[string]string
		file, apart string
		with        int
	}{
		"AGENTS.md alone": {map[string]string{"AGENTS.md": "# A\n"}, "AGENTS.md", "", 0},
		"CLAUDE.md alone": {map[string]string{"CLAUDE.md": "# C\n"}, "CLAUDE.md", "", 0},
		"an import":       {map[string]string{"AGENTS.md": "# A\n", "CLAUDE.md": "@AGENTS.md\n"}, "AGENTS.md", "", 1},
		"import and text": {
			map[string]string{"AGENTS.md": "# A\n", "CLAUDE.md": "Rules: @./AGENTS.md.\n\n- Use tabs.\n"}, "AGENTS.md", "", 1,
		},
		"a pointer to CLAUDE.md": {
			map[string]string{"AGENTS.md": "# A\n\nRead CLAUDE.md first.\n", "CLAUDE.md": "Use tabs.\n"},
			"CLAUDE.md", "AGENTS.md", 0,
		},
		"both with text": {
			map[string]string{"AGENTS.md": "Use tabs.\n", "CLAUDE.md": "Use pnpm. See `AGENTS.md`.\n"},
			"AGENTS.md", "CLAUDE.md", 0,
		},
	} {
		file, with, apart, err := instructions.Choose(tree(t, c.files), "")
		if err != nil || file.Name != c.file || apart != c.apart || len(with) != c.with {
			t.Errorf("%s: %s, %d with it, apart %q, %v", name, file.Name, len(with), apart, err)
		}
	}
	if _, _, _, err := instructions.Choose(t.TempDir(), ""); !errors.Is(err, instructions.ErrNone) {
		t.Errorf("no file: %v", err)
	}
}

func TestALinkIsOneFileAndMayNotLeaveTheProject(t *testing.T) {
	dir := tree(t, map[string]string{"AGENTS.md": "# A\n"})
	if err := os.Symlink("AGENTS.md", filepath.Join(dir, "CLAUDE.md")); err != nil {
		t.Skip("no links here")
	}
	file, with, apart, err := instructions.Choose(dir, "")
	if err != nil || file.Name != "AGENTS.md" || len(with) != 0 || apart != "" {
		t.Errorf("%s, %d with it, apart %q, %v", file.Name, len(with), apart, err)
	}
	if linked, _, _, err := instructions.Choose(dir, filepath.Join(dir, "CLAUDE.md")); err != nil || linked != file {
		t.Errorf("by its link the file is %+v, %v, want %+v", linked, err, file)
	}
	if err := instructions.Write(file, "# B\n"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "CLAUDE.md")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	outside := filepath.Join(t.TempDir(), "AGENTS.md")
	put(t, filepath.Dir(outside), "AGENTS.md", "# Mine\n")
	other := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(other, "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := instructions.Choose(other, ""); err == nil {
		t.Error("a file outside of the project is chosen")
	}
}

func TestAReadOnlyFileIsNotWritten(t *testing.T) {
	dir := tree(t, map[string]string{"AGENTS.md": "# A\n"})
	file, _, _, err := instructions.Choose(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file.Path, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := instructions.Write(file, "# B\n"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want that it is not permitted", err)
	}
	if got, err := os.ReadFile(file.Path); err != nil || string(got) != "# A\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAFileThatChangedMeanwhileIsNotWritten(t *testing.T) {
	dir := tree(t, map[string]string{"AGENTS.md": "# A\n"})
	file, _, _, err := instructions.Choose(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "AGENTS.md", "# Edited\n")
	if err := instructions.Write(file, "# B\n"); !errors.Is(err, instructions.ErrChanged) {
		t.Errorf("got %v", err)
	}
	if got, err := os.ReadFile(file.Path); err != nil || string(got) != "# Edited\n" {
		t.Errorf("%q, %v", got, err)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("%d files, %v", len(names), err)
	}
}

func TestWhatAnAgentReadsIsKnownUntilTheFileChanges(t *testing.T) {
	dir := tree(t, map[string]string{
		"AGENTS.md": "- Use tabs.\n", "CLAUDE.md": "- Use pnpm.\n", ".github/copilot-instructions.md": "- Use make.\n",
	})
	var c instructions.Cache
	p := mem.Project{Root: dir}
	says := func(agent, claim string, since time.Time) bool {
		return c.Says(p, agent, since, mem.Memory{ID: claim, Title: claim})
	}
	for _, q := range []struct {
		agent, claim string
		want         bool
	}{
		{"claude-code", "use pnpm", true},
		{"claude-code", "use tabs", false},
		{"codex", "use tabs", true},
		{"codex", "use pnpm", false},
		{"copilot", "use make", true},
		{"copilot", "use tabs", true},
		{"gemini", "use tabs", false},
		{"opencode", "use tabs", true},
	} {
		if got := says(q.agent, q.claim, time.Time{}); got != q.want {
			t.Errorf("%s reads %q: %t", q.agent, q.claim, got)
		}
	}
	if says("codex", "use tabs", time.Now().Add(-time.Hour)) {
		t.Error("a session that began before the file was written has read it")
	}
	put(t, dir, "AGENTS.md", "- Use two spaces.\n")
	if says("codex", "use tabs", time.Time{}) {
		t.Error("a line that was removed still counts")
	}
	put(t, dir, "CLAUDE.md", "@AGENTS.md\n")
	if !says("claude-code", "use two spaces", time.Time{}) {
		t.Error("an imported file does not count")
	}
	if err := os.Remove(filepath.Join(dir, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	if !says("claude-code", "use two spaces", time.Time{}) {
		t.Error("without a CLAUDE.md, Claude Code reads AGENTS.md")
	}
	if c.Says(mem.Project{}, "codex", time.Time{}, mem.Memory{Title: "use tabs"}) {
		t.Error("no project has a file")
	}
}

func BenchmarkSays(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("- Use tabs.\n- Use pnpm.\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	var c instructions.Cache
	m := mem.Memory{ID: "m_1", Title: "use two spaces"}
	for b.Loop() {
		c.Says(mem.Project{Root: dir}, "codex", time.Time{}, m)
	}
}
