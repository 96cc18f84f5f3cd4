package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"remanence/internal/cli/ui"
	"remanence/internal/fault"
)

// maxText bounds what is read from standard input or an editor, in bytes.
const maxText = 1 << 20

// textFrom is the text of the arguments or, without any or with "-", of standard
// input. usage is the command whose help says what is wanted.
func (a *app) textFrom(args []string, usage string) (string, error) {
	text := strings.Join(args, " ")
	if len(args) == 0 || text == "-" {
		if ui.IsTerminal(a.Sys.Stdin) {
			return "", fault.Usage.WithMessage("no text was given").FixedBy(usage + " --help")
		}
		b, err := io.ReadAll(io.LimitReader(a.Sys.Stdin, maxText+1))
		if err != nil {
			return "", fmt.Errorf("read standard input: %w", err)
		}
		if len(b) > maxText {
			return "", fault.Input.WithMessage("the text is longer than %d bytes", maxText)
		}
		text = string(b)
	}
	if strings.TrimSpace(text) == "" {
		return "", fault.Input.WithMessage("the text is empty").FixedBy(usage + " --help")
	}
	return text, nil
}

// editFile opens a file in the person's editor and waits for its end.
func (a *app) editFile(file string) error {
	editor := a.Sys.Getenv("VISUAL")
	if editor == "" {
		editor = a.Sys.Getenv("EDITOR")
	}
	words := strings.Fields(editor)
	if len(words) == 0 {
		return fault.Input.WithMessage("no editor is set").FixedBy("set EDITOR, e.g. to vi")
	}
	cmd := exec.Command(words[0], append(words[1:], file)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Sys.Stdin, a.Sys.Stdout, a.Sys.Stderr
	if err := cmd.Run(); err != nil {
		return fault.Other.WithMessage("the editor ended with an error").Because("%s: %s", editor,
			err).FixedBy("set EDITOR, e.g. to vi")
	}
	return nil
}

// editText lets the person edit a text in a file that only he can read.
func (a *app) editText(name, text string) (string, error) {
	if err := os.MkdirAll(a.Paths.State, 0o700); err != nil {
		return "", fmt.Errorf("make %s: %w", a.Paths.State, err)
	}
	dir, err := os.MkdirTemp(a.Paths.State, "edit-")
	if err != nil {
		return "", fmt.Errorf("make file to edit: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, name+".md")
	if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("make file to edit: %w", err)
	}
	if err := a.editFile(file); err != nil {
		return "", err
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("read edited text: %w", err)
	}
	if info.Size() > maxText {
		return "", fault.Input.WithMessage("the text is longer than %d bytes", maxText)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read edited text: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}
