//go:build fire && linux

package fault

import (
	"bytes"
	"database/sql"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"remanence/test/tier"
	"remanence/test/world"
)

// faults are all of them, but in short runs only some of the many files that
// can be of the wrong kind.
func faults(r *rand.Rand) []fault {
	odd := oddFiles()
	r.Shuffle(len(odd), func(i, j int) { odd[i], odd[j] = odd[j], odd[i] })
	return slices.Concat(healthy(), starts(), answers(), databases(), disks(), inputs(), outputs(), limits(), clocks(),
		odd[:tier.Runs(3, len(odd))])
}

// healthy is the control: a matrix in which nothing is ever stored proves nothing.
func healthy() []fault {
	return []fault{{name: "none", lay: (*scene).worker, ends: stored}}
}

// starts are the ways in which no worker is there or comes.
func starts() []fault {
	return []fault{
		{name: "no worker yet", lay: func(*scene) {}, ends: stored + spooled},
		{name: "worker ended", lay: func(s *scene) { s.worker(); s.StopWorker() }, ends: stored + spooled},
		{name: "program removed", lay: ownProgram, call: changing(os.Remove), ends: spooled},
		{name: "program not executable", lay: ownProgram, call: changing(func(f string) error {
			return os.Chmod(f, 0o600)
		}), ends: spooled},
		{name: "program replaced by no program", lay: ownProgram, call: changing(by("not a program\n")), ends: spooled},
		{
			name: "program replaced by one that fails", lay: ownProgram, call: changing(by("#!/bin/sh\nexit 2\n")),
			ends: spooled,
		},
		{name: "no process can be made", lay: noNewProcess, ends: spooled, slow: true},
		{name: "worker comes late", lay: lateWorker, ends: spooled},
		{name: "worker stopped", lay: stoppedWorker, ends: spooled},
		// by the next worker
		{name: "worker killed before the commit", lay: (*scene).worker, call: killedUnder, ends: spooled + stored},
		{name: "worker killed, socket left", lay: (*scene).worker, each: killWorker, ends: stored + spooled},
		{name: "older worker", lay: func(s *scene) { s.workerOf("0.0.1") }, ends: stored + spooled},
		{name: "newer worker", lay: func(s *scene) { s.workerOf("99.0.0") }, ends: stored},
	}
}

// ownProgram gives the scene a program that it may spoil.
func ownProgram(s *scene) {
	s.Program = filepath.Join(s.Home, "bin", "remanence")
	s.need(os.MkdirAll(filepath.Dir(s.Program), 0o755))
	s.lifting(func() { s.Program = "" })
}

// changing is a call whose program is changed after its start, while it waits
// for its input.
func changing(change func(file string) error) func(*scene, []byte) world.Answer {
	return func(s *scene, payload []byte) world.Answer {
		// Another process copies: a file that this one has open for writing
		// might be so in a child of it too, and could not be run then.
		s.must("cp", "--remove-destination", world.Binary, s.Program)
		cmd := s.call(nil)
		r, w, err := os.Pipe()
		s.need(err)
		cmd.Stdin = r
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		begun := time.Now()
		s.need(cmd.Start())
		_ = r.Close()
		s.need(change(s.Program))
		_, _ = w.Write(payload)
		_ = w.Close()
		_ = cmd.Wait()
		return world.Answer{
			Status: cmd.ProcessState.ExitCode(), Stdout: out.Bytes(), Stderr: errs.Bytes(),
			Took: time.Since(begun),
		}
	}
}

// by puts another executable file in the place of the program.
func by(text string) func(file string) error {
	return func(file string) error {
		if err := os.Remove(file); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(text), 0o755)
	}
}

// noNewProcess lets every start of another program fail for want of processes.
func noNewProcess(s *scene) {
	s.prefix = []string{
		"strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=execve", "-e", "signal=none", "-e",
		"inject=execve:error=EAGAIN:when=1+",
	}
}

