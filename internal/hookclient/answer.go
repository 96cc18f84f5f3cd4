package hookclient

import (
	"os"

	"remanence/internal/agent"
	"remanence/internal/hook"
	"remanence/internal/mem"
)

// maxTail bounds what is read of a transcript's end, in bytes.
const maxTail = 256 << 10

// lastAnswer returns what adds the agent's answer to the end of a turn, for a client that does not send it: it is read
// from the end of the transcript, and redacted as the payload's member would be. It returns nil for other clients.
func lastAnswer(c hook.Config) func(*mem.Event) {
	reader, ok := c.Dialect.(agent.AnswerReader)
	if !ok || c.Member == nil {
		return nil
	}
	return func(e *mem.Event) {
		if e.Kind == mem.Stop && e.Text == "" && e.Transcript != "" {
			e.Text = c.Member("last_assistant_message", reader.LastAnswer(tail(e.Transcript)))
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
