//go:build fire && linux

package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestATraceRecordsEachSystemCall reads records of a life in which a process of a
// worker is killed and another goes on. A call that the kill ended counts as the
// files say that were found; a record that does not lead to them is refused.
func TestATraceRecordsEachSystemCall(t *testing.T) {
	const home, log = "/home/ada", "/home/ada/.local/share/remanence/remanence.db-wal"
	rest := func(content string) string {
		text := fmt.Sprintf(`rest {\"%s\":\"%s\"}\n`, log[len(home):], digest([]byte(content)))
		return fmt.Sprintf(`1 write(5<%s/marks>, "%s", %d) = %[3]d`, home, text, len(text)-5)
	}
	opened := fmt.Sprintf(`2 openat(AT_FDCWD</>, "%s", O_RDWR|O_CREAT, 0600) = 8<%[1]s>`, log)
	write := func(pid int, s string, at int, result string) string {
		return fmt.Sprintf(`%d pwrite64(8<%s>, "%s", %d, %d%s`, pid, log, s, len(s), at, result)
	}
	const done, killed, end = ") = 4", ") = ?", "1 +++ exited with 0 +++"
	cut := fmt.Sprintf("2 ftruncate(8<%s>, 0", log)
	for _, c := range []struct {
		name  string
		lines []string
		want  string // of the log; "" if the record is to be refused
	}{
		{"killed before the log was cut off", []string{
			opened, write(2, "old!", 0, done), cut + killed,
			"2 +++ killed by SIGKILL +++", rest("old!"), write(3, "new!", 4, done), end,
		}, "old!new!"},
		{"killed after it", []string{
			opened, write(2, "old!", 0, done), cut + killed, "2 +++ killed by SIGKILL +++", rest(""),
			write(3, "new!", 0, done), end,
		}, "new!"},
		{"killed with nothing more said of it", []string{
			opened, write(2, "old!", 0, done), cut + " <unfinished ...>",
			"2 +++ killed by SIGKILL +++", rest("old!"), end,
		}, "old!"},
		{"killed and let go", []string{
			opened, write(2, "old!", 0, done), cut + " <detached ...>",
			"2 +++ killed by SIGKILL +++", rest("old!"), end,
		}, "old!"},
		{"one of two done", []string{
			opened, write(2, "old!", 0, killed), write(4, "tail", 4, " <unfinished ...>"),
			"4 +++ killed by SIGKILL +++", rest("old!"), end,
		}, "old!"},
		{"interrupted and begun anew", []string{
			opened, cut + ") = ? ERESTARTSYS (To be restarted if SA_RESTART is set)",
			write(2, "old!", 0, done), rest("old!"), end,
		}, "old!"},
		{"over two lines", []string{
			opened, write(2, "old!", 0, " <unfinished ...>"), "2 <... pwrite64 resumed>) = 4",
			rest("old!"), end,
		}, "old!"},
		{"a write is missing", []string{opened, rest("old!"), end}, ""},
		{"a write has lost its middle", []string{
			opened, strings.Replace(write(2, "old!", 0, done), "ld", "", 1), rest("o!"),
			end,
		}, ""},
		{"an end without a beginning", []string{opened, "2 <... pwrite64 resumed>) = 4", rest(""), end}, ""},
		{"a beginning without an end", []string{opened, write(2, "old!", 0, " <unfinished ...>"), rest("old!"), end}, ""},
		{"it breaks off", []string{opened, write(2, "old!", 0, done), rest("old!")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			record := filepath.Join(t.TempDir(), "record")
			lines := append([]string{"1 write(5<" + home + `/marks>, "begin\n", 6) = 6`}, c.lines...)
			if err := os.WriteFile(record, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := readFilm(record, home)
			if c.want == "" {
				if !errors.Is(err, errIncomplete) {
					t.Errorf("got %v, want %v", err, errIncomplete)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			p := newPlayer(f)
			if err := p.to(f.length); err != nil {
				t.Fatal(err)
			}
			if got := string(p.at.data.whole()[log[len(p.at.data.root):]]); got != c.want {
				t.Errorf("the log holds %q, want %q", got, c.want)
			}
		})
	}
}

// TestAnUnfinishedFsyncKeepsNothing: nor does one keep what was still on its way.
func TestAnUnfinishedFsyncKeepsNothing(t *testing.T) {
	const home, log = "/home/ada", "/home/ada/.local/share/remanence/remanence.db-wal"
	record := filepath.Join(t.TempDir(), "record")
	text := fmt.Sprintf(`1 write(5<%[1]s/marks>, "begin\n", 6) = 6
2 openat(AT_FDCWD</>, "%[2]s", O_RDWR|O_CREAT, 0600) = 8<%[2]s>
2 pwrite64(8<%[2]s>, "old!", 4, 0) = 4
2 fsync(8<%[2]s>) = 0
2 pwrite64(8<%[2]s>, "more", 4, 4 <unfinished ...>
3 fsync(8<%[2]s>) = 0
3 fsync(8<%[2]s>) = ?
2 +++ killed by SIGKILL +++
1 +++ exited with 0 +++
`, home, log)
	if err := os.WriteFile(record, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := readFilm(record, home)
	if err != nil {
		t.Fatal(err)
	}
	p := newPlayer(f)
	if err := p.to(f.length); err != nil {
		t.Fatal(err)
	}
	if got := string(p.at.data.names[log].safe); got != "old!" {
		t.Errorf("safe is %q, want %q", got, "old!")
	}
}
