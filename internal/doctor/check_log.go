package doctor

import (
	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/fault"
)

// CheckLog looks at the size of the database's log.
func (a *Checks) CheckLog() Check {
	if n := a.Paths.LogBytes(); n > daemon.LongWALBytes {
		return Bad("log", false, fault.LongLog.Because("%s-wal has %s", a.Paths.Database(), ui.BytesText(n)))
	}
	return Good("log", false, "the database's log is short")
}
