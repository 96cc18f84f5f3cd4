package cli

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/vault"
)

// vaultOf is the vault that a configuration means.
func vaultOf(cfg Config, paths Paths, getenv func(string) string) *vault.Vault {
	return &vault.Vault{Dir: vaultDir(cfg, paths, getenv), HintsDir: filepath.Dir(paths.Config)}
}

// vaultDir is its folder: the one of vault.dir, or ours.
func vaultDir(cfg Config, paths Paths, getenv func(string) string) string {
	dir := value[string](cfg, "vault.dir")
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		dir = filepath.Join(homeOf(getenv), rest)
	}
	if dir == "" {
		return paths.Vault()
	}
	return dir
}

// checkVaultDir finds fault with a folder that depends on where a program runs.
func checkVaultDir(v any) error {
	dir, _ := v.(string)
	if dir != "" && !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "~/") {
		return errors.New("it has to be an absolute path, or begin with ~/")
	}
	return nil
}

// liveVault is the vault as the configuration has it now.
type liveVault struct {
	mu  sync.Mutex
	now *vault.Vault
}

func (h *house) vault() *vault.Vault {
	want := vaultOf(h.config.now(), h.paths, h.sys.Getenv)
	h.notes.mu.Lock()
	defer h.notes.mu.Unlock()
	if h.notes.now == nil || h.notes.now.Dir != want.Dir {
		h.notes.now = want // what is known of the files of another is nothing of this one's
	}
	return h.notes.now
}

// enginesVault is the vault as the engine asks for it.
func (h *house) enginesVault() event.Vault { return h.vault() }

// handoffs are the files of the vault in which a person finds handoffs. Without a
// vault there are none.
type handoffs struct{ vault func() *vault.Vault }

func (f handoffs) ReadHandoff(p mem.Project) (mem.HandoffNote, error) {
	return f.vault().ReadHandoff(p)
}

func (f handoffs) WriteHandoff(p mem.Project, text string) error {
	return unlessNone(f.vault().WriteHandoff(p, text))
}

func (f handoffs) EraseHandoff(p mem.Project, lines []string) error {
	return f.vault().EraseHandoff(p, lines)
}

func (f handoffs) WriteTail(p mem.Project, text string) error {
	return unlessNone(f.vault().WriteTail(p, text))
}

func unlessNone(err error) error {
	if errors.Is(err, vault.ErrNone) {
		return nil
	}
	return err
}

func (a *app) vaultCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vault",
		Short: "your memory in markdown files",
		Long: "A folder of files that you and your agents can read and edit: who you are\n" +
			"(USER.md), one file for each memory (memory/), a journal (LOG.md). What they say\n" +
			"is remembered, and told at the start of every session. A change of a file counts\n" +
			"from the next event on.",
		Example: "  remanence vault init\n  remanence vault check\n  remanence vault path",
		Args:    atMost(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.vaultInitCommand(), a.vaultCheckCommand(), a.vaultPathCommand())
	return cmd
}

func (a *app) vault() *vault.Vault {
	cfg, _ := LoadConfig(a.paths.Config, a.sys.Getenv) // its mistakes are shown by config validate
	return vaultOf(cfg, a.paths, a.sys.Getenv)
}

func (a *app) vaultInitCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "init",
		Short:   "make the vault, or what it lacks",
		Long:    "Files that are there stay as they are. The folder is that of vault.dir; without\none it is beside the database.",
		Example: "  remanence vault init\n  remanence config set vault.dir ~/notes/memory   your own folder",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			v := a.vault()
			made, err := v.Init()
			if err != nil {
				return faultVault.because("%s", err)
			}
			return a.out.show(vaultInitView{Dir: v.Dir, Made: some(made)})
		},
	}
}

type vaultInitView struct {
	Dir  string   `json:"dir"`
	Made []string `json:"made"`
}

func (vaultInitView) schema() string { return "vault_init" }

func (v vaultInitView) human(p *printer) {
	if len(v.Made) == 0 {
		p.line("Nothing to do: the vault in %s lacks nothing.", safe(v.Dir))
		return
	}
	p.line("The vault is in %s.", safe(v.Dir))
	for _, m := range v.Made {
		p.line("  made %s", safe(m))
	}
	p.hint("Say in USER.md who you are; put one memory into each file of memory/.")
}

func (a *app) vaultPathCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "path",
		Short:   "where the vault is",
		Example: "  remanence vault path",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			v := a.vault()
			return a.out.show(vaultPathView{Dir: v.Dir, There: v.There()})
		},
	}
}

type vaultPathView struct {
	Dir   string `json:"dir"`
	There bool   `json:"there"`
}

