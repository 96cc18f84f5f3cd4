package transcript

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"remanence/internal/fsx"
	"remanence/internal/mem"
)

// Rewrite hands each thing said in a session, or in all without one, to change,
// and keeps what that makes of it, or nothing where it says no. A file of which
// nothing is left goes. Marks stay: what was taken in once is not taken in again.
func (a *Archive) Rewrite(ctx context.Context, session string,
	change func(mem.ArchivedUtterance) (mem.ArchivedUtterance, bool),
) error {
	return a.rewriteThose(ctx, session, func(string) bool { return true }, change)
}

// DropBefore lets go of what was said before a time and returns how much that was.
func (a *Archive) DropBefore(ctx context.Context, before time.Time) (dropped int, err error) {
	day := before.UTC().Format(dayForm)
	older := func(file string) bool { return filepath.Base(file)[:len(day)] <= day }
	err = a.rewriteThose(ctx, "", older, func(s mem.ArchivedUtterance) (mem.ArchivedUtterance, bool) {
		old := s.At.Before(before)
		if old {
			dropped++
		}
		return s, !old
	})
	return dropped, err
}

func (a *Archive) rewriteThose(ctx context.Context, session string, which func(file string) bool,
	change func(mem.ArchivedUtterance) (mem.ArchivedUtterance, bool),
) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.dropUnfinished(); err != nil {
		return fmt.Errorf("rewrite archive: %w", err)
	}
	files, err := a.files(session)
	if err != nil {
		return fmt.Errorf("rewrite archive: %w", err)
	}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("rewrite archive: %w", err)
		}
		if !which(file) {
			continue
		}
		if err := a.rewrite(file, change); err != nil {
			return fmt.Errorf("rewrite %s: %w", filepath.Base(file), err)
		}
	}
	return nil
}

// unfinished ends the name of a file that is being written anew.
const unfinished = ".part"

// dropUnfinished removes what a rewrite left that was killed.
func (a *Archive) dropUnfinished() error {
	return a.eachEntry(func(path string, e fs.DirEntry) error {
		if !strings.HasSuffix(e.Name(), suffix+unfinished) {
			return nil
		}
		return os.Remove(path)
	})
}

// rewrite writes a file anew if anything of it changes. What was cut off on its
// way in goes, too.
func (a *Archive) rewrite(file string, change func(mem.ArchivedUtterance) (mem.ArchivedUtterance, bool)) error {
	n := rewriter{file: file}
	defer n.abandon()
	whole, left := int64(0), 0
	err := eachLine(file, 0, func(b []byte, end int64) bool {
		whole = end
		l, ok := parsed(b)
		if ok && l.Mark != nil {
			n.keep(b)
			return n.err == nil
		}
		now, keep := l.ArchivedUtterance, false // the others cannot be read
		if ok {
			now, keep = change(l.ArchivedUtterance)
		}
		if !keep || now != l.ArchivedUtterance {
			n.begin(end - int64(len(b)))
		}
		if keep {
			left++
			n.say(now, b, now == l.ArchivedUtterance)
		}
		return n.err == nil
	})
	if err = errors.Join(err, n.err); err != nil {
		return err
	}
	if info, err := os.Lstat(file); err != nil || info.Size() > whole {
		n.begin(whole)
	}
	if n.out == nil && n.err == nil {
		return nil
	}
	a.changes++
	if left > 0 {
		return n.finish()
	}
	n.abandon()
	if err := errors.Join(n.err, os.Remove(file)); err != nil {
		return err
	}
	_ = os.Remove(filepath.Dir(file)) // if it was the last one of its project
	_ = fsx.SyncDir(fsx.Host{}, a.Dir)
	return nil
}

// rewriter is a file on its way to take the place of another. Nothing is written
// before begin.
type rewriter struct {
	file string
	out  *fsx.Pending
	w    *bufio.Writer
	err  error
}

// begin starts with the first bytes of the old file.
func (n *rewriter) begin(bytes int64) {
	if n.out != nil || n.err != nil {
		return
	}
	old, _, err := open(n.file)
	if err != nil {
		n.err = err
		return
	}
	defer old.Close()
	if n.out, n.err = fsx.Create(fsx.Host{}, n.file, fsx.Replacement{Temp: filepath.Base(n.file) +
		unfinished}); n.err != nil {
		return
	}
	n.w = bufio.NewWriterSize(n.out, 64<<10)
	_, n.err = io.CopyN(n.w, old, bytes)
}

func (n *rewriter) keep(b []byte) {
	if n.out != nil && n.err == nil {
		_, n.err = n.w.Write(b)
	}
}

// say keeps something said: the line as it was, or made anew.
func (n *rewriter) say(s mem.ArchivedUtterance, was []byte, same bool) {
	if !same {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			n.err = errors.Join(n.err, err)
			return
		}
		was = b.Bytes()
	}
	n.keep(was)
}

// finish puts it in the place of the old file.
func (n *rewriter) finish() error {
	if n.err != nil {
		return n.err
	}
	if err := n.w.Flush(); err != nil {
		return err
	}
	if err := n.out.Commit(); err != nil && !errors.Is(err, fsx.ErrNotDurable) {
		return err
	}
	return nil
}

// abandon removes the new file if it replaced none.
func (n *rewriter) abandon() {
	if n.out != nil {
		_ = n.out.Discard()
		n.out = nil
	}
}
