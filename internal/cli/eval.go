package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/eval"
	"remanence/internal/eval/evalstore"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/rank"
)

func evalCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "measure how well it finds again what it was given",
		Long: "Suites of texts and questions are run through the same store and ranking as\neverything else, in a " +
			"temporary directory that is gone afterwards.",
		Example: "  remanence eval run --suite locomo10.json --json > today.json\n  remanence eval compare yesterday.json " +
			"today.json\n  remanence eval run --suite own",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.showHelp(cmd) },
	}
	cmd.AddCommand(evalRun(a), evalCapture(a), evalCompare(a), evalReport(a))
	return cmd
}

// exam is the request of eval run.
type exam struct {
	suite          string
	without, gates []string
	prompts        string
	unrelated      bool
	embed          bool
	conditions     conditions // that gates names
}

// builtinPrompts are the prompts that come with the program.
const builtinPrompts = "builtin"

func evalRun(a *app) *cobra.Command {
	var e exam
	cmd := &cobra.Command{
		Use:   "run --suite <folder | file | own>",
		Short: "run a suite and print what was found",
		Long: "A suite is a folder in BEIR's layout, a JSON file of LoCoMo or LongMemEval, or\n" +
			"own: questions made from your later sessions about what earlier ones learned,\nasked of a copy of your database.",
		Example: "  remanence eval run --suite ./notes-beir\n" +
			"  remanence eval run --suite longmemeval_s.json --gate recall.5=90%\n" +
			"  remanence eval run --suite ./notes-beir --without prox,char4\n" +
			"  remanence eval run --suite own --false-injections",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return runExam(cmd.Context(), a, e) },
	}
	f := cmd.Flags()
	f.StringVar(&e.suite, "suite", "", "folder, file, or own")
	f.StringSliceVar(&e.without, "without", nil, "parts of the ranking to leave out, as search --explain names them: "+
		strings.Join(rankParts(), ", "))
	f.BoolVar(&e.embed, "embed", false,
		"with vectors of the embedding server that is configured; your own history has them anyway")
	f.BoolVar(&e.unrelated, "false-injections", false,
		"measure also injections: for the suite's questions, and for built-in prompts that should get none")
	f.StringVar(&e.prompts, "prompts", "", "the same with builtin or with the prompts of a file, one a line")
	f.StringArrayVar(&e.gates, "gate", nil,
		"NAME=VALUE, or a file of such lines or with an earlier result: end with status 5 if it is not met; may be repeated")
	return cmd
}

func runExam(ctx context.Context, a *app, e exam) error {
	o, err := e.options()
	if err != nil {
		return err
	}
	if e.conditions, err = readGates(e.gates); err != nil {
		return err
	}
	o.Progress = a.progress()
	result, err := examineSuite(ctx, a, e, o)
	a.endProgress()
	if err != nil {
		return suiteFault(err)
	}
	v := ui.EvalView{Result: result}
	v.Without, v.Gates = ui.NotNil(v.Without), eval.Judge(result, e.conditions.gates)
	return a.out.Judged(v, ui.Met(v.Gates))
}

func (e exam) options() (eval.Options, error) {
	o := eval.Options{}
	known := rankParts()
	for _, f := range e.without {
		if f = strings.TrimSpace(f); f == "" {
			continue
		}
		if !slices.Contains(known, f) {
			return o, fault.Input.WithMessage("the ranking has no part %q", f).FixedBy("use some of: " + strings.Join(known,
				", "))
		}
		o.Without = append(o.Without, f)
	}
	switch {
	case e.prompts == builtinPrompts, e.prompts == "" && e.unrelated:
		o.Prompts = eval.Builtin()
	case e.prompts != "":
		text, err := readInput(e.prompts)
		if err != nil {
			return o, err
		}
		o.Prompts = eval.ParsePrompts(string(text), eval.ClassUnrelated)
		if len(o.Prompts) == 0 {
			return o, fault.Input.WithMessage("there is no prompt in the file").Because("%s", e.prompts)
		}
	}
	return o, nil
}

// rankParts are the parts that scores are the sum of, each once.
func rankParts() []string {
	var names []string
	for _, kind := range []map[string]float64{nil, {rank.PartSession: 0}} {
		for _, s := range rank.Summands(kind) {
			if !slices.Contains(names, s.Part) {
				names = append(names, s.Part)
			}
		}
	}
	return names
}

// conditions are gates, and which suite those of an earlier result are of.
type conditions struct {
	gates []eval.Gate
	of    map[string]string // suite, by file
}

// fit returns an error for the results of another suite.
func (c conditions) fit(suite string) error {
	for _, file := range slices.Sorted(maps.Keys(c.of)) {
		if of := c.of[file]; of != suite {
			return fault.Input.WithMessage("the gate is a result of another suite").
				Because("%s is one of %q, this is a run of %q",
					file, of, suite)
		}
	}
	return nil
}

