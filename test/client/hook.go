package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// call is one hook invocation, recorded in hooks.jsonl as a start and an end.
type call struct {
	mode, dir   string
	event, name string
	in          []byte
	stdin       obj
	began       time.Time
}

// begin reads stdin and writes the start record. An empty name means the event's.
func begin(mode, dir, name string, args []string) call {
	c := call{mode: mode, dir: dir, name: name, began: time.Now()}
	c.in, _ = io.ReadAll(os.Stdin)
	_ = json.Unmarshal(c.in, &c.stdin)
	c.event, _ = c.stdin["hook_event_name"].(string)
	if c.name == "" {
		c.name = c.event
	}
	cwd, _ := os.Getwd()
	rec := obj{
		"phase": "start", "mode": mode, "t": stamp(c.began), "event": c.event, "name": c.name, "pid": os.Getpid(),
		"ppid": os.Getppid(), "cwd": cwd, "args": args, "stdin": c.stdin, "env": environ(),
	}
	if c.stdin == nil {
		rec["stdin_raw"] = string(c.in)
	}
	if path, _ := c.stdin["transcript_path"].(string); path != "" {
		rec["transcript_bytes"] = size(path)
		c.poll(rec, path)
	}
	appendJSON(filepath.Join(dir, "hooks.jsonl"), rec)
	return c
}

// size is the length of a file in bytes; -1 when there is none.
func size(path string) int64 {
	st, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return st.Size()
}

// poll measures how long the transcript takes to hold last_assistant_message (-1: more than 1.5 s). It costs that
// time, so only CCH_POLL asks for it.
func (c call) poll(rec obj, path string) {
	last, _ := c.stdin["last_assistant_message"].(string)
	if last == "" || os.Getenv("CCH_POLL") == "" {
		return
	}
	if subagent, ok := c.stdin["agent_transcript_path"].(string); ok {
		path = subagent
	}
	quoted, err := json.Marshal(last)
	die(err)
	rec["transcript_ms"] = int64(-1)
	for time.Since(c.began) < 1500*time.Millisecond {
		if b, _ := os.ReadFile(path); bytes.Contains(b, quoted[1:len(quoted)-1]) {
			rec["transcript_ms"] = time.Since(c.began).Milliseconds()
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// end writes the end record.
func (c call) end(result obj) {
	rec := obj{
		"phase": "end", "mode": c.mode, "t": stamp(time.Now()), "event": c.event, "name": c.name,
		"pid": os.Getpid(), "ms": time.Since(c.began).Milliseconds(),
	}
	for k, v := range result {
		rec[k] = v
	}
	appendJSON(filepath.Join(c.dir, "hooks.jsonl"), rec)
}

// hookAnswer is what the recording hook does; read from answers/<name>.json. The zero value does nothing.
type hookAnswer struct {
	Stdout   string          `json:"stdout"`
	JSON     json.RawMessage `json:"json"` // wins over Stdout
	Pad      int             `json:"pad"`  // replaces "%PAD%" in the output by this many characters
	Stderr   string          `json:"stderr"`
	Exit     int             `json:"exit"`
	SleepMS  int             `json:"sleep_ms"`
	OnlyOnce bool            `json:"only_once"`
	EnvFile  string          `json:"env_file"` // appended to $CLAUDE_ENV_FILE
}

func hook(args []string) {
	fs := flag.NewFlagSet("hook", flag.ExitOnError)
	name := fs.String("name", "", "answer name (default: the event name)")
	dir := fs.String("dir", os.Getenv("CCH_DIR"), "directory of hooks.jsonl and answers/")
	_ = fs.Parse(args)
	c := begin("hook", *dir, *name, args)
	a := c.answer()
	if path := os.Getenv("CLAUDE_ENV_FILE"); path != "" && a.EnvFile != "" {
		appendLine(path, a.EnvFile)
	}
	time.Sleep(time.Duration(a.SleepMS) * time.Millisecond)
	out := a.output()
	fmt.Print(out)
	fmt.Fprint(os.Stderr, a.Stderr)
	c.end(obj{"exit": a.Exit, "stdout_bytes": len(out)})
	os.Exit(a.Exit)
}

// answer is the scripted one for this call; none means the zero answer.
func (c call) answer() hookAnswer {
	base := filepath.Join(c.dir, "answers", c.name)
	b, err := os.ReadFile(base + ".json")
	if err != nil {
		return hookAnswer{}
	}
	var a hookAnswer
	die(json.Unmarshal(b, &a))
	if !a.OnlyOnce {
		return a
	}
	if size(base+".used") >= 0 {
		return hookAnswer{}
	}
	die(os.WriteFile(base+".used", nil, 0o644))
	return a
}

func (a hookAnswer) output() string {
	out := a.Stdout
	if len(a.JSON) > 0 {
		out = string(a.JSON)
	}
	if a.Pad <= 0 {
		return out
	}
	var b strings.Builder
	for i := 0; b.Len() < a.Pad; i++ {
		fmt.Fprintf(&b, "%06d ", i)
	}
	return strings.ReplaceAll(out, "%PAD%", b.String()[:a.Pad])
}

func appendLine(path, line string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	die(err)
	_, err = fmt.Fprintln(f, line)
	die(err)
	die(f.Close())
}

func httphook(args []string) {
	fs := flag.NewFlagSet("httphook", flag.ExitOnError)
	addr := fs.String("addr", "127.0.0.1:0", "listen address (loopback)")
	out := fs.String("out", ".", "directory of httphooks.jsonl and httphook.port")
	file := fs.String("answer", "", "file with the JSON body to answer")
	code := fs.Int("code", http.StatusOK, "HTTP status")
	_ = fs.Parse(args)
	l, err := net.Listen("tcp", *addr)
	die(err)
	writePort(filepath.Join(*out, "httphook.port"), l)
	die(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var body any
		_ = json.Unmarshal(raw, &body)
		appendJSON(filepath.Join(*out, "httphooks.jsonl"), obj{
			"t": stamp(time.Now()), "method": r.Method, "path": r.URL.RequestURI(), "headers": headers(r.Header), "body": body,
		})
		answer, _ := os.ReadFile(*file)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(*code)
		_, _ = w.Write(answer)
	})))
}
