//go:build fire && linux

package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"remanence/internal/api"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/spool"
)

// The variables that make this test binary play a story instead: the person's
// programs live in a process tree of which strace records everything.
const (
	storyVar   = "REMANENCE_DISK_STORY"
	programVar = "REMANENCE_DISK_PROGRAM"
	newerVar   = "REMANENCE_DISK_NEWER"
)

// marksName is the file into which a story writes what happened, one line each,
// so that the record has it in its place:
//
//	sent ID      an event is about to be handed over
//	ack ID       the worker has acknowledged it
//	spooled ID   the spool has taken it
//	drained      nothing waits in the spool
//	keep TEXT    text that is to be erased is about to be kept
//	erased TEXT  it was said to be erased
//	rest FILES   no process works, and the files are these
//	newer        a program with a newer schema is about to start
const marksName = "marks"

// storyPlayer plays a story.
type storyPlayer struct {
	home, project string
	marks         *os.File
	worker        *exec.Cmd
	client        api.Client
	n             atomic.Int64
}

// drive plays a story and returns the exit status.
func drive(story string) int {
	home := os.Getenv("HOME")
	marks, err := os.OpenFile(filepath.Join(home, marksName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	wd, _ := os.Getwd()
	t := &storyPlayer{home: home, project: wd, marks: marks}
	play, ok := map[string]func(*storyPlayer){"life": (*storyPlayer).life, "short": (*storyPlayer).short}[story]
	if !ok {
		fmt.Fprintln(os.Stderr, "no story", story)
		return 1
	}
	defer func() {
		if t.worker != nil {
			_ = t.worker.Process.Kill()
		}
	}()
	play(t)
	return 0
}

// life is a whole one: the first start, events, the spool, an erasure, the end by
// kill, the ordinary end, and a newer program.
func (t *storyPlayer) life() {
	t.start(os.Getenv(programVar))
	t.events(70, 4)
	t.spooled(20)
	t.settled()
	t.together(20, 10)
	t.erase()
	t.events(20, 2)
	t.end(syscall.SIGTERM)
	t.start(os.Getenv(programVar))
	t.killedMeanwhile(30)
	t.spooled(10)
	t.start(os.Getenv(programVar))
	t.settled()
	t.events(10, 2)
	t.end(syscall.SIGTERM)
	if newer := os.Getenv(newerVar); newer != "" {
		t.mark("newer")
		t.start(newer)
		t.events(10, 2)
		t.end(syscall.SIGTERM)
	}
}

// short is enough to see whether what is acknowledged is safe.
func (t *storyPlayer) short() {
	t.start(os.Getenv(programVar))
	t.events(60, 3)
	t.end(syscall.SIGKILL)
}

func (t *storyPlayer) mark(format string, args ...any) {
	if _, err := fmt.Fprintf(t.marks, format+"\n", args...); err != nil {
		panic(err)
	}
}

func (t *storyPlayer) state(name string) string {
	return filepath.Join(t.home, ".local/state/remanence", name)
}

func (t *storyPlayer) start(program string) {
	t.worker = exec.Command(program, "daemon", "run")
	t.worker.Dir, t.worker.Stderr = t.project, os.Stderr
	if err := t.worker.Start(); err != nil {
		panic(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		rt, err := api.ReadRuntime(t.state("run/runtime.json"))
		if err == nil && rt.PID == t.worker.Process.Pid {
			t.client = rt.Client("story")
			if _, err = t.client.Health(context.Background()); err == nil {
				return
			}
		}
		if time.Now().After(end) {
			panic(fmt.Sprint("no worker: ", err))
		}
	}
}

func (t *storyPlayer) end(s syscall.Signal) {
	_ = t.worker.Process.Signal(s)
	_ = t.worker.Wait()
	t.worker = nil
	t.rest()
}

// rest marks what every file holds now that no process works.
func (t *storyPlayer) rest() {
	files := map[string]string{}
	for _, d := range platters(t.home) {
		err := filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !d.holds(path) {
				return err
			}
			b, err := os.ReadFile(path)
			files[path[len(t.home):]] = digest(b)
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			panic(err)
		}
	}
	text, err := json.Marshal(files)
	if err != nil {
		panic(err)
	}
	t.mark("rest %s", text)
}

// digest stands for the content of a file.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// next is an event like none before.
func (t *storyPlayer) next() mem.Event {
	e := t.event(int(t.n.Add(1)))
	t.mark("sent %s", e.ID)
	return e
}

// event is the n-th of all.
func (t *storyPlayer) event(n int) mem.Event {
	e := mem.Event{
		Agent: "claude-code", At: time.Now().UTC(), Session: fmt.Sprintf("session-%d", n%4),
		PromptID: fmt.Sprintf("prompt-%d", n/8), Root: t.project, Cwd: t.project,
	}
	text := fmt.Sprintf("event number %d: we decided to keep ledger%d in file%d.go. %s", n, n, n,
		strings.Repeat("It has to balance. ", n*37%150))
	switch n % 5 {
	case 0:
		e.Kind, e.Text, e.PromptID = mem.UserPromptSubmit, text, fmt.Sprintf("prompt-of-%d", n)
	case 1:
		e.Kind, e.Text = mem.Stop, text
	default:
		e.Kind, e.Tool, e.ToolUseID = mem.PostToolUse, "Bash", fmt.Sprintf("tool-%d", n)
		e.Input, _ = json.Marshal(map[string]string{"command": fmt.Sprintf("go test ./pkg%d", n)})
		e.Response, _ = json.Marshal(map[string]string{"stdout": text})
	}
	e.Identify(fmt.Sprint(n))
	return e
}

// send hands one event to the worker and marks its answer.
func (t *storyPlayer) send(e mem.Event) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if _, err := t.client.Handle(ctx, e); err != nil {
		return err
	}
	t.mark("ack %s", e.ID)
	return nil
}

// events sends n of them, several at a time.
func (t *storyPlayer) events(n, side int) {
	var all sync.WaitGroup
	left := atomic.Int64{}
	left.Store(int64(n))
	for range side {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := t.send(t.next()); err != nil {
					panic(err)
				}
			}
		})
	}
	all.Wait()
}

