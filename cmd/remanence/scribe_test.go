package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// scribe is a server with a model that writes down one decision, in the words of
// either contract.
type scribe struct {
	*httptest.Server

	mu          sync.Mutex
	connections int
	sent        []string // bodies, with the headers that hold keys
	answer      string   // of the model; a number is a status instead
}

const wrote = "<observation><type>decision</type><title>The scribe says: batches of fifty</title><narrative>Smaller " +
	"ones were slow.</narrative></observation>" +
	"<summary><request>batch size</request><completed>fifty was chosen</completed></summary>"

func newScribe() *scribe {
	s := &scribe{answer: wrote}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			s.mu.Lock()
			s.connections++
			s.mu.Unlock()
		}
	}
	s.Start()
	return s
}

func (s *scribe) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.sent = append(s.sent, r.Header.Get("X-Api-Key")+r.Header.Get("Authorization")+" "+string(body))
	answer := s.answer
	s.mu.Unlock()
	var status int
	if n, _ := fmt.Sscanf(answer, "%d", &status); n == 1 {
		http.Error(w, string(body), status)
		return
	}
	usage := map[string]int{"input_tokens": 900, "output_tokens": 100}
	v := map[string]any{
		"content": []any{map[string]any{"type": "text", "text": answer}}, "stop_reason": "end_turn",
		"usage": usage,
	}
	if strings.HasSuffix(r.URL.Path, "/chat/completions") {
		v = map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": answer}}}, "usage": usage}
	}
	_ = json.NewEncoder(w).Encode(v)
}

// scribes let scripts have such a server each: scribe starts it and sets $SCRIBE,
// scribe ANSWER changes what it says, wrote N fails unless it was asked so often,
// sent TEXT unless it was ever sent the text.
func scribes() map[string]func(*testscript.TestScript, bool, []string) {
	var mu sync.Mutex
	running := map[string]*scribe{}
	of := func(ts *testscript.TestScript) *scribe {
		mu.Lock()
		defer mu.Unlock()
		return running[ts.Getenv("WORK")]
	}
	return map[string]func(*testscript.TestScript, bool, []string){
		"scribe": func(ts *testscript.TestScript, _ bool, args []string) {
			if len(args) == 1 {
				s := of(ts)
				s.mu.Lock()
				defer s.mu.Unlock()
				if s.answer = args[0]; s.answer == "well" {
					s.answer = wrote
				}
				return
			}
			s := newScribe()
			mu.Lock()
			running[ts.Getenv("WORK")] = s
			mu.Unlock()
			ts.Setenv("SCRIBE", s.URL)
			ts.Defer(s.Close)
		},
		"wrote": func(ts *testscript.TestScript, _ bool, args []string) {
			s := of(ts)
			s.mu.Lock()
			defer s.mu.Unlock()
			if n := fmt.Sprint(len(s.sent)); len(args) != 1 || args[0] != n || n == "0" && s.connections > 0 {
				ts.Fatalf("asked %s times by %d connections, want %v", n, s.connections, args)
			}
		},
		"sent": func(ts *testscript.TestScript, neg bool, args []string) {
			s := of(ts)
			s.mu.Lock()
			defer s.mu.Unlock()
			if all := strings.Join(s.sent, "\n"); strings.Contains(all, args[0]) == neg {
				ts.Fatalf("%q in what was sent, or not:\n%s", args[0], all)
			}
		},
	}
}
