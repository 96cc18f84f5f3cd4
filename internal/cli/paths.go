package cli

import (
	"errors"
	"path/filepath"
	"runtime"
)

// Paths are the places of one user's files.
type Paths struct {
	Config string // config.toml
	Data   string // directory: database, worker's lock
	State  string // directory: spool, log, run, install records
	Run    string // directory of the socket
}

// errNoHome means that no directory of the user's is known.
var errNoHome = errors.New("neither HOME nor the XDG directories are set")

// pathsFrom finds the places from the environment; data overrides the data directory.
func pathsFrom(getenv func(string) string, data string) (Paths, error) {
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
	config, state := base("XDG_CONFIG_HOME", ".config"), base("XDG_STATE_HOME", ".local/state")
	if runtime.GOOS == "windows" {
		if local := getenv("LOCALAPPDATA"); local != "" {
			root := filepath.Join(local, "remanence")
			config, state = root, filepath.Join(root, "state")
			home = local
		}
	}
	if data == "" {
		data = getenv("REMANENCE_DATA_DIR")
	}
	if data == "" {
		data = base("XDG_DATA_HOME", ".local/share")
	}
	if config == "" || state == "" || data == "" {
		return Paths{}, errNoHome
	}
	p := Paths{Config: filepath.Join(config, "config.toml"), Data: data, State: state, Run: filepath.Join(state, "run")}
	if v := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(v) {
		p.Run = filepath.Join(v, "remanence")
	}
	if v := getenv("REMANENCE_CONFIG"); v != "" {
		p.Config = v
	}
	return p, nil
}

// Database is the path of the SQLite file.
func (p Paths) Database() string { return filepath.Join(p.Data, "remanence.db") }

// Lock is the path of the worker's lock.
func (p Paths) Lock() string { return filepath.Join(p.Data, "worker.lock") }

// Runtime is the path of the runtime file. It is the same whatever the
// environment's runtime directory, so that every hook finds the same worker.
func (p Paths) Runtime() string { return filepath.Join(p.State, "run", "runtime.json") }

// Spool is the directory of events that nobody has taken yet.
func (p Paths) Spool() string { return filepath.Join(p.State, "spool") }

// Log is the path of the log file.
func (p Paths) Log() string { return filepath.Join(p.State, "log", "remanence.log") }

// Installs is the directory of install records.
func (p Paths) Installs() string { return filepath.Join(p.State, "install") }

// Key is the path of the machine's own secret, see Secret.
func (p Paths) Key() string { return filepath.Join(p.State, "key") }

// Notices is the path of the record of warnings already shown.
func (p Paths) Notices() string { return filepath.Join(p.State, "notices.json") }
