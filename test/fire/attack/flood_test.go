//go:build fire

package attack

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/curate"
	"remanence/internal/mem"
)

// Figures of the flood, and what the worker may be after it.
const (
	idlers, dribblers, fillers, deaf = 200, 100, 60, 40

	mostMemory = 100 << 20 // bytes, at its peak
	mostFiles  = 64
)

// TestHooksAreAnsweredDuringAFlood fills the port with connections that say
// nothing, say it slowly, never end, or never listen to the answer.
func TestHooksAreAnsweredDuringAFlood(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	v.fill(t, 40, 3<<10)
	calm := v.calm(t)
	var flood sync.WaitGroup
	stop := make(chan struct{})
	for kind, n := range map[string]int{"idle": idlers, "slow": dribblers, "endless": fillers, "deaf": deaf} {
		for range n {
			flood.Go(func() { v.pester(kind, stop) })
		}
	}
	most, asked := 0, 0
	for end := time.Now().Add(11 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		asked++
		all, _ := v.files(t)
		most = max(most, all)
		v.ask(t, asked)
	}
	if a := v.Hook(v.Payload("UserPromptSubmit", map[string]any{"prompt": "what opens the vault?"})); a.Status != 0 ||
		len(a.Stderr) != 0 {
		t.Errorf("hook: exit %d, stderr %q, want 0 and none", a.Status, a.Stderr)
	}
	close(stop)
	flood.Wait()

	peak := v.peak(t)
	t.Logf("%d questions answered; peak of memory %d MB, %d open files at most", asked, peak>>20, most)
	if peak > mostMemory {
		t.Errorf("peak of memory %d bytes, want at most %d", peak, mostMemory)
	}
	if most > mostFiles {
		t.Errorf("%d open files, want at most %d", most, mostFiles)
	}
	left := 0
	if !v.Eventually(func() bool { _, left = v.files(t); return left <= calm }) {
		t.Errorf("%d sockets are open when all is over, want %d as before", left, calm)
	}
}

// TestAClientThatNeverReadsIsDropped asks for a long answer and looks away.
func TestAClientThatNeverReadsIsDropped(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	v.fill(t, 250, 32<<10) // more than the system's buffers hold
	calm := v.calm(t)
	conn, err := net.DialTimeout("tcp", v.HTTP, patience)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	if _, err := conn.Write(drawers(v)); err != nil {
		t.Fatal(err)
	}
	if !v.Eventually(func() bool { _, n := v.files(t); return n > calm }) {
		t.Fatal("the worker does not hold the connection: there is nothing to drop")
	}
	time.Sleep(3 * time.Second)
	if _, n := v.files(t); n <= calm {
		t.Fatal("the connection is over at once: the system holds the whole answer, and no process waits for the client")
	}
	if !v.Eventually(func() bool { _, n := v.files(t); return n <= calm }) {
		t.Error("the worker waits for a client that does not read")
	}
}

// TestAMissingRequestBodyIsNotWaitedFor promises a body and sends half of it.
func TestAMissingRequestBodyIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	inParallel(v.endpoints(), func(d endpoint) {
		r := proper(v, d, target{"/api/v1/search", "POST", bodies["search"], true})
		r.body = r.body[:len(r.body)/2]
		if answer := d.exchange(t, r.bytes()); statusOf(answer) == 200 {
			t.Errorf("%s: half a question was answered: %s", d.name, answer)
		}
	})
}

// drawers asks for what fill made.
func drawers(v victim) []byte {
	r := proper(v, v.endpoints()[0], target{"/api/v1/search", "POST", `{"project":"all","query":{"text":"drawer ` +
		`spoons","limit":400}}`, true})
	return r.bytes()
}

// fill makes memories of so many bytes each.
func (v victim) fill(t *testing.T, n, size int) {
	t.Helper()
	for i := range n {
		text := fmt.Sprint("drawer ", i, " holds ", strings.Repeat("spoons and ", size/11))
		if _, err := api.Add.Call(t.Context(), v.client(), curate.AddRequest{
			ProjectRef: mem.ProjectRef{Dir: v.Project},
			Text:       text,
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// ask asks as a hook does, over the socket.
func (v victim) ask(t *testing.T, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e := mem.Event{
		ID: fmt.Sprint("e_flood", n), Agent: "claude-code", Kind: mem.PostToolUse, At: time.Now(),
		Session: "flood", Root: v.Project, Cwd: v.Project, Tool: "Bash",
	}
	if _, err := v.client().Handle(ctx, e); err != nil {
		t.Errorf("event %d during the flood: %v", n, err)
	}
}

// pester holds a connection to the port in one way, and when it is dropped
// another, until stop is closed.
func (v victim) pester(kind string, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		conn, err := net.DialTimeout("tcp", v.HTTP, time.Second)
		if err != nil {
			continue
		}
		v.hold(kind, conn, stop)
		_ = conn.Close()
	}
}

func (v victim) hold(kind string, conn net.Conn, stop <-chan struct{}) {
	d := v.endpoints()[0]
	r := proper(v, d, target{"/api/v1/event", "POST", "", true})
	switch kind {
	case "slow": // a proper header, letter by letter
		for _, b := range r.bytes() {
			if _, err := conn.Write([]byte{b}); err != nil || wait(stop, 100*time.Millisecond) {
				return
			}
		}
	case "endless": // a body of the most that is taken, of which the end never comes
		r.set("Content-Length", strconv.Itoa(2<<20))
		_, _ = conn.Write(r.bytes())
		for chunk := make([]byte, 16<<10); ; {
			if _, err := conn.Write(chunk); err != nil || wait(stop, 100*time.Millisecond) {
				return
			}
		}
	case "deaf": // a long answer that is not read
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		_, _ = conn.Write(drawers(v))
		wait(stop, 20*time.Second)
	default:
		wait(stop, 20*time.Second)
	}
}

// wait waits for d and reports whether the end came first.
func wait(stop <-chan struct{}, d time.Duration) bool {
	select {
	case <-stop:
		return true
	case <-time.After(d):
		return false
	}
}

// files is how many files the worker has open, and how many of them are sockets.
func (v victim) files(t *testing.T) (all, sockets int) {
	t.Helper()
	dir := filepath.Join("/proc", strconv.Itoa(v.PID), "fd")
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if to, _ := os.Readlink(filepath.Join(dir, f.Name())); strings.HasPrefix(to, "socket:") {
			sockets++
		}
	}
	return len(list), sockets
}

// calm is how many sockets the worker has open without requests.
func (v victim) calm(t *testing.T) int {
	t.Helper()
	_, least := v.files(t)
	for range 10 {
		time.Sleep(50 * time.Millisecond) // a connection of ours may still be closing
		_, n := v.files(t)
		least = min(least, n)
	}
	return least
}

// peak is the most memory that the worker has had, in bytes.
func (v victim) peak(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(v.PID), "status"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(b), "\n") {
		if kb, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(kb, "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return n << 10
		}
	}
	t.Fatal("the system does not report the daemon's memory")
	return 0
}
