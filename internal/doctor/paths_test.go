package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"remanence/internal/config"
)

func TestADatabaseThatOthersCanReadIsSeenWhateverItsDirectoryIsCalled(t *testing.T) {
	p := config.Paths{Data: filepath.Join(t.TempDir(), "[data]")}
	if err := os.MkdirAll(p.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	wal := p.Database() + "-wal"
	if err := os.WriteFile(wal, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing here")
	}
	if got, want := exposedFiles(p), []string{wal + " 0644"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
