//go:build fire && linux

package privacy

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"remanence/internal/worker"
	"remanence/test/world"
)

// loose is a shell call of the program under the umask that hides nothing.
func loose(p *world.Person, args ...string) *exec.Cmd {
	cmd := p.Command(args...)
	cmd.Path = "/bin/sh"
	cmd.Args = append([]string{"sh", "-c", `umask 000; exec "$0" "$@"`, world.Binary}, args...)
	return cmd
}

// open is a person whose whole surroundings every user may write to.
func open(t *testing.T) *world.Person {
	t.Helper()
	p := person(t)
	for dir := p.Home; len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{".local", ".local/state", ".local/share", ".config", ".claude"} {
		if err := os.MkdirAll(filepath.Join(p.Home, dir), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(p.Home, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// ours walks over everything that is ours below the person's home.
func ours(t *testing.T, p *world.Person, visit func(file string, info fs.FileInfo)) {
	t.Helper()
	for _, dir := range []string{p.State(), p.Data(), filepath.Join(p.Home, ".config/remanence")} {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil {
				return err
			}
			info, err := d.Info()
			if os.IsNotExist(err) {
				return nil
			}
			visit(file, info)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// everyCorner has everything written that is ever written: a session with and
// without a worker, an installation, the log, a backup, a damaged store.
func everyCorner(t *testing.T, p *world.Person) {
	t.Helper()
	run := func(args ...string) {
		t.Helper()
		if out, err := loose(p, args...).CombinedOutput(); err != nil {
			t.Errorf("remanence %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	hook := func(name string) {
		cmd := loose(p, "hook", "claude-code")
		cmd.Env = append(cmd.Env, "CLAUDECODE=1", "CLAUDE_PROJECT_DIR="+p.Project)
		cmd.Stdin = bytes.NewReader(p.Payload(name, map[string]any{}))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("hook %s: %v\n%s", name, err, out)
		}
	}
	lock, err := worker.Acquire(p.Data(), 0)
	if err != nil {
		t.Fatal(err)
	}
	hook("UserPromptSubmit") // spooled
	hook("Stop")
	tight(t, p, "with a spool")
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	run("daemon", "start")
	for _, name := range []string{"SessionStart.startup", "PostToolUse.Bash", "PreCompact.auto", "SessionEnd.other"} {
		hook(name)
	}
	run("install", "claude-code", "--yes")
	run("config", "set", "log.level", "debug")
	run("add", "a note")
	run("db", "backup")
	tight(t, p, "with a worker")
	run("daemon", "stop")
	if err := os.WriteFile(filepath.Join(p.Data(), "remanence.db"), []byte("SQLite format 3\x00 and nothing more"),
		0o600); err != nil {
		t.Fatal(err)
	}
	hook("SessionStart.startup") // a worker that cannot start, and says so
	hook("UserPromptSubmit")
	tight(t, p, "with a damaged store")
}

// tight fails for everything of ours that others have a right to.
func tight(t *testing.T, p *world.Person, when string) {
	t.Helper()
	n := 0
	ours(t, p, func(file string, info fs.FileInfo) {
		n++
		want := fs.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		}
		if mode := info.Mode().Perm(); mode != want && info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s: %s has mode %04o, want %04o", when, file, mode, want)
		}
	})
	if n < 5 {
		t.Errorf("%s: only %d files of ours: this proves little", when, n)
	}
}

func TestFilesAreReadableByTheirOwnerOnly(t *testing.T) {
	everyCorner(t, open(t))
}

// nobody is a user who owns nothing here.
const nobody = 65534

// foreign is a command of that user.
func foreign(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = "/", []string{"PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody, NoSetGroups: false}}
	return cmd
}

func TestAnotherUserReadsNothing(t *testing.T) {
	p := open(t)
	p.StartWorker()
	p.Hook(p.Payload("UserPromptSubmit", map[string]any{"prompt": "the till sends receipts by snailmail"}))
	n := 0
	ours(t, p, func(file string, info fs.FileInfo) {
		if !info.Mode().IsRegular() {
			return
		}
		n++
		if out, err := foreign(t, "cat", file).CombinedOutput(); err == nil ||
			!strings.Contains(string(out), "ermission denied") {
			t.Errorf("cat %s: %v\n%.80q", file, err, out)
		}
	})
	if n == 0 {
		t.Error("no file of ours: this proves nothing")
	}
	for _, dir := range []string{p.State(), p.Data()} {
		if out, err := foreign(t, "ls", dir).CombinedOutput(); err == nil {
			t.Errorf("ls %s: %q", dir, out)
		}
	}
}

// TestConnectingProcess is what this binary does as another user: it asks a socket and
// prints the answer.
func TestConnectingProcess(t *testing.T) {
	path := os.Getenv(speaker)
	if path == "" {
		t.Skip("only run by another test, as another user")
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	defer c.Close()
	_, _ = c.Write([]byte("GET /health HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + os.Getenv("TOKEN") +
		"\r\nConnection: close\r\n\r\n"))
	var received bytes.Buffer
	_, _ = received.ReadFrom(c)
	t.Logf("received %d bytes: %.200q", received.Len(), received.Bytes())
}

// speak sends something as a user to the worker, with its token.
func speak(t *testing.T, cmd *exec.Cmd, socket, token string) string {
	t.Helper()
	cmd.Env = append(cmd.Env, speaker+"="+socket, "TOKEN="+token)
	out, err := cmd.CombinedOutput() // a failure to speak is a status of its own
	return fmt.Sprint(string(out), err)
}

// Even with the directory open and the token known, the socket serves its owner only.
func TestTheSocketServesItsOwnerOnly(t *testing.T) {
	p := open(t)
	rt := p.StartWorker()
	self := filepath.Join(t.TempDir(), "speaker")
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Another process copies: a file that this one has open for writing might be so
	// in a child of a test beside this one too, and could not be run then.
	if out, err := exec.Command("cp", own, self).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for dir := filepath.Dir(self); len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{self, "-test.run", "^TestConnectingProcess$", "-test.v"}
	if out := speak(t, foreign(t, args...), rt.Socket, rt.Token); !strings.Contains(out, "ermission denied") {
		t.Errorf("behind a closed directory: %s", out)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(rt.Socket), 0o700) }) // or the worker could not be ended
	for dir := filepath.Dir(rt.Socket); len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(rt.Socket, 0o666); err != nil {
		t.Fatal(err)
	}
	if out := speak(t, foreign(t, args...), rt.Socket, rt.Token); !strings.Contains(out, "received 0 bytes") {
		t.Errorf("another user received: %s", out)
	}
	if out := speak(t, exec.Command(args[0], args[1:]...), rt.Socket, rt.Token); !strings.Contains(out, "HTTP/1.1") {
		t.Errorf("the owner received: %s", out)
	}
}

// In the shared temporary directory others can be first. What they put there is not used.
func TestFilesPlantedInTheTemporaryDirectoryAreNotUsed(t *testing.T) {
	for name, plant := range map[string]func(t *testing.T, dir string){
		"a directory of another user": func(t *testing.T, dir string) {
			if out, err := foreign(t, "mkdir", "-m", "777", dir).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		},
		"a link of another user": func(t *testing.T, dir string) {
			target := filepath.Join(filepath.Dir(dir), "theirs")
			if out, err := foreign(t, "mkdir", "-m", "777", target).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if out, err := foreign(t, "ln", "-s", target, dir).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		},
		"a file of another user": func(t *testing.T, dir string) {
			if out, err := foreign(t, "touch", dir).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := person(t)
			temp := strings.TrimPrefix(p.Env[len(p.Env)-1], "TMPDIR=")
			if err := os.Chmod(temp, 0o1777|fs.ModeSticky); err != nil {
				t.Fatal(err)
			}
			p.Home = filepath.Join(p.Home, strings.Repeat("long/", 25)) // no socket fits into it
			if err := os.MkdirAll(p.State(), 0o700); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(temp, "remanence-"+strconv.Itoa(os.Getuid()))
			plant(t, dir)
			p.Hook(p.Payload("UserPromptSubmit", map[string]any{"prompt": "the till sends receipts by snailmail"}))
			if out, err := p.Command("daemon", "start").CombinedOutput(); err == nil {
				t.Errorf("a worker started: %s", out)
			}
			if len(remains(t, p.Home, "snailmail")) == 0 {
				t.Error("the event is not kept")
			}
			for _, where := range []string{dir, filepath.Join(temp, "theirs")} {
				if found, _ := filepath.Glob(filepath.Join(where, "*")); len(found) > 0 {
					t.Errorf("put into what others own: %v", found)
				}
			}
		})
	}
}