func (vaultPathView) schema() string { return "vault_path" }

func (v vaultPathView) human(p *printer) {
	p.line("%s", safe(v.Dir))
	if !v.There {
		p.hint("It is not there yet. To make it: remanence vault init")
	}
}

func (a *app) vaultCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "check",
		Short:   "what the vault holds and what is wrong with it",
		Long:    "Ends with status 5 if a file cannot be read, if a copy waits for you because a\nmemory was changed on both sides, or if a file of vault.critical is not there.",
		Example: "  remanence vault check\n  remanence vault check --json",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			s, err := a.vaultState()
			if err != nil {
				return faultVault.because("%s", err)
			}
			if !s.There {
				return faultNoVault.because("%s is not there", safe(s.Dir))
			}
			return a.out.judged(vaultCheckView{s}, len(s.Bad)+len(s.Conflicts)+len(s.Lacking) == 0)
		},
	}
}

func (a *app) vaultState() (mem.VaultState, error) {
	cfg, _ := LoadConfig(a.paths.Config, a.sys.Getenv) // its mistakes are shown by config validate
	return vaultOf(cfg, a.paths, a.sys.Getenv).State(value[[]string](cfg, "vault.critical"))
}

// vaultItem is the vault at a glance.
type vaultItem struct {
	Dir     string `json:"dir"`
	Notes   int    `json:"notes"`   // memories with a file
	Trouble int    `json:"trouble"` // files that cannot be read, copies that wait, files that are lacking
}

// vaultItem is nil where there is no vault.
func (a *app) vaultItem() *vaultItem {
	s, err := a.vaultState()
	switch {
	case err != nil:
		return &vaultItem{Dir: s.Dir, Trouble: 1}
	case !s.There:
		return nil
	}
	return &vaultItem{s.Dir, s.Notes, len(s.Bad) + len(s.Conflicts) + len(s.Lacking)}
}

func (v vaultItem) sentence() string {
	s := plural(v.Notes, "memory", "memories") + " in " + oneLine(v.Dir)
	if v.Trouble > 0 {
		s += " · " + plural(v.Trouble, "thing", "things") + " to look at: remanence vault check"
	}
	return s
}

type vaultCheckView struct{ mem.VaultState }

func (vaultCheckView) schema() string { return "vault_check" }

func (v vaultCheckView) human(p *printer) {
	p.line("%s", safe(v.Dir))
	p.field("memories", "%d", v.Notes)
	there := func(b bool) string {
		if b {
			return "told at every start"
		}
		return "says nothing yet"
	}
	p.field("IDENTITY.md", "%s", there(v.Identity))
	p.field("USER.md", "%s", there(v.User))
	p.field("MEMORY.md", "%s", map[string]string{"written": "written anew when a memory changes", "yours": "yours, left alone", "none": "none"}[v.Index])
	if v.Hints != "" {
		p.field("hints", "%s", safe(v.Hints))
	}
	for _, l := range v.problems() {
		p.line("  %s", l)
	}
	for _, f := range v.Long {
		p.line("  no invariant: %s is critical; its first paragraph is told where there is no room for all of it", safe(f))
	}
	for _, f := range v.Doubled {
		p.line("  id of another: %s; it counts as a memory of its own", safe(f))
	}
}

// problems are what somebody should do something about.
func (v vaultCheckView) problems() []string {
	var out []string
	for _, b := range v.Bad {
		out = append(out, "left out: "+safe(b.File)+" "+safe(b.Why))
	}
	for _, f := range v.Conflicts {
		out = append(out, "waits for you: "+safe(f)+", changed on both sides; take from it what you want and delete it")
	}
	for _, f := range v.Lacking {
		out = append(out, "not there: "+safe(f)+", of vault.critical")
	}
	return out
}

// checkVault looks whether the vault can be read and waits for nothing.
func (a *app) checkVault() []checkItem {
	cfg, _ := LoadConfig(a.paths.Config, a.sys.Getenv)
	s, err := a.vaultState()
	switch {
	case err != nil:
		return []checkItem{bad("vault", false, faultVault.because("%s", err))}
	case !s.There && value[string](cfg, "vault.dir") == "":
		return nil
	case !s.There:
		return []checkItem{bad("vault", false, faultNoVault.because("%s is not there", safe(s.Dir)))}
	}
	s.Lacking = nil // what the briefing lacks is found by looking at it
	if list := (vaultCheckView{s}).problems(); len(list) > 0 {
		return []checkItem{bad("vault", false, faultVaultFiles.because("%s", strings.Join(list, "; ")))}
	}
	return []checkItem{good("vault", false, "%s in files", plural(s.Notes, "memory", "memories"))}
}
