package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"remanence/internal/mem"
)

// disabled reports whether the person disabled Remanence, or whether the caller is an agent
// that Remanence started.
func disabled(getenv func(string) string) bool {
	switch strings.ToLower(getenv("REMANENCE_DISABLED")) {
	case "", "0", "false", "no", "off":
	default:
		return true
	}
	depth := getenv("REMANENCE_DEPTH")
	n, err := strconv.Atoi(depth)
	return depth != "" && (err != nil || n >= 1)
}

var errEnvFile = errors.New("not a file for variables")

// exportTo appends shell lines that set vars to the file at path, in one write. It creates the
// file if its directory exists. It refuses anything but a regular file, and leaves out
// variables that are not allowed.
func exportTo(path string, vars []mem.EnvVar) error {
	lines := exports(vars)
	if lines == "" {
		return nil
	}
	if !filepath.IsAbs(path) {
		return errEnvFile
	}
	before, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && !before.Mode().IsRegular() {
		return errEnvFile
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || before != nil && !os.SameFile(before, info) {
		return errEnvFile
	}
	if !endsLine(f, info.Size()) {
		lines = "\n" + lines
	}
	_, err = f.WriteString(lines)
	return err
}

// endsLine reports whether f is empty or ends with a newline.
func endsLine(f *os.File, size int64) bool {
	if size == 0 {
		return true
	}
	var last [1]byte
	_, err := f.ReadAt(last[:], size-1)
	return err == nil && last[0] == '\n'
}

func exports(vars []mem.EnvVar) string {
	var b strings.Builder
	for _, v := range vars {
		if allowedVariable(v.Name) && !strings.ContainsRune(v.Value, 0) {
			fmt.Fprintf(&b, "export %s='%s'\n", v.Name, strings.ReplaceAll(v.Value, "'", `'\''`))
		}
	}
	return b.String()
}

// allowedVariable reports whether a session may get a variable of this name. Only Remanence's
// own names are allowed, so that no reply can change how the person's commands run.
func allowedVariable(name string) bool {
	if !strings.HasPrefix(name, "REMANENCE_") && !strings.HasPrefix(name, "MEMORY_") {
		return false
	}
	for _, c := range []byte(name) {
		if c != '_' && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
