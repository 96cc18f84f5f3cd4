package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/curate"
	"remanence/internal/daemon"
	"remanence/internal/mem"
)

func TestForgettingThatFindsMoreThanItTakesSaysSo(t *testing.T) {
	h, local := housed(t)
	var list []mem.Memory
	for i := range curate.MaxFound + 1 {
		list = append(list, mem.Memory{
			Kind: mem.Fact, Scope: mem.ScopeUser, Trust: mem.TrustUser,
			Title: fmt.Sprintf("okapi number %d", i), Index: "okapi", Created: time.Now(), Key: fmt.Sprint(i),
		})
	}
	if _, err := h.Store.Apply(t.Context(), mem.Batch{Memories: list}); err != nil {
		t.Fatal(err)
	}
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	for _, first := range []bool{true, false} {
		var out strings.Builder
		a := &app{Connection: &daemon.Connection{Sys: h.Sys, Paths: h.Paths, Caller: local, Project: "all"}}
		a.out = ui.NewPrinter(config.System{Stdout: &out, Stderr: &out, Getenv: h.Sys.Getenv, Now: time.Now},
			ui.Flags{NoPager: true})
		found := foundMemories{words: "okapi", yes: true}
		if err := found.run(a, cmd, curate.MarkRequest{ProjectRef: a.ProjectRef(), Verb: "forget"}); err != nil {
			t.Fatal(err)
		}
		if undo := "remanence restore --project all --query okapi\n"; first && !strings.Contains(out.String(), undo) {
			t.Errorf("no %q in\n%s", undo, out.String()[max(0, out.Len()-300):])
		}
		if said := strings.Contains(out.String(), "the first 1000 that were found"); said != first ||
			!strings.Contains(out.String(), "forgotten  m_") {
			t.Errorf("the first: %v; said: %v\n%.300s", first, said, out.String())
		}
	}
}
