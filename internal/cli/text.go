package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// maxText bounds what is read from standard input or an editor, in bytes.
const maxText = 1 << 20

// textFrom is the text of the arguments or, without any or with "-", of standard
// input. usage is the command whose help says what is wanted.
func (a *app) textFrom(args []string, usage string) (string, error) {
	text := strings.Join(args, " ")
	if len(args) == 0 || text == "-" {
		if isTerminal(a.sys.Stdin) {
			return "", faultUsage.about("no text was given").fixedBy(usage + " --help")
		}
		b, err := io.ReadAll(io.LimitReader(a.sys.Stdin, maxText+1))
		if err != nil {
			return "", fmt.Errorf("read standard input: %w", err)
		}
		if len(b) > maxText {
			return "", faultInput.about("the text is longer than %d bytes", maxText)
		}
		text = string(b)
	}
	if strings.TrimSpace(text) == "" {
		return "", faultInput.about("the text is empty").fixedBy(usage + " --help")
	}
	return text, nil
}

// editFile opens a file in the person's editor and waits for its end.
func (a *app) editFile(file string) error {
	editor := a.sys.Getenv("VISUAL")
	if editor == "" {
		editor = a.sys.Getenv("EDITOR")
	}
	words := strings.Fields(editor)
	if len(words) == 0 {
		return faultInput.about("no editor is set").fixedBy("set EDITOR, e.g. to vi")
	}
	cmd := exec.Command(words[0], append(words[1:], file)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.sys.Stdin, a.sys.Stdout, a.sys.Stderr
	if err := cmd.Run(); err != nil {
		return faultOther.about("the editor ended with an error").because("%s: %s", editor, err).fixedBy("set EDITOR, e.g. to vi")
	}
	return nil
}

// editText lets the person edit a text in a file that only he can read.
func (a *app) editText(name, text string) (string, error) {
	if err := os.MkdirAll(a.paths.State, 0o700); err != nil {
		return "", fmt.Errorf("make %s: %w", a.paths.State, err)
	}
	dir, err := os.MkdirTemp(a.paths.State, "edit-")
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
		return "", faultInput.about("the text is longer than %d bytes", maxText)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read edited text: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}
