package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"remanence/internal/agent"
	"remanence/internal/hook"
	"remanence/internal/mem"
)

// recorded are payloads of a real client, one for each file, by name.
func recorded(t *testing.T) map[string]string {
	t.Helper()
	files, _ := filepath.Glob("../agent/testdata/events/*.json")
	all := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var r struct{ Stdin json.RawMessage }
		if err := json.Unmarshal(b, &r); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if len(r.Stdin) == 0 { // not of a command hook
			continue
		}
		all[strings.TrimSuffix(filepath.Base(f), ".json")] = string(r.Stdin)
	}
	if len(all) == 0 {
		t.Fatal("no recorded payloads")
	}
	return all
}

// broken is a dialect that panics at one of its steps.
type broken struct {
	agent.Claude
	decode, encode bool
}

func (b broken) Decode(p []byte, env agent.Env) (mem.Event, error) {
	if b.decode {
		panic("secret words of the payload")
	}
	return b.Claude.Decode(p, env)
}

func (b broken) Encode(e mem.Event, r mem.Reply) []byte {
	if b.encode {
		panic("secret words of the payload")
	}
	return b.Claude.Encode(e, r)
}

// Whatever event it is, and whichever stage breaks, the agent hears nothing, and
// the event is kept or counted.
func TestPanicInAnyStageGivesNoOutput(t *testing.T) {
	all := handler(func(context.Context, mem.Event) (mem.Reply, error) {
		return mem.Reply{Context: "c", Notice: "n"}, nil
	})
	for _, stage := range []struct {
		name   string
		breaks func(*fixture)
		reason string // of the drop; "" if the event is kept
	}{
		{
			"redactor", func(s *fixture) { s.ReadPayload = func(io.Reader) (hook.Payload, error) { panic("secret words") } },
			hook.DroppedPanic,
		},
		{"decoder", func(s *fixture) { s.Dialect = broken{decode: true} }, hook.DroppedPanic},
		{"encoder", func(s *fixture) { s.Dialect = broken{encode: true} }, ""},
		{"handler", func(s *fixture) { s.Handler = handler(panics) }, hook.DroppedPanic},
		{
			"worker and spool", func(s *fixture) { s.Handler = hook.FirstOf(handler(panics), handler(panics), busy) },
			hook.DroppedHandler,
		},
		{
			"worker, and the spool fails", func(s *fixture) { s.Handler = hook.FirstOf(handler(panics), handler(fails), busy) },
			hook.DroppedHandler,
		},
		{
			"worker alone", func(s *fixture) { s.Handler = hook.FirstOf(handler(panics), alwaysHasText(mem.Reply{}), busy) },
			"",
		},
		{
			"preparation", func(s *fixture) { s.Prepare = func(hook.Config) hook.Config { panic("secret words") } },
			hook.DroppedPanic,
		},
		{"output", func(s *fixture) { s.Stdout = panicky{} }, ""},
	} {
		for name, payload := range recorded(t) {
			s := newFixture(payload, all)
			stage.breaks(s)
			hook.Run(s.Config)
			if s.out.Len() != 0 || len(s.exits) != 0 {
				t.Errorf("%s, %s: printed %q, exits %v; want silence", stage.name, name, &s.out, s.exits)
			}
			if strings.Contains(strings.Join(s.lines, "\n"), "secret") {
				t.Errorf("%s, %s: the log quotes the payload: %q", stage.name, name, s.lines)
			}
			var want []string
			if stage.reason != "" && (ours(payload) || stage.name == "redactor" || stage.name == "decoder" ||
				stage.name == "preparation") {
				want = []string{stage.reason}
			}
			if !slices.Equal(s.dropped, want) {
				t.Errorf("%s, %s: dropped %v, want %v", stage.name, name, s.dropped, want)
			}
		}
	}
}

// ours reports whether a payload is of an event that is handled.
func ours(payload string) bool {
	_, err := agent.Claude{}.Decode([]byte(payload), agent.Env{})
	return err == nil
}

// panicky is an output that breaks.
type panicky struct{}

func (panicky) Write([]byte) (int, error) { panic("secret words") }

func TestNoticeOfALostEventIsShown(t *testing.T) {
	lost := handler(func(context.Context, mem.Event) (mem.Reply, error) {
		return mem.Reply{
			Notice: "the disk is full", Context: "never injected",
			Env: []mem.EnvVar{{Name: "REMANENCE_X", Value: "1"}},
		}, errors.New("lost")
	})
	s := newFixture(startPayload, lost)
	hook.Run(s.Config)
	if want := `{"systemMessage":"the disk is full"}`; s.out.String() != want {
		t.Errorf("printed %s, want %s", &s.out, want)
	}
	if !slices.Equal(s.dropped, []string{hook.DroppedHandler}) {
		t.Errorf("dropped %v, want it counted", s.dropped)
	}
}
