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

// noticeHandler adds a notice to the reply of a session start, at most once a day: what keeps events from
// being stored or the daemon from working. A notice counts as shown only after markShown, because a call that
// ran out of time prints nothing.
type noticeHandler struct {
	next  mem.Handler
	spool *spool.Spool
	paths config.Paths
	now   func() time.Time
	due   *[]Notice // the notices in the reply
}

// Handle implements mem.Handler. With an error the reply may hold a notice.
func (t noticeHandler) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	r, err := t.next.Handle(ctx, e)
	if e.Kind != mem.SessionStart || !r.Empty() {
		return r, err
	}
	if n := t.worstNotice(err); n.Text != "" {
		*t.due = DueNotices(t.paths.Notices(), t.now(), []Notice{n})
		for _, due := range *t.due {
			r.Notice = due.Text
		}
	}
	return r, err
}

func (t noticeHandler) markShown() { MarkShown(t.paths.Notices(), t.now(), *t.due) }

// maxQuietWait is how long events may wait in the spool before the person is notified.
const maxQuietWait = time.Minute

// worstNotice returns the most serious notice. Its text is empty if all is well.
func (t noticeHandler) worstNotice(err error) Notice {
	if err != nil {
		f := lossFault(err)
		return Notice{"lost: " + f.Code, 0, fmt.Sprintf("remanence: nothing of this is remembered: %s. Fix: %s", f.What,
			f.Fix[0])}
	}
	if trouble := ReadTrouble(t.paths); trouble.Text != "" {
		return Notice{"trouble", 0, trouble.Text}
	}
	if since := t.spool.Since(); !since.IsZero() && t.now().Sub(since) > maxQuietWait {
		return Notice{"held", 0, fmt.Sprintf("remanence: events wait since %s, for the daemon does not answer. Fix: "+
			"remanence doctor", since.Local().Format("2 Jan 15:04"))}
	}
	return Notice{}
}

// lossFault returns the fault that explains why neither daemon nor spool stored an event.
func lossFault(err error) fault.Fault {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fault.DiskFull.FixedBy("free some space, then remanence doctor")
	case errors.Is(err, spool.ErrFull):
		return fault.Spooled.WithMessage("the daemon does not answer, and the spool is full").FixedBy("remanence doctor")
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return fault.ReadOnly.FixedBy("make it writable, then remanence doctor")
	}
	return fault.Dropped.FixedBy("remanence doctor")
}

// noStorage is the handler where no directory for data is known.
type noStorage struct{}

// Handle implements mem.Handler. It stores nothing and returns the reason as a notice.
func (noStorage) Handle(_ context.Context, e mem.Event) (mem.Reply, error) {
	var r mem.Reply
	if e.Kind == mem.SessionStart {
		r.Notice = fmt.Sprintf("remanence: nothing of this is remembered: %s. Fix: %s", fault.NoHome.What,
			fault.NoHome.Fix[0])
	}
	return r, config.ErrNoHome
}
