package cli

import "time"

// When what goes on counts as standing still. A person sees it within a minute.
const (
	waitsTooLong = 45 * time.Second // of the oldest job, and of the oldest spooled event beside a daemon
	justStarted  = 5 * time.Second  // the age of a daemon that has not looked at old jobs yet
	failsTooMany = 3                // events in a row that the daemon could not keep
)

// faultItem is something wrong, with the code to ask about.
type faultItem struct {
	Code string `json:"code"`
	What string `json:"what"`
}

// stuck lists what does not go on although the daemon lives: it is healthy by
// what it gets done, not by being there.
func (v statusView) stuck() []faultItem {
	list := []faultItem{}
	add := func(f Fault) { list = append(list, faultItem{f.Code, f.Error()}) }
	if old := seconds(v.Queue.OldestS); old > waitsTooLong {
		add(faultStuck.because("%s, the oldest for %s", plural(v.Queue.Depth, "job waits", "jobs wait"), lasted(old)))
	}
	if n := v.Hooks.FailedInRow; n >= failsTooMany {
		add(faultSpooled.about("the daemon keeps no event").because("the newest %d failed", n))
	}
	if old := seconds(v.Capture.SpooledOldestS); old > waitsTooLong && v.Daemon.State == "up" {
		add(faultSpooled.because("%s beside a daemon, the oldest for %s", plural(v.Capture.SpooledRecords, "event", "events"), lasted(old)))
	}
	return list
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// checkKeeping looks whether the newest events could be kept.
func checkKeeping(failedInRow int64) checkItem {
	if failedInRow >= failsTooMany {
		return bad("keeping", true, faultSpooled.about("the daemon keeps no event").because("the newest %d failed", failedInRow).fixedBy("remanence daemon logs"))
	}
	return good("keeping", true, "the newest events were kept")
}

// line is the fault in the overview.
func (f faultItem) line(p *printer) {
	p.line("%s %s: remanence doctor · %s", p.style(red, "fault:"), oneLine(f.What), f.Code)
}
