package daemon

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"remanence/internal/config"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/vault"
	"remanence/internal/vaultfile"
)

// VaultOf is the vault that a configuration means.
func VaultOf(cfg config.Config, paths config.Paths, getenv func(string) string) *vault.Vault {
	return &vault.Vault{Dir: vaultDir(cfg, paths, getenv), HintsDir: filepath.Dir(paths.Config)}
}

// vaultDir is its folder: the one of vault.dir, or ours.
func vaultDir(cfg config.Config, paths config.Paths, getenv func(string) string) string {
	dir := config.Get[string](cfg, "vault.dir")
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		dir = filepath.Join(config.HomeDir(getenv), rest)
	}
	if dir == "" {
		return paths.Vault()
	}
	return dir
}

// liveVault is the vault as the configuration has it now.
type liveVault struct {
	mu  sync.Mutex
	now *vault.Vault
}

func (h *Daemon) vault() *vault.Vault {
	want := VaultOf(h.Config.Now(), h.Paths, h.Sys.Getenv)
	h.liveVault.mu.Lock()
	defer h.liveVault.mu.Unlock()
	if h.liveVault.now == nil || h.liveVault.now.Dir != want.Dir {
		h.liveVault.now = want // what is known of the files of another is nothing of this one's
	}
	return h.liveVault.now
}

// engineVault returns the vault as the engine's port.
func (h *Daemon) engineVault() event.Vault { return h.vault() }

// handoffs are the files of the vault in which a person finds handoffs. Without a
// vault there are none.
type handoffs struct{ vault func() *vault.Vault }

func (f handoffs) ReadHandoff(p mem.Project) (vaultfile.Handoff, error) {
	return f.vault().ReadHandoff(p)
}

func (f handoffs) WriteHandoff(p mem.Project, text string) error {
	return ignoreNoVault(f.vault().WriteHandoff(p, text))
}

func (f handoffs) EraseHandoff(p mem.Project, lines []string) error {
	return f.vault().EraseHandoff(p, lines)
}

func (f handoffs) WriteAppendix(p mem.Project, text string) error {
	return ignoreNoVault(f.vault().WriteAppendix(p, text))
}

func ignoreNoVault(err error) error {
	if errors.Is(err, vault.ErrNone) {
		return nil
	}
	return err
}

// VaultState returns the state of the vault that the configuration names.
func (a *Connection) VaultState() (vault.Status, error) {
	cfg, _ := config.LoadConfig(a.Paths.Config, a.Sys.Getenv) // its mistakes are shown by config validate
	return VaultOf(cfg, a.Paths, a.Sys.Getenv).State(config.Get[[]string](cfg, "vault.critical"))
}
