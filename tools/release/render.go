package main

import (
	"embed"
	"os"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// rendered are the templates and the names of their files.
var rendered = []struct {
	name, template string
	executable     bool
}{
	{"install.sh", "install.sh.tmpl", true},
	{"remanence.rb", "remanence.rb.tmpl", false},
	{"scoop-remanence.json", "scoop.json.tmpl", false},
}

// page is what the templates know.
type page struct {
	Version    string
	Repository string
	programs   []program
}

// Unix returns the programs of the systems that the install script knows.
func (p page) Unix() []program { return append(p.of("darwin"), p.of("linux")...) }

// Windows returns the programs that Scoop installs.
func (p page) Windows() []program { return p.of("windows") }

// Blocks returns the programs that Homebrew installs, by its name of the system.
func (p page) Blocks() map[string][]program {
	blocks := map[string][]program{}
	for name, goos := range map[string]string{"macos": "darwin", "linux": "linux"} {
		if list := p.of(goos); len(list) > 0 {
			blocks[name] = list
		}
	}
	return blocks
}

func (p page) of(goos string) []program {
	var list []program
	for _, b := range p.programs {
		if b.OS == goos {
			list = append(list, b)
		}
	}
	return list
}

// URL is the address of a file of this release.
func (p page) URL(name string) string {
	return p.Repository + "/releases/download/v" + p.Version + "/" + name
}

// render writes the install script, the formula and the manifest.
func (r *release) render(built []program) error {
	v := page{Version: r.version, Repository: r.repository, programs: built}
	for _, f := range rendered {
		t, err := template.ParseFS(templates, "templates/"+f.template)
		if err != nil {
			return err
		}
		var b strings.Builder
		if err := t.Execute(&b, v); err != nil {
			return err
		}
		mode := 0o644
		if f.executable {
			mode = 0o755
		}
		if err := r.write(f.name, []byte(b.String()), os.FileMode(mode)); err != nil {
			return err
		}
	}
	return nil
}