// lateWorker holds the lock that every worker needs, until the fault is lifted.
func lateWorker(s *scene) {
	s.worker()
	s.StopWorker()
	f, err := os.OpenFile(filepath.Join(s.Data(), "worker.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	s.need(err)
	s.need(syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	s.lifting(func() { _ = f.Close() })
}

func stoppedWorker(s *scene) {
	s.worker()
	pids := s.Workers()
	for _, pid := range pids {
		s.need(syscall.Kill(pid, syscall.SIGSTOP))
	}
	s.lifting(func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	})
}

// killWorker kills the worker, if there is one, and makes sure of another before.
func killWorker(s *scene) {
	s.StartWorker()
	for _, pid := range s.Workers() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if !s.Eventually(func() bool { return len(s.Workers()) == 0 }) {
		s.t.Fatal("the worker is not gone")
	}
}

// killedUnder is a call whose worker is killed while it cannot commit.
func killedUnder(s *scene, payload []byte) world.Answer {
	s.StartWorker()
	release := s.writeLock()
	defer release()
	pids := s.Workers()
	time.AfterFunc(12*time.Millisecond, func() {
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return s.hook(payload)
}

// writeLock is another program that writes to the database.
func (s *scene) writeLock() (release func()) {
	s.t.Helper()
	db := s.open()
	db.SetMaxOpenConns(1)
	_, err := db.Exec("BEGIN IMMEDIATE")
	s.need(err)
	return sync.OnceFunc(func() {
		_, _ = db.Exec("ROLLBACK")
		_ = db.Close()
	})
}

// programs are builds of other versions, made once.
var programs struct {
	sync.Mutex
	built map[string]string
}

// workerOf starts the worker of another version.
func (s *scene) workerOf(version string) {
	s.Program = s.programOf(version)
	s.worker()
	s.Program = ""
}

func (s *scene) programOf(version string) string {
	programs.Lock()
	defer programs.Unlock()
	if file := programs.built[version]; file != "" {
		return file
	}
	file := filepath.Join(filepath.Dir(world.Binary), version, "remanence")
	s.need(world.Build(file, "-ldflags", "-s -w -X remanence/internal/config.Version="+version))
	if programs.built == nil {
		programs.built = map[string]string{}
	}
	programs.built[version] = file
	return file
}

// answers are the ways in which another process answers in the worker's place. A
// call that did not get through to him may bring a worker that takes the place
// back.
func answers() []fault {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
	return []fault{
		{name: "connections are not accepted", lay: impostor(nil), ends: spooled + stored},
		{name: "accepted, never answered", lay: impostor(func(c net.Conn) {
			_, _ = io.Copy(io.Discard, c)
		}), ends: spooled + stored},
		{name: "one byte a second", lay: impostor(func(c net.Conn) { drip(c, ok+"2\r\n\r\n{}") }), ends: spooled + stored},
		{name: "garbage", lay: impostor(says("\x00\xff garbage\r\n\r\n")), ends: spooled + stored},
		{
			name: "a server's failure", lay: impostor(says("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")),
			ends: spooled + stored,
		},
		{name: "no JSON", lay: impostor(says(ok + "5\r\n\r\nhello")), ends: spooled + stored},
		{name: "half an answer", lay: impostor(says(ok + "500\r\n\r\n{")), ends: spooled + stored},
		{name: "hangs up", lay: impostor(func(net.Conn) {}), ends: spooled + stored},
		{name: "socket where others may enter", lay: func(*scene) {}, each: foreign(func(dir string) error {
			return os.Chmod(dir, 0o777)
		}), ends: stored + spooled},
		{name: "socket of another user", lay: func(*scene) {}, each: foreign(func(dir string) error {
			return os.Chown(dir, nobody, nobody)
		}), ends: stored + spooled},
	}
}

const nobody = 65534

// impostor puts a listener in the worker's place. A nil answer means that
// connections are not even accepted.
func impostor(answer func(net.Conn)) func(*scene) {
	return func(s *scene) {
		s.worker()
		s.StopWorker()
		l := s.listen(s.room(), answer)
		s.lifting(func() { _ = l.Close() })
	}
}

// listen makes the runtime file name a socket in dir.
func (s *scene) listen(dir string, answer func(net.Conn)) net.Listener {
	s.t.Helper()
	rt, err := s.Runtime()
	s.need(err)
	rt.Socket = filepath.Join(dir, "s")
	l, err := net.Listen("unix", rt.Socket)
	s.need(err)
	s.need(rt.Write(s.RuntimeFile()))
	if answer == nil {
		fill(rt.Socket)
		return l
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				answer(c)
			}()
		}
	}()
	return l
}

// fill takes all places in the queue of those who want to connect.
func fill(socket string) {
	for range 5000 {
		c, err := net.DialTimeout("unix", socket, 10*time.Millisecond)
		if err != nil {
			return
		}
		_ = c.SetDeadline(time.Now().Add(time.Hour)) // kept from being collected until then
	}
}

func says(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = c.Read(make([]byte, 64<<10))
		_, _ = io.WriteString(c, text)
	}
}

func drip(c net.Conn, text string) {
	for _, b := range []byte(text) {
		if _, err := c.Write([]byte{b}); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// foreign is a socket in a directory that is not this user's alone. Nothing may
// be sent there. Calls start a worker of their own, so it is made anew each time.
func foreign(spoil func(dir string) error) func(*scene) {
	return func(s *scene) {
		s.StartWorker()
		s.StopWorker()
		dir := s.room()
		var calls atomic.Int64
		l := s.listen(dir, func(net.Conn) { calls.Add(1) })
		if err := spoil(dir); err != nil {
			s.missing("the right to give files away")
		}
		s.t.Cleanup(func() {
			_ = l.Close()
			if n := calls.Load(); n > 0 {
				s.t.Errorf("%d calls went to a socket that is not ours alone", n)
			}
		})
	}
}

// databases are the ways in which the worker cannot use its database.
func databases() []fault {
	return []fault{
		{name: "newer schema", lay: newerSchema, ends: spooled},
		{name: "database locked", lay: func(s *scene) { s.worker(); s.lifting(s.writeLock()) }, ends: spooled},
		{name: "database damaged", lay: damaged(func(b []byte) []byte {
			return append(b[:100], bytes.Repeat([]byte{0xa5}, len(b)-100)...)
		}), ends: stored + spooled},
		{name: "database is something else", lay: damaged(func([]byte) []byte {
			return []byte(strings.Repeat("hello ", 999))
		}), ends: spooled},
		{name: "database of zeros", lay: damaged(func(b []byte) []byte {
			return make([]byte, len(b))
		}), ends: stored + spooled},
	}
}

func newerSchema(s *scene) {
	s.worker()
	s.StopWorker()
	was := s.version(0)
	s.version(9999)
	s.lifting(func() { s.version(was) })
}

// open opens the database as another program would.
func (s *scene) open() *sql.DB {
	s.t.Helper()
	db, err := sql.Open("sqlite",
		(&url.URL{Scheme: "file", Path: s.database(), RawQuery: "_pragma=busy_timeout(10000)"}).String())
	s.need(err)
	return db
}

// version sets the schema's version, unless that is 0, and returns the old one.
func (s *scene) version(to int) (was int) {
	s.t.Helper()
	db := s.open()
	defer db.Close()
	s.need(db.QueryRow("PRAGMA user_version").Scan(&was))
	if to != 0 {
		_, err := db.Exec("PRAGMA user_version = " + strconv.Itoa(to))
		s.need(err)
	}
	return was
}

// damaged spoils the database file and puts a copy back afterwards.
func damaged(spoil func([]byte) []byte) func(*scene) {
	return func(s *scene) {
		s.worker()
		s.StopWorker()
		good, err := os.ReadFile(s.database())
		s.need(err)
		s.need(os.WriteFile(s.database(), spoil(bytes.Clone(good)), 0o600))
		s.lifting(func() {
			s.need(os.WriteFile(s.database(), good, 0o600))
			for _, beside := range []string{"-wal", "-shm"} {
				_ = os.Remove(s.database() + beside)
			}
		})
	}
}
