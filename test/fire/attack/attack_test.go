//go:build fire

// Package attack proves, with the built program, that neither a web page nor
// another user of the machine gets anything out of the worker or anything into
// it: not by its port, not by its socket, not by what they put in its way.
package attack

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/test/world"
)

func TestMain(m *testing.M) {
	runtime.LockOSThread() // so that no other goroutine makes the first thread another user's
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // most of it is waiting
	os.Exit(world.Main(m))
}

// canary is a word of the one memory that is there to be stolen.
const canary = "zanzibarite"

// patience is how long an answer may take before the test gives up on it.
const patience = 15 * time.Second

// victim is a person whose worker serves a port, with something to steal.
type victim struct {
	*world.Person
	api.Runtime
	port int
}

func newVictim(t *testing.T) victim {
	t.Helper()
	p := newPerson(t)
	port := freePort(t)
	p.Env = append(p.Env, fmt.Sprint("REMANENCE_WORKER_HTTP_PORT=", port), "REMANENCE_LOG_LEVEL=debug")
	v := victim{Person: p, Runtime: p.StartWorker(), port: port}
	if want := fmt.Sprint("127.0.0.1:", port); v.HTTP != want {
		t.Fatalf("the worker serves %q (%s), want %s", v.HTTP, v.HTTPFault, want)
	}
	p.Run("add", "the vault is opened with "+canary+" and a key")
	return v
}

// newPerson is a person whose socket has a directory of its own, as on a desktop.
func newPerson(t *testing.T) *world.Person {
	t.Helper()
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := world.NewPerson(t)
	p.Env = append(p.Env, "XDG_RUNTIME_DIR="+dir)
	return p
}

// freePort is a port that nobody had a moment ago.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// door is one way to the worker.
type door struct {
	name    string
	network string
	address string
	host    string // by which it is asked for
}

func (v victim) doors() []door {
	port := strconv.Itoa(v.port)
	return []door{
		{"port", "tcp", v.HTTP, v.HTTP},
		{"port6", "tcp", net.JoinHostPort("::1", port), net.JoinHostPort("::1", port)},
		{"socket", "unix", v.Socket, api.SocketHost},
	}
}

// exchange sends raw bytes and returns all that comes back, until the other end
// closes. An error of the network is no answer, and fine.
func (d door) exchange(t *testing.T, raw []byte) []byte {
	t.Helper()
	conn, err := net.DialTimeout(d.network, d.address, patience)
	if err != nil {
		t.Errorf("%s: %v", d.name, err)
		return nil
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	_, _ = conn.Write(raw)
	answer, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%s: the connection is still open after %s: %.200q", d.name, patience, raw)
	}
	return answer
}

// statusOf is the status of the first answer in raw; 0 if there is none.
func statusOf(raw []byte) int {
	var status int
	_, _ = fmt.Fscanf(bytes.NewReader(raw), "HTTP/1.1 %d", &status)
	return status
}

// own reports whether a file changes without anybody asking.
func own(file string) bool {
	return strings.HasSuffix(file, ".log") || strings.HasSuffix(file, "-shm") || strings.Contains(file, "backup")
}

// state is every file of the person by its content, but those that the worker
// changes by itself.
func (v victim) state() map[string]string {
	v.T.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(v.Home, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() || own(file) {
			return err
		}
		what := d.Type().String()
		if d.Type().IsRegular() {
			b, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			what = fmt.Sprintf("%d bytes, %x", len(b), sha256.Sum256(b))
		}
		all[strings.TrimPrefix(file, v.Home)] = what
		return nil
	})
	if err != nil {
		v.T.Fatal(err)
	}
	return all
}

// settled waits until the worker has worked off what it had to do.
func (v victim) settled() map[string]string {
	v.T.Helper()
	was := v.state()
	for range 20 {
		time.Sleep(250 * time.Millisecond)
		is := v.state()
		if len(difference(was, is)) == 0 {
			return is
		}
		was = is
	}
	v.T.Fatal("the worker never comes to rest")
	return nil
}

func difference(was, is map[string]string) []string {
	var out []string
	for file, what := range was {
		if is[file] != what {
			out = append(out, fmt.Sprintf("%s was %s, is %s", file, what, is[file]))
		}
	}
	for file, what := range is {
		if was[file] == "" {
			out = append(out, fmt.Sprintf("%s is new: %s", file, what))
		}
	}
	return out
}

// client is the way of hooks and commands to the worker.
func (v victim) client() api.Client { return v.Client("test") }
