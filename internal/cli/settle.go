package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"remanence/internal/hook"
	"remanence/internal/mem"
)

// made lists the directories that were not there before ours, one a line, the
// outermost first: they go with the last of what is in them.
func (p Paths) made() string { return filepath.Join(p.Work, "made") }

// leftMark says that Remanence was uninstalled and its data kept.
func (p Paths) leftMark() string { return filepath.Join(p.Work, "uninstalled") }

// errNoPlace means that what has to be there cannot be made.
var errNoPlace = errors.New("there is no place for what is kept")

// settle makes the directory of all that is on its way, if it is not there.
func (p Paths) settle() error {
	if exists(p.Work) {
		return nil
	}
	dirs := []string{p.Work}
	if p.home() {
		dirs = append(dirs, p.Data, filepath.Dir(p.Config))
	}
	var missing []string
	for _, dir := range dirs {
		for ; !exists(dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if !slices.Contains(missing, dir) {
				missing = append(missing, dir)
			}
		}
	}
	slices.Sort(missing) // a directory comes before what is in it
	if err := os.MkdirAll(p.Work, 0o700); err != nil {
		return fmt.Errorf("%w: %w", errNoPlace, err)
	}
	return os.WriteFile(p.made(), []byte(strings.Join(missing, "\n")+"\n"), 0o600)
}

// turn is locked by whoever changes such a file.
func (p Paths) turn() string { return filepath.Join(p.State, "turn.lock") }

// inTurn runs what reads a file of a person's decisions and writes it anew: one command after the other, so that what
// two decide at once both counts.
func (p Paths) inTurn(do func() error) error {
	if err := p.settle(); err != nil {
		return err
	}
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		return fmt.Errorf("%w: %w", errNoPlace, err)
	}
	l := flock.New(p.turn(), flock.SetPermissions(0o600))
	if err := l.Lock(); err != nil {
		return fmt.Errorf("%w: %w", errNoPlace, err)
	}
	defer l.Close()
	return do()
}

// welcome is settle where the person, or a client that has our hooks, wants us back.
func (p Paths) welcome() error {
	if err := os.Remove(p.leftMark()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("welcome: %w", err)
	}
	return p.settle()
}

// bar notes that hooks are not welcome any more.
func (p Paths) bar() error {
	if err := os.WriteFile(p.leftMark(), nil, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keep hooks out: %w", err)
	}
	return nil
}

// gone reports whether Remanence does not live here: it never did, or it was
// uninstalled. Where that cannot be seen it does.
func (p Paths) gone(getenv func(string) string) bool {
	if exists(p.leftMark()) {
		return true
	}
	_, err := os.Lstat(p.Work)
	return errors.Is(err, fs.ErrNotExist) && (!p.home() || isDir(getenv("HOME")))
}

// visits keeps a command that only looks from moving in where Remanence does not
// live: no daemon is started for it. It reports whether there is nothing to ask
// either; what is there is read in this process.
func (a *app) visits(ctx context.Context) (nothing bool) {
	if !a.paths.gone(a.sys.Getenv) || a.answers(ctx) {
		return false
	}
	if !exists(a.paths.Database()) {
		return true
	}
	a.flags.noDaemon = true
	return false
}

// unwelcome is what a hook does where Remanence does not live. A client reads its
// settings when it starts: only one that starts now still has our hooks in them
// and moves us in. Those of sessions that are older leave nothing behind. A
// client that starts with an older session moves us in where our hooks stand: in
// its settings, or in a plugin.
func unwelcome(sys System, paths Paths, c hook.Config) hook.Config {
	c = redacting(c, nil)
	c.Log, c.Dropped = nil, nil
	c.Ignore = func(e mem.Event) bool {
		switch {
		case e.Kind != mem.SessionStart, e.Source == "clear", e.Source == "compact":
			return true
		case e.Source == "resume", e.Source == "fork":
			return !hooksStand(c.Getenv)
		default:
			return false
		}
	}
	c.Handler = movingIn{func() (mem.Handler, error) {
		if err := paths.welcome(); err != nil {
			return nil, err
		}
		return prepare(sys, c).Handler, nil
	}}
	return c
}

// hooksStand reports whether our hooks are those of a plugin, or are named in
// the client's settings at this moment.
func hooksStand(getenv func(string) string) bool {
	if getenv("CLAUDE_PLUGIN_ROOT") != "" {
		return true
	}
	own := getenv("CLAUDE_CONFIG_DIR")
	if own == "" {
		own = filepath.Join(homeOf(getenv), ".claude")
	}
	project := filepath.Join(getenv("CLAUDE_PROJECT_DIR"), ".claude")
	for _, file := range []string{
		filepath.Join(own, "settings.json"), filepath.Join(project, "settings.json"), filepath.Join(project, "settings.local.json"),
	} {
		const most = 1 << 20 // bytes; no settings are that long
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Size() > most {
			continue
		}
		if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte("remanence")) && bytes.Contains(b, []byte(`"claude-code"`)) {
			return true
		}
	}
	return false
}

// movingIn makes its handler when the first event comes.
type movingIn struct {
	handler func() (mem.Handler, error)
}

// Handle implements mem.Handler.
func (m movingIn) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	h, err := m.handler()
	if err != nil {
		return mem.Reply{}, err
	}
	return h.Handle(ctx, e)
}

// makeIn makes a directory in one that is there. Hooks make no other: what was
// uninstalled meanwhile stays so.
func makeIn(dir string) error {
	if err := os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

var errGone = errors.New("uninstalled meanwhile")

// living is a handler that stops when Remanence is uninstalled while it waits.
type living struct {
	next mem.Handler
	gone func() bool
}

// Handle implements mem.Handler.
func (l living) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	if l.gone() {
		return mem.Reply{}, errGone
	}
	return l.next.Handle(ctx, e)
}
