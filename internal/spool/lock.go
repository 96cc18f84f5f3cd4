package spool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// errBusy means that a lock was not free in time.
var errBusy = errors.New("spool lock is not free")

// The spool has two locks. Appenders share the one that the drain holds alone
// while it renames the log; the other lets only one process drain at a time.
const (
	logLock   = "log.lock"
	drainLock = "drain.lock"
)

func (s *Spool) lockShared(ctx context.Context) (unlock func(), err error) {
	l := s.lock(logLock)
	return acquire(ctx, l, l.TryRLock, lockTries)
}

func (s *Spool) lockAlone(ctx context.Context, wait time.Duration) (unlock func(), err error) {
	l := s.lock(logLock)
	return acquire(ctx, l, l.TryLock, wait)
}

func (s *Spool) lockDrain(ctx context.Context) (unlock func(), err error) {
	l := s.lock(drainLock)
	return acquire(ctx, l, l.TryLock, 0)
}

func (s *Spool) lock(name string) *flock.Flock {
	return flock.New(filepath.Join(s.dir, name), flock.SetPermissions(0o600))
}

// acquire tries for a lock until wait is over or ctx ends, at least once.
func acquire(ctx context.Context, l *flock.Flock, try func() (bool, error), wait time.Duration) (unlock func(),
	err error,
) {
	for waited := time.Duration(0); ; waited += lockPause {
		ok, err := try()
		if ok {
			makePrivate(l)
			return func() { _ = l.Close() }, nil
		}
		if err == nil && (waited >= wait || ctx.Err() != nil) {
			err = errBusy
		}
		if err != nil {
			_ = l.Close()
			return nil, err
		}
		time.Sleep(lockPause)
	}
}

// makePrivate gives a new lock file the mode that the umask may have kept from it.
func makePrivate(l *flock.Flock) {
	if info, err := l.Stat(); err == nil && info.Mode().Perm() != 0o600 {
		_ = os.Chmod(l.Path(), 0o600)
	}
}
