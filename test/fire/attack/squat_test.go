//go:build fire && linux

package attack

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/spool"
	"remanence/test/world"
)

// nobody is the user of foreign processes.
const nobody = 65534

// asOtherUser does something as another user, on a thread that ends with it.
func asOtherUser(t *testing.T, do func()) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread is of no use to others
		for _, call := range [][4]uintptr{
			{syscall.SYS_SETGROUPS}, {syscall.SYS_SETRESGID, nobody, nobody, nobody}, {
				syscall.SYS_SETRESUID, nobody, nobody,
				nobody,
			},
		} {
			if _, _, e := syscall.RawSyscall(call[0], call[1], call[2], call[3]); e != 0 {
				t.Errorf("become another user: %v", e)
				return
			}
		}
		do()
	}()
	<-done
}

// squatter listens where it should not, and counts what it receives.
type squatter struct {
	listener net.Listener
	calls    atomic.Int64
	over     atomic.Int64 // calls that have ended
	bytes    atomic.Int64
}

func squat(t *testing.T, l net.Listener) *squatter {
	s := &squatter{listener: l}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.calls.Add(1)
			go func() {
				defer s.over.Add(1)
				defer c.Close()
				_ = c.SetReadDeadline(time.Now().Add(patience))
				n, _ := io.Copy(io.Discard, c)
				s.bytes.Add(n)
			}()
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	return s
}

// foreignSocket makes a socket at path on which another user listens.
func foreignSocket(t *testing.T, path string) *squatter {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	asOtherUser(t, func() {
		if err := syscall.Listen(fd, 16); err != nil {
			t.Error(err)
		}
	})
	l, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	return squat(t, l)
}

func TestAnOccupiedPortLeavesTheSocketServed(t *testing.T) {
	for _, at := range []string{"127.0.0.1", "::1", "0.0.0.0"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			l, err := net.Listen("tcp", net.JoinHostPort(at, "0"))
			if err != nil {
				t.Fatal(err)
			}
			port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
			s := squat(t, l)
			p.Env = append(p.Env, "REMANENCE_WORKER_HTTP_PORT="+port)
			rt := p.StartWorker()
			if rt.HTTP != "" || rt.HTTPFault == "" {
				t.Errorf("the worker says it serves %q (%q), want nothing and why", rt.HTTP, rt.HTTPFault)
			}
			report(t, p)
			kept(t, p)
			if out := p.Run("status"); !strings.Contains(out, "http port not open") {
				t.Errorf("status does not report it: %s", out)
			}
			if out, _ := p.Command("doctor").CombinedOutput(); !strings.Contains(string(out), "REM-D008") ||
				!strings.Contains(string(out), "address already in use") {
				t.Errorf("doctor does not report it: %s", out)
			}
			if s.calls.Load() != 0 {
				t.Errorf("the squatter was called %d times", s.calls.Load())
			}
			if other := map[string]string{"127.0.0.1": "::1", "::1": "127.0.0.1"}[at]; other != "" {
				if c, err := net.Dial("tcp", net.JoinHostPort(other, port)); err == nil {
					_ = c.Close()
					t.Errorf("the worker listens at %s although %s is taken: one name leads to both", other, at)
				}
			}
		})
	}
}

func TestOnlyLoopbackIsServed(t *testing.T) {
	v := newVictim(t)
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	others := 0
	for _, a := range addrs {
		ip := a.(*net.IPNet).IP
		if ip.IsLoopback() || ip.IsLinkLocalUnicast() {
			continue
		}
		others++
		if c, err := net.DialTimeout("tcp", net.JoinHostPort(ip.String(), strconv.Itoa(v.port)), time.Second); err == nil {
			_ = c.Close()
			t.Errorf("the port is open at %s", ip)
		}
	}
	t.Logf("%d addresses that others reach", others)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		b, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(b), "\n") {
			f := strings.Fields(line)
			if len(f) < 4 || f[3] != "0A" || !strings.HasSuffix(f[1], fmt.Sprintf(":%04X", v.port)) {
				continue
			}
			if at, _, _ := strings.Cut(f[1], ":"); at != "0100007F" && at != "00000000000000000000000001000000" {
				t.Errorf("listens at %s", f[1])
			}
		}
	}
}

