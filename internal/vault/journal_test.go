package vault

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEntriesOfTheJournalStandOneBelowTheOther(t *testing.T) {
	v := newVault(t)
	file := filepath.Join(v.Dir, "LOG.md")
	if err := os.WriteFile(file, []byte("# My log\nby hand"), 0o640); err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{"## one\n\n- first\n", "## two\n\n- second", "## two\n\n- second\n\n"} {
		if got, err := v.AppendLog(entry); err != nil || got != file {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	b, err := os.ReadFile(file)
	if want := "# My log\nby hand\n\n## one\n\n- first\n\n## two\n\n- second\n"; err != nil || string(b) != want {
		t.Errorf("got %q, want %q", b, want)
	}
}

func TestAJournalOfAnySizeTakesAnEntry(t *testing.T) {
	v := newVault(t)
	long := strings.Repeat("a line of the log\n", maxFile/10)
	file := filepath.Join(v.Dir, "LOG.md")
	if err := os.WriteFile(file, []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := v.AppendLog("## one"); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(file); string(b) != long+"\n## one\n" {
		t.Errorf("the file has %d bytes", len(b))
	}
}

func TestAJournalBehindALinkIsNotWritten(t *testing.T) {
	v := newVault(t)
	other := filepath.Join(t.TempDir(), "other.md")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]func(string, string) error{"symbolic": os.Symlink, "hard": os.Link} {
		file := filepath.Join(v.Dir, "LOG.md")
		_ = os.Remove(file)
		if err := link(other, file); err != nil {
			t.Fatal(err)
		}
		if _, err := v.AppendLog("## one"); err == nil {
			t.Errorf("%s: no error", name)
		}
		if b, _ := os.ReadFile(other); string(b) != "mine" {
			t.Errorf("%s: got %q", name, b)
		}
	}
	if _, err := (&Vault{Dir: filepath.Join(v.Dir, "gone")}).AppendLog("## one"); !errors.Is(err, ErrNone) {
		t.Errorf("without a vault: %v", err)
	}
}
