package worker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// ErrRunning means that another process holds the lock and is the daemon.
var ErrRunning = errors.New("a worker is running")

const lockRetry = 10 * time.Millisecond

// Lock is a kernel lock on a data directory. Its holder is the only daemon of the directory.
// It ends with the process.
type Lock struct {
	file *flock.Flock
	data string // real path
}

// Acquire creates the data directory with access for this user only, and takes its lock. A
// process that opens the database for writing must hold the lock from before opening until
// after closing. If another process holds the lock, Acquire retries for wait and then returns
// ErrRunning; with 0 it tries once.
func Acquire(data string, wait time.Duration) (*Lock, error) {
	real, err := privateDir(data)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	l := &Lock{file: flock.New(filepath.Join(real, "worker.lock"), flock.SetPermissions(0o600)), data: real}
	for end := time.Now().Add(wait); ; time.Sleep(lockRetry) {
		ok, err := l.file.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock: %w", err)
		}
		if ok {
			return l, nil
		}
		if !time.Now().Before(end) {
			return nil, ErrRunning
		}
	}
}

// Release releases the lock. The file stays: removing it would let two processes lock
// different files of the same name.
func (l *Lock) Release() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("unlock: %w", err)
	}
	return nil
}

// privateDir creates dir if necessary, removes other users' access, and returns its real path.
// It fails if the directory belongs to another user.
func privateDir(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	return real, closeDir(real)
}
