package hookclient

import (
	"bytes"
	"io"
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
	for _, payload := range agent.CodexTurn(argument, func(session string) string {
		return codexTranscript(sys, session)
	}) {
		c.Stdin, c.Nonce = bytes.NewReader(payload), nonce()
		hook.Run(c)
	}
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
