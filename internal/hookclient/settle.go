package hookclient

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"remanence/internal/config"
	"remanence/internal/hook"
	"remanence/internal/mem"
)

// unwelcome is what a hook does where Remanence does not live. A client reads its
// settings when it starts: only one that starts now still has our hooks in them
// and moves us in. Those of sessions that are older leave nothing behind. A
// client that starts with an older session moves us in where our hooks stand: in
// its settings, or in a plugin.
func unwelcome(sys config.System, paths config.Paths, c hook.Config) hook.Config {
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
		if err := paths.ClearUninstalled(); err != nil {
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
		own = filepath.Join(config.HomeDir(getenv), ".claude")
	}
	project := filepath.Join(getenv("CLAUDE_PROJECT_DIR"), ".claude")
	for _, file := range []string{
		filepath.Join(own, "settings.json"), filepath.Join(project, "settings.json"),
		filepath.Join(project, "settings.local.json"),
	} {
		const most = 1 << 20 // bytes; no settings are that long
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Size() > most {
			continue
		}
		if b, err := os.ReadFile(file); err == nil && bytes.Contains(b, []byte("remanence")) &&
			bytes.Contains(b, []byte(`"claude-code"`)) {
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
