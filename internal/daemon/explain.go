package daemon

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/setup"
)

// Explain turns any error into a fault.
func Explain(err error) fault.Fault {
	if f, ok := KnownFault(err); ok {
		return f
	}
	return fault.Other.Because("%s", Cause(err))
}

// KnownFault is the fault of an error that has one of its own.
func KnownFault(err error) (fault.Fault, bool) {
	if f, ok := errors.AsType[fault.Fault](err); ok {
		return f, true
	}
	if e := (*api.Error)(nil); errors.As(err, &e) && e.Name == api.NameInvalid && e.Fix != "" {
		return fault.Input.WithMessage("%s", e.Detail).FixedBy(e.Fix), true
	}
	for _, k := range []struct {
		is    error
		fault fault.Fault
	}{
		{mem.ErrAmbiguous, fault.Ambiguous},
		{mem.ErrNotFound, fault.NoID},
		{mem.ErrNewer, fault.Newer},
		{mem.ErrForeign, fault.Foreign},
		{mem.ErrCorrupt, fault.Corrupt},
		{mem.ErrLocked, fault.Locked},
		{mem.ErrAway, fault.Away},
		{mem.ErrNoStore, fault.Store},
		{mem.ErrFull, fault.DiskFull},
		{mem.ErrReadOnly, fault.ReadOnly},
		{mem.ErrDisk, fault.DiskFails},
		{mem.ErrUnsafe, fault.StateFile},
		{syscall.ENOSPC, fault.DiskFull},
		{syscall.EDQUOT, fault.DiskFull},
		{syscall.EROFS, fault.ReadOnly},
		{config.ErrNoPlace, fault.ReadOnly},
		{config.ErrNoHome, fault.NoHome},
		{config.ErrSyntax, fault.Config},
		{setup.ErrNotJSON, fault.Settings},
		{setup.ErrShape, fault.Settings},
		{setup.ErrNotFile, fault.Settings},
		{setup.ErrReadOnly, fault.Settings},
		{setup.ErrChanged, fault.Settings},
		{setup.ErrBinary, fault.Binary.FixedBy("give it the name remanence, and run it by its full path")},
		{api.ErrUnreachable, fault.Unreachable},
		{api.ErrGone, fault.Unreachable},
		{api.ErrUnknownRoute, fault.Version},
		{api.ErrInvalid, fault.Input},
		{fs.ErrPermission, fault.Denied},
		{context.DeadlineExceeded, fault.SlowDaemon},
	} {
		if errors.Is(err, k.is) {
			return k.fault.Because("%s", Cause(err)), true
		}
	}
	return fault.Fault{}, false
}

// Cause is an error in words: the daemon's own, where it answered with one.
func Cause(err error) string {
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e.Error()
	}
	return err.Error()
}
