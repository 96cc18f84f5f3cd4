package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"

	"remanence/test/corpus"
)

// bench is one kind of process that is measured.
type bench struct {
	name string
	// make makes one run, with ids that no run before had: an event with the
	// ids of an earlier one is a duplicate, for which nothing is done.
	make func() (call, error)
	// did reports whether the run did what the case is about.
	did func(answer []byte) (bool, error)
	// every n-th round runs the case; 0 means every round.
	every int

	samples []sample
	missed  int
}

// once runs the case. Only the process itself is measured.
func (b *bench) once(ctx context.Context, p programs) (s sample, did bool, err error) {
	c, err := b.make()
	if err != nil {
		return s, false, err
	}
	if s, err = p.run(ctx, c); err != nil {
		return s, false, err
	}
	did, err = b.did(s.answer)
	return s, did, err
}

func (b *bench) add(s sample, did bool) {
	s.answer = nil
	b.samples = append(b.samples, s)
	if !did {
		b.missed++
	}
}

// cases are all that is measured, in the order of the table.
func (w *world) cases() []*bench {
	warm, gone := w.warm.spool(), w.gone.spool()
	waiting := 0
	silent := func(a []byte) (bool, error) { return len(a) == 0, nil }
	answers := func(a []byte) (bool, error) { return len(a) > 0, nil }
	cases := []*bench{
		{name: "empty", make: w.plain(w.empty), did: silent},
		{name: "bash-true", make: w.plain(w.bash, "-c", "true"), did: silent},
		{name: "capture", make: func() (call, error) { return w.capture(w.warm) }, did: func(a []byte) (bool, error) {
			return len(a) == 0 && warm.Empty(), nil
		}},
		// an answer, or silence for a reason
		{name: "recall", make: w.prompt, did: func([]byte) (bool, error) { return warm.Empty(), nil }},
		{name: "session-start", make: w.sessionStart, did: answers},
		{name: "spool", make: func() (call, error) {
			if err := w.holdStarts(); err != nil {
				return call{}, err
			}
			return w.capture(w.gone)
		}, did: func(a []byte) (bool, error) {
			before := waiting
			st, err := gone.Stat()
			waiting = st.Records
			return len(a) == 0 && waiting == before+1, err
		}},
		{name: "50-MB-payload", every: 20, make: w.huge, did: func(a []byte) (bool, error) {
			return len(a) == 0 && warm.Empty(), nil
		}},
	}
	if w.node != "" {
		cases = append(cases, &bench{name: "node-e-0", every: 4, make: w.plain(w.node, "-e", "0"), did: silent})
	}
	return cases
}

func (w *world) plain(args ...string) func() (call, error) {
	return func() (call, error) { return call{args: args, env: w.warm.environ(), dir: w.project}, nil }
}

func (w *world) hook(h home, session, event string, set map[string]any) (call, error) {
	set["session_id"] = session
	in, err := w.payload(event, set)
	if err != nil {
		return call{}, err
	}
	return call{
		args: []string{w.remanence, "hook", "claude-code"}, dir: w.project, stdin: in,
		env: h.environ(
			"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SESSION_ID="+session, "CLAUDE_PROJECT_DIR="+w.project,
		),
	}, nil
}

// capture is a finished command of one long session.
func (w *world) capture(h home) (call, error) {
	return w.hook(h, "00000000-0000-4000-8000-00000000000c", "PostToolUse.Bash", map[string]any{
		"prompt_id": "00000000-0000-4000-8000-0000000000c0", "tool_use_id": "toolu_" + rand.Text(),
	})
}

// huge is a finished command that printed 50 MB.
func (w *world) huge() (call, error) {
	return w.hook(w.warm, "00000000-0000-4000-8000-00000000000c", "PostToolUse.Bash", map[string]any{
		"prompt_id": "00000000-0000-4000-8000-0000000000c0", "tool_use_id": "toolu_" + rand.Text(),
		"tool_response": map[string]any{"stdout": w.output, "stderr": "", "interrupted": false, "isImage": false},
	})
}

// prompt is the first prompt of a new session: what was injected into a session once is
// not injected into it again.
func (w *world) prompt() (call, error) {
	return w.hook(w.warm, uuid(), "UserPromptSubmit",
		map[string]any{"prompt_id": uuid(), "prompt": corpus.Question(w.memories)})
}

// sessionStart is the start of a new session, with a file for its variables.
func (w *world) sessionStart() (call, error) {
	c, err := w.hook(w.warm, uuid(), "SessionStart.startup.interactive", map[string]any{})
	if err != nil {
		return call{}, err
	}
	if err := os.WriteFile(w.warm.envFile(), nil, 0o600); err != nil {
		return call{}, err
	}
	c.env = append(c.env, "CLAUDE_ENV_FILE="+w.warm.envFile())
	return c, nil
}

// uuid is a new id as the client makes them.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
