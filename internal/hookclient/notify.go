package hookclient

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"remanence/internal/agent"
	"remanence/internal/config"
	"remanence/internal/hook"
)

// runNotify reports what Codex says when a turn ends to the program that it runs then, in place of its hooks, which it
// may skip. If they run as well, they reported the same events before. Nothing that is printed reaches the model.
func runNotify(sys config.System, c hook.Config, argument string) {
	c.Stdout = io.Discard
	c.Prepare = func(c hook.Config) hook.Config {
		c = prepare(sys, c)
		c.Handler = injectionOff{c.Handler}
		return c
	}
	for _, payload := range agent.CodexTurn(argument, func(session string) (string, bool) {
		file := codexTranscript(sys, session)
		return file, !ofSubagent(file)
	}) {
		c.Stdin, c.Nonce = bytes.NewReader(payload), nonce()
		hook.Run(c)
	}
}

// maxMeta is more than the beginning of a transcript takes until it says whose it is, in bytes.
const maxMeta = 16 << 10

// ofSubagent reports whether a transcript of Codex says that it is that of a subagent. The prompts of one are those of
// a model, and copies of the person's.
func ofSubagent(transcript string) bool {
	f, err := os.Open(transcript)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, maxMeta)
	n, _ := f.ReadAt(head, 0)
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	return bytes.Contains(line, []byte(`"thread_source":"subagent"`))
}

// codexTranscript finds the transcript of a session of Codex; "" if there is none.
func codexTranscript(sys config.System, session string) string {
	if strings.IndexFunc(session, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) >= 0 {
		return ""
	}
	dir := filepath.Dir(settingsFiles(sys.Getenv, "codex")[0])
	files, _ := filepath.Glob(filepath.Join(dir, "sessions", "*", "*", "*", "rollout-*-"+session+".jsonl"))
	return strings.Join(files[:min(1, len(files))], "")
}
