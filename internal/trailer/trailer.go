// Package trailer writes the session of an agent into the messages of the commits that it makes, by a hook of git that
// the person installs in a repository. It runs git, also for gitblame, and reads no store. Start with Install and Add.
package trailer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"remanence/internal/fsx"
)

// Key names the trailer. Its value is the id that the agent gives its session.
const Key = "Remanence-Session"

// hookName is the hook that git runs with the file of a message before the message is edited.
const hookName = "prepare-commit-msg"

// Errors of Install, Uninstall, Installed and Git.
var (
	ErrNoGit        = errors.New("git is not installed")
	ErrNoRepository = errors.New("no git repository")
	ErrTracked      = errors.New("the repository keeps its hooks in a folder of its own")
	ErrTaken        = errors.New("the repository has a hook " + hookName + " already")
)

// Line returns the line that a hook needs; program is how a shell calls this one.
func Line(program string) string { return program + ` trailers add "$1" 2>/dev/null || true` }

const scriptHead = "#!/bin/sh\n# Remanence: names the agent's session in its commits. Remove: remanence trailers off\n"

// Install writes the hook into the repository of a directory and returns its path. It changes no file that is there.
func Install(ctx context.Context, dir, program string) (file string, err error) {
	file, err = place(ctx, dir)
	if err != nil {
		return file, err
	}
	ours, there, err := look(file)
	if err != nil {
		return file, err
	}
	if there && !ours {
		return file, ErrTaken
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return file, fmt.Errorf("folder of hooks: %w", err)
	}
	text := scriptHead + Line(program) + "\n"
	if !there {
		return file, fsx.WriteNew(fsx.Host{}, file, []byte(text), fsx.Replacement{Mode: 0o755})
	}
	return file, fsx.Replace(fsx.Host{}, file, []byte(text), fsx.Replacement{Mode: 0o755})
}

// Uninstall removes the hook that Install wrote; removed is false if it is not there. Another hook stays.
func Uninstall(ctx context.Context, dir string) (file string, removed bool, err error) {
	file, err = place(ctx, dir)
	if err != nil && !errors.Is(err, ErrTracked) {
		return file, false, err
	}
	ours, _, err := look(file)
	if err != nil || !ours {
		return file, false, err
	}
	return file, true, os.Remove(file)
}

// Installed reports whether the repository of a directory has the hook, as Install writes it or as a line of another
// one.
func Installed(ctx context.Context, dir string) (file string, ok bool, err error) {
	file, err = place(ctx, dir)
	if err != nil && !errors.Is(err, ErrTracked) {
		return file, false, err
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return file, false, nil
	}
	return file, strings.Contains(string(b), Line("")), err
}

// look reports whether a hook is there, and whether it holds what Install writes and nothing else.
func look(file string) (ours, there bool, err error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return false, false, nil
	}
	if err != nil {
		return false, true, fmt.Errorf("read the hook: %w", err)
	}
	rest, ok := strings.CutPrefix(string(b), scriptHead)
	_, ends := strings.CutSuffix(rest, Line("")+"\n")
	return ok && ends && strings.Count(rest, "\n") == 1, true, nil
}

// place returns the path of the hook. With ErrTracked it lies outside of the repository's own folder, where other
// repositories, or everyone who clones this one, would get it too.
func place(ctx context.Context, dir string) (string, error) {
	out, err := Git(ctx, dir, "rev-parse", "--git-path", "hooks", "--git-common-dir")
	if errors.Is(err, ErrNoGit) {
		return "", err
	}
	if err != nil {
		return "", ErrNoRepository
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2 {
		return "", ErrNoRepository
	}
	hooks, common := from(dir, lines[0]), from(dir, lines[1])
	file := filepath.Join(hooks, hookName)
	if hooks != filepath.Join(common, "hooks") {
		return file, ErrTracked
	}
	return file, nil
}

func from(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// Add adds the trailer to the message in a file, in the place of one of another session. It adds none while git repeats
// commits that others made, in a rebase or a cherry-pick. It is called by the hook, in the work tree.
func Add(ctx context.Context, dir, message, session string) error {
	out, err := Git(ctx, dir, "rev-parse", "--git-path", "rebase-merge", "--git-path", "rebase-apply",
		"--git-path", "CHERRY_PICK_HEAD")
	if err != nil {
		return err
	}
	for path := range strings.Lines(string(out)) {
		if _, err := os.Stat(from(dir, strings.TrimSpace(path))); err == nil {
			return nil
		}
	}
	_, err = Git(ctx, dir, "interpret-trailers", "--in-place", "--if-exists", "replace",
		"--trailer", Key+": "+session, message)
	return err
}

// Git runs git in a directory and returns what it printed, in English. It takes no locks that can wait. The error is
// ErrNoGit without git.
func Git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, ErrNoGit
	}
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}
