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
	CopyBackup    = "backup"    // made by Keep or KeepDaily
	CopyMigration = "migration" // made before the schema was changed
	CopyAside     = "aside"     // a database that was replaced
)

// Copy is a copy of the database in the same directory.
type Copy struct {
	Path  string
	Kind  string
	Made  time.Time
	Bytes int64
}

const copyStamp = "20060102T150405Z"

// Copies lists the copies of a database in its directory, newest first. Purge
// removes all of them, because they contain the erased text.
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

// dropCopies removes every copy, finished or not, and no other file.
func dropCopies(path string) error {
	for _, name := range []string{".backup-*", ".schema*", ".aside-*", ".next*", ".scratch*"} {
		files, err := filepath.Glob(globQuote(path) + name)
		if err != nil {
			return err
		}
		for _, f := range files {
			if isNotFile(f) { // it had the database's name but is no database
				continue
			}
			if err := removeFiles(f, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// unfinished reports whether a file is an incomplete copy or belongs to one.
func unfinished(file string) bool {
	for _, suffix := range []string{".part", "-wal", "-shm", "-journal"} {
		if strings.HasSuffix(file, suffix) {
			return true
		}
	}
	return false
}

// Daily reports whether the copy is the one that KeepDaily replaces.
func (c Copy) Daily() bool { return strings.HasSuffix(c.Path, ".backup-"+daily) }

// daily is the end of the name of the automatic backup.
const daily = "daily"

// Keep makes a backup in the database's directory and returns it. Writers do not
// wait for it.
func (s *maintenance) Keep(ctx context.Context) (Copy, error) {
	name, err := freeName(s.path + ".backup-" + s.now().UTC().Format(copyStamp))
	if err != nil {
		return Copy{}, err
	}
	return s.keepAs(ctx, name)
}

// KeepDaily replaces the automatic backup if it is older than a day and anything
// was written since. It reports whether it did.
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

// keepAs makes a backup with a name. If text was erased meanwhile it makes another
// one, because the first may contain that text.
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
		return fmt.Errorf("check the new backup: %w", err)
	}
	return nil
}

// keep renames a finished copy, unless a purge began since the copying did. No
// purge runs meanwhile.
func (s *maintenance) keep(ctx context.Context, next, name string, before int64) (bool, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	if s.purges.Load() != before {
		return false, removeAll(next)
	}
	return true, rename(next, name)
}

func copyAt(path string) Copy {
	c := Copy{Path: path, Kind: CopyBackup}
	if info, err := os.Stat(path); err == nil {
		c.Made, c.Bytes = info.ModTime().UTC(), info.Size()
	}
	return c
}

// CopyFile makes a copy of a file that only this user can read. After an error there
// is no copy; otherwise its content is synced. fs.ErrExist if the name is taken.
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

// freeName returns the name, with a number if it is taken.
func freeName(path string) (string, error) {
	for n := 1; n < 1000; n++ {
		name := path
		if n > 1 {
			name = fmt.Sprintf("%s-%d", path, n)
		}
		if isMissing(name) {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s: %w", path, fs.ErrExist)
}