// readGates reads conditions: each an expression or a file of them.
func readGates(list []string) (conditions, error) {
	c := conditions{of: map[string]string{}}
	for _, s := range list {
		_, err := os.Stat(s)
		switch {
		case err == nil:
			if err := c.readFile(s); err != nil {
				return c, err
			}
			continue
		case !strings.Contains(s, "="):
			return c, fault.NoFile.WithMessage("%q is neither a condition NAME=VALUE nor a file", s).Because("%s",
				err).FixedBy("--gate recall.10=0.72")
		}
		g, err := eval.ParseGate(s)
		if err != nil {
			return c, gateFault(err).Because("%s", err)
		}
		c.gates = append(c.gates, g)
	}
	return c, nil
}

func (c *conditions) readFile(file string) error {
	text, err := readInput(file)
	if err != nil {
		return err
	}
	gates, suite, err := eval.ParseGates(text)
	if err != nil {
		return gateFault(err).Because("%s: %s", file, err)
	}
	c.gates = append(c.gates, gates...)
	if suite != "" {
		c.of[file] = suite
	}
	return nil
}

func gateFault(err error) fault.Fault {
	if errors.Is(err, eval.ErrMeasure) {
		return fault.Input.WithMessage("the gate is on something that is never measured").FixedBy("use one of: "+
			strings.Join(eval.Names(), ", "),
			"by_category.NAME.MEASURE", "false_injections.by_class.NAME.share")
	}
	return fault.Input.WithMessage("the gate cannot be read").FixedBy("--gate recall.10=0.72")
}

func readInput(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.NoFile.Because("%s", err)
	}
	if err != nil {
		return nil, fault.Input.WithMessage("the file cannot be read").Because("%s", err)
	}
	return text, nil
}

// suiteFault is what is wrong with a suite, in words. Other errors stay.
func suiteFault(err error) error {
	switch {
	case errors.Is(err, eval.ErrFormat):
		return fault.Input.WithMessage("the suite cannot be used").Because("%s", err).FixedBy("remanence eval run --help")
	case errors.Is(err, fs.ErrNotExist):
		return fault.NoFile.Because("%s", err)
	}
	return err
}

// examineSuite opens the suite and what is examined, and puts that away again.
func examineSuite(ctx context.Context, a *app, e exam, o eval.Options) (result eval.Result, err error) {
	var s eval.Suite
	var x *evalstore.Subject
	var em event.Embedder
	switch e.suite {
	case "":
		return result, fault.Usage.WithMessage("eval run needs --suite").FixedBy("remanence eval run --help")
	case ui.OwnSuite:
		if err = e.conditions.fit(ui.OwnSuite); err != nil {
			return result, err
		}
		if x, err = a.openOwn(ctx); err == nil {
			s, err = eval.Own(ctx, x.Store())
		}
	default:
		if s, err = eval.Open(e.suite); err == nil {
			err = e.conditions.fit(s.Name)
		}
		if err == nil && e.embed {
			em, err = evalEmbedder(a)
		}
		if err == nil {
			x, err = evalstore.Open(ctx, a.Sys.Now(), em)
		}
	}
	if x != nil {
		defer func() { err = errors.Join(err, x.Close()) }()
	}
	if err != nil {
		return result, err
	}
	return eval.Run(ctx, s, x, o)
}

// evalEmbedder is the embedder of the configuration, which has to name one.
func evalEmbedder(a *app) (event.Embedder, error) {
	cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	if err != nil {
		return nil, err
	}
	em, err := configuredEmbedder(cfg, a.Sys.Getenv)
	if err == nil && em == nil {
		err = fault.Input.WithMessage("no embedding server is configured").
			FixedBy("remanence config set embed.provider ollama",
				"leave --embed out")
	}
	return em, err
}

// progress shows how far a run is, on a terminal only.
func (a *app) progress() func(what string, done, total int) {
	if !ui.IsTerminal(a.Sys.Stderr) || a.flags.Quiet {
		return nil
	}
	return func(what string, done, total int) {
		switch {
		case total == 0:
			fmt.Fprintf(a.Sys.Stderr, "\r\x1b[K%s %d", what, done)
		case done%16 == 0 || done == total:
			fmt.Fprintf(a.Sys.Stderr, "\r\x1b[K%s %d of %d", what, done, total)
		}
	}
}

// endProgress makes the line free again.
func (a *app) endProgress() {
	if ui.IsTerminal(a.Sys.Stderr) && !a.flags.Quiet {
		fmt.Fprint(a.Sys.Stderr, "\r\x1b[K")
	}
}
