package cli

import (
	"os"
	"path/filepath"

	"remanence/internal/config"
	"remanence/internal/spool"
)

// leaveData erases what only a worker and hooks need. What was remembered stays, and with it what is still on its
// way there, the secret that its marks are made with, and the configuration.
func leaveData(p config.Paths) error {
	gone := append(p.RunFiles(), p.Notices(), p.Upkeep(), p.Inbox(), p.FallbackDir())
	if spool.Open(spool.Config{Dir: p.Spool()}).Empty() {
		gone = append(gone, p.Spooled()...)
	}
	err := p.EraseFiles(gone)
	_ = os.Remove(filepath.Dir(p.FallbackDir()))
	return err
}