// report calls a hook with a prompt that is worth keeping. A machine under load
// may drop it, which is counted then, and sent again.
func report(t *testing.T, p *world.Person) {
	t.Helper()
	for try, lost := 0, 0; try < 5; try++ {
		a := p.Hook(p.Payload("UserPromptSubmit", map[string]any{"prompt": "remember that the " + canary +
			" lies in the upper drawer"}))
		if a.Status != 0 || len(a.Stderr) != 0 {
			t.Errorf("hook: exit %d, stderr %q, want 0 and none", a.Status, a.Stderr)
		}
		now := 0
		for _, n := range spool.Counters(filepath.Join(p.State(), "spool")) {
			now += int(n)
		}
		if now == lost {
			return
		}
		t.Logf("dropped and counted: %d", now)
		lost = now
	}
}

// kept fails unless the prompt of report is in the database, or comes there now.
func kept(t *testing.T, p *world.Person) {
	t.Helper()
	p.Run("status")
	in := func() bool {
		return slices.ContainsFunc(p.Traces(canary), func(f string) bool { return strings.HasPrefix(f, p.Data()) })
	}
	if !p.Eventually(in) {
		log, _ := os.ReadFile(filepath.Join(p.State(), "log", "remanence.log"))
		t.Errorf("the event of the hook is lost; it is in %v; counted as lost: %v; the log:\n%s", p.Traces(canary),
			spool.Counters(filepath.Join(p.State(), "spool")), log)
	}
}

func TestAnotherUserGetsNothing(t *testing.T) {
	v := newVictim(t)
	asOtherUser(t, func() {
		if _, err := os.ReadFile(v.RuntimeFile()); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("the runtime file: %v, want no permission", err)
		}
		if _, err := net.Dial("unix", v.Socket); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("the socket: %v, want no permission", err)
		}
		for _, d := range v.endpoints()[:2] {
			r := proper(v, d, target{"/api/v1/search", "POST", bodies["search"], true})
			r.unset("Authorization")
			if answer := d.exchange(t, r.bytes()); statusOf(answer) != 401 {
				t.Errorf("%s without the token: %s, want 401", d.name, answer)
			}
		}
	})
	// The right of way is not the only wall.
	for dir := filepath.Dir(v.Socket); len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(v.Socket, 0o666); err != nil {
		t.Fatal(err)
	}
	asOtherUser(t, func() {
		d := v.endpoints()[2]
		r := proper(v, d, target{"/api/v1/search", "POST", bodies["search"], true})
		if answer := d.exchange(t, r.bytes()); len(answer) != 0 {
			t.Errorf("the socket, open to all, and with the token: %s, want nothing", answer)
		}
	})
	if err := os.Chmod(filepath.Dir(v.Socket), 0o700); err != nil {
		t.Fatal(err)
	}
	report(t, v.Person)
	v.Run("status")
}

// obstacle blocks the way of a hook to the daemon. It returns the squatter that listens there, or nil, and a function
// that removes the obstacle, or nil.
type obstacle func(t *testing.T, p *world.Person, rt api.Runtime) (*squatter, func() error)

