//go:build fire && linux

package fault

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"remanence/test/world"
)

// inputs are the ways in which the payload comes wrong, or not.
func inputs() []fault {
	w := (*scene).worker
	return []fault{
		{name: "input never closed", lay: w, call: fed(func(p []byte) []byte { return p }, false), ends: stored},
		{name: "input one byte a second", lay: w, call: dripped, ends: dropped},
		{name: "input empty", lay: w, call: fed(func([]byte) []byte { return nil }, true), ends: nothing},
		{name: "input empty, never closed", lay: w, call: fed(func([]byte) []byte {
			return nil
		}, false), ends: nothing + dropped},
		{name: "no input", lay: w, call: shell("exec \"$0\" \"$@\" <&-"), ends: nothing},
		{name: "input is a terminal", lay: w, call: atTerminal, ends: nothing + dropped},
		{name: "half an object", lay: w, call: fed(half, true), ends: dropped},
		{name: "half an object, never closed", lay: w, call: fed(half, false), ends: dropped},
		{name: "50 MB", lay: w, call: fed(huge, true), ends: stored + dropped},
		{name: "depth 10,001", lay: w, call: fed(deep, true), ends: stored + dropped},
		{name: "byte order mark", lay: w, call: fed(func(p []byte) []byte {
			return append([]byte("\xef\xbb\xbf"), p...)
		}, true), ends: stored},
		{name: "NUL", lay: w, call: fed(field(`"odd":"a\u0000b"`), true), ends: stored},
		{name: "raw NUL", lay: w, call: fed(field("\"odd\":\"a\x00b\""), true), ends: stored},
		{name: "bad UTF-8", lay: w, call: fed(field("\"odd\":\"a\xff\xfe\x80b\""), true), ends: stored},
		{name: "lone surrogate", lay: w, call: fed(field(`"odd":"a\ud800b"`), true), ends: stored},
		{name: "two objects", lay: w, call: fed(func(p []byte) []byte {
			return append(bytes.Clone(p), p...)
		}, true), ends: stored},
	}
}

// fed is a call with another input: the changed payload, in one go;
// the pipe is closed behind it or stays open.
func fed(change func([]byte) []byte, closed bool) func(*scene, []byte) world.Answer {
	return func(s *scene, payload []byte) world.Answer {
		r, w, err := os.Pipe()
		s.need(err)
		defer w.Close()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = w.Write(change(payload))
			if closed {
				_ = w.Close()
			}
		}()
		cmd := s.call(nil)
		cmd.Stdin = r
		a := s.Await(cmd)
		_ = r.Close()
		<-done
		return a
	}
}

func half(p []byte) []byte { return p[:len(p)/2] }

// field puts one more field at an object's beginning.
func field(text string) func([]byte) []byte {
	return func(p []byte) []byte { return append([]byte("{"+text+","), p[1:]...) }
}

// huge adds a field of 50 MB behind the others, where clients put a tool's output.
func huge(p []byte) []byte {
	p = bytes.TrimRight(p, "\n")
	return append(p[:len(p)-1:len(p)-1], `,"odd":"`+strings.Repeat("0123456789abcde ", 50<<20/16)+`"}`...)
}

func deep(p []byte) []byte {
	return field(`"odd":` + strings.Repeat("[", 10001) + strings.Repeat("]", 10001))(p)
}

