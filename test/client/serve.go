package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// server is the fake Messages API. It answers from a script and records every request in requests.jsonl.
type server struct {
	script script
	out    string // directory of requests.jsonl

	mu    sync.Mutex // guards the rest, and keeps the record in the order of n
	n     int
	given map[string]int    // conversation -> turns given
	memo  map[string]answer // digest of a request -> its answer, for the client's retries
}

// answer is a turn with its place in the script.
type answer struct {
	conversation string
	index        int
	turn         turn
}

func serve(args []string) {
	fs := flag.NewFlagSet("serve", flag.ExitOnError)
	addr := fs.String("addr", "127.0.0.1:0", "listen address (loopback)")
	path := fs.String("script", "", "script JSON")
	out := fs.String("out", ".", "output directory")
	stay := fs.Bool("stay", false, "keep running when the parent process is gone")
	_ = fs.Parse(args)
	sc, err := loadScript(*path)
	die(err)
	l, err := net.Listen("tcp", *addr)
	die(err)
	writePort(filepath.Join(*out, "port"), l)
	if !*stay {
		go endWithParent(os.Getppid())
	}
	die(http.Serve(l, &server{script: sc, out: *out, given: map[string]int{}, memo: map[string]answer{}}))
}

// endWithParent keeps a killed test run from leaving servers behind.
func endWithParent(parent int) {
	for os.Getppid() == parent {
		time.Sleep(time.Second)
	}
	os.Exit(0)
}

// writePort publishes the port atomically: a reader never sees half a number.
func writePort(path string, l net.Listener) {
	die(os.WriteFile(path+".tmp", fmt.Append(nil, l.Addr().(*net.TCPAddr).Port), 0o644))
	die(os.Rename(path+".tmp", path))
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var body obj
	_ = json.Unmarshal(raw, &body)
	rec := obj{"t": stamp(time.Now()), "method": r.Method, "path": r.URL.RequestURI(), "headers": headers(r.Header)}
	if body != nil {
		rec["body"] = body
	} else if len(raw) > 0 {
		rec["raw"] = string(raw)
	}
	switch {
	case strings.HasSuffix(r.URL.Path, "/v1/messages/count_tokens"):
		s.countTokens(w, rec, len(raw))
	case strings.HasSuffix(r.URL.Path, "/v1/messages") && r.Method == http.MethodPost:
		s.message(w, rec, parseRequest(raw, body), body)
	default:
		s.other(w, rec, r)
	}
}

// record numbers rec, lets fill complete it, and writes it; all under the lock. It returns the number.
func (s *server) record(rec obj, fill func(n int)) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	rec["n"] = s.n
	fill(s.n)
	appendJSON(filepath.Join(s.out, "requests.jsonl"), rec)
	return s.n
}

func (s *server) countTokens(w http.ResponseWriter, rec obj, size int) {
	s.record(rec, func(int) { rec["kind"] = "count_tokens" })
	count := s.script.CountTokens
	if count == 0 {
		count = size / 4
	}
	writeJSON(w, http.StatusOK, obj{"input_tokens": count})
}

func (s *server) other(w http.ResponseWriter, rec obj, r *http.Request) {
	s.record(rec, func(int) { rec["kind"] = "other" })
	if r.Method == http.MethodHead || r.URL.Path == "/" {
		w.WriteHeader(http.StatusOK)
		return
	}
	writeJSON(w, http.StatusNotFound, apiError("not_found_error", "not found"))
}

func (s *server) message(w http.ResponseWriter, rec obj, r request, body obj) {
	var a answer
	var content []obj
	var stop string
	n := s.record(rec, func(n int) {
		var retry bool
		a, retry = s.answer(r, body)
		rec["kind"], rec["turn"], rec["retry"] = a.conversation, a.index, retry
		rec["model"], rec["tools"] = r.model, r.tools
		if fails := a.turn.unmet(r); len(fails) > 0 {
			rec["failed"] = fails
		}
		var note string
		content, stop, note = a.blocks(r, n)
		if note != "" {
			rec["note"] = note
		}
	})
	time.Sleep(time.Duration(a.turn.DelayMS) * time.Millisecond)
	id := fmt.Sprintf("req_fake%04d", n)
	if a.turn.Status != 0 {
		failure := apiError(a.turn.ErrorType, a.turn.ErrorMsg)
		failure["request_id"] = id
		writeJSON(w, a.turn.Status, failure)
		return
	}
	w.Header().Set("request-id", id)
	msg := obj{
		"id": fmt.Sprintf("msg_fake%06d", n), "type": "message", "role": "assistant", "model": r.model,
		"content": content, "stop_reason": stop, "stop_sequence": nil, "usage": s.usage(a.turn),
	}
	if r.stream {
		stream(w, msg, content)
		return
	}
	writeJSON(w, http.StatusOK, msg)
}

// answer is the next one of the script, or the one already given to an identical request. Errors are never repeated:
// a client that tries again after one takes the next turn.
func (s *server) answer(r request, body obj) (a answer, retry bool) {
	sum := sha256.Sum256(encode([]any{body["model"], body["messages"], len(r.tools)}))
	key := hex.EncodeToString(sum[:8])
	a, retry = s.memo[key]
	if !retry || a.turn.Status != 0 {
		a = s.pick(r)
		s.memo[key] = a
	}
	return a, retry
}

func (s *server) pick(r request) answer {
	switch r.kind() {
	case "compact":
		summary := "<analysis>scripted</analysis>\n<summary>" + s.script.Summary + "</summary>"
		return answer{"compact", s.next("compact"), turn{Text: summary, Status: s.script.SummaryStatus}}
	case "side":
		return answer{"side", s.next("side"), turn{Text: s.script.SideText}}
	}
	list := s.script.list(r)
	i := s.next(list.Name)
	return answer{list.Name, i, list.at(i)}
}

func (s *server) next(name string) int {
	i := s.given[name]
	s.given[name]++
	return i
}

func (s *server) usage(t turn) obj {
	u := obj{
		"input_tokens": 1000, "output_tokens": 50,
		"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "service_tier": "standard",
	}
	for _, numbers := range []obj{s.script.Usage, t.Usage} {
		for k, v := range numbers {
			u[k] = v
		}
	}
	return u
}

func apiError(kind, message string) obj {
	if kind == "" {
		kind = "api_error"
	}
	if message == "" {
		message = "scripted error"
	}
	return obj{"type": "error", "error": obj{"type": kind, "message": message}}
}
