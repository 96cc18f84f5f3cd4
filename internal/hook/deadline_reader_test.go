package hook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"remanence/internal/hook"
	"remanence/internal/mem"
)

// truncatingRedactor keeps the first 64 KiB of an object whose time to be read was up.
func truncatingRedactor(r io.Reader) (hook.Payload, error) {
	b, err := io.ReadAll(r)
	if !errors.Is(err, context.DeadlineExceeded) {
		return hook.Payload{}, errors.Join(errors.New("the time was not up"), err)
	}
	to := bytes.LastIndexByte(b[:min(len(b), 64<<10+200)], '\\')
	return hook.Payload{JSON: append(b[:to:to], `"}}`...), Size: int64(len(b)), Truncated: true}, nil
}

// A tool's output is endless, or stops in the middle: the part that came in time is kept, the client can go on writing,
// and the call ends with 0 in time.
func TestBeginningOfEndlessInputIsKept(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines int // that come at once
		pause time.Duration
	}{{"goes on", 5000, time.Millisecond}, {"stalls", 9000, time.Hour}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var spool kept
				s := newFixture("", hook.FirstOf(handler(func(ctx context.Context, _ mem.Event) (mem.Reply, error) {
					<-ctx.Done()
					return mem.Reply{}, ctx.Err()
				}), &spool, 0))
				s.Slack, s.ReadPayload = 0, truncatingRedactor
				r, w := io.Pipe()
				s.Stdin = r
				wrote := make(chan error, 1)
				go func() {
					_,
						err := io.WriteString(w,
						`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make"},`+
							`"tool_response":{"stdout":"`)
					for i := 0; err == nil; i++ {
						if i >= c.lines {
							time.Sleep(c.pause)
						}
						_, err = fmt.Fprintf(w, `line %06d of it\n`, i)
					}
					wrote <- err
				}()
				begun := time.Now()
				hook.Run(s.Config)
				took := time.Since(begun)
				if took >= 300*time.Millisecond || len(s.exits) != 0 || len(s.dropped) != 0 {
					t.Errorf("took %v, exits %v, dropped %v", took, s.exits, s.dropped)
				}
				if len(spool.events) != 1 || !spool.events[0].Truncated {
					t.Fatalf("kept %d events, want one that is cut", len(spool.events))
				}
				text := string(spool.events[0].Response)
				if !strings.Contains(text, "line 000000") || len(text) < 64<<10 || len(text) > 66<<10+5000 {
					t.Errorf("kept %d bytes: %.60q, want the first 64 KiB", len(text), text)
				}
				select {
				case err := <-wrote:
					t.Errorf("the writer was stopped: %v", err)
				default:
				}
				_ = r.CloseWithError(errors.New("over"))
				if err := <-wrote; err == nil {
					t.Error("the writer did not notice the end")
				}
			})
		})
	}
}
