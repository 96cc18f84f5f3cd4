package cli

import (
	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/doctor"
	"remanence/internal/fault"
	"remanence/internal/vault"
)

func vaultCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vault",
		Short: "your memory in markdown files",
		Long: "A folder of files that you and your agents can read and edit: who you are\n" +
			"(USER.md), one file for each memory (memory/), a journal (LOG.md). Their text\n" +
			"is remembered, and injected at every session start. A change of a file counts\n" +
			"from the next event on.",
		Example: "  remanence vault init\n  remanence vault check\n  remanence vault path",
		Args:    atMost(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.showHelp(cmd) },
	}
	cmd.AddCommand(vaultInitCommand(a), vaultCheckCommand(a), vaultPathCommand(a))
	return cmd
}

func (a *app) vault() *vault.Vault {
	cfg, _ := config.LoadConfig(a.Paths.Config, a.Sys.Getenv) // its mistakes are shown by config validate
	return daemon.VaultOf(cfg, a.Paths, a.Sys.Getenv)
}

func vaultInitCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "make the vault, or what it lacks",
		Long: "Files that are there stay as they are. The folder is that of vault.dir; without\none it is beside the " +
			"database.",
		Example: "  remanence vault init\n  remanence config set vault.dir ~/notes/memory   your own folder",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			v := a.vault()
			made, err := v.Init()
			if err != nil {
				return fault.Vault.Because("%s", err)
			}
			return a.out.Show(vaultInitView{Dir: v.Dir, Made: ui.NotNil(made)})
		},
	}
}

type vaultInitView struct {
	Dir  string   `json:"dir"`
	Made []string `json:"made"`
}

func (vaultInitView) SchemaName() string { return "vault_init" }

func (v vaultInitView) Print(p *ui.Printer) {
	if len(v.Made) == 0 {
		p.Line("Nothing to do: the vault in %s lacks nothing.", ui.Safe(v.Dir))
		return
	}
	p.Line("The vault is in %s.", ui.Safe(v.Dir))
	for _, m := range v.Made {
		p.Line("  made %s", ui.Safe(m))
	}
	p.Hint("Say in USER.md who you are; put one memory into each file of memory/.")
}

func vaultPathCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "path",
		Short:   "where the vault is",
		Example: "  remanence vault path",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			v := a.vault()
			return a.out.Show(vaultPathView{Dir: v.Dir, There: v.There()})
		},
	}
}

type vaultPathView struct {
	Dir   string `json:"dir"`
	There bool   `json:"there"`
}

func (vaultPathView) SchemaName() string { return "vault_path" }

func (v vaultPathView) Print(p *ui.Printer) {
	p.Line("%s", ui.Safe(v.Dir))
	if !v.There {
		p.Hint("It is not there yet. To make it: remanence vault init")
	}
}

func vaultCheckCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "what the vault holds and what is wrong with it",
		Long: "Ends with status 5 if a file cannot be read, if a copy waits for you because a\nmemory was changed on " +
			"both sides, or if a file of vault.critical is not there.",
		Example: "  remanence vault check\n  remanence vault check --json",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			s, err := a.VaultState()
			if err != nil {
				return fault.Vault.Because("%s", err)
			}
			if !s.Found {
				return fault.NoVault.Because("%s is not there", ui.Safe(s.Dir))
			}
			return a.out.Judged(vaultCheckView{s}, len(s.Bad)+len(s.Conflicts)+len(s.MissingCritical) == 0)
		},
	}
}

// vaultItem is nil where there is no vault.
func vaultItem(a *app) *doctor.VaultItem {
	s, err := a.VaultState()
	switch {
	case err != nil:
		return &doctor.VaultItem{Dir: s.Dir, Trouble: 1}
	case !s.Found:
		return nil
	}
	return &doctor.VaultItem{Dir: s.Dir, Notes: s.Notes, Trouble: len(s.Bad) + len(s.Conflicts) + len(s.MissingCritical)}
}

type vaultCheckView struct{ vault.Status }

func (vaultCheckView) SchemaName() string { return "vault_check" }

func (v vaultCheckView) Print(p *ui.Printer) {
	p.Line("%s", ui.Safe(v.Dir))
	p.Field("memories", "%d", v.Notes)
	there := func(b bool) string {
		if b {
			return "injected at every start"
		}
		return "empty so far"
	}
	p.Field("IDENTITY.md", "%s", there(v.Identity))
	p.Field("USER.md", "%s", there(v.User))
	p.Field("MEMORY.md", "%s", map[string]string{
		"written": "written anew when a memory changes",
		"yours":   "yours, left alone", "none": "none",
	}[v.Index])
	if v.Hints != "" {
		p.Field("hints", "%s", ui.Safe(v.Hints))
	}
	for _, l := range doctor.VaultProblems(v.Status) {
		p.Line("  %s", l)
	}
	for _, f := range v.WithoutInvariant {
		p.Line("  no invariant: %s is critical; its first paragraph is injected where the whole does not fit", ui.Safe(f))
	}
	for _, f := range v.DuplicateIDs {
		p.Line("  id of another: %s; it counts as a memory of its own", ui.Safe(f))
	}
}
