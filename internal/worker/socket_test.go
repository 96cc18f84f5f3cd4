package worker

import (
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestASocketThatFitsNowhereSaysWhy(t *testing.T) {
	deep := filepath.Join(t.TempDir(), strings.Repeat("d", maxSocketPath()))
	if err := os.Mkdir(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", deep)
	t.Setenv("TMP", deep)
	l, _, err := listen("data", []string{deep}, slog.New(slog.DiscardHandler))
	if err == nil {
		_ = l.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "too long for a socket") {
		t.Errorf("error %v", err)
	}
}

func TestTheSocketOfAKilledDaemonIsRemoved(t *testing.T) {
	temp, err := os.MkdirTemp("", "rem") // short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	t.Setenv("TMPDIR", temp)
	left := func(data string) string {
		t.Helper()
		l, path, err := listen(data, nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false) // as after kill -9
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one, other := t.TempDir(), t.TempDir()
	socket, beside := left(one), left(other)
	for _, data := range []string{one, one} { // the second time there is none
		if err := RemoveTempSocket(data); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Lstat(socket); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v, want it removed", socket, err)
	}
	if _, err := os.Lstat(beside); err != nil {
		t.Errorf("the socket of another daemon: %v", err)
	}
	if err := RemoveTempSocket(other); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Dir(beside)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v, want it removed", filepath.Dir(beside), err)
	}
	if err := RemoveTempSocket(filepath.Join(one, "none")); err != nil {
		t.Errorf("a data directory that does not exist: %v", err)
	}
}
