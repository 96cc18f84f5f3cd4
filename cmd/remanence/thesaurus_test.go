package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// thesaurus is an embedding server that knows a few words and what they mean.
type thesaurus struct {
	*httptest.Server
	connections atomic.Int64
	asked       atomic.Int64
}

var topics = map[string]int{
	"car": 0, "automobile": 0, "bread": 1, "loaf": 1, "login": 2, "credentials": 2, "authentication": 2, "cookie": 2,
}

func newThesaurus() *thesaurus {
	d := &thesaurus{}
	d.Server = httptest.NewUnstartedServer(http.HandlerFunc(d.answer))
	d.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			d.connections.Add(1)
		}
	}
	d.Start()
	return d
}

// answer speaks as Ollama.
func (d *thesaurus) answer(w http.ResponseWriter, r *http.Request) {
	d.asked.Add(1)
	var q struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/api/embed" {
		http.Error(w, "what?", http.StatusBadRequest)
		return
	}
	out := struct {
		Embeddings [][]float64 `json:"embeddings"`
	}{}
	for _, text := range q.Input {
		v := make([]float64, 5)
		v[3] = 0.2
		for _, word := range strings.Fields(strings.ToLower(text)) {
			if i, ok := topics[strings.Trim(word, ".,?!")]; ok {
				v[i]++
			} else {
				v[4] += 0.05
			}
		}
		out.Embeddings = append(out.Embeddings, v)
	}
	_ = json.NewEncoder(w).Encode(out)
}

// thesauri let scripts have a server each: thesaurus starts it and sets $SERVER,
// thesaurus stop ends it, asked never fails if anybody has connected to it.
func thesauri() map[string]func(*testscript.TestScript, bool, []string) {
	var mu sync.Mutex
	running := map[string]*thesaurus{}
	of := func(ts *testscript.TestScript) *thesaurus {
		mu.Lock()
		defer mu.Unlock()
		return running[ts.Getenv("WORK")]
	}
	return map[string]func(*testscript.TestScript, bool, []string){
		"thesaurus": func(ts *testscript.TestScript, _ bool, args []string) {
			if len(args) == 1 && args[0] == "stop" {
				of(ts).Close()
				return
			}
			d := newThesaurus()
			mu.Lock()
			running[ts.Getenv("WORK")] = d
			mu.Unlock()
			ts.Setenv("SERVER", d.URL)
			ts.Defer(d.Close)
		},
		"asked": func(ts *testscript.TestScript, neg bool, args []string) {
			d := of(ts)
			if never := d.connections.Load() == 0; len(args) != 1 || args[0] != "never" || never == neg {
				ts.Fatalf("%d connections, %d requests", d.connections.Load(), d.asked.Load())
			}
		},
		"embedded": embedded,
	}
}

// embedded waits until so many memories have vectors.
func embedded(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: embedded N")
	}
	for end := time.Now().Add(takeIn); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err := ts.Exec("remanence", "status", "--json"); err != nil {
			ts.Fatalf("status: %v", err)
		}
		if strings.Contains(ts.ReadFile("stdout"), fmt.Sprintf(`"vectors":%s,`, args[0])) {
			return
		}
	}
	ts.Fatalf("still: %s", ts.ReadFile("stdout"))
}
