package doctor

import (
	"strings"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/vault"
)

// VaultItem is the vault at a glance.
type VaultItem struct {
	Dir     string `json:"dir"`
	Notes   int    `json:"notes"`   // memories with a file
	Trouble int    `json:"trouble"` // files that cannot be read, copies that wait, files that are lacking
}

func (v VaultItem) sentence() string {
	s := ui.Plural(v.Notes, "memory", "memories") + " in " + ui.OneLine(v.Dir)
	if v.Trouble > 0 {
		s += " · " + ui.Plural(v.Trouble, "thing", "things") + " to look at: remanence vault check"
	}
	return s
}

// VaultProblems are findings in the vault that need an action.
func VaultProblems(v vault.Status) []string {
	var out []string
	for _, b := range v.Bad {
		out = append(out, "left out: "+ui.Safe(b.File)+" "+ui.Safe(b.Why))
	}
	for _, f := range v.Conflicts {
		out = append(out, "waits for you: "+ui.Safe(f)+", changed on both sides; take from it what you want and delete it")
	}
	for _, f := range v.MissingCritical {
		out = append(out, "not there: "+ui.Safe(f)+", of vault.critical")
	}
	return out
}

// checkVault looks whether the vault can be read and waits for nothing.
func (a *Checks) checkVault() []Check {
	cfg, _ := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	s, err := a.VaultState()
	switch {
	case err != nil:
		return []Check{Bad("vault", false, fault.Vault.Because("%s", err))}
	case !s.Found && config.Get[string](cfg, "vault.dir") == "":
		return nil
	case !s.Found:
		return []Check{Bad("vault", false, fault.NoVault.Because("%s is not there", ui.Safe(s.Dir)))}
	}
	s.MissingCritical = nil // what the briefing lacks is found by looking at it
	if list := VaultProblems(s); len(list) > 0 {
		return []Check{Bad("vault", false, fault.VaultFiles.Because("%s", strings.Join(list, "; ")))}
	}
	return []Check{Good("vault", false, "%s in files", ui.Plural(s.Notes, "memory", "memories"))}
}
