package llm

import "os/exec"

// runGroup runs a command. Its own children are not followed here.
func runGroup(cmd *exec.Cmd) error { return cmd.Run() }
