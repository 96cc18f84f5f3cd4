// Package spool keeps events on disk while no worker answers, and hands them
// over later. A hook appends, a worker drains; both may be killed at any point.
// An appended event survives the end of the process, not a power cut. It may be
// handed over twice: its ID makes the second time harmless.
// The package knows nothing of what the events mean, save which are worth the
// last of the space.
package spool

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"remanence/internal/fsx"
	"remanence/internal/mem"
)

// DefaultMaxBytes bounds the spool where the Config does not.
const DefaultMaxBytes = 256 << 20

// ErrFull means that the spool keeps its last space for events that matter more.
var ErrFull = errors.New("spool is full")

// refusedError is the ErrFull of one event, which the spool has counted.
type refusedError struct{ kind mem.EventKind }

func (r refusedError) Error() string { return "spool " + string(r.kind) + ": " + ErrFull.Error() }
func (r refusedError) Unwrap() error { return ErrFull }
func (r refusedError) Counted() bool { return true }

const (
	lockTries = 20 * time.Millisecond // how long Handle tries for its lock
	lockPause = time.Millisecond
)

// Config says where the spool lies. Dir must be on a local file system.
type Config struct {
	Dir      string
	MaxBytes int64 // 0 means DefaultMaxBytes

	// Fallback makes a directory on another disk in which lost events are counted
	// if Dir takes nothing. It is asked only then. Nil means that there is none.
	Fallback func() (dir string, err error)
}

// Spool is one spool directory. Several processes may use it at once, each
// through a Spool of its own. It is safe for use by several goroutines.
//
// Everything that waits lies in the folder pending, which is there only while
// something waits: events.log, which hooks append to; part-N.log, former
// events.log in the order of N; and *.rec, single records written past the lock.
type Spool struct {
	dir      string
	max      int64
	fallback func() (string, error) // may be nil

	mu    sync.Mutex       // drains one at a time
	parts map[string]*part // by file name
	todo  []ref            // waiting records of parts, in the order of delivery
	whole bool             // todo has the single records too
}

// Open returns the spool of c.Dir. It touches no file.
func Open(c Config) *Spool {
	if c.MaxBytes <= 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	return &Spool{dir: c.Dir, max: c.MaxBytes, fallback: c.Fallback, parts: map[string]*part{}}
}

func (s *Spool) pending(name string) string { return filepath.Join(s.dir, "pending", name) }

const logName = "events.log"

// Handle appends e as one record and answers with silence. A nil error means
// that e survives the end of the process. ErrFull means that e was refused and
// counted. The lock of a drain in progress is waited for at most 20 ms.
func (s *Spool) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return mem.Reply{}, fmt.Errorf("spool event: %w", err)
	}
	rec := frame(body, e.At, e.Session)
	if len(body) > maxRecord || s.used()+int64(len(rec)) > limit(e.Kind, s.max) {
		s.Count("refused-" + string(e.Kind))
		return mem.Reply{}, refusedError{e.Kind}
	}
	if err := s.keep(ctx, rec); err != nil {
		return mem.Reply{}, fmt.Errorf("spool %s: %w", e.Kind, err)
	}
	return mem.Reply{}, nil
}

// limit is the size up to which the spool takes events of kind k.
func limit(k mem.EventKind, max int64) int64 {
	switch k {
	case mem.SubagentStart, mem.SubagentStop, mem.TaskCompleted, mem.Notification, mem.PreToolUse:
		return max / 10 * 8
	case mem.PostToolUse, mem.PostToolUseFailure, mem.Stop, mem.StopFailure:
		return max / 10 * 9
	default:
		return max
	}
}

// keep writes one record: into the log, or past it if the lock is not free or
// the log takes no whole record.
func (s *Spool) keep(ctx context.Context, rec []byte) error {
	if err := fsx.MakePrivateDir(s.dir); err != nil {
		return err
	}
	err := s.appendLog(ctx, rec)
	if err == nil {
		return nil
	}
	if single := s.writeSingle(rec); single != nil {
		return errors.Join(err, single)
	}
	return nil
}

// appendLog appends rec with one write. The shared lock keeps a drain from
// renaming the log between opening and writing. What a short write leaves
// behind spoils no other record; it must not be cut off, for another process
// may have appended since.
func (s *Spool) appendLog(ctx context.Context, rec []byte) error {
	unlock, err := s.lockShared(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := fsx.MakePrivateDir(s.pending("")); err != nil {
		return err
	}
	f, err := openAppend(s.pending(logName))
	if err != nil {
		return err
	}
	_, err = f.Write(rec)
	return errors.Join(err, f.Close())
}

// writeSingle writes rec into a file of its own, whole or not at all. A drain
// may remove the folder while it is empty, hence the tries.
func (s *Spool) writeSingle(rec []byte) error {
	var err error
	for range 5 {
		if err = fsx.MakePrivateDir(s.pending("")); err != nil {
			return err
		}
		if err = s.tryWriteSingle(rec); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

func (s *Spool) tryWriteSingle(rec []byte) error {
	name := singleName(len(rec)) + "-" + rand.Text()
	return fsx.Replace(fsx.Host{}, s.pending(name+singleEnd), rec, fsx.Replacement{
		Temp:    name + tmpEnd,
		Prepare: func(f *os.File) error { return f.Chmod(0o600) },
		NoSync:  true,
	})
}

const (
	singleEnd = ".rec"
	tmpEnd    = ".tmp"
)

// singleName returns a file name that sorts by time and contains the size, which saves a request for it.
func singleName(size int) string {
	return fmt.Sprintf("%020d-%d", time.Now().UnixNano(), size)
}

func singleSize(name string) int64 {
	fields := strings.SplitN(name, "-", 3)
	if len(fields) < 3 {
		return 0
	}
	n, _ := strconv.ParseInt(fields[1], 10, 64)
	return max(n, 0)
}

// used is the size of all that waits, in bytes; what can not be seen counts nothing.
func (s *Spool) used() int64 {
	d, err := os.Open(s.pending(""))
	if err != nil {
		return 0
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	var sum int64
	for _, name := range names {
		if strings.HasSuffix(name, singleEnd) || strings.HasSuffix(name, tmpEnd) {
			sum += singleSize(name)
			continue
		}
		if info, err := os.Lstat(s.pending(name)); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// Empty reports whether nothing waits. It costs one look at the disk.
func (s *Spool) Empty() bool {
	_, err := os.Lstat(s.pending(""))
	return errors.Is(err, fs.ErrNotExist)
}

// openAppend opens a regular file that only its owner can read, whatever the
// umask. Anything else in its place is refused before it can block or mislead.
func openAppend(path string) (*os.File, error) {
	f, info, err := fsx.Open(fsx.Host{}, path, fsx.Options{Flag: os.O_WRONLY | os.O_APPEND | os.O_CREATE})
	if errors.Is(err, fsx.ErrUnsafe) {
		err = fmt.Errorf("open %s: %w", path, err)
	}
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm() != 0o600 {
		_ = f.Chmod(0o600)
	}
	return f, nil
}
