package setup

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Agent is a coding agent found on this machine.
type Agent struct {
	ID, Name string
	Dir      string // its own directory; "" if there is none
	Program  string // path of its command; "" if it is not on the search path
	Sessions int    // transcripts of past sessions
}

// Agents are the agents found, in the order in which they are shown.
type Agents []Agent

// Detect looks for agents by their directories and commands. It runs nothing.
func Detect(c Config) Agents {
	a := Agent{ID: AgentID, Name: "Claude Code"}
	if info, err := os.Stat(c.AgentDir()); err == nil && info.IsDir() {
		a.Dir = c.AgentDir()
		a.Sessions = countTranscripts(filepath.Join(a.Dir, "projects"))
	}
	a.Program = findProgram(c.Path, AgentShort)
	if a.Dir == "" && a.Program == "" {
		return nil
	}
	return Agents{a}
}

// countTranscripts counts projects/*/*.jsonl, without the transcripts that old clients keep of subagents there.
func countTranscripts(projects string) int {
	n := 0
	for _, project := range entriesIn(projects) {
		for _, f := range entriesIn(filepath.Join(projects, project.Name())) {
			if f.Type().IsRegular() && strings.HasSuffix(f.Name(), ".jsonl") && !strings.HasPrefix(f.Name(), "agent-") {
				n++
			}
		}
	}
	return n
}

// entriesIn returns what a directory holds; one that cannot be read holds nothing.
func entriesIn(dir string) []os.DirEntry {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	return entries
}

// Program is the path by which hooks are to run this program, which is the file exe: a link to it on the search path
// stays in place when an upgrade puts another file behind it, and the file of before goes.
func Program(c Config, exe string) string {
	if found := findProgram(c.Path, "remanence"); SameFile(found, exe) {
		return found
	}
	return exe
}

// SameFile reports whether two paths lead to one file or directory.
func SameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// findProgram searches absolute directories only: what a relative one means depends on where we were started.
func findProgram(dirs []string, name string) string {
	suffixes := []string{""}
	if runtime.GOOS == "windows" {
		suffixes = []string{".exe", ".cmd", ".bat"}
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, suffix := range suffixes {
			file := filepath.Join(dir, name+suffix)
			if info, err := os.Stat(file); err == nil && executable(info) {
				return file
			}
		}
	}
	return ""
}
