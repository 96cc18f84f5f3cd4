package hookclient

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/spool"
)

// troubled tells the person at a session's start what keeps events from being
// kept, or keeps the worker from working, once a day: nobody else can. What its
// reply tells is not taken for shown before shown is called: a call whose time is
// up says nothing.
type troubled struct {
	next  mem.Handler
	spool *spool.Spool
	paths config.Paths
	now   func() time.Time
	due   *[]Notice // what the reply tells
}

// Handle implements mem.Handler. With an error the reply may hold a notice.
func (t troubled) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	r, err := t.next.Handle(ctx, e)
	if e.Kind != mem.SessionStart || !r.Empty() {
		return r, err
	}
	if n := t.notice(err); n.Text != "" {
		*t.due = DueOf(t.paths.Notices(), t.now(), []Notice{n})
		for _, due := range *t.due {
			r.Notice = due.Text
		}
	}
	return r, err
}

func (t troubled) shown() { ShownNow(t.paths.Notices(), t.now(), *t.due) }

// heldFor is how long events may wait for the worker before the person hears
// of it.
const heldFor = time.Minute

// notice is the worst of what there is to tell; its text is empty if all is well.
func (t troubled) notice(err error) Notice {
	if err != nil {
		f := lostTo(err)
		return Notice{"lost: " + f.Code, 0, fmt.Sprintf("remanence: nothing of this is remembered: %s. Fix: %s", f.What,
			f.Fix[0])}
	}
	if trouble := ReadTrouble(t.paths); trouble.Text != "" {
		return Notice{"trouble", 0, trouble.Text}
	}
	if since := t.spool.Since(); !since.IsZero() && t.now().Sub(since) > heldFor {
		return Notice{"held", 0, fmt.Sprintf("remanence: events wait since %s, for the daemon does not answer. Fix: "+
			"remanence doctor", since.Local().Format("2 Jan 15:04"))}
	}
	return Notice{}
}

// lostTo is the fault to which an event was lost that neither worker nor spool
// took.
func lostTo(err error) fault.Fault {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fault.DiskFull.FixedBy("free some space, then remanence doctor")
	case errors.Is(err, spool.ErrFull):
		return fault.Spooled.Saying("the daemon does not answer, and the spool is full").FixedBy("remanence doctor")
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fault.ReadOnly.FixedBy("make it writable, then remanence doctor")
	}
	return fault.Dropped.FixedBy("remanence doctor")
}

// homeless stands where there is nowhere to keep anything.
type homeless struct{}

// Handle implements mem.Handler. It keeps nothing and says why.
func (homeless) Handle(_ context.Context, e mem.Event) (mem.Reply, error) {
	var r mem.Reply
	if e.Kind == mem.SessionStart {
		r.Notice = fmt.Sprintf("remanence: nothing of this is remembered: %s. Fix: %s", fault.NoHome.What,
			fault.NoHome.Fix[0])
	}
	return r, config.ErrNoHome
}
