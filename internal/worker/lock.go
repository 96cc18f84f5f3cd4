package worker

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// ErrRunning means that another process holds the lock: it is the worker.
var ErrRunning = errors.New("a worker is running")

const lockRetry = 10 * time.Millisecond

// Lock is the kernel lock that makes its holder the one worker of a data
// directory. It ends with the process, however that ends.
type Lock struct {
	file *flock.Flock
	data string // real path
}

// Acquire makes the data directory, private to this user, and takes its lock.
// Whoever opens the database for writing holds it from before the opening until
// after the closing. If it is held by another it tries again for wait, which is
// for one that was asked to drain, and returns ErrRunning; 0 tries once.
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

// Release gives the lock back. The file stays: removing it would let two
// processes lock two files of one name.
func (l *Lock) Release() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("unlock: %w", err)
	}
	return nil
}

// privateDir makes dir if it is missing, closes it to others, and returns its
// real path. It fails if the directory belongs to another user.
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
