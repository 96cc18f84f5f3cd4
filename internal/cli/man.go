package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/cli/man"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/fault"
)

func manCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "write a manual page for each command into a directory",
		Example: "  remanence man ~/.local/share/man/man1",
		Args:    exactly(1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if config.Exists(args[0]) && !config.IsDir(args[0]) {
				return fault.NoFile.WithMessage("not a directory: %s", args[0]).FixedBy(cmd.CommandPath() + " DIR")
			}
			if !config.IsDir(args[0]) {
				return fault.NoFile.WithMessage("no such directory: %s", args[0]).FixedBy("mkdir -p "+args[0], cmd.CommandPath()+
					" "+args[0])
			}
			day, _, _ := strings.Cut(config.BuiltFrom().Date, "T")
			v := manView{Dir: args[0], Files: []string{}}
			for _, page := range man.Pages(cmd.Root(), config.Version, day) {
				if err := config.ReplaceAs(filepath.Join(args[0], page.Name), []byte(page.Text), 0o644); err != nil {
					return err
				}
				v.Files = append(v.Files, page.Name)
			}
			return a.out.Show(v)
		},
	}
}

type manView struct {
	Dir   string   `json:"dir"`
	Files []string `json:"files"`
}

func (manView) SchemaName() string { return "man" }

func (v manView) Print(p *ui.Printer) { p.Line("%d manual pages written to %s", len(v.Files), v.Dir) }
