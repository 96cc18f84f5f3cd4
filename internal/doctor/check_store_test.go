package doctor

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestTheSettingsThatCountMostSayHowLongTranscriptsStay(t *testing.T) {
	dir := t.TempDir()
	user, local := filepath.Join(dir, "user.json"), filepath.Join(dir, "local.json")
	for _, step := range []struct {
		file, text string
		days       int
		from       string
	}{
		{user, `{}`, 0, ""},
		{user, `{"cleanupPeriodDays": 90}`, 90, user},
		{local, `{"cleanupPeriodDays": 7}`, 7, local},
		{local, `{"cleanupPeriodDays": "soon"}`, 90, user},
	} {
		if err := os.WriteFile(step.file, []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if days, from := cleanupDays([]string{user, local, ""}); days != step.days || from != step.from {
			t.Errorf("%s: got %d days from %q, want %d from %q", step.text, days, from, step.days, step.from)
		}
	}
}

func TestSettingsWithoutEndSayNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(file, append(bytes.Repeat([]byte(" "), maxHostFile), `{"cleanupPeriodDays": 7}`...),
		0o600); err != nil {
		t.Fatal(err)
	}
	if days, from := cleanupDays([]string{file}); from != "" {
		t.Errorf("got %d days from a file of more than %d bytes", days, maxHostFile)
	}
}
