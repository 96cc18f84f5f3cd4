//go:build mcp && unix

package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/store/sqlite"
	"remanence/test/corpus"
	"remanence/test/world"
)

// spoken is a conversation with a server over its standard input and output.
type spoken struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	calls int
}

// speaks starts a server and greets it.
func speaks(p *world.Person) (*spoken, error) {
	cmd := p.Command("mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &spoken{cmd: cmd, in: in, out: bufio.NewScanner(out)}
	s.out.Buffer(nil, 1<<20)
	_, err = s.ask("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{
			"name":    "trial",
			"version": "1",
		},
	})
	if err == nil {
		_, err = fmt.Fprintln(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return s, err
}

// ask sends a request and waits for its answer.
func (s *spoken) ask(method string, params any) (string, error) {
	s.calls++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.calls, "method": method, "params": params})
	if err != nil {
		return "", err
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		return "", err
	}
	if !s.out.Scan() {
		return "", fmt.Errorf("no answer to %s: %w", method, s.out.Err())
	}
	var got struct {
		ID     int
		Result json.RawMessage
	}
	if err := json.Unmarshal(s.out.Bytes(), &got); err != nil {
		return "", fmt.Errorf("answer to %s: %w in %s", method, err, s.out.Bytes())
	}
	if got.ID != s.calls || got.Result == nil {
		return "", fmt.Errorf("answer to %s, number %d: %s", method, s.calls, s.out.Bytes())
	}
	return string(got.Result), nil
}

func (s *spoken) call(tool string, args map[string]any) (string, error) {
	return s.ask("tools/call", map[string]any{"name": tool, "arguments": args})
}

// leaves says goodbye and waits for the server's end.
func (s *spoken) leaves() error {
	_ = s.in.Close()
	return s.cmd.Wait()
}

// What is there at once.
const (
	servers  = 20
	hooks    = 200
	searches = 10 // of each server
)

func TestManyServersAndHooksAtOnce(t *testing.T) {
	p := world.NewPerson(t)
	p.Run("add", "the lighthouse keeper oils the lamp on Mondays")
	before := time.Now()
	errs := make(chan error, servers+hooks)
	var all sync.WaitGroup
	for range servers {
		all.Go(func() { errs <- searchesALot(p) })
	}
	for i := range hooks {
		all.Go(func() { errs <- hooked(p, i) })
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(within):
		t.Fatalf("not done in %v: %v", within, p.Processes())
	}
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d servers with %d searches each and %d hooks took %v", servers, searches, hooks,
		time.Since(before).Round(time.Millisecond))
	if n := len(p.Workers()); n > 1 {
		t.Errorf("%d workers", n)
	}
	p.Run("daemon", "start")
	if !p.Eventually(func() bool { return p.Spool().Empty() }) {
		t.Error("the spool is not drained")
	}
	var got struct{ Results []struct{ Title string } }
	if err := json.Unmarshal([]byte(p.Run("search", "parcel", "-n", "500", "--json")), &got); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, r := range got.Results {
		if strings.Contains(r.Title, "parcel") {
			kept++
		}
	}
	// Two cores that have far too much to do end many hooks by their hard limit: those are counted.
	t.Logf("%d of %d are kept", kept, hooks)
	if status := p.Run("status"); kept != hooks && !strings.Contains(status, "events were lost") {
		t.Errorf("%d of %d are kept, and nothing is said of the rest:\n%s", kept, hooks, status)
	}
}

func searchesALot(p *world.Person) error {
	s, err := speaks(p)
	if err != nil {
		return err
	}
	for range searches {
		out, err := s.call("search", map[string]any{"query": "when does the keeper oil the lamp"})
		if err == nil && !strings.Contains(out, "lighthouse keeper") && !strings.Contains(out, "degraded") {
			err = fmt.Errorf("search: %s", out)
		}
		if err != nil {
			_ = s.leaves()
			return err
		}
	}
	return s.leaves()
}

// hooked reports a finished command of a session, as a client does.
func hooked(p *world.Person, i int) error {
	cmd := p.HookCommand(p.Payload("PostToolUse.Bash", map[string]any{
		"session_id": fmt.Sprint("s", i%20), "prompt_id": fmt.Sprint("p", i), "tool_use_id": fmt.Sprint("t", i),
		"tool_input": map[string]any{"command": fmt.Sprintf("npm install parcel-%d", i)},
	}))
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) > 0 {
		return fmt.Errorf("hook %d: %w, printed %q", i, err, out)
	}
	return nil
}

// BenchmarkSearch is what an agent waits for: a search over standard input and
// output, with 10,000 memories, as the median of all.
func BenchmarkSearch(b *testing.B) {
	const memories = 10_000
	p := world.NewPerson(b)
	filled(b, p, memories)
	s, err := speaks(p)
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := s.leaves(); err != nil {
			b.Error(err)
		}
	}()
	var took []time.Duration
	before := cpu(b, p)
	for b.Loop() {
		begun := time.Now()
		out, err := s.call("search", map[string]any{"query": corpus.Question(memories)})
		took = append(took, time.Since(begun))
		if err != nil || !strings.Contains(out, `\"id\":\"m_`) {
			b.Fatalf("%s, %v", out, err)
		}
	}
	b.ReportMetric(float64((cpu(b, p)-before).Microseconds())/1000/float64(len(took)), "cpu-ms/op")
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// cpu is what the person's processes have used of the processors so far.
func cpu(b *testing.B, p *world.Person) time.Duration {
	b.Helper()
	var ticks int
	for pid := range p.Processes() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			b.Fatal(err)
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		for _, n := range fields[11:13] { // in user and in system mode
			t, err := strconv.Atoi(n)
			if err != nil {
				b.Fatal(err)
			}
			ticks += t
		}
	}
	return time.Duration(ticks) * time.Second / 100 // USER_HZ, the same on every Linux
}

// filled gives the person's project so many memories.
func filled(b *testing.B, p *world.Person, n int) {
	b.Helper()
	at, err := project.Identify(p.Project)
	if err != nil {
		b.Fatal(err)
	}
	s, err := sqlite.Open(b.Context(), sqlite.Config{Path: p.Data() + "/remanence.db"})
	if err != nil {
		b.Fatal(err)
	}
	text, now := corpus.NewWords(), time.Now()
	for first := 0; first < n; first += 500 {
		batch := mem.Batch{Project: &at}
		for i := first; i < min(first+500, n); i++ {
			batch.Memories = append(batch.Memories, corpus.Memory(at, i, now.Add(-time.Duration(n-i)*time.Hour), text))
			batch.Links = append(batch.Links, corpus.LinksOf(i, batch.Memories[len(batch.Memories)-1]))
		}
		if _, err := s.Apply(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}
