package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/continuity"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
)

func checkpointCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "save where the work stands, look at it, go on from it",
		Long: "A checkpoint holds where a session's work stands: the request, what is open,\nfiles, commands and how " +
			"they ended, figures, last words. One is saved before\n" +
			"each compaction and at the end of each session; save makes one now. log, drift\nand remanence lint are the " +
			"parts of the checkpoint routine that go by rule.",
		Example: "  remanence checkpoint save -m \"before the big merge\"\n  remanence checkpoint save --index\n  " +
			"remanence checkpoint show last\n  remanence checkpoint resume\n  remanence checkpoint diff",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return listCheckpoints(a, cmd, continuity.CheckpointsRequest{Limit: mem.DefaultLimit})
		},
	}
	cmd.AddCommand(checkpointSaveCommand(a), checkpointShowCommand(a), checkpointListCommand(a),
		checkpointResumeCommand(a),
		checkpointDiffCommand(a), checkpointLogCommand(a), checkpointDriftCommand(a))
	return cmd
}

// toFile is where a command writes what it shows besides.
type toFile struct {
	path  string
	force bool
}

func (f *toFile) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.path, "file", "", "write it to this file as well, as Markdown")
	cmd.Flags().BoolVar(&f.force, "force", false, "overwrite the file")
}

// check refuses a file that must not be written, before anything is done.
func (f toFile) check() error {
	if f.path == "" {
		return nil
	}
	info, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if dir := filepath.Dir(f.path); !config.IsDir(dir) {
			return fault.NoFile.WithMessage("no such directory: %s", dir)
		}
		return nil
	case err != nil:
		return fmt.Errorf("look at %s: %w", f.path, err)
	case !info.Mode().IsRegular():
		return fault.Input.WithMessage("%s is no plain file", f.path).FixedBy("give another name")
	case !f.force:
		return fault.Input.WithMessage("%s is there already", f.path).Because("nothing was written").FixedBy("add --force",
			"give another name")
	}
	return nil
}

// write puts text into the file, whole or not at all.
func (f toFile) write(text string) error {
	if f.path == "" {
		return nil
	}
	return config.ReplaceFile(f.path, []byte(text))
}

func checkpointSaveCommand(a *app) *cobra.Command {
	var q continuity.SaveRequest
	var file toFile
	var handoff bool
	cmd := &cobra.Command{
		Use:   "save",
		Short: "save where the work stands now",
		Long: "With --index, the session's transcript is first archived, searched for events that\nno hook delivered, " +
			"and indexed. The last line shows the result, and so does\n" +
			"the exit status: 0 only for OK.\n\nWith --handoff the message is a handoff: what the next session has to know. " +
			"It is\ntold to the next session and after a compaction, once. Without -m it comes from\nstandard input.",
		Example: "  remanence checkpoint save -m \"before the big merge\"\n  remanence checkpoint save --index\n  " +
			"remanence checkpoint save --handoff -m \"next: the jitter\"\n  remanence checkpoint save --file ~/notes/state.md",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := file.check(); err != nil {
				return err
			}
			q.ProjectRef, q.Agent = a.ProjectRef(), a.agent()
			if handoff {
				return handOff(a, cmd, q, file)
			}
			return runCheckpointSave(a, cmd, q, file, nil)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&q.Note, "message", "m", "", "a note on it")
	f.BoolVar(&q.Index, "index", false, "archive and index the session's transcript now")
	f.StringVar(&q.Session, "session", "", "session (default: the agent's own, else the last one of the project)")
	f.BoolVar(&handoff, "handoff", false, "the message is a handoff for the next session")
	file.register(cmd)
	return cmd
}