func dripped(s *scene, payload []byte) world.Answer {
	r, w := io.Pipe()
	go func() {
		for _, b := range payload {
			if _, err := w.Write([]byte{b}); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}()
	pr, pw, err := os.Pipe()
	s.need(err)
	defer pr.Close()
	defer r.Close()
	go func() {
		_, _ = io.Copy(pw, r)
		_ = pw.Close()
	}()
	cmd := s.call(nil)
	cmd.Stdin = pr
	return s.Await(cmd)
}

// shell is a call through a shell that does something to its files.
func shell(script string) func(*scene, []byte) world.Answer {
	return func(s *scene, payload []byte) world.Answer {
		cmd := s.call(payload)
		s.under(cmd, "sh", "-c", script)
		return s.Await(cmd)
	}
}

// atTerminal is a call that a person typed and looks at.
func atTerminal(s *scene, _ []byte) world.Answer {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		s.missing("terminals: " + err.Error())
	}
	defer master.Close()
	s.need(unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	s.need(err)
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	s.need(err)
	defer tty.Close()
	cmd := s.call(nil)
	cmd.Stdin = tty
	return s.Await(cmd)
}

// outputs are the ways in which the answer is not read.
func outputs() []fault {
	w := (*scene).worker
	return []fault{
		{name: "output closed", lay: w, call: shell("exec \"$0\" \"$@\" >&-"), ends: stored},
		{name: "output and errors closed", lay: w, call: shell("exec \"$0\" \"$@\" >&- 2>&-"), ends: stored},
		{name: "the output is not read", lay: w, call: unread(false), ends: stored},
		{name: "the reader is gone", lay: w, call: unread(true), ends: stored},
	}
}

// unread is a call whose output is a pipe that is full, or has no reader.
func unread(gone bool) func(*scene, []byte) world.Answer {
	return func(s *scene, payload []byte) world.Answer {
		r, w, err := os.Pipe()
		s.need(err)
		defer w.Close()
		if gone {
			_ = r.Close()
		} else {
			defer r.Close()
			size, err := unix.FcntlInt(w.Fd(), unix.F_GETPIPE_SZ, 0)
			s.need(err)
			_, err = w.Write(make([]byte, size))
			s.need(err)
		}
		cmd := s.call(payload)
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = w, &errs
		begun := time.Now()
		_ = cmd.Run()
		return world.Answer{Status: cmd.ProcessState.ExitCode(), Stderr: errs.Bytes(), Took: time.Since(begun)}
	}
}

// limits are those of the system, and of a sandbox.
func limits() []fault {
	w := (*scene).worker
	return []fault{
		{name: "16 files", lay: limited(w, "--nofile=16"), ends: stored + spooled + dropped},
		{name: "16 files, no worker", lay: withFewFiles, ends: stored + spooled + dropped},
		{name: "6 files", lay: limited(w, "--nofile=6"), ends: stored + spooled + dropped + nothing, dies: true},
		{name: "no memory", lay: limited(w, "--as=40000000"), ends: stored + spooled + dropped + nothing, dies: true},
		{name: "little memory", lay: limited(w, "--data=30000000"), ends: stored + spooled + dropped + nothing, dies: true},
		{name: "no threads", lay: noThreads, ends: stored + spooled + dropped + nothing, dies: true},
		// the worker sees to the spool by itself
		{name: "connecting forbidden", lay: sandboxed, call: withoutStart, ends: spooled + stored, slow: true},
		{name: "no network", lay: under("unshare", "-n", "--"), ends: stored},
		{name: "no /proc", lay: hiddenProc, ends: stored + spooled},
		{name: "no temporary directory", lay: func(s *scene) {
			s.worker()
			s.env = []string{"TMPDIR=/nonexistent"}
		}, ends: stored},
		{name: "nothing on the search path", lay: func(s *scene) {
			s.worker()
			s.StopWorker()
			s.env = []string{"PATH="}
		}, ends: stored + spooled},
		{
			name: "bad rule for secrets", lay: configured("[privacy]\nrules = ['mine=(((', 'x{9999}', 'own=ab+c']\n"),
			ends: stored,
		},
		{name: "bad configuration", lay: configured("inject = 7\n[nothing\nof = this"), ends: stored},
		{name: "bad values", lay: configured("profile = 3\n[worker]\nidle_exit = 'soon'\n[spool]\nmax_bytes = " +
			"-1\n[log]\nlevel = {}\n"), ends: stored},
		{name: "no umask", lay: func(s *scene) {
			s.prefix = []string{"sh", "-c", `umask 000; exec "$0" "$@"`}
		}, ends: stored + spooled},
		{name: "umask of everything", lay: func(s *scene) {
			s.prefix = []string{"sh", "-c", `umask 777; exec "$0" "$@"`}
		}, ends: stored + spooled},
	}
}

// withFewFiles starts workers, too, that can open few files: they end with it.
func withFewFiles(s *scene) {
	limited(stopsWorker, "--nofile=16")(s)
	s.lifting(func() { _ = s.Command("daemon", "stop").Run() })
}

func under(prefix ...string) func(*scene) {
	return func(s *scene) {
		s.worker()
		s.prefix = prefix
	}
}

// configured is a worker with a configuration.
func configured(text string) func(*scene) {
	return func(s *scene) {
		file := filepath.Join(s.Home, ".config", "remanence", "config.toml")
		s.need(os.MkdirAll(filepath.Dir(file), 0o700))
		s.need(os.WriteFile(file, []byte(text), 0o600))
		s.worker()
	}
}

func noThreads(s *scene) {
	s.worker()
	s.asOtherUser()
	s.prefix = append(s.prefix, "prlimit", "--nproc=1")
}

func sandboxed(s *scene) {
	s.worker()
	s.prefix = s.injected("connect", "EPERM", "1+")
}

// withoutStart is a call that must not try to start a worker.
func withoutStart(s *scene, payload []byte) world.Answer {
	a := s.hook(payload)
	if _, err := os.Stat(filepath.Join(s.run(), "start")); err == nil {
		s.t.Error("a daemon was started that cannot be reached")
	}
	return a
}

func hiddenProc(s *scene) {
	if os.Getenv(inside) == "" {
		s.missing("a mount table of one's own")
	}
	stopsWorker(s)
	s.prefix = []string{"unshare", "-m", "sh", "-c", `mount -t tmpfs none /proc && exec "$0" "$@"`}
}

// oddFiles are files of ours that are something else.
func oddFiles() []fault {
	files := []struct{ name, path string }{
		{"runtime file", ".local/state/remanence/run/runtime.json"},
		{"key", ".local/state/remanence/key"},
		{"log", ".local/state/remanence/log/remanence.log"},
		{"notices", ".local/state/remanence/notices.json"},
		{"configuration", ".config/remanence/config.toml"},
		{"spool's log", ".local/state/remanence/spool/pending/events.log"},
		{"spool's lock", ".local/state/remanence/spool/log.lock"},
		{"counts", ".local/state/remanence/spool/count"},
		{"stamp", ".local/state/remanence/run/hold"},
	}
	kinds := []struct {
		name string
		make func(string) error
	}{
		{"a directory", func(f string) error { return os.MkdirAll(filepath.Join(f, "x"), 0o700) }},
		{"a pipe", func(f string) error { return syscall.Mkfifo(f, 0o600) }},
		{"garbage", func(f string) error { return os.WriteFile(f, []byte("\x00\xff{[ = garbage\n"), 0o600) }},
	}
	var all []fault
	for _, f := range files {
		for _, k := range kinds {
			all = append(all, fault{name: "" + f.name + " is " + k.name, lay: odd(f.path, k.make), ends: stored + spooled})
		}
	}
	return all
}

func odd(file string, makeIt func(string) error) func(*scene) {
	return func(s *scene) {
		stopsWorker(s)
		file := filepath.Join(s.Home, file)
		_ = os.RemoveAll(file)
		s.need(os.MkdirAll(filepath.Dir(file), 0o700))
		s.need(makeIt(file))
		was, err := os.Lstat(file)
		s.need(err)
		s.lifting(func() {
			if now, err := os.Lstat(file); err == nil && os.SameFile(was, now) {
				_ = os.RemoveAll(file)
			}
		})
	}
}
