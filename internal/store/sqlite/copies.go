package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

// Kinds of copies.
const (
	CopyBackup    = "backup"    // made to be kept
	CopyMigration = "migration" // of before the schema was changed
	CopyAside     = "aside"     // what another database took the place of
)

// Copy is a copy of the database that the store keeps beside it.
type Copy struct {
	Path  string
	Kind  string
	Made  time.Time
	Bytes int64
}

const copyStamp = "20060102T150405Z"

// Copies lists the copies beside a database, newest first. Purge removes all of
// them: they hold what is erased.
func Copies(path string) ([]Copy, error) {
	var list []Copy
	for kind, prefix := range map[string]string{CopyBackup: ".backup-", CopyMigration: ".schema", CopyAside: ".aside-"} {
		files, err := filepath.Glob(globQuote(path) + prefix + "*")
		if err != nil {
			return nil, fmt.Errorf("list copies: %w", err)
		}
		for _, f := range files {
			info, err := os.Stat(f)
			if err != nil || !info.Mode().IsRegular() || unfinished(f) {
				continue
			}
			list = append(list, Copy{Path: f, Kind: kind, Made: info.ModTime().UTC(), Bytes: info.Size()})
		}
	}
	slices.SortStableFunc(list, func(a, b Copy) int { return cmp.Or(b.Made.Compare(a.Made), cmp.Compare(a.Path, b.Path)) })
	return list, nil
}

// dropCopies removes every copy, finished or not, and nothing that others named.
func dropCopies(path string) error {
	for _, name := range []string{".backup-*", ".schema*", ".aside-*", ".next*", ".scratch*"} {
		files, err := filepath.Glob(globQuote(path) + name)
		if err != nil {
			return err
		}
		for _, f := range files {
			if isOther(f) { // what stood in the database's place and was never ours
				continue
			}
			if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// unfinished reports whether a file belongs to a copy and is none by itself.
func unfinished(file string) bool {
	for _, suffix := range []string{".part", "-wal", "-shm", "-journal"} {
		if strings.HasSuffix(file, suffix) {
			return true
		}
	}
	return false
}

// Daily reports whether the copy is the one that is made anew every day.
func (c Copy) Daily() bool { return strings.HasSuffix(c.Path, ".backup-"+daily) }

// daily is the end of the name of the backup that is made without being asked for.
const daily = "daily"

// Keep makes a backup beside the database and returns it. It waits for no
// writer and none waits for it.
func (s *maintenance) Keep(ctx context.Context) (Copy, error) {
	name, err := freeName(s.path + ".backup-" + s.now().UTC().Format(copyStamp))
	if err != nil {
		return Copy{}, err
	}
	return s.keepAs(ctx, name)
}

// KeepDaily makes the one backup that nobody asked for anew, if the last is
// older than a day and anything was written since. It reports whether it did.
func (s *maintenance) KeepDaily(ctx context.Context) (bool, error) {
	name := s.path + ".backup-" + daily
	if info, err := os.Stat(name); err == nil {
		age := s.now().Sub(info.ModTime())
		if age >= 0 && age < 24*time.Hour || !changedAfter(s.path, info.ModTime()) {
			return false, nil
		}
	}
	_, err := s.keepAs(ctx, name)
	return err == nil, err
}

// changedAfter reports whether the database or its log was written after a time.
func changedAfter(path string, t time.Time) bool {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil && info.ModTime().After(t) {
			return true
		}
	}
	return false
}

// keepAs makes a backup of a name. What is erased while it is made may be in
// it, so that it is made again.
func (s *maintenance) keepAs(ctx context.Context, name string) (Copy, error) {
	const tries = 3
	next := name + ".part"
	for range tries {
		before := s.purges.Load()
		if err := s.makeCopy(ctx, next); err != nil && s.purges.Load() == before {
			return Copy{}, err
		}
		kept, err := s.keep(ctx, next, name, before)
		if kept || err != nil {
			return copyAt(name), err
		}
	}
	return Copy{}, fmt.Errorf("copy to %s: %w", name, mem.ErrLocked)
}

func (s *maintenance) makeCopy(ctx context.Context, next string) error {
	if err := s.Backup(ctx, next); err != nil {
		return err
	}
	if _, err := Inspect(ctx, next); err != nil {
		_ = os.Remove(next)
		return fmt.Errorf("look at the new backup: %w", err)
	}
	return nil
}

// keep gives a copy its name, unless something was erased since its beginning.
// No purge runs meanwhile.
func (s *maintenance) keep(ctx context.Context, next, name string, before int64) (bool, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	if s.purges.Load() != before {
		return false, removeAll(next)
	}
	return true, errors.Join(os.Rename(next, name), syncDir(filepath.Dir(name)))
}

func copyAt(path string) Copy {
	c := Copy{Path: path, Kind: CopyBackup}
	if info, err := os.Stat(path); err == nil {
		c.Made, c.Bytes = info.ModTime().UTC(), info.Size()
	}
	return c
}

// CopyFile copies a file for this user alone. When it returns the copy is on the
// disk, or none is there. fs.ErrExist where a file has the name already.
func CopyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(to)
	}
	return err
}

// freeName returns the name, or it with a number where a file has it already.
func freeName(path string) (string, error) {
	for n := 1; n < 1000; n++ {
		name := path
		if n > 1 {
			name = fmt.Sprintf("%s-%d", path, n)
		}
		if missing(name) {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s: %w", path, fs.ErrExist)
}

// syncDir makes names that were given or taken away last. Where a directory
// cannot be synchronised, as on Windows, the system does it by itself.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
