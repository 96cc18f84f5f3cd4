package hookclient

import (
	"os"
	"time"

	"remanence/internal/agent"
	"remanence/internal/hook"
	"remanence/internal/mem"
)

// maxTail bounds what is read of a transcript's end, in bytes.
const maxTail = 256 << 10

// How often a hook looks for an answer, and how long it waits in between: less than half of its limit in all.
const (
	maxLooks = 5
	lookWait = 25 * time.Millisecond
)

// lastAnswer returns what adds the agent's answer to the end of a turn, for a client that does not send it: it is read
// from the end of the transcript, and redacted as the payload's member would be. The client may write it there only
// after it has called the hook, so there are several looks, with a wait before each further one. It adds nothing for
// other clients.
func lastAnswer(c hook.Config, wait func()) func(*mem.Event) {
	if c.Member == nil {
		return nil
	}
	return func(e *mem.Event) {
		if e.Kind != mem.Stop || e.Text != "" || e.Transcript == "" {
			return
		}
		dialect, _ := agent.ByName(e.Agent)
		reader, ok := dialect.(agent.AnswerReader)
		if !ok {
			return
		}
		for look := range maxLooks {
			if look > 0 {
				wait()
			}
			if answer := reader.LastAnswer(tail(e.Transcript)); answer != "" {
				e.Text = c.Member("last_assistant_message", answer)
				return
			}
		}
	}
}

// tail returns the end of a regular file; nil if it cannot be read.
func tail(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	from := max(info.Size()-maxTail, 0)
	b := make([]byte, info.Size()-from)
	n, _ := f.ReadAt(b, from)
	return b[:n]
}
