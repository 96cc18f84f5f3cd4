package llm

import "syscall"

// groupLeader is killed if we are, at once or by anybody.
func groupLeader() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
