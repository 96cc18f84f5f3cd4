package api_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
)

type question struct{ Text string }

type answer struct{ Text string }

var echo = api.Route[question, answer]{Name: "echo"}

func TestRouteAnswersTheSameLocallyAndOverTheSocket(t *testing.T) {
	bind := []api.Binding{api.On(echo, func(_ context.Context, q question) (answer, error) {
		return answer{"heard " + q.Text}, nil
	})}
	for name, c := range map[string]api.Caller{"local": api.Local(bind), "socket": serve(t, api.Config{Bindings: bind})} {
		got, err := echo.Call(t.Context(), c, question{"<b> & ü"})
		if want := (answer{"heard <b> & ü"}); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
		}
	}
}

func TestErrorsKeepTheirMeaningOverTheSocket(t *testing.T) {
	for _, want := range []error{
		mem.ErrNotFound, mem.ErrAmbiguous, mem.ErrNewer, mem.ErrForeign, mem.ErrCorrupt, mem.ErrLocked,
		mem.ErrNoStore, context.DeadlineExceeded, context.Canceled, api.ErrInvalid,
	} {
		c := serve(t, api.Config{Bindings: []api.Binding{api.On(echo, func(context.Context, question) (answer, error) {
			return answer{}, fmt.Errorf("look up m_7: %w", want)
		})}})
		_, err := echo.Call(t.Context(), c, question{})
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "look up m_7") {
			t.Errorf("got %v, want %v with its detail", err, want)
		}
	}
}

func TestWhatPutsAMistakeRightGoesOverTheSocket(t *testing.T) {
	c := serve(t, api.Config{Bindings: []api.Binding{api.On(echo, func(context.Context, question) (answer, error) {
		return answer{}, &api.Error{
			Status: http.StatusBadRequest, Name: api.NameInvalid, Detail: "no such colour",
			Fix: "use red or blue",
		}
	})}})
	_, err := echo.Call(t.Context(), c, question{})
	var e *api.Error
	if !errors.As(err, &e) || !errors.Is(err, api.ErrInvalid) || e.Fix != "use red or blue" ||
		e.Detail != "no such colour" {
		t.Errorf("got %+v", err)
	}
}

func TestUnknownRouteDiffersFromUnknownThing(t *testing.T) {
	for name, c := range map[string]api.Caller{"local": api.Local{}, "socket": serve(t, api.Config{})} {
		_, err := echo.Call(t.Context(), c, question{})
		if !errors.Is(err, api.ErrUnknownRoute) || errors.Is(err, mem.ErrNotFound) {
			t.Errorf("%s: got %v, want ErrUnknownRoute alone", name, err)
		}
	}
}

func TestLocalCallOfOtherTypesIsRefused(t *testing.T) {
	local := api.Local{api.On(echo, func(context.Context, question) (answer, error) { return answer{}, nil })}
	_, err := api.Route[int, string]{Name: "echo"}.Call(t.Context(), local, 1)
	if !errors.Is(err, api.ErrInvalid) {
		t.Errorf("got %v, want ErrInvalid", err)
	}
}

func TestPanicOfARouteIsOneFailedCall(t *testing.T) {
	var seen []error
	c := serve(t, api.Config{
		Observe: func(_ string, _ time.Duration, err error) { seen = append(seen, err) },
		Bindings: []api.Binding{api.On(echo, func(_ context.Context, q question) (answer, error) {
			if q.Text == "boom" {
				panic("no")
			}
			return answer(q), nil
		})},
	})
	var e *api.Error
	_, err := echo.Call(t.Context(), c, question{"boom"})
	if !errors.As(err, &e) || e.Status != 500 || !strings.Contains(err.Error(), "panic in echo at api_test.go:") {
		t.Errorf("got %v, want status 500 and the place", err)
	}
	if got, err := echo.Call(t.Context(), c, question{"fine"}); err != nil || got.Text != "fine" {
		t.Errorf("next call: got %+v, %v, want fine", got, err)
	}
	if len(seen) != 2 || seen[0] == nil || seen[1] != nil {
		t.Errorf("observed %v, want a failure and a success", seen)
	}
}

func TestClientIsAHandler(t *testing.T) {
	c := serve(t,
		api.Config{Bindings: []api.Binding{api.On(api.Event, func(_ context.Context, e mem.Event) (mem.Reply, error) {
			return mem.Reply{Context: string(e.Kind) + " " + string(e.Input)}, nil
		})}})
	var h mem.Handler = c
	got, err := h.Handle(t.Context(), mem.Event{Kind: mem.Stop, Input: []byte(`{"a":"<&>"}`)})
	if want := `Stop {"a":"<&>"}`; err != nil || got.Context != want {
		t.Errorf("got %+v, %v, want %q", got, err, want)
	}
}

