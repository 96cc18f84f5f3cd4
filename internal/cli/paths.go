package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"remanence/internal/setup"
)

// Paths are the places of one user's files. All are absolute.
type Paths struct {
	Config string // config.toml
	Data   string // directory: database, worker's lock
	State  string // directory: install records, the machine's secret
	// Work is the directory of what belongs to one data directory and its
	// worker: spool, log, runtime file. It is State for the user's own data
	// directory, and for any other that directory itself: what is on its way to
	// one database never reaches another.
	Work string
	Run  string // directory of the socket
}

// errNoHome means that no directory of the user's is known.
var errNoHome = errors.New("neither HOME nor the XDG directories are set")

// pathsFrom finds the places from the environment; data overrides the data directory.
func pathsFrom(getenv func(string) string, data string) (Paths, error) {
	return pathsOn(runtime.GOOS, getenv, data)
}

func pathsOn(goos string, getenv func(string) string, data string) (Paths, error) {
	home := getenv("HOME")
	base := func(name, fallback string) string {
		if v := getenv(name); filepath.IsAbs(v) {
			return filepath.Join(v, "remanence")
		}
		if home == "" {
			return ""
		}
		return filepath.Join(home, fallback, "remanence")
	}
	config, state, own := base("XDG_CONFIG_HOME", ".config"), base("XDG_STATE_HOME", ".local/state"), base("XDG_DATA_HOME", ".local/share")
	if local := getenv("LOCALAPPDATA"); goos == "windows" && local != "" {
		config = filepath.Join(local, "remanence")
		state, own = filepath.Join(config, "state"), filepath.Join(config, "data")
	}
	if data == "" {
		data = getenv("REMANENCE_DATA_DIR")
	}
	if data == "" {
		data = own
	}
	if config == "" || state == "" || data == "" {
		return Paths{}, errNoHome
	}
	p := Paths{Config: filepath.Join(config, "config.toml"), Data: data, State: state}
	if v := getenv("REMANENCE_CONFIG"); v != "" {
		p.Config = v
	}
	// Whoever is started from here may have another working directory.
	for _, path := range []*string{&p.Config, &p.Data, &p.State} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return Paths{}, fmt.Errorf("find %s: %w", *path, err)
		}
		*path = abs
	}
	p.Work = p.Data
	if sameDir(p.Data, own) {
		p.Work = p.State
	}
	p.Run = filepath.Dir(p.Runtime())
	if v := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(v) && p.home() {
		p.Run = filepath.Join(v, "remanence")
	}
	return p, nil
}

// homeOf is the person's home directory, by the name that the system has for it.
func homeOf(getenv func(string) string) string {
	return cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
}

// home reports whether the data directory is the user's own, the one that hooks
// use unless their environment names another.
func (p Paths) home() bool { return p.Work == p.State }

// sameDir reports whether two paths name one directory.
func sameDir(a, b string) bool {
	if a == b || a == "" || b == "" {
		return a == b
	}
	return setup.SameFile(a, b)
}

// Database is the path of the SQLite file.
func (p Paths) Database() string { return filepath.Join(p.Data, "remanence.db") }

// Lock is the path of the worker's lock.
func (p Paths) Lock() string { return filepath.Join(p.Data, "worker.lock") }

// Runtime is the path of the runtime file of the data directory's worker. It is
// the same whatever the environment's runtime directory, so that every hook
// finds the same worker.
func (p Paths) Runtime() string { return filepath.Join(p.Work, "run", "runtime.json") }

// Spool is the directory of events that nobody has taken yet.
func (p Paths) Spool() string { return filepath.Join(p.Work, "spool") }

// Transcripts is the directory of what was said in sessions.
func (p Paths) Transcripts() string { return filepath.Join(p.Data, "transcripts") }

// Vault is the directory of the person's memory in files, if no other is configured.
func (p Paths) Vault() string { return filepath.Join(p.Data, "vault") }

// Log is the path of the log file.
func (p Paths) Log() string { return filepath.Join(p.Work, "log", "remanence.log") }

// Installs is the directory of install records.
func (p Paths) Installs() string { return filepath.Join(p.State, "install") }

// Key is the path of the machine's own secret, see Secret.
func (p Paths) Key() string { return filepath.Join(p.State, "key") }

// Notices is the path of the record of warnings already shown.
func (p Paths) Notices() string { return filepath.Join(p.Work, "notices.json") }
