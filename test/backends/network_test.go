//go:build backends && linux

package backends

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"remanence/internal/spool"
	"remanence/test/surrealserver"
	"remanence/test/world"
)

// weather is what a network does with what is sent.
type weather string

const (
	fair   weather = "fair"
	slow   weather = "slow"   // everything takes half a second longer
	stalls weather = "stalls" // nothing arrives until it is over, as with lost packets
	dead   weather = "dead"   // connections of this time never deliver anything any more, and never end
	resets weather = "resets" // connections are broken off, and new ones too
)

// network stands between a daemon and a server.
type network struct {
	listener net.Listener
	to       string

	mu      sync.Mutex
	now     weather
	changed chan struct{} // closed when now changes
	links   map[*link]bool
}

// link is one connection through the network.
type link struct {
	client, server net.Conn
	dead           bool
}

func newNetwork(t *testing.T, port int) *network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{
		listener: l, to: fmt.Sprintf("127.0.0.1:%d", port), now: fair, changed: make(chan struct{}),
		links: map[*link]bool{},
	}
	var done sync.WaitGroup
	done.Go(func() { n.accept(&done) })
	t.Cleanup(func() {
		_ = l.Close()
		n.turn(fair)
		n.cut(func(*link) bool { return true })
		done.Wait()
	})
	return n
}

func (n *network) accept(done *sync.WaitGroup) {
	for {
		c, err := n.listener.Accept()
		if err != nil {
			return
		}
		s, err := net.Dial("tcp", n.to)
		if err != nil {
			abort(c)
			continue
		}
		k := &link{client: c, server: s}
		n.mu.Lock()
		n.links[k] = true
		k.dead = n.now == dead
		if n.now == resets {
			abort(c)
		}
		n.mu.Unlock()
		done.Go(func() { n.carry(k, s, c) })
		done.Go(func() { n.carry(k, c, s) })
	}
}

// abort breaks a connection off.
func abort(c net.Conn) {
	_ = c.(*net.TCPConn).SetLinger(0)
	_ = c.Close()
}