// A canceled request ends at once in the client and in the daemon.
func TestACallThatIsCancelledEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	c := serve(t, api.Config{Bindings: []api.Binding{api.On(echo, func(asked context.Context, _ question) (answer, error) {
		defer close(ended)
		cancel()
		select {
		case <-asked.Done():
			return answer{}, asked.Err()
		case <-time.After(20 * time.Second): // only where the call does not end
			return answer{}, nil
		}
	})}})
	if _, err := echo.Call(ctx, c, question{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
	<-ended
}

func TestSilentServerEndsAtTheDeadline(t *testing.T) {
	dir := socketDir(t)
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = echo.Call(ctx, api.Client{Socket: l.Addr().String()}, question{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want DeadlineExceeded", err)
	}
}

// justUp is a time that is up right after it was last looked at.
type justUp struct {
	looked bool
	up     chan struct{} // closed
}

func (c *justUp) Deadline() (at time.Time, ok bool) { return at, false }
func (c *justUp) Value(any) any                     { return nil }
func (c *justUp) Done() <-chan struct{}             { return c.up }

func (c *justUp) Err() error {
	if !c.looked {
		c.looked = true
		return nil
	}
	return context.DeadlineExceeded
}

// A client that took it for a missing daemon would start another.
func TestATimeThatIsUpSaysNothingOfTheWorker(t *testing.T) {
	c := serve(t, api.Config{})
	ctx := &justUp{up: make(chan struct{})}
	close(ctx.up)
	if _, err := c.Health(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, api.ErrUnreachable) {
		t.Errorf("got %v, want DeadlineExceeded and not ErrUnreachable", err)
	}
}

func TestMissingWorkerIsUnreachable(t *testing.T) {
	dir := socketDir(t)
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for name, socket := range map[string]string{
		"none": "", "no file": filepath.Join(dir, "s"), "no directory": filepath.Join(dir, "x", "s"),
		"directory open to others": filepath.Join(open, "s"), "directory is a link": filepath.Join(link, "s"),
	} {
		_, err := echo.Call(t.Context(), api.Client{Socket: socket}, question{})
		if !errors.Is(err, api.ErrUnreachable) {
			t.Errorf("%s: got %v, want ErrUnreachable", name, err)
		}
	}
}

func TestAWorkerThatEndsBeforeItsAnswerIsGone(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(socketDir(t), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, answer := range map[string]string{
		"nothing": "", "half a head": "HTTP/1.1 200 OK\r\nContent-Length: 90\r\n",
		"half a body": "HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{",
	} {
		go func() {
			if c, err := l.Accept(); err == nil {
				_, _ = c.Write([]byte(answer))
				_ = c.Close()
			}
		}()
		_, err := echo.Call(t.Context(), api.Client{Socket: l.Addr().String()}, question{})
		if !errors.Is(err, api.ErrGone) || errors.Is(err, api.ErrUnreachable) {
			t.Errorf("%s: got %v, want ErrGone", name, err)
		}
	}
}

func TestOversizedEventIsRefusedWithItsName(t *testing.T) {
	c := serve(t, api.Config{Bindings: []api.Binding{api.On(echo, func(context.Context, question) (answer, error) {
		return answer{}, nil
	})}})
	if _, err := echo.Call(t.Context(), c, question{strings.Repeat("x", 2<<20)}); err != nil {
		t.Errorf("2 MiB: got %v, want it taken", err)
	}
	var e *api.Error
	_, err := echo.Call(t.Context(), c, question{strings.Repeat("x", api.MaxBody)})
	if !errors.As(err, &e) || e.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("got %v, want status 413", err)
	}
}

func TestRuntimeFileIsPrivateAndWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runtime.json")
	for _, want := range []api.Runtime{
		{Socket: "/run/s", Token: "t", PID: 7, Paused: []mem.Pause{{Target: "all"}}},
		{Socket: "/run/other", Rules: []string{"n=p"}},
	} {
		if err := want.Write(path); err != nil {
			t.Fatal(err)
		}
		got, err := api.ReadRuntime(path)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v, want 0600", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestUnreadableRuntimeFileIsAnError(t *testing.T) {
	dir := t.TempDir()
	if _, err := api.ReadRuntime(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: got %v, want ErrNotExist", err)
	}
	torn := filepath.Join(dir, "torn")
	if err := os.WriteFile(torn, []byte(`{"socket":`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{torn, dir} {
		if r, err := api.ReadRuntime(path); err == nil {
			t.Errorf("%s: got %+v, want an error", path, r)
		}
	}
}

func TestWaitReturnsOnceTheWorkerAnswers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runtime.json")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := api.Wait(ctx, path, "1", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no worker: got %v, want DeadlineExceeded", err)
	}

	c := serve(t, api.Config{})
	go func() {
		time.Sleep(10 * time.Millisecond)
		_ = api.Runtime{Socket: c.Socket, Token: c.Token}.Write(path)
	}()
	got, err := api.Wait(t.Context(), path, "1", nil)
	if err != nil || got.Socket != c.Socket {
		t.Errorf("got %+v, %v, want the client of %s", got, err, c.Socket)
	}
}

const token = "the-token"

// serve runs a mux on a socket until the end of the test.
func serve(t *testing.T, cfg api.Config) api.Client {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(socketDir(t), "s"))
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: api.Guard(api.Access{Hosts: []string{api.SocketHost}, Token: token}, api.Mux(cfg))}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close(); <-done })
	return api.Client{Socket: l.Addr().String(), Token: token}
}

// socketDir is short enough for a socket's path and private.
func socketDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "api")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
