package cli

import (
	"remanence/internal/daemon"
	"remanence/internal/hookclient"
)

// sayAside tells the person who runs a command what the next session would be told.
func (a *app) sayAside() {
	if a.flags.Quiet || a.flags.JSON || a.flags.JSONLines {
		return
	}
	due := hookclient.DueNotices(a.Paths.Notices(), a.Sys.Now(), daemon.AsideNotices(a.Paths))
	for _, n := range due {
		a.out.Say("%s", n.Text)
	}
	hookclient.MarkShown(a.Paths.Notices(), a.Sys.Now(), due)
}
