package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// watchEvery is how often a watched status is shown anew.
const watchEvery = 2 * time.Second

// runStatusWatch shows the state again and again until it is interrupted, which is its
// normal end. A daemon that ends or is replaced meanwhile is found again. A
// request that fails is reported and repeated.
func runStatusWatch(a *app, cmd *cobra.Command) error {
	a.out.Pager = ""
	for round := 0; ; round++ {
		switch {
		case a.out.Height > 0:
			fmt.Fprint(a.out.Out, "\x1b[H\x1b[2J") // home, and an empty screen
		case round > 0 && !a.flags.JSON && !a.flags.JSONLines:
			a.out.Line("")
		}
		if err := runStatus(a, cmd, false); err != nil && cmd.Context().Err() == nil {
			if round == 0 {
				return err
			}
			a.out.Fail(explain(cmd.Root(), err))
		}
		a.Close()
		a.Caller, a.Close = nil, func() {}
		select {
		case <-cmd.Context().Done():
			return nil
		case <-time.After(watchEvery):
		}
	}
}
