package doctor

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/fault"
	"remanence/internal/setup"
)

// Handshake is the first message of an agent to a server.
const Handshake = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},` +
	`"clientInfo":{"name":"remanence-doctor","version":"1"}}}` + "\n"

// handshakeWithin is how long a server may take for its first answer.
const handshakeWithin = 10 * time.Second

// checkServer starts the MCP server as the agent would, and greets it. Without one
// in the agent's configuration there is nothing to say.
func (a *Checks) checkServer(ctx context.Context) []Check {
	c, err := a.SetupConfig()
	if err != nil {
		return nil
	}
	file, command, ok := setup.Server(c)
	if !ok {
		return nil
	}
	said, err := greet(ctx, command)
	if err != nil {
		item := Bad("claude.server", false, fault.Server.Because("%s runs %s: %s %s", file, strings.Join(command, " "), err,
			said))
		if command[0] != c.Binary { // it was moved, or another version was
			item = item.Safely(func(context.Context) error { return putServer(c) })
		}
		return []Check{item}
	}
	return []Check{Good("claude.server", false, "the MCP server answers")}
}

// putServer has the agent's configuration run the server by this program.
func putServer(c setup.Config) error {
	plan, err := setup.PlanServer(c)
	if err == nil {
		_, err = setup.ApplyServer(c, plan)
	}
	return err
}

// greet runs a server for one handshake. Its other output is for people.
func greet(ctx context.Context, command []string) (said string, err error) {
	ctx, stop := context.WithTimeout(ctx, handshakeWithin)
	defer stop()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stderr, cmd.WaitDelay = strings.NewReader(Handshake), &errs, time.Second
	out, err := cmd.Output()
	line, _ := bufio.NewReader(bytes.NewReader(out)).ReadString('\n')
	if strings.Contains(line, `"serverInfo"`) {
		return "", nil
	}
	if err == nil {
		err = fmt.Errorf("no greeting came back")
	}
	return chars.Clip(chars.Line(errs.String()), 200), err
}
