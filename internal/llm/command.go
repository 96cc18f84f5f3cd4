package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"remanence/internal/mem"
)

// Command is how the claude command is run.
type Command struct {
	Program string // name or absolute path; empty means claude
	Dir     string // an empty directory of ours, in which nothing is captured
	// Env is the whole environment but Depth, in which the person's own login is found.
	Env []string
	// Depth is this process's value of the variable of the same name: a process
	// that an agent of ours started runs none.
	Depth string
}

// depth is the variable that says how many agents of ours stand above a process.
// Hooks that see one do nothing.
const depth = "REMANENCE_DEPTH"

const (
	// commandOverhead is how many tokens the command adds of its own, by estimate.
	commandOverhead = 4000
	// lastWords is how long output is waited for once the command was ended.
	lastWords = time.Second
)

// nested reports whether we were started by an agent of ours.
func (c Command) nested() bool {
	n, err := strconv.Atoi(c.Depth)
	return c.Depth != "" && (err != nil || n >= 1)
}

// environment is that of the command: the person's login, or the key and address
// that were configured.
func (m *Model) environment() []string {
	env := append(append([]string{}, m.cfg.Command.Env...),
		depth+"=1", "CLAUDE_CODE_MAX_OUTPUT_TOKENS="+strconv.Itoa(MaxAnswer), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_CLAUDE_MDS=1", "CLAUDE_CODE_MAX_RETRIES=1")
	if m.cfg.URL != "" {
		env = append(env, "ANTHROPIC_BASE_URL="+m.cfg.URL)
	}
	if m.cfg.Key != nil {
		if key := m.cfg.Key(); key != "" {
			env = append(env, "ANTHROPIC_API_KEY="+key)
		}
	}
	return env
}

// run asks the command once. What is asked goes to its standard input, not into
// its arguments, which everybody on the machine can read. It has no tools, no
// hooks, no servers and leaves no session behind. When ctx ends, it is killed
// with all that it started; when it has ended, what it started is killed too.
func (m *Model) run(ctx context.Context, ask request) (answer, error) {
	program := m.cfg.Command.Program
	if program == "" {
		program = "claude"
	}
	cmd := exec.CommandContext(ctx, program,
		"-p", "--output-format", "json", "--model", m.cfg.Model, "--system-prompt", ask.system,
		"--tools", "", "--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence",
		"--settings", `{"disableAllHooks":true}`)
	cmd.Dir, cmd.Env = m.cfg.Command.Dir, m.environment()
	cmd.Stdin = strings.NewReader(ask.question)
	out := &capped{left: maxBytes}
	cmd.Stdout = out
	cmd.WaitDelay = lastWords
	err := runGroup(cmd)
	sent := ask.tokens() + commandOverhead
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, exec.ErrDot):
		return answer{}, fmt.Errorf("there is no program %q", program)
	case ctx.Err() != nil:
		return answer{},
			mem.UnusableAnswer{Tokens: sent, Err: mem.RetryLater{Err: errors.New("the command did not answer in time")}}
	case cmd.ProcessState == nil:
		return answer{}, errors.New("the command cannot be started")
	}
	return readCommand(out, cmd.ProcessState.ExitCode(), sent)
}

// commandAnswer is what the command prints.
type commandAnswer struct {
	Type    string          `json:"type"`
	IsError bool            `json:"is_error"`
	Result  *string         `json:"result"`
	Usage   json.RawMessage `json:"usage"`
}

// readCommand reads what the command printed. What it says about an error stays
// unread: it may repeat what it was given.
func readCommand(out *capped, status, sent int) (answer, error) {
	var a commandAnswer
	switch {
	case out.over:
		return answer{}, mem.UnusableAnswer{Tokens: sent + MaxAnswer, Err: fmt.Errorf("%w: too long", errAnswer)}
	case json.Unmarshal(bytes.TrimSpace(out.kept.Bytes()), &a) != nil || a.Type != "result":
		if status != 0 {
			return answer{}, mem.RetryLater{Err: fmt.Errorf("the command failed with status %d", status)}
		}
		return answer{}, mem.UnusableAnswer{Tokens: sent + MaxAnswer, Err: errAnswer}
	case a.IsError || a.Result == nil || status != 0: // logged out, no credit, overloaded: it does not say by a code
		return answer{}, mem.RetryLater{Err: fmt.Errorf("the command gave no answer (status %d)", status)}
	}
	return answer{text: *a.Result, tokens: used(a.Usage)}, nil
}

// capped keeps what is written to it up to a bound, and takes the rest.
type capped struct {
	kept bytes.Buffer
	left int
	over bool
}

// Write implements io.Writer.
func (c *capped) Write(p []byte) (int, error) {
	n := len(p)
	if n > c.left {
		p, c.over = p[:c.left], true
	}
	c.left -= len(p)
	_, _ = c.kept.Write(p) // never fails
	return n, nil
}
