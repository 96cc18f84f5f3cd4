//go:build unix

package transcript_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"remanence/internal/transcript"
	"remanence/test/tier"
)

// secret is a file that has the form of a record and is none of the session's.
const secret = `{"type":"user","message":{"content":"the heron key is 4711"}}` + "\n" +
	`{"type":"assistant","message":{"content":"heron"}}` + "\n"

// readAll reads a path in both ways; said is all that is said there.
func readAll(path string) (said string) {
	redact := func(s string) string { return s }
	part, err := transcript.Tail(path, 200, redact)
	if err == nil {
		for _, u := range part.Said {
			said += u.Text + "\n"
		}
	}
	part, err = transcript.Read(path, 0, redact)
	if err == nil {
		for _, u := range part.Said {
			said += u.Text + "\n"
		}
	}
	return said
}

func TestOnlyAPlainFileOfOneNameIsRead(t *testing.T) {
	for name, arrange := range map[string]func(t *testing.T, dir, file string) error{
		"pipe":      func(_ *testing.T, _, file string) error { return syscall.Mkfifo(file, 0o600) },
		"directory": func(_ *testing.T, _, file string) error { return os.Mkdir(file, 0o700) },
		"link to a secret": func(t *testing.T, dir, file string) error {
			return os.Symlink(put(t, dir+"/secret", secret), file)
		},
		"a second name": func(t *testing.T, dir, file string) error {
			return os.Link(put(t, dir+"/secret", secret), file)
		},
		"link to a device":  func(_ *testing.T, _, file string) error { return os.Symlink("/dev/zero", file) },
		"link to the users": func(_ *testing.T, _, file string) error { return os.Symlink("/etc/passwd", file) },
		"link to itself":    func(_ *testing.T, _, file string) error { return os.Symlink(file, file) },
		"keys":              func(t *testing.T, _, file string) error { put(t, file, keyFile); return nil },
		"huge and empty": func(t *testing.T, _, file string) error {
			put(t, file, "")
			return os.Truncate(file, 8<<30)
		},
		"nothing": func(*testing.T, string, string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "one.jsonl")
			if err := arrange(t, dir, file); err != nil {
				t.Fatal(err)
			}
			if said := readAll(file); said != "" {
				t.Errorf("said %q, want nothing", said)
			}
		})
	}
}

const keyFile = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n-----END OPENSSH " +
	"PRIVATE KEY-----\n"

func TestOddPathsAreNoRecords(t *testing.T) {
	for _, path := range []string{
		"", ".", "..", "/", "/dev/null", "/dev/zero", "/dev/tty", "/proc/self/mem", "/etc/passwd", "a\x00b",
		"../../../../etc/passwd", strings.Repeat("/x", 4000), "/proc/kmsg",
	} {
		if said := readAll(path); said != "" {
			t.Errorf("%.20q: said %q, want nothing", path, said)
		}
	}
}

// What is exchanged between looking and opening is neither read nor waited for.
func TestAnExchangedRecordIsNotFollowed(t *testing.T) {
	dir := t.TempDir()
	file := put(t, filepath.Join(dir, "one.jsonl"), strings.ReplaceAll(secret, "heron", "robin"))
	other := put(t, filepath.Join(dir, "secret"), secret)
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			if os.Rename(file, file+".away") != nil {
				continue
			}
			if i%2 == 0 {
				_ = os.Symlink(other, file)
			} else {
				_ = syscall.Mkfifo(file, 0o600)
			}
			_ = os.Remove(file)
			_ = os.Rename(file+".away", file)
		}
	})
	said := ""
	for range tier.Runs(1000, 200000) {
		if said = readAll(file); strings.Contains(said, "heron") {
			break
		}
	}
	close(done)
	all.Wait()
	if strings.Contains(said, "heron") {
		t.Errorf("said %q, which is another file's", said)
	}
}
