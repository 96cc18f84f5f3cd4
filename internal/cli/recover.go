package cli

import (
	"remanence/internal/daemon"
	"remanence/internal/hookclient"
)

// sayAside shows notices of a database that was set aside.
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
