package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/hookclient"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/views"
)

const (
	// lineWait is how long a status line waits for the daemon: an agent draws it after every message.
	lineWait = 200 * time.Millisecond
	// maxLineInput bounds what is read of the agent's description of its state.
	maxLineInput = 1 << 20
)

func statusLineCommand(a *app) *cobra.Command {
	var wrap string
	cmd := &cobra.Command{
		Use:   "statusline",
		Short: "one line for the status line of a coding agent",
		Long: "Prints how many memories the project has and what was injected into the\nsession, which Claude Code " +
			"describes on standard input of the command in its\nsetting statusLine. It never starts the daemon, and waits " +
			"for it no longer than\n0.2 seconds. With --wrap your own command comes first, with the same input.",
		Example: "  remanence install --status-line\n  remanence statusline --wrap ~/.claude/line.sh",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			input := readLineInput(a.Sys.Stdin)
			v := lineNow(cmd.Context(), a, input)
			v.Wrapped = runWrapped(cmd.Context(), wrap, input)
			return a.out.Show(v)
		},
	}
	cmd.Flags().StringVar(&wrap, "wrap", "", "command of your own status line, shown before")
	return cmd
}

// readLineInput returns what the agent says about its state; nothing from a terminal.
func readLineInput(in io.Reader) []byte {
	if in == nil || ui.IsTerminal(in) {
		return nil
	}
	b, _ := io.ReadAll(io.LimitReader(in, maxLineInput)) // a part is as good as none
	return b
}

// lineNow asks a running daemon. Without one there is nothing to say but that.
func lineNow(ctx context.Context, a *app, input []byte) ui.StatusLineView {
	if a.Paths.Uninstalled(a.Sys.Getenv) {
		return ui.StatusLineView{State: ui.LineOff}
	}
	rt, err := hookclient.ReadRuntime(a.Paths)
	if err != nil {
		return ui.StatusLineView{State: ui.LineIdle}
	}
	var session struct {
		ID        string `json:"session_id"`
		Dir       string `json:"cwd"`
		Workspace struct {
			Project string `json:"project_dir"`
		} `json:"workspace"`
	}
	_ = json.Unmarshal(input, &session) // what cannot be read leaves the working directory
	req := views.StatusLineRequest{ProjectRef: a.ProjectRef(), Session: session.ID}
	if dir := cmp.Or(session.Workspace.Project, session.Dir); dir != "" && a.Project == "" {
		req.ProjectRef = mem.ProjectRef{Dir: dir}
	}
	ctx, stop := context.WithTimeout(ctx, lineWait)
	defer stop()
	got, err := api.StatusLine.Call(ctx, rt.Client(config.Version), req)
	switch {
	case errors.Is(err, api.ErrUnreachable) || errors.Is(err, api.ErrGone):
		return ui.StatusLineView{State: ui.LineIdle}
	case err != nil:
		return ui.StatusLineView{State: ui.LineSilent}
	case got.Paused:
		return ui.StatusLineView{State: ui.LinePaused, StatusLineResponse: got}
	}
	return ui.StatusLineView{State: ui.LineOn, StatusLineResponse: got}
}

// runWrapped returns the first line that the person's own command prints; "" if it fails.
func runWrapped(ctx context.Context, command string, input []byte) string {
	if command == "" {
		return ""
	}
	run := exec.CommandContext(ctx, "sh", "-c", command)
	run.Stdin = strings.NewReader(string(input))
	out, _ := run.Output() // its failure must not take our part away
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimRight(line, "\r")
}

// statusLineText says what an installation does about the status line; "" if nothing.
func statusLineText(state setup.LineState) string {
	switch state {
	case setup.LineAdded:
		return "a status line: memories of the project, tokens injected into the session"
	case setup.LineOther:
		return "your status line stays; both in one: remanence statusline --wrap COMMAND"
	}
	return ""
}
