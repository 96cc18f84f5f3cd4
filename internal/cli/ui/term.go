package ui

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"remanence/internal/config"
)

// plainWidth is the width of output that is not limited by a terminal.
const plainWidth = 100

// IsTerminal reports whether a reader or writer is a person's terminal.
func IsTerminal(v any) bool {
	f, ok := v.(*os.File)
	if !ok {
		return false
	}
	_, _, ok = sizeOf(f)
	return ok
}

// terminalSize is the width for output, 0 without a limit, and, on a terminal, its height.
func terminalSize(sys config.System) (width, height int) {
	if f, ok := sys.Stdout.(*os.File); ok {
		width, height, _ = sizeOf(f)
	}
	if n, err := strconv.Atoi(sys.Getenv("COLUMNS")); width == 0 && err == nil && n > 0 {
		width = n
	}
	return width, height
}

// runPager shows a page and reports whether it could.
func runPager(pager string, page []byte, screen io.Writer) bool {
	words := strings.Fields(pager)
	if len(words) == 0 || words[0] == "cat" {
		return false
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(page), screen, os.Stderr
	return cmd.Run() == nil
}