// carry carries what is sent in one direction.
func (n *network) carry(k *link, from, to net.Conn) {
	defer func() {
		_, _ = from.Close(), to.Close()
	}()
	buf := make([]byte, 32<<10)
	for {
		m, err := from.Read(buf)
		if !n.passes(k) {
			_, _ = io.Copy(io.Discard, from) // until the cut
			return
		}
		if m > 0 {
			if _, err := to.Write(buf[:m]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// passes waits until something that was sent may arrive, and reports whether it does at all.
func (n *network) passes(k *link) bool {
	for {
		n.mu.Lock()
		now, changed, gone := n.now, n.changed, k.dead
		n.mu.Unlock()
		switch {
		case gone:
			return false
		case now == slow:
			time.Sleep(500 * time.Millisecond)
			return true
		case now != stalls:
			return true
		}
		<-changed
	}
}

// turn changes the weather.
func (n *network) turn(w weather) {
	n.mu.Lock()
	n.now = w
	close(n.changed)
	n.changed = make(chan struct{})
	if w == dead {
		for k := range n.links {
			k.dead = true
		}
	}
	n.mu.Unlock()
	if w == resets {
		n.cut(func(*link) bool { return true })
	}
}

// cut breaks off some of the connections.
func (n *network) cut(which func(*link) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for k := range n.links {
		if which(k) {
			abort(k.client)
			abort(k.server)
			delete(n.links, k)
		}
	}
}

// away is a person whose memory is on a server behind a network. The hooks have no more time than they really have.
type away struct {
	*world.Person
	*network
	server interface {
		Start() error
		Kill() error
	}
	stored func(mark string) (string, error) // how many events contain a mark
}

// onEachServer runs a test with a server of each sort behind a network.
func onEachServer(t *testing.T, test func(t *testing.T, a away)) {
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		p, server := newPerson(t)
		a := behindNetwork(t, p, server.Port)
		line := fmt.Sprintf("127.0.0.1:*:remanence:remanence:%s\n", server.Password)
		if err := os.WriteFile(filepath.Join(p.Home, ".pgpass"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Run("config", "set", "store.dsn", fmt.Sprintf("postgres://remanence@%s/remanence?sslmode=disable",
			a.listener.Addr()))
		a.server, a.stored = server, func(mark string) (string, error) {
			return server.Query("remanence", "SELECT count(*) FROM remanence.event WHERE payload LIKE '%make "+mark+"%'")
		}
		test(t, a)
	})
	t.Run("SurrealDB", func(t *testing.T) {
		t.Parallel()
		p, server := onSurreal(t)
		a := behindNetwork(t, p, server.Port)
		p.Run("config", "set", "store.dsn", fmt.Sprintf("surreal://%s@%s/team/memory", surrealserver.User,
			a.listener.Addr()))
		a.server, a.stored = server, func(mark string) (string, error) {
			return countMarks(server, mark)
		}
		test(t, a)
	})
}

// behindNetwork puts a network before the server of a person.
func behindNetwork(t *testing.T, p *world.Person, port int) away {
	t.Helper()
	var err error
	if p.Program, err = inTime(); err != nil {
		t.Fatal(err)
	}
	return away{Person: p, network: newNetwork(t, port)}
}

// delivery is one event that was sent.
type delivery struct {
	mark string
	in   weather
	took time.Duration
}

// sendAt sends an event in some weather. A hook ends well whatever happens, and holds its limit.
func sendAt(t *testing.T, p away, i int, w weather) delivery {
	t.Helper()
	d := delivery{mark: fmt.Sprintf("mark%06d", i), in: w}
	a := p.Hook(p.Payload("PostToolUse.Bash", map[string]any{
		"session_id": "one", "tool_use_id": "toolu_" + d.mark, "prompt_id": "p1",
		"tool_input": map[string]any{"command": "make " + d.mark}, "tool_response": map[string]any{"stdout": "ok"},
	}))
	d.took = a.Took
	if a.Status != 0 {
		t.Errorf("event %d in %s: exit status %d: %s", i, w, a.Status, a.Stderr)
	}
	if limit := world.Stretched(3 * time.Second); a.Took > limit { // 300 ms, and the start of a process on a busy machine
		t.Errorf("event %d in %s: took %v, want at most %v", i, w, a.Took, limit)
	}
	return d
}

// allStored waits until the spool is taken in, and compares what is stored with what was sent. Only a hook whose time
// was up before it could spool, as on a busy machine, may lose its event, and counts it.
func allStored(t *testing.T, p away, sent []delivery, after weather) {
	t.Helper()
	begun := time.Now()
	empty := func() bool {
		_ = p.Command("daemon", "start").Run()
		return p.Spool().Empty()
	}
	taken := p.Eventually(empty)
	if !taken {
		taken = p.Eventually(empty) // a dead connection is noticed after a minute
	}
	if !taken {
		out, _ := p.Command("status").CombinedOutput()
		t.Fatalf("the spool is not taken in: %s", out)
	}
	t.Logf("after %s the spool was taken in within %v", after, time.Since(begun).Round(time.Millisecond))
	var missing []string
	for _, d := range sent {
		n, err := p.stored(d.mark)
		switch {
		case err != nil:
			t.Fatal(err)
		case n == "0":
			missing = append(missing, fmt.Sprintf("%s in %s, %v", d.mark, d.in, d.took))
		case n != "1":
			t.Errorf("%s, sent in %s, is stored %s times", d.mark, d.in, n)
		}
	}
	lost := int64(0)
	for _, n := range spool.Counters(filepath.Join(p.State(), "spool")) {
		lost += n
	}
	if int64(len(missing)) > lost {
		t.Errorf("%d events are missing and %d are counted as lost: %s", len(missing), lost, strings.Join(missing, "; "))
	}
}

func TestABadNetworkNeitherHoldsAHookUpNorLosesAnEvent(t *testing.T) {
	t.Parallel()
	onEachServer(t, func(t *testing.T, p away) {
		p.StartWorker()
		var sent []delivery
		slowest := map[weather]time.Duration{}
		for _, w := range []weather{fair, slow, stalls, resets, dead} {
			p.turn(w)
			for range 6 {
				d := sendAt(t, p, len(sent), w)
				sent, slowest[w] = append(sent, d), max(slowest[w], d.took)
			}
			a := p.Hook(p.Payload("UserPromptSubmit", map[string]any{
				"session_id": "one", "prompt": "what rounds the till?",
			}))
			if limit := world.Stretched(3 * time.Second); a.Status != 0 || a.Took > limit {
				t.Errorf("a prompt in %s: exit status %d after %v", w, a.Status, a.Took)
			}
			slowest[w] = max(slowest[w], a.Took)
			p.turn(fair)
			allStored(t, p, sent, w)
		}
		for w, d := range slowest {
			t.Logf("slowest hook, network %s: %v", w, d.Round(time.Millisecond))
		}
	})
}

// Both ends are killed at random times, and the network is bad: everything is stored once afterwards.
func TestNothingIsLostWhenBothEndsAreKilled(t *testing.T) {
	t.Parallel()
	onEachServer(t, func(t *testing.T, p away) {
		p.StartWorker()
		r := rand.New(rand.NewPCG(26, 11))
		var sent []delivery
		kills := 0
		for range 60 {
			switch r.IntN(8) {
			case 0:
				for _, pid := range p.Workers() {
					if worker, err := os.FindProcess(pid); err == nil && worker.Kill() == nil {
						kills++
					}
				}
			case 1:
				if err := p.server.Kill(); err != nil {
					t.Fatal(err)
				}
				kills++
				for range r.IntN(4) {
					sent = append(sent, sendAt(t, p, len(sent), "away"))
				}
				if err := p.server.Start(); err != nil {
					t.Fatal(err)
				}
			case 2:
				p.turn([]weather{slow, stalls, resets, dead}[r.IntN(4)])
			case 3, 4:
				p.turn(fair)
			}
			sent = append(sent, sendAt(t, p, len(sent), p.now))
		}
		p.turn(fair)
		t.Logf("%d events, %d kills", len(sent), kills)
		allStored(t, p, sent, "kills")
	})
}
