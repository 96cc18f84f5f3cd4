package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/eval"
	"remanence/internal/eval/evalstore"
)

func evalCapture(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "capture",
		Short: "which statements of the built-in sessions become memories",
		Long: "Sessions that come with the program, with what should be kept of them and what not,\n" +
			"are read by the rules of capture. Then they are played to an engine with a store of\n" +
			"its own, and later prompts show what is injected. Nothing of it stays.",
		Example: "  remanence eval capture",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			result, err := captureExam(cmd.Context())
			if err != nil {
				return fmt.Errorf("eval capture: %w", err)
			}
			return a.out.Show(ui.EvalCaptureView{CaptureResult: result})
		},
	}
}

// captureExam runs the exam of capture on an engine in a temporary directory.
func captureExam(ctx context.Context) (result eval.CaptureResult, err error) {
	x, err := evalstore.OpenCapture(ctx)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	return eval.Capture(ctx, x)
}
