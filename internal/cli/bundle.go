package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/doctor"
	"remanence/internal/fault"
	"remanence/internal/redact"
)

// runBundle writes what a bug report needs into a new file that its reader can read
// before he sends it: no memory, no prompt, nothing of what a tool said. The home
// directory is written as ~, and secrets are taken out.
func runBundle(a *app, cmd *cobra.Command, file string, checks []doctor.Check) error {
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	conf := ui.ConfigView{File: a.Paths.Config, Total: len(cfg.Values), Warnings: ui.NotNil(cfg.Warnings)}
	if err != nil {
		conf.Warnings = append(conf.Warnings, err.Error())
	}
	for _, v := range cfg.Values {
		conf.Values = append(conf.Values, config.SettingOf(v))
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "# Remanence, for a bug report. Read it before you send it: names of projects and files may be "+
		"in it.\n")
	part := func(name string, v ui.View) {
		if b, err := ui.WithSchema(v); err == nil {
			fmt.Fprintf(&page, "\n## %s\n%s\n", name, b)
		}
	}
	if v, err := thisVersion(); err == nil {
		part("version", v)
	}
	part("doctor", doctor.Tally(checks, []string{}))
	if o, _, err := a.stateNow(cmd.Context()); err == nil {
		v := doctor.StatusOf(o, a.checks().DaemonState(cmd.Context()), hooksState(a), captureItem(a, o.Health))
		v.LastSession, v.Project = nil, nil // whose they are says nothing about a fault
		part("status", v)
	} else {
		fmt.Fprintf(&page, "\n## status\n%s\n", explain(cmd.Root(), err).What)
	}
	part("config", conf)
	lines, _, err := config.LastLines(a.Paths.Log(), bundleLines)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		lines = [][]byte{[]byte(err.Error() + "\n")}
	}
	fmt.Fprintf(&page, "\n## log, its last lines\n%s", bytes.Join(lines, nil))
	return writeBundle(file, a.unnamed((&redact.Redactor{Rules: config.OwnRules(cfg.OwnRules())}).Text(page.String())))
}

// bundleLines is how much of the log goes into a bundle.
const bundleLines = 500

// unnamed writes the home directory, which names a person, as ~, also where it stands as JSON and the log write it.
func (a *app) unnamed(text string) string {
	home := config.HomeDir(a.Sys.Getenv)
	if len(home) < 2 {
		return text
	}
	home = filepath.Clean(home)
	return strings.NewReplacer(string(ui.InJSON(home)), "~", home, "~").Replace(text)
}

// writeBundle never writes over a file: it may be an earlier one, or anything.
func writeBundle(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fault.Input.WithMessage("%s is there already", file).FixedBy("give another name")
	}
	if err != nil {
		return fault.Input.WithMessage("the bundle cannot be written").Because("%s", err)
	}
	_, err = io.WriteString(f, text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fault.Input.WithMessage("the bundle cannot be written").Because("%s", err)
	}
	return nil
}
