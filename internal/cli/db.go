package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"remanence/internal/spool"
	"remanence/internal/worker"
)

func (a *app) dbCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "db",
		Short:   "look after the database: check, back up, restore",
		Long:    "Everything that is remembered is in one SQLite file. What writes to it goes\nthrough the daemon, or stops it for as long as it takes; events are kept in the\nspool meanwhile.",
		Example: "  remanence db info\n  remanence db check --full\n  remanence db backup\n  remanence db restore",
		Args:    atMost(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.dbInfo(cmd.Context()) },
	}
	cmd.AddCommand(a.dbInfoCommand(), a.dbCheckCommand(), a.dbBackupCommand(), a.dbRestoreCommand(), a.dbVacuumCommand(), a.dbReindexCommand(), a.dbMigrateCommand())
	return cmd
}

// stopTries is how often the daemon is stopped where hooks start a new one.
const stopTries = 5

// alone runs f while nobody has the database, with the daemon's lock held. A
// daemon that ran is started again afterwards, as is one where events wait.
func (a *app) alone(ctx context.Context, f func() error) error {
	a.close()
	a.caller, a.close = nil, func() {}
	was, lock, err := a.takeOver(ctx)
	if err != nil {
		return err
	}
	err = f()
	if rerr := lock.Release(); err == nil {
		err = rerr
	}
	if a.flags.noDaemon || !was && spool.Open(spool.Config{Dir: a.paths.Spool()}).Empty() {
		return err
	}
	if serr := a.startDaemon(ctx); err == nil {
		err = serr
	}
	return err
}

// takeOver stops the daemon and takes its lock. It reports whether there was one.
func (a *app) takeOver(ctx context.Context) (was bool, lock *worker.Lock, err error) {
	for range stopTries {
		if !a.flags.noDaemon {
			ran, err := a.stopDaemon(ctx)
			if err != nil {
				return was, nil, err
			}
			was = was || ran
		}
		lock, err = worker.Acquire(a.paths.Data, drainWait)
		if err == nil || !errors.Is(err, worker.ErrRunning) || a.flags.noDaemon {
			break
		}
	}
	switch {
	case errors.Is(err, worker.ErrRunning) && a.flags.noDaemon:
		err = faultRunning.because("this needs the store for itself").fixedBy("remanence daemon stop", "leave --no-daemon out")
	case errors.Is(err, worker.ErrRunning):
		err = faultRunning.because("a new one is started again and again")
	case err != nil:
		err = fmt.Errorf("take the lock: %w", err)
	}
	return was, lock, err
}

// spare is what has to stay free on a disk, in bytes.
const spare = 16 << 20

// room refuses what needs more bytes than are free.
func room(dir string, need int64) error {
	if free, ok := freeBytes(dir); ok && free < need+spare {
		return faultFull.about("there is no room for another copy").because("%s are needed in %s, %s are free", bytesText(need+spare), dir, bytesText(free))
	}
	return nil
}

// dbBytes is the size of the database with its log.
func (p Paths) dbBytes() int64 {
	return sizeOfFile(p.Database()) + p.logBytes()
}

// hasDatabase fails with a fault where there is none yet.
func (a *app) hasDatabase() error {
	if _, err := os.Stat(a.paths.Database()); err != nil {
		return faultNoDatabase.because("%s is not there", a.paths.Database())
	}
	return nil
}
