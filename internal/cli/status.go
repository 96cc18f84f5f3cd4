package cli

import (
	"context"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/daemon"
	"remanence/internal/doctor"
	"remanence/internal/hookclient"
	"remanence/internal/project"
	"remanence/internal/setup"
	"remanence/internal/spool"
	"remanence/internal/views"
)

func statusCommand(a *app) *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "is it working, and what does it know",
		Example: "  remanence status\n  remanence status --project all --json\n  remanence status --watch",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if watch {
				return runStatusWatch(a, cmd)
			}
			return runStatus(a, cmd, false)
		},
	}
	cmd.Flags().BoolVar(&watch, "watch", false,
		"show it anew every two seconds, until interrupted; with --json one object a line")
	return cmd
}

// runStatus shows the state in five lines; with today, what the day brought instead, where that is known.
func runStatus(a *app, cmd *cobra.Command, today bool) error {
	o, d, err := a.stateNow(cmd.Context())
	if err != nil {
		return err
	}
	v := doctor.StatusOf(o, d, hooksState(a), captureItem(a, o.Health))
	if d.State == doctor.DaemonSilent {
		f := a.NoAnswer()
		v.Faults = append([]doctor.FaultItem{{Code: f.Code, What: f.Error()}}, v.Faults...)
		v.Suggest = &doctor.SuggestItem{Text: "end it and start another", Command: f.Fix[0]}
	}
	v.Counts.Bytes += daemon.BytesIn(a.Paths.Transcripts())
	v.Agents = a.checks().Agents(cmd.Context(), d.State != doctor.DaemonSilent && !a.ReadUninstalled(cmd.Context()))
	v.Vault = vaultItem(a)
	if today && d.State != doctor.DaemonSilent {
		day := views.EmptyToday(o.Project, a.Sys.Now())
		if !a.ReadUninstalled(cmd.Context()) {
			if day, err = ask(cmd.Context(), a, api.Today, a.ProjectRef()); err != nil {
				return err
			}
		}
		v.Today = &day
	}
	return a.out.Show(v)
}

// stateNow is what is known and how the daemon is. One that does not answer is not waited for: files are read then.
func (a *app) stateNow(ctx context.Context) (views.StatusResponse, doctor.DaemonView, error) {
	if a.Unresponsive(ctx) {
		return a.StatusFromFiles(ctx, a.ProjectRef()), doctor.DaemonView{State: doctor.DaemonSilent}, nil
	}
	o, err := a.state(ctx)
	if err != nil {
		return o, doctor.DaemonView{}, err
	}
	return o, a.checks().DaemonState(ctx), nil
}

// state is what is known, which is nothing where Remanence never lived.
func (a *app) state(ctx context.Context) (views.StatusResponse, error) {
	at := a.ProjectRef()
	if a.ReadUninstalled(ctx) {
		o := views.StatusResponse{}
		if at.Project == "" {
			o.Project, _ = project.Identify(at.Dir) // as all projects, where it is none
		}
		return o, nil
	}
	o, err := ask(ctx, a, api.Status, at)
	if err != nil {
		return o, a.noProject(err)
	}
	return o, nil
}

// captureItem reads the spool itself: it is there without a daemon, too.
func captureItem(a *app, h views.Health) doctor.CaptureItem {
	c := doctor.CaptureItem{Private: h.Private, Secrets: h.Secrets}
	for _, n := range hookclient.LostEvents(a.Paths) {
		c.Dropped += n
	}
	st, _ := spool.Open(spool.Config{Dir: a.Paths.Spool()}).Stat() // doctor reports an unreadable one
	if st.Records > 0 {
		c.SpooledRecords, c.SpooledBytes = st.Records, st.Bytes
		c.SpooledOldestS = max(0, a.Sys.Now().Sub(st.Oldest).Seconds())
	}
	return c
}

// hooksState is the finding on our hooks in the settings of all agents.
func hooksState(a *app) doctor.HooksItem {
	c, err := a.checks().SetupConfig()
	if err != nil {
		return doctor.HooksItem{State: setup.Warn, What: err.Error()}
	}
	f := setup.Summary(c)
	return doctor.HooksItem{State: f.State, What: f.What}
}
