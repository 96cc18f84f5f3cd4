package daemon

import (
	"fmt"
	"strings"
	"testing"

	"remanence/internal/api"
	"remanence/internal/mem"
)

func TestChangesArePublishedToConnectedPages(t *testing.T) {
	idle, busy := false, true
	long := strings.Repeat("ä", 150)
	for name, tt := range map[string]struct {
		batch mem.Batch
		res   mem.Result
		want  []api.Change
	}{
		"prompt": {
			mem.Batch{
				Event:   &mem.Event{ID: "e_1", Kind: mem.UserPromptSubmit, Session: "s", Text: long},
				Project: &mem.Project{Key: "p_1"},
				Session: &mem.SessionChange{Project: "p_1", Processing: &busy}, Receipts: []mem.Receipt{{ID: "r_1"}},
			},
			mem.Result{Prompt: 3},
			[]api.Change{
				{Type: "new_prompt", Number: 3, Title: strings.Repeat("ä", 100) + "…", Project: "p_1", Session: "s"},
				{Type: "processing_status", IsProcessing: &busy, Project: "p_1", Session: "s"},
				{Type: "changed", What: []string{"receipt"}, IDs: []string{"r_1"}, Project: "p_1", Session: "s"},
			},
		},
		"private prompt": {
			mem.Batch{Event: &mem.Event{Kind: mem.UserPromptSubmit, Session: "s", Private: true, Text: "no"}},
			mem.Result{Prompt: 1},
			[]api.Change{{Type: "new_prompt", Number: 1, Session: "s"}},
		},
		"turn's end": {
			mem.Batch{
				Event: &mem.Event{ID: "e_2", Kind: mem.Stop, Session: "s"}, Session: &mem.SessionChange{
					Project:    "p_1",
					Processing: &idle,
				},
				Memories: []mem.Memory{
					{Kind: mem.Decision, Title: "a choice", Project: "p_1", Session: "s"},
					{Kind: mem.Summary, Title: "the day", Project: "p_1", Session: "s"},
					{Kind: mem.Utterance, Title: "said"},
				},
				Jobs: []mem.Job{{}}, Edits: []mem.Edit{{ID: "m_7"}, {ID: "m_8"}},
			},
			mem.Result{IDs: []string{"m_1", "m_2", "m_3"}},
			[]api.Change{
				{Type: "changed", What: []string{"event"}, IDs: []string{"e_2"}, Kind: "Stop", Project: "p_1", Session: "s"},
				{Type: "processing_status", IsProcessing: &idle, Project: "p_1", Session: "s"},
				{Type: "new_observation", IDs: []string{"m_1"}, Kind: "decision", Title: "a choice", Project: "p_1", Session: "s"},
				{Type: "new_summary", IDs: []string{"m_2"}, Kind: "summary", Title: "the day", Project: "p_1", Session: "s"},
				{
					Type: "changed", What: []string{"utterance", "memory", "job"}, IDs: []string{"m_7", "m_8"}, Project: "p_1",
					Session: "s",
				},
			},
		},
		"end of a session": {
			mem.Batch{Event: &mem.Event{Kind: mem.SessionEnd, Session: "s", Source: "exit"}},
			mem.Result{},
			[]api.Change{{Type: "session_completed", Kind: "exit", Session: "s"}},
		},
		"a person's edit": {
			mem.Batch{Edits: []mem.Edit{{ID: "m_7"}}, Pauses: []mem.Pause{{}}, Checkpoints: []mem.Checkpoint{{}}},
			mem.Result{},
			[]api.Change{{Type: "changed", What: []string{"memory", "checkpoint", "pause"}, IDs: []string{"m_7"}}},
		},
		"nothing": {mem.Batch{}, mem.Result{}, nil},
	} {
		got := changesIn(tt.batch, tt.res)
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", tt.want) {
			t.Errorf("%s: got\n%+v, want\n%+v", name, got, tt.want)
		}
	}
}
