//go:build e2e

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// terminal is an interactive client in a tmux server of its own.
type terminal struct {
	u      *user
	socket string
}

// terminal starts a client without a prompt. It ends with the test.
func (u *user) terminal(c otherClient, url string) terminal {
	u.t.Helper()
	s := terminal{u, filepath.Join(u.dir, "tmux")}
	u.t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", s.socket, "kill-server").Run()
		for _, line := range u.processes() { // Gemini outlives its terminal
			if pid, _, _ := strings.Cut(line, " "); strings.Contains(line, c.program) {
				_ = exec.Command("kill", pid).Run()
			}
		}
	})
	words := append([]string{"new-session", "-d", "-x", "160", "-y", "50", "-c", u.project(""), "env", "-i"},
		u.envOf(c, url)...)
	s.tmux(append(append(words, "TERM=xterm-256color"), c.words(u.t)...)...)
	return s
}

func (s terminal) tmux(args ...string) string {
	s.u.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
	if err != nil {
		s.u.t.Fatalf("tmux %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

// text returns the screen with what has scrolled out of it.
func (s terminal) text() string { return s.tmux("capture-pane", "-p", "-S", "-200", "-t", "0") }

// types types a line and sends it until the screen has the words of the answer: a first Enter may only choose from a
// list of commands.
func (s terminal) types(line, answer string) {
	s.u.t.Helper()
	s.tmux("send-keys", "-t", "0", "-l", line)
	s.shows(line)
	sent := time.Time{}
	answered := eventually(func() bool {
		if strings.Contains(s.text(), answer) {
			return true
		}
		if time.Since(sent) > 2*time.Second {
			sent = time.Now()
			s.tmux("send-keys", "-t", "0", "Enter")
		}
		return false
	})
	if !answered {
		s.u.t.Fatalf("%q is not shown after %q:\n%s", answer, line, s.text())
	}
}

// shows waits until the screen has the words.
func (s terminal) shows(words string) {
	s.u.t.Helper()
	if !eventually(func() bool { return strings.Contains(s.text(), words) }) {
		s.u.t.Fatalf("%q is not shown:\n%s", words, s.text())
	}
}
