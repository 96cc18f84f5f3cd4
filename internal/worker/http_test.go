//go:build unix

package worker_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/worker"
)

func TestThePortIsServedToWhoeverHasTheToken(t *testing.T) {
	w := start(t, worker.Config{HTTPPort: freePort(t), Handler: handler(func(e mem.Event) (mem.Reply, error) {
		return mem.Reply{Context: "for " + e.Session}, nil
	})})
	rt := w.told(t)
	for token, want := range map[string]int{rt.Token: 200, "x": 401} {
		status, body := post(t, rt.HTTP, "event", token, `{"session":"s1"}`)
		if status != want || (want == 200) != strings.Contains(body, "for s1") {
			t.Errorf("got %d %s, want %d", status, body, want)
		}
	}
}

func TestWithoutAPortNothingListens(t *testing.T) {
	if rt := start(t, worker.Config{}).told(t); rt.HTTP != "" || rt.HTTPFault != "" {
		t.Errorf("runtime file: http %q (%q), want none and no fault", rt.HTTP, rt.HTTPFault)
	}
}

func TestATakenPortIsToldAndTheSocketServed(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", at)
		if err != nil && strings.HasPrefix(at, "[") {
			t.Logf("no IPv6 here: %v", err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		port := l.Addr().(*net.TCPAddr).Port
		w := start(t, worker.Config{HTTPPort: port})
		if rt := w.told(t); rt.HTTP != "" || rt.HTTPFault == "" {
			t.Errorf("%s is taken: runtime file says %q (%q), want none and why", at, rt.HTTP, rt.HTTPFault)
		}
		if _, err := w.client(t).Handle(t.Context(), mem.Event{}); err != nil {
			t.Errorf("%s is taken: %v", at, err)
		}
	}
}

func TestAnOrderToEndIsAnsweredAtThePortToo(t *testing.T) {
	w := start(t, worker.Config{HTTPPort: freePort(t)})
	rt := w.told(t)
	if status, body := post(t, rt.HTTP, "drain", rt.Token, "{}"); status != 200 {
		t.Errorf("got %d %s, want 200", status, body)
	}
	w.wait(t)
}

func TestAFullPortKeepsNoHookWaiting(t *testing.T) {
	w := start(t, worker.Config{HTTPPort: freePort(t)})
	rt := w.told(t)
	for range 10 * worker.MaxConnections { // at the hooks' expense they would last for long
		c, err := net.Dial("tcp", rt.HTTP)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := w.client(t).Handle(ctx, mem.Event{}); err != nil {
		t.Fatal(err)
	}
}

// Whoever is not let in must not be able to keep it from ending either.
func TestRefusedRequestsAreNoWork(t *testing.T) {
	w := start(t, worker.Config{HTTPPort: freePort(t), Idle: lasting(700 * time.Millisecond), Every: time.Millisecond, Store: &store{}})
	at := w.told(t).HTTP
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.wait(t)
	}()
	for {
		select {
		case <-ended:
			return
		default:
		}
		if c, err := net.Dial("tcp", at); err == nil {
			_, _ = fmt.Fprintf(c, "POST /api/v1/event HTTP/1.1\r\nHost: %s\r\n\r\n", at)
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}
	}
}

// told is what the worker writes for its clients.
func (w *running) told(t *testing.T) api.Runtime {
	t.Helper()
	w.client(t)
	rt, err := api.ReadRuntime(w.runtime)
	if err != nil {
		t.Fatal(err)
	}
	return rt
}

// post asks a route at the port.
func post(t *testing.T, at, route, token, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequest("POST", "http://"+at+"/api/v1/"+route, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// freePort is a port that nobody had a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