// runCheckpointSave saves a checkpoint and shows the result with earlier problems. The exit status is 0 only
// without problems.
func runCheckpointSave(a *app, cmd *cobra.Command, q continuity.SaveRequest, file toFile, trouble []string) error {
	got, err := ask(cmd.Context(), a, api.Save, q)
	if errors.Is(err, mem.ErrNotFound) {
		err = fault.NoWork.Because("%s", noSession(q.Session))
	}
	if err != nil {
		return a.notSaved(err)
	}
	if file.path != "" {
		r, err := ask(cmd.Context(), a, api.Resume, continuity.CheckpointsRequest{ID: got.Checkpoint.ID})
		if err == nil {
			err = file.write(r.Text)
		}
		trouble = append(trouble, notInFile(err)...)
	}
	got.Problems = append(trouble, got.Problems...)
	return printSaved(a, ui.SavedView{SaveResponse: got, Indexing: q.Index})
}

// notInFile is the problem of a checkpoint that was stored, but not written to the file.
func notInFile(err error) []string {
	if err == nil {
		return nil
	}
	return []string{"file: " + err.Error()}
}

// printSaved shows a saved checkpoint; the exit status reports problems.
func printSaved(a *app, v ui.SavedView) error {
	v.Problems = ui.NotNil(v.Problems)
	return a.out.Judged(v, len(v.Problems) == 0)
}

func noSession(session string) string {
	if session != "" {
		return fmt.Sprintf("there is no session %q", session)
	}
	return "no session of this project is known"
}

// notSaved returns the fault of a checkpoint that could not be saved, and prints it on standard output as well.
func (a *app) notSaved(err error) error {
	f := daemon.Explain(a.noProject(err))
	if !a.flags.JSON && !a.flags.JSONLines {
		a.out.Line("[checkpoint] FAILED %s", ui.OneLine(f.Error()))
	}
	return f
}

// handOff stores the message as a handoff and, with --index, indexes too.
func handOff(a *app, cmd *cobra.Command, q continuity.SaveRequest, file toFile) error {
	text := q.Note
	if text == "" {
		var err error
		if text, err = a.textFrom(nil, cmd.CommandPath()); err != nil {
			return err
		}
	}
	got, err := ask(cmd.Context(), a, api.Handoff, continuity.HandoffRequest{
		ProjectRef: q.ProjectRef, Session: q.Session,
		Agent: q.Agent, Text: text,
	})
	if err != nil {
		return a.notSaved(err)
	}
	trouble := notInFile(file.write(got.Handoff + "\n"))
	if q.Index {
		q.Note = ""
		return runCheckpointSave(a, cmd, q, toFile{}, trouble)
	}
	err = printSaved(a, ui.SavedView{SaveResponse: continuity.SaveResponse{Checkpoint: got, Problems: trouble}})
	if got.Trust < mem.TrustAssistant {
		a.out.Say("stored, but not injected unasked: this turn read text from outside, or its author is unknown. To read "+
			"it: remanence checkpoint show %s", got.ID)
	}
	return err
}

func checkpointListCommand(a *app) *cobra.Command {
	var q continuity.CheckpointsRequest
	cmd := &cobra.Command{
		Use:   "list",
		Short: "the newest checkpoints",
		Example: "  remanence checkpoint list\n  remanence checkpoint list --project all -n 50\n  remanence checkpoint " +
			"list --session s_4d --json",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return listCheckpoints(a, cmd, q) },
	}
	cmd.Flags().IntVarP(&q.Limit, "limit", "n", mem.DefaultLimit, "how many")
	cmd.Flags().StringVar(&q.Session, "session", "", "only of this session")
	return cmd
}

func listCheckpoints(a *app, cmd *cobra.Command, q continuity.CheckpointsRequest) error {
	if q.Limit < 1 {
		return fault.Input.WithMessage("-n has to be 1 or more")
	}
	q.ProjectRef = a.ProjectRef()
	got, err := ask(cmd.Context(), a, api.Checkpoints, q)
	if err != nil {
		return a.noProject(err)
	}
	return a.out.Show(ui.CheckpointsView{Checkpoints: got})
}

func checkpointShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "show [c_id | last]",
		Short:   "all that a checkpoint holds",
		Example: "  remanence checkpoint show\n  remanence checkpoint show c_1f --json",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCheckpointShow(a, cmd, strings.Join(args, ""))
		},
	}
}