func (t *storyPlayer) box() *spool.Spool { return spool.Open(spool.Config{Dir: t.state("spool")}) }

// spooled puts n events into the spool.
func (t *storyPlayer) spooled(n int) {
	box := t.box()
	for range n {
		e := t.next()
		if _, err := box.Handle(context.Background(), e); err != nil {
			panic(err)
		}
		t.mark("spooled %s", e.ID)
	}
}

// settled waits until the worker has taken the spool in.
func (t *storyPlayer) settled() {
	for box := t.box(); !box.Empty(); {
		time.Sleep(5 * time.Millisecond)
	}
	t.mark("drained")
}

// together spools and sends at the same time.
func (t *storyPlayer) together(sent, spooled int) {
	var all sync.WaitGroup
	all.Go(func() { t.events(sent, 2) })
	all.Go(func() { t.spooled(spooled) })
	all.Wait()
	t.settled()
}

// killedMeanwhile sends events of which the worker does not see the end.
func (t *storyPlayer) killedMeanwhile(n int) {
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range n {
				if t.send(t.next()) != nil {
					return
				}
			}
		})
	}
	time.Sleep(300 * time.Millisecond)
	t.end(syscall.SIGKILL)
	all.Wait()
}

// canary is a word that is kept once and then erased.
const canary = "xylophone-quartz-7431"

func (t *storyPlayer) erase() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	t.mark("keep %s", canary)
	added, err := api.Add.Call(ctx, t.client, curate.AddRequest{
		Text:       "the safe's word is " + canary,
		ProjectRef: mem.ProjectRef{Dir: t.project},
	})
	if err != nil {
		panic(err)
	}
	if _, err := api.Purge.Call(ctx, t.client, event.PurgeRequest{IDs: []string{added.ID}}); err != nil {
		panic(err)
	}
	t.mark("erased %s", canary)
}