// TestAHookSendsNothingToAForeignSocket puts other users' things where hooks look for
// the worker. No other user gets a byte, no pause of theirs counts, and the event is kept.
func TestAHookSendsNothingToAForeignSocket(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make things of another user")
	}
	for name, block := range map[string]obstacle{
		"socket of another user": func(t *testing.T, _ *world.Person, rt api.Runtime) (*squatter, func() error) {
			return foreignSocket(t, rt.Socket), nil
		},
		"link to a socket of another user": func(t *testing.T, _ *world.Person, rt api.Runtime) (*squatter, func() error) {
			lair := lair(t)
			must(t, os.Symlink(filepath.Join(lair, "s"), rt.Socket))
			return foreignSocket(t, filepath.Join(lair, "s")), nil
		},
		"socket in a directory that all can write": func(t *testing.T, _ *world.Person, rt api.Runtime) (*squatter,
			func() error,
		) {
			must(t, os.Chmod(filepath.Dir(rt.Socket), 0o777))
			return foreignSocket(t, rt.Socket), nil
		},
		"socket in a directory of another user": func(t *testing.T, p *world.Person, rt api.Runtime) (*squatter,
			func() error,
		) {
			lair := lair(t)
			rt.Socket = filepath.Join(lair, "s")
			must(t, rt.Write(p.RuntimeFile()))
			return foreignSocket(t, rt.Socket), nil
		},
		"runtime file of another user": func(t *testing.T, p *world.Person, rt api.Runtime) (*squatter, func() error) {
			paused(t, rt, p.RuntimeFile())
			must(t, os.Chown(p.RuntimeFile(), nobody, nobody))
			return nil, nil
		},
		"runtime file that all can write": func(t *testing.T, p *world.Person, rt api.Runtime) (*squatter, func() error) {
			paused(t, rt, p.RuntimeFile())
			must(t, os.Chmod(p.RuntimeFile(), 0o666))
			return nil, nil
		},
		"runtime file that is a link": func(t *testing.T, p *world.Person, rt api.Runtime) (*squatter, func() error) {
			file := filepath.Join(lair(t), "runtime.json")
			paused(t, rt, file)
			must(t, os.Remove(p.RuntimeFile()))
			must(t, os.Symlink(file, p.RuntimeFile()))
			return nil, nil
		},
		"runtime file that is a pipe": func(t *testing.T, p *world.Person, _ api.Runtime) (*squatter, func() error) {
			must(t, os.Remove(p.RuntimeFile()))
			must(t, syscall.Mkfifo(p.RuntimeFile(), 0o600))
			return nil, nil
		},
		"runtime file that is a directory": func(t *testing.T, p *world.Person, _ api.Runtime) (*squatter, func() error) {
			must(t, os.Remove(p.RuntimeFile()))
			must(t, os.Mkdir(p.RuntimeFile(), 0o700))
			return nil, func() error { return os.Remove(p.RuntimeFile()) }
		},
		"run directory that is a link to another user's": func(t *testing.T, p *world.Person, rt api.Runtime) (*squatter,
			func() error,
		) {
			lair, run := lair(t), filepath.Dir(p.RuntimeFile())
			rt.Socket = filepath.Join(run, "s")
			paused(t, rt, filepath.Join(lair, "runtime.json"))
			must(t, os.Chown(filepath.Join(lair, "runtime.json"), nobody, nobody))
			must(t, os.Rename(run, run+".was"))
			must(t, os.Symlink(lair, run))
			return foreignSocket(t, filepath.Join(lair, "s")), func() error { return os.Remove(run) }
		},
		"run directory that is a file": func(t *testing.T, p *world.Person, _ api.Runtime) (*squatter, func() error) {
			run := filepath.Dir(p.RuntimeFile())
			must(t, os.Rename(run, run+".was"))
			must(t, os.WriteFile(run, []byte("mine"), 0o600))
			return nil, func() error { return os.Remove(run) }
		},
		"file at the socket's place": func(t *testing.T, _ *world.Person, rt api.Runtime) (*squatter, func() error) {
			must(t, os.WriteFile(rt.Socket, []byte("mine"), 0o600))
			return nil, nil
		},
		"directory at the socket's place": func(t *testing.T, _ *world.Person, rt api.Runtime) (*squatter, func() error) {
			must(t, os.Mkdir(rt.Socket, 0o700))
			return nil, nil
		},
		"pipe at the socket's place": func(t *testing.T, _ *world.Person, rt api.Runtime) (*squatter, func() error) {
			must(t, syscall.Mkfifo(rt.Socket, 0o600))
			return nil, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			rt := p.StartWorker()
			p.StopWorker()
			s, free := block(t, p, rt)
			report(t, p)
			if s != nil && !p.Eventually(func() bool { return s.over.Load() == s.calls.Load() }) {
				t.Error("the hook's connection to the squatter stays open")
			}
			if s != nil && s.bytes.Load() != 0 {
				t.Errorf("the squatter received %d bytes", s.bytes.Load())
			}
			if free != nil {
				if out, err := p.Command("doctor").CombinedOutput(); err == nil || !strings.Contains(string(out), "fail") {
					t.Errorf("doctor finds nothing: %s", out)
				}
				must(t, free())
			}
			kept(t, p)
			if s != nil && s.bytes.Load() != 0 {
				t.Errorf("the squatter received %d bytes by a command", s.bytes.Load())
			}
		})
	}
}

// lair is a private directory of another user.
func lair(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lair")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chown(dir, nobody, nobody))
	return dir
}

// paused writes a runtime file by which nothing would be captured.
func paused(t *testing.T, rt api.Runtime, file string) {
	t.Helper()
	rt.Paused = []mem.Pause{{Target: "all"}}
	must(t, rt.Write(file))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
