package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"remanence/internal/config"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/team"
	"remanence/internal/vault"
	"remanence/internal/vaultfile"
)

// sharedFolders returns a function that returns the folder of a repository's shared memories, and whether the person
// trusts the repository.
func sharedFolders(trust *TrustList) func(mem.Project) (filesync.SharedFolder, bool) {
	return func(p mem.Project) (filesync.SharedFolder, bool) {
		f := &sharedFolder{root: p.Root, git: p.Common != ""}
		f.files.Dir = filepath.Join(p.Root, filepath.FromSlash(mem.SharedDir))
		return f, trust.Trusts(p)
	}
}

// teamSettings are the settings share.*.
func teamSettings(c config.Config) team.Settings {
	return team.Settings{
		Address: config.Get[string](c, "share.dsn"), Team: config.Get[string](c, "share.team"),
		Kinds: c.SharedKinds(), Projects: config.Get[[]string](c, "share.projects"),
	}
}

// sharedFolder is the directory of shared memories in one checkout. It has the form of a vault. It is made for one
// use: nothing is kept of the files.
type sharedFolder struct {
	root  string // of the checkout
	git   bool   // the checkout belongs to a git repository
	files vault.Vault
}

func (f *sharedFolder) Place() string { return mem.SharedDir }

// There reports whether the directory exists. A link to one elsewhere is not followed.
func (f *sharedFolder) There() bool {
	info, err := os.Lstat(f.files.Dir)
	return err == nil && info.IsDir()
}

func (f *sharedFolder) Make() error {
	err := os.Mkdir(f.files.Dir, 0o755)
	if errors.Is(err, os.ErrExist) && f.There() {
		return nil
	}
	return err
}

func (f *sharedFolder) Look(_ context.Context, known func() ([]mem.Note, error), keep func(vaultfile.Changes) error,
) error {
	return f.files.Look(known, keep)
}

func (f *sharedFolder) Write(was mem.Note, c vaultfile.NoteChange) (mem.Note, error) {
	return f.files.Write(was, c)
}

func (f *sharedFolder) Erase(file string) error { return f.files.Erase(file) }

func (f *sharedFolder) Bad() ([]vaultfile.BadFile, error) {
	s, err := f.files.State(nil)
	for i := range s.Bad {
		s.Bad[i].File = mem.SharedDir + s.Bad[i].File
	}
	return s.Bad, err
}

func (f *sharedFolder) Uncommitted(ctx context.Context) (map[string]bool, error) {
	out, err := f.run(ctx, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all",
		"--ignore-submodules=all", "--", mem.SharedDir)
	files := map[string]bool{}
	for _, line := range strings.Split(out, "\x00") {
		if len(line) > 3 {
			files[line[3:]] = true
		}
	}
	return files, err
}

func (f *sharedFolder) Authors(ctx context.Context) (map[string]string, error) {
	out, err := f.run(ctx, "log", "-z", "--topo-order", "--no-show-signature", "--no-renames", "--name-only",
		"--format=%x01%aN", "--", mem.SharedDir)
	files, author := map[string]string{}, ""
	for _, part := range strings.FieldsFunc(out, func(r rune) bool { return r == 0 || r == '\n' }) { // newest first
		if name, ok := strings.CutPrefix(part, "\x01"); ok {
			author = name
		} else if files[part] == "" {
			files[part] = author
		}
	}
	return files, err
}

func (f *sharedFolder) Deleted(ctx context.Context, file string) (bool, error) {
	if !f.git {
		return true, nil
	}
	out, err := f.run(ctx, "log", "-1", "--no-show-signature", "--no-renames", "--diff-filter=D", "--format=%H",
		"--", file)
	return strings.TrimSpace(out) != "", err
}

// Bounds of a git command.
const (
	gitTime   = 5 * time.Second
	gitOutput = 4 << 20 // bytes
)

// run returns what a git command prints that only reads the repository. It starts no other program. Outside of git
// it returns nothing.
func (f *sharedFolder) run(ctx context.Context, args ...string) (string, error) {
	if !f.git {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{
		"-C", f.root, "--no-pager", "--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=" + os.DevNull, "-c", "log.showSignature=false", "-c", "core.quotePath=false",
	}, args...)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limitedBuffer{to: &out, room: gitOutput}, &limitedBuffer{to: &problem, room: 4 << 10}
	if err := cmd.Run(); err != nil {
		if line, _, _ := strings.Cut(problem.String(), "\n"); strings.Contains(line, "does not have any commits yet") {
			return "", nil
		}
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(problem.String()))
	}
	return out.String(), nil
}

// limitedBuffer keeps the first room bytes that are written to it.
type limitedBuffer struct {
	to   *bytes.Buffer
	room int
}

func (l *limitedBuffer) Write(b []byte) (int, error) {
	l.to.Write(b[:min(len(b), max(0, l.room-l.to.Len()))])
	return len(b), nil
}
