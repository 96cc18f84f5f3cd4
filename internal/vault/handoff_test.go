package vault

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

var shop = mem.Project{Key: "p_0a1b2c3d4e5f", Name: "Web Shop"}

func newVault(t *testing.T) *Vault {
	t.Helper()
	return &Vault{Dir: t.TempDir()}
}

func handoffText(t *testing.T, v *Vault, p mem.Project) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(v.Dir, filepath.FromSlash(HandoffFile(p))))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAppendixDoesNotChangeTheWrittenHandoff(t *testing.T) {
	v := newVault(t)
	if err := v.WriteHandoff(shop, "# Handoff\n\nGoing on with the retry of the webhook sender.\n\n## "+
		"Decisions\nBackoff starts at 2 s."); err != nil {
		t.Fatal(err)
	}
	rich := handoffText(t, v, shop)
	for _, tail := range []string{
		"- asked: add jitter",
		"- asked: raise the limit\n## not a section of ours\n- edited: send.go",
	} {
		if err := v.WriteAppendix(shop, tail); err != nil {
			t.Fatal(err)
		}
	}
	text := handoffText(t, v, shop)
	if !strings.HasPrefix(text, rich) {
		t.Errorf("the rich part changed:\n%s", text)
	}
	if n := strings.Count(text, vaultfile.AppendixHeading); n != 1 {
		t.Errorf("%d tails, want 1:\n%s", n, text)
	}
	got, err := v.ReadHandoff(shop)
	if err != nil {
		t.Fatal(err)
	}
	if want := "- asked: raise the limit\n### not a section of ours\n- edited: send.go"; got.Appendix != want {
		t.Errorf("tail %q, want %q", got.Appendix, want)
	}
	if got.Rich != strings.TrimSpace(rich) || got.At.IsZero() {
		t.Errorf("got %+v", got)
	}
}

func TestSectionBelowTheAppendixStays(t *testing.T) {
	v := newVault(t)
	if err := v.WriteAppendix(shop, "- old"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(v.Dir, filepath.FromSlash(HandoffFile(shop)))
	mine := handoffText(t, v, shop) + "\n## My notes\r\nask Ann   \r\n"
	if err := os.WriteFile(file, []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := v.WriteAppendix(shop, "- new"); err != nil {
		t.Fatal(err)
	}
	text := handoffText(t, v, shop)
	if !strings.Contains(text, "## My notes\r\nask Ann   \r\n") || strings.Contains(text, "- old") ||
		strings.Count(text, vaultfile.AppendixHeading) != 1 {
		t.Errorf("got:\n%s", text)
	}
}

func TestNewHandoffHasNoAppendix(t *testing.T) {
	v := newVault(t)
	for _, step := range []error{
		v.WriteHandoff(shop, "first"), v.WriteAppendix(shop, "- since"),
		v.WriteHandoff(shop, "second\n"+vaultfile.AppendixHeading+"\n- forged"),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	if got := handoffText(t, v, shop); got != "second\n" {
		t.Errorf("got %q", got)
	}
}

func TestProjectsOfOneNameHaveHandoffsOfTheirOwn(t *testing.T) {
	v := newVault(t)
	other := mem.Project{Key: "p_ffffffffffff", Name: "Web Shop"}
	if err := errors.Join(v.WriteHandoff(shop, "here"), v.WriteHandoff(other, "there")); err != nil {
		t.Fatal(err)
	}
	if got, _ := v.ReadHandoff(shop); got.Rich != "here" {
		t.Errorf("got %q", got.Rich)
	}
	for name, want := range map[string]string{
		"Web Shop": "handoff/web-shop-0a1b2c/.handoff.md", "../../etc": "handoff/etc-0a1b2c/.handoff.md",
		"": "handoff/project-0a1b2c/.handoff.md",
	} {
		if got := HandoffFile(mem.Project{Key: shop.Key, Name: name}); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestWithoutAVaultNothingIsWritten(t *testing.T) {
	v := &Vault{Dir: filepath.Join(t.TempDir(), "none")}
	if err := v.WriteHandoff(shop, "x"); !errors.Is(err, ErrNone) {
		t.Errorf("got %v", err)
	}
	if err := v.WriteAppendix(shop, "x"); !errors.Is(err, ErrNone) {
		t.Errorf("got %v", err)
	}
	if got, err := v.ReadHandoff(shop); err != nil || got.Rich+got.Appendix != "" {
		t.Errorf("got %+v, %v", got, err)
	}
	if v.There() {
		t.Error("it was made")
	}
}

func TestAHandoffBehindALinkIsNeitherReadNorReplaced(t *testing.T) {
	v := newVault(t)
	outside := filepath.Join(t.TempDir(), "mine.md")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(v.Dir, filepath.FromSlash(HandoffFile(shop)))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]func(string, string) error{"symbolic": os.Symlink, "hard": os.Link} {
		if err := link(outside, file); err != nil {
			t.Fatal(err)
		}
		if got, err := v.ReadHandoff(shop); err == nil || got.Rich+got.Appendix != "" {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
		if err := v.WriteAppendix(shop, "- x"); err == nil {
			t.Errorf("%s: written", name)
		}
		if b, err := os.ReadFile(outside); err != nil || string(b) != "mine" {
			t.Errorf("%s: outside holds %q, %v", name, b, err)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

func TestErasingLeavesOfAHandoffWhatIsNotErased(t *testing.T) {
	for rich, want := range map[string]string{
		"Task: paint the walrus.\n**Next**: buy forty herrings": "",
		"Task: something else": "Task: something else",
		"":                     "",
	} {
		v := newVault(t)
		if err := errors.Join(v.WriteHandoff(shop, rich), v.WriteAppendix(shop, "- asked: secret things"),
			v.EraseHandoff(shop, []string{"buy forty herrings"})); err != nil {
			t.Fatal(err)
		}
		got, err := v.ReadHandoff(shop)
		if err != nil || got.Rich != want || got.Appendix != "" {
			t.Errorf("of %q is left %+v, %v", rich, got, err)
		}
		if _, err := os.Stat(filepath.Join(v.Dir, filepath.FromSlash(HandoffFile(shop)))); (err == nil) != (want != "") {
			t.Errorf("of %q the file is left: %v", rich, err)
		}
	}
}
