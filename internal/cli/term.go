package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// plainWidth is the width of output that nobody's terminal limits.
const plainWidth = 100

// isTerminal reports whether a reader or writer is a person's terminal.
func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	if !ok {
		return false
	}
	_, _, ok = sizeOf(f)
	return ok
}

// terminalSize is the width for output and, on a terminal, its height.
func terminalSize(sys System) (width, height int) {
	if f, ok := sys.Stdout.(*os.File); ok {
		width, height, _ = sizeOf(f)
	}
	if n, err := strconv.Atoi(sys.Getenv("COLUMNS")); width == 0 && err == nil && n > 0 {
		width = n
	}
	if width == 0 {
		width = plainWidth
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

// confirm asks the person. An error means no: the question was answered so, or
// there is nobody to ask and --yes, which would have answered it, was not given.
func (a *app) confirm(question string) error {
	answer, err := a.prompt(question + " [y/N]")
	if err != nil {
		return err
	}
	switch strings.ToLower(answer) {
	case "y", "yes":
		return nil
	}
	return faultDeclined
}

// prompt asks for one line.
func (a *app) prompt(question string) (string, error) {
	if a.flags.noInput || !isTerminal(a.sys.Stdin) {
		return "", faultTerminal.because("%s", question).fixedBy("add --yes")
	}
	fmt.Fprintf(a.sys.Stderr, "%s ", question)
	line, err := bufio.NewReader(a.sys.Stdin).ReadString('\n')
	if err != nil && line == "" {
		return "", faultDeclined
	}
	return strings.TrimSpace(line), nil
}
