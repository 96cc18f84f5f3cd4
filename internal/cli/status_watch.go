package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// watchEvery is how often a watched status is shown anew.
const watchEvery = 2 * time.Second

// watch shows the state again and again until it is interrupted, which is its
// normal end. A daemon that ends or is replaced meanwhile is found again; one
// round that fails is told and the next one tried.
func (a *app) watch(cmd *cobra.Command) error {
	a.out.pager = ""
	for round := 0; ; round++ {
		switch {
		case a.out.height > 0:
			fmt.Fprint(a.out.out, "\x1b[H\x1b[2J") // home, and an empty screen
		case round > 0 && !a.flags.json && !a.flags.jsonl:
			a.out.line("")
		}
		if err := a.status(cmd, false); err != nil && cmd.Context().Err() == nil {
			if round == 0 {
				return err
			}
			a.out.fail(explain(cmd.Root(), err))
		}
		a.close()
		a.caller, a.close = nil, func() {}
		select {
		case <-cmd.Context().Done():
			return nil
		case <-time.After(watchEvery):
		}
	}
}