func runCheckpointShow(a *app, cmd *cobra.Command, id string) error {
	if id == "" {
		id = "last"
	}
	if id != "last" && !strings.HasPrefix(id, "c_") {
		return fault.Input.WithMessage("%q is no checkpoint",
			id).Because("their ids begin with c_").FixedBy("remanence checkpoint list")
	}
	got, err := ask(cmd.Context(), a, api.Checkpoints, continuity.CheckpointsRequest{ProjectRef: a.ProjectRef(), ID: id})
	if id != "last" && (errors.Is(err, mem.ErrNotFound) || err == nil && len(got.Checkpoints) == 0) {
		return noCheckpoint(id)
	}
	if err != nil {
		return a.noProject(err)
	}
	if len(got.Checkpoints) == 0 {
		return a.out.Show(ui.CheckpointsView{Checkpoints: got})
	}
	return a.out.Show(ui.CheckpointView{Checkpoints: got})
}

func noCheckpoint(id string) fault.Fault {
	return fault.NoID.WithMessage("no such checkpoint").Because("nothing has the id %q",
		id).FixedBy("remanence checkpoint list")
}

func checkpointResumeCommand(a *app) *cobra.Command {
	var q continuity.CheckpointsRequest
	var file toFile
	cmd := &cobra.Command{
		Use:   "resume [c_id | last]",
		Short: "what is needed to continue the work, as Markdown",
		Long: "Prints the last checkpoint of the project with what was handed over: for\nyourself, or for another " +
			"agent to read.",
		Example: "  remanence checkpoint resume\n  remanence checkpoint resume c_1f --file handover.md\n  remanence " +
			"checkpoint resume --session s_4d",
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := file.check(); err != nil {
				return err
			}
			q.ProjectRef, q.ID = a.ProjectRef(), strings.Join(args, "")
			got, err := ask(cmd.Context(), a, api.Resume, q)
			if errors.Is(err, mem.ErrNotFound) && (q.ID == "" || q.ID == "last") && q.Session == "" {
				return fault.NoWork.WithMessage("there is nothing to go on with").
					Because("no checkpoint of this project was ever saved").FixedBy("remanence checkpoint list --project all")
			}
			if errors.Is(err, mem.ErrNotFound) && q.ID != "" {
				return noCheckpoint(q.ID)
			}
			if err != nil {
				return a.noProject(err)
			}
			if err := file.write(got.Text); err != nil {
				return err
			}
			return a.out.Show(ui.ResumeView{ResumeResponse: got})
		},
	}
	cmd.Flags().StringVar(&q.Session, "session", "", "session (default: the last one of the project)")
	file.register(cmd)
	return cmd
}

func checkpointDiffCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "diff [from] [to]",
		Short: "what changed between two checkpoints",
		Long: "Without ids, the last checkpoint of the project and the one before it of the\nsame session; with one " +
			"id, that one and the last of its session.",
		Example: "  remanence checkpoint diff\n  remanence checkpoint diff c_1d\n  remanence checkpoint diff c_1d " +
			"c_1f --json",
		Args: atMost(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := continuity.DiffRequest{ProjectRef: a.ProjectRef()}
			if len(args) > 0 {
				q.From = args[0]
			}
			if len(args) > 1 {
				q.To = args[1]
			}
			got, err := ask(cmd.Context(), a, api.Diff, q)
			if errors.Is(err, mem.ErrNotFound) && len(args) == 0 {
				return a.out.Show(ui.DiffView{})
			}
			if errors.Is(err, mem.ErrNotFound) {
				return fault.NoID.WithMessage("no such checkpoint").Because("%s", daemon.Cause(err)).
					FixedBy("remanence checkpoint list")
			}
			if err != nil {
				return a.noProject(err)
			}
			return a.out.Show(ui.DiffView{DiffResponse: got})
		},
	}
}
