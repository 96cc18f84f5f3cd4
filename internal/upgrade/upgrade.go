// Package upgrade finds out how a copy of the program was installed and names the command that replaces it by the
// newest release. It knows the places where the packages of a release put their files; it runs nothing and asks no
// network whether there is a newer release.
package upgrade

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Ways in which the program gets onto a machine.
const (
	source   = "source"
	viaNPM   = "npm"
	homebrew = "homebrew"
	scoop    = "scoop"
	debian   = "deb"
	script   = "script"
	archive  = "archive"
)

// installedFiles is the file, counted from the prefix, in which install.sh lists the files that it wrote.
const installedFiles = "share/doc/remanence/installed-files"

// Program is a copy of the program. File is its own path, without symbolic links.
type Program struct {
	File       string
	Release    bool   // false: built from someone's own sources
	Repository string // where releases are published; "" if the program does not know
	Arch       string
	Home       string
	Root       string // of the file system that package databases are looked for in; "/" but in tests
}

// Way is how a copy was installed, and the command that replaces it. For an archive and for own sources
// Command also says what to do by hand.
type Way struct {
	By      string
	Command string
}

// Of returns the way of a program. What leaves no trace counts as an archive that was unpacked by hand.
func Of(p Program) Way {
	file := filepath.ToSlash(p.File)
	if !p.Release {
		return Way{source, "in the clone: git pull && CGO_ENABLED=0 go build -ldflags '-s -w' -o '" + p.File +
			"' ./cmd/remanence"}
	}
	if before, rest, ok := strings.Cut(file, "/node_modules/"); ok && strings.HasPrefix(rest, "remanence") {
		return Way{viaNPM, npm(before)}
	}
	latest := p.Repository + "/releases/latest"
	prefix := path.Dir(path.Dir(file))
	switch {
	case strings.Contains(file, "/Cellar/remanence/"):
		return Way{homebrew, "brew upgrade remanence"}
	case strings.Contains(strings.ToLower(file), "/scoop/apps/remanence/"):
		return Way{scoop, "scoop update remanence"}
	case file == "/usr/bin/remanence" && exists(filepath.Join(p.Root, "var/lib/dpkg/info/remanence.list")):
		deb := "remanence_" + p.Arch + ".deb"
		return Way{debian, "curl -fLO " + latest + "/download/" + deb + " && sudo apt-get install ./" + deb}
	case exists(filepath.Join(filepath.FromSlash(prefix), filepath.FromSlash(installedFiles))):
		command := "curl -fsSL " + latest + "/download/install.sh | sh"
		if prefix != path.Join(filepath.ToSlash(p.Home), ".local") {
			command += " -s -- --prefix '" + prefix + "'"
		}
		return Way{script, command}
	}
	return Way{archive, "download the archive of this platform from " + latest + " and replace " + p.File}
}

// npm is the command for what is installed below a directory.
func npm(dir string) string {
	switch {
	case strings.Contains(dir+"/", "/_npx/"):
		return "npx remanence@latest"
	case path.Base(dir) == "lib", path.Base(dir) == "npm": // of a global installation, the second on Windows
		return "npm install -g remanence@latest"
	}
	return "npm install --prefix '" + dir + "' remanence@latest"
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
