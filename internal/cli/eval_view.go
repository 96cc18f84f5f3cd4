package cli

import (
	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/eval"
	"remanence/internal/fault"
)

func evalCompare(a *app) *cobra.Command {
	var gates []string
	cmd := &cobra.Command{
		Use:   "compare <before.json> <after.json>",
		Short: "the measures of two runs side by side",
		Example: "  remanence eval compare yesterday.json today.json\n  remanence eval compare yesterday.json today.json " +
			"--gate recall.10=72%",
		Args: exactly(2, "two files that eval run --json wrote"),
		RunE: func(_ *cobra.Command, args []string) error {
			conditions, err := readGates(gates)
			if err != nil {
				return err
			}
			results, err := readResults(args)
			if err != nil {
				return err
			}
			if err := conditions.fit(results[1].Suite); err != nil {
				return err
			}
			v := ui.EvalCompareView{
				Before: args[0], After: args[1], Same: results[0].Suite == results[1].Suite,
				Measures: ui.NotNil(eval.Compare(results[0], results[1])), Gates: eval.Judge(results[1], conditions.gates),
			}
			return a.out.Judged(v, ui.Met(v.Gates))
		},
	}
	cmd.Flags().StringArrayVar(&gates, "gate", nil, "what the second has to reach, as with eval run")
	return cmd
}

// readResults reads what eval run --json wrote.
func readResults(files []string) ([]eval.Result, error) {
	out := make([]eval.Result, 0, len(files))
	for _, file := range files {
		text, err := readInput(file)
		if err != nil {
			return nil, err
		}
		r, err := eval.ParseResult(text)
		if err != nil {
			return nil, fault.Input.WithMessage("the file holds no result of eval run --json").Because("%s: %s", file, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func evalReport(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "report <file>...",
		Short:   "a table of runs",
		Example: "  remanence eval report runs/*.json",
		Args:    atLeast(1, "files that eval run --json wrote"),
		RunE: func(_ *cobra.Command, args []string) error {
			results, err := readResults(args)
			if err != nil {
				return err
			}
			return a.out.Show(ui.EvalReportView{Total: len(results), Runs: results})
		},
	}
}
