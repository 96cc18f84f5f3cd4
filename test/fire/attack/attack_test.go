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
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/test/port"
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

// patience is how long an answer may take before the test gives up on it. It ends
// before a connection would that is kept for a next request.
const patience = 25 * time.Second

// victim is a person whose worker serves a port, with something to steal.
type victim struct {
	*world.Person
	api.Runtime
	port   int
	code   string // that was exchanged for the login
	cookie string // of the login of the person's browser
}

func newVictim(t *testing.T) victim {
	t.Helper()
	p := newPerson(t)
	number := port.Free(t)
	p.Env = append(p.Env, fmt.Sprint("REMANENCE_WORKER_HTTP_PORT=", number), "REMANENCE_LOG_LEVEL=debug")
	v := victim{Person: p, Runtime: p.StartWorker(), port: number}
	if want := fmt.Sprint("127.0.0.1:", number); v.HTTP != want {
		t.Fatalf("the worker serves %q (%s), want %s", v.HTTP, v.HTTPFault, want)
	}
	p.Run("add", "the vault is opened with "+canary+" and a key")
	return v
}

// login lets the person's browser in.
func (v *victim) login() {
	v.T.Helper()
	opened, err := api.Open.Call(v.T.Context(), v.client(), api.Nothing{})
	if err != nil {
		v.T.Fatal(err)
	}
	resp, err := http.Post(opened.URL+"api/v1/login", "application/json", strings.NewReader(`{"code":"`+opened.Code+`"}`))
	if err != nil {
		v.T.Fatal(err)
	}
	defer resp.Body.Close()
	v.code = opened.Code
	v.cookie, _, _ = strings.Cut(resp.Header.Get("Set-Cookie"), ";")
	req, err := http.NewRequest("GET", opened.URL+"api/v1/search?project=all&text="+canary, nil)
	if err != nil {
		v.T.Fatal(err)
	}
	req.Header.Set("Cookie", v.cookie)
	read, err := http.DefaultClient.Do(req)
	if err != nil {
		v.T.Fatal(err)
	}
	defer read.Body.Close()
	if got, err := io.ReadAll(read.Body); err != nil || !strings.Contains(string(got), canary) {
		v.T.Fatalf("the person's browser gets %s, %v: there would be nothing to steal by its login", got, err)
	}
}

// cookieName is the name of the login's cookie.
func (v victim) cookieName() string {
	name, _, _ := strings.Cut(v.cookie, "=")
	return name
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

// endpoint is one way to reach the daemon.
type endpoint struct {
	name    string
	network string
	address string
	host    string // of its address
}

func (v victim) endpoints() []endpoint {
	port := strconv.Itoa(v.port)
	return []endpoint{
		{"port", "tcp", v.HTTP, v.HTTP},
		{"port6", "tcp", net.JoinHostPort("::1", port), net.JoinHostPort("::1", port)},
		{"socket", "unix", v.Socket, api.SocketHost},
	}
}

// exchange sends raw bytes and returns all that comes back, until the other end
// closes. An error of the network is no answer, and fine.
func (d endpoint) exchange(t *testing.T, raw []byte) []byte {
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

// own reports whether a file changes without a request.
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

// settled waits until the worker has worked off what it had to do, and what it
// does by itself once it is quiet.
func (v victim) settled() map[string]string {
	v.T.Helper()
	const look, calm = 250 * time.Millisecond, 7 * time.Second
	was, since := v.state(), time.Now()
	for end := since.Add(3 * time.Minute); time.Now().Before(end); {
		time.Sleep(look)
		is := v.state()
		if len(difference(was, is)) != 0 {
			was, since = is, time.Now()
		}
		if time.Since(since) >= calm {
			return is
		}
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
