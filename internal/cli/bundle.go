package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/redact"
)

// bundle writes what a bug report needs into a new file that its reader can read
// before he sends it: no memory, no prompt, nothing of what a tool said. The home
// directory is written as ~, and secrets are taken out.
func (a *app) bundle(cmd *cobra.Command, file string, checks []checkItem) error {
	cfg, err := LoadConfig(a.paths.Config, a.sys.Getenv)
	conf := configView{File: a.paths.Config, Total: len(cfg.Values), Warnings: some(cfg.Warnings)}
	if err != nil {
		conf.Warnings = append(conf.Warnings, err.Error())
	}
	for _, v := range cfg.Values {
		conf.Values = append(conf.Values, settingOf(v))
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "# Remanence, for a bug report. Read it before you send it: names of projects and files may be in it.\n")
	part := func(name string, v view) {
		if b, err := withSchema(v); err == nil {
			fmt.Fprintf(&page, "\n## %s\n%s\n", name, b)
		}
	}
	part("version", versionView{
		Version: Version, Build: buildID(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Protocol: api.Protocol,
	})
	part("doctor", tally(checks, []string{}))
	if o, _, err := a.stateNow(cmd.Context()); err == nil {
		v := statusOf(o, a.daemonState(cmd.Context()), a.hooksState(), a.captured(o.Health))
		v.LastSession, v.Project = nil, nil // whose they are says nothing about a fault
		part("status", v)
	} else {
		fmt.Fprintf(&page, "\n## status\n%s\n", explain(cmd.Root(), err).What)
	}
	part("config", conf)
	lines, _, err := lastLines(a.paths.Log(), bundleLines)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		lines = [][]byte{[]byte(err.Error() + "\n")}
	}
	fmt.Fprintf(&page, "\n## log, its last lines\n%s", bytes.Join(lines, nil))
	return writeBundle(file, a.unnamed((&redact.Door{Rules: ownRules(cfg.ownRules())}).Text(page.String())))
}

// bundleLines is how much of the log goes into a bundle.
const bundleLines = 500

// unnamed writes the home directory, which names a person, as ~, also where it
// stands as JSON and the log write it.
func (a *app) unnamed(text string) string {
	home := homeOf(a.sys.Getenv)
	if len(home) < 2 {
		return text
	}
	home = filepath.Clean(home)
	return strings.NewReplacer(string(jsonText(home)), "~", home, "~").Replace(text)
}

// writeBundle never writes over a file: it may be an earlier one, or anything.
func writeBundle(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return faultInput.about("%s is there already", file).fixedBy("give another name")
	}
	if err != nil {
		return faultInput.about("the bundle cannot be written").because("%s", err)
	}
	_, err = io.WriteString(f, text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return faultInput.about("the bundle cannot be written").because("%s", err)
	}
	return nil
}
