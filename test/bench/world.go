package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"remanence/test/corpus"

	"remanence/internal/api"
	"remanence/internal/spool"
)

// world is a machine with one project and two persons: one whose worker runs
// and remembers, one whose worker is gone.
type world struct {
	programs
	events   string // folder of recorded payloads
	project  string
	memories int    // in the first person's store
	output   string // of a command that prints much
	warm     home
	gone     home
}

// home is one person's home directory.
type home string

func (h home) state() string { return filepath.Join(string(h), ".local/state/remanence") }
func (h home) database() string {
	return filepath.Join(string(h), ".local/share/remanence/remanence.db")
}
func (h home) runtime() string { return filepath.Join(h.state(), "run", "runtime.json") }
func (h home) spool() *spool.Spool {
	return spool.Open(spool.Config{Dir: filepath.Join(h.state(), "spool")})
}
func (h home) envFile() string { return filepath.Join(string(h), "session-env.sh") }
func (h home) environ(own ...string) []string {
	return append([]string{"HOME=" + string(h), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, own...)
}

// startWithin is how long the worker may take to answer at all, in a run's preparation.
const startWithin = 30 * time.Second

// newWorld makes the world in dir. With an error it may still return a world
// that has to be stopped.
func newWorld(ctx context.Context, dir string, p programs, memories int) (*world, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "remanence").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w", err)
	}
	w := &world{
		programs: p,
		events:   filepath.Join(strings.TrimSpace(string(root)), "internal/agent/testdata/events"),
		project:  filepath.Join(dir, "project"),
		warm:     home(filepath.Join(dir, "warm")),
		gone:     home(filepath.Join(dir, "gone")),
	}
	if err := w.furnish(); err != nil {
		return nil, err
	}
	text := corpus.NewWords()
	for len(w.output) < 50<<20 {
		w.output += strings.Repeat(text.Text(1000), 50)
	}
	w.memories = memories
	return w, w.fill(ctx, memories)
}

// furnish makes the homes, and the project: a repository as far as its files show.
func (w *world) furnish() error {
	git := filepath.Join(w.project, ".git")
	for _, d := range []string{
		filepath.Join(git, "objects"), filepath.Join(git, "refs/heads"), string(w.warm),
		filepath.Join(w.gone.state(), "run"),
	} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"HEAD":            "ref: refs/heads/main\n",
		"refs/heads/main": strings.Repeat("1f", 20) + "\n",
		"config": "[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = " +
			"https://git.example.org/shop/till.git\n",
	} {
		if err := os.WriteFile(filepath.Join(git, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// forgetSome gives the second home what a worker leaves behind that ended without a
// word: a runtime file that names a socket without a listener.
func (w *world) forgetSome() error {
	rt, err := api.ReadRuntime(w.warm.runtime())
	if err != nil {
		return err
	}
	rt.Socket = filepath.Join(w.gone.state(), "run", "none.sock")
	return rt.Write(w.gone.runtime())
}

// holdStarts says in the second home that a worker is being started at this
// moment, so that a hook there does not start one.
func (w *world) holdStarts() error {
	rt, err := api.ReadRuntime(w.gone.runtime())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.gone.state(), "run", "start"), []byte(rt.Build+"\n"), 0o600)
}

// stop ends the worker.
func (w *world) stop() error {
	ctx, done := context.WithTimeout(context.Background(), startWithin)
	defer done()
	cmd := exec.CommandContext(ctx, w.remanence, "daemon", "stop")
	cmd.Env = w.warm.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("stop the worker: %w\n%s", err, out)
	}
	rt, err := api.ReadRuntime(w.warm.runtime())
	if err != nil {
		return fmt.Errorf("stop the worker: %w", err)
	}
	switch _, err := rt.Client("").Health(ctx); {
	case errors.Is(err, api.ErrUnreachable):
		return nil
	case err != nil:
		return fmt.Errorf("stop the worker: %w", err)
	}
	return errors.New("stop the worker: it still answers")
}

// payload reads a recorded payload and sets fields of it.
func (w *world) payload(name string, set map[string]any) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(w.events, name+".json"))
	if err != nil {
		return nil, err
	}
	var recorded struct{ Stdin map[string]any }
	if err := json.Unmarshal(b, &recorded); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	recorded.Stdin["cwd"] = w.project
	recorded.Stdin["transcript_path"] = filepath.Join(w.project, "none.jsonl")
	maps.Copy(recorded.Stdin, set)
	return json.Marshal(recorded.Stdin)
}
