package cli

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/curate"
	"remanence/internal/daemon"
	"remanence/internal/doctor"
	"remanence/internal/hook"
	"remanence/internal/hookclient"
	"remanence/internal/mem"
	"remanence/internal/setup"
)

// housed is a daemon in a home of its own, asked without a socket.
func housed(t *testing.T) (*daemon.Daemon, api.Local) {
	t.Helper()
	return housedAt(t, t.TempDir())
}

func housedAt(t *testing.T, home string) (*daemon.Daemon, api.Local) {
	t.Helper()
	sys := config.System{Getenv: environment(map[string]string{"HOME": home}), Now: time.Now, Slack: time.Minute}
	paths, err := config.FindPaths(sys.Getenv, "")
	if err != nil {
		t.Fatal(err)
	}
	h, err := daemon.New(t.Context(), sys, paths, slog.New(slog.DiscardHandler),
		daemon.Extension{Bindings: pagesOf, MCP: mcpOf})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Store.Close() })
	return h, api.Local(h.Bindings())
}

func item(t *testing.T, v settingsView, key string) settingItem {
	t.Helper()
	i := slices.IndexFunc(v.Values, func(s settingItem) bool { return s.Key == key })
	if i < 0 {
		t.Fatalf("no setting %s", key)
	}
	return v.Values[i]
}

func TestASettingIsTriedSetAndTakenBack(t *testing.T) {
	h, way := housed(t)
	ctx := t.Context()
	const key = "hooks.session_start.token_budget"
	at := mem.ProjectRef{Dir: t.TempDir()}
	if _, err := api.Add.Call(ctx, way, curate.AddRequest{
		ProjectRef: at, Text: "we deploy on Thursdays only",
		Kind: mem.Convention,
	}); err != nil {
		t.Fatal(err)
	}
	before, err := settings.Call(ctx, way, api.Nothing{})
	if err != nil || item(t, before, key).Origin != "default" || item(t, before, key).Type != "integer" ||
		!item(t, before, key).Preview {
		t.Fatalf("before: %+v, %v", item(t, before, key), err)
	}
	for value, injected := range map[string]bool{"1200": true, "0": false} {
		r, err := trySetting.Call(ctx, way, settingAsk{ProjectRef: at, Key: key, Value: value})
		if err != nil || (r.Tokens > 0) != injected {
			t.Errorf("tried with %s: %d tokens, %v", value, r.Tokens, err)
		}
	}
	if b, err := os.ReadFile(h.Paths.Config); err == nil {
		t.Errorf("trying it wrote %s", b)
	}
	after, err := changeSetting.Call(ctx, way, settingAsk{Key: key, Value: "300"})
	if got := item(t, after, key); err != nil || got.Text != "300" || got.Origin != "file" {
		t.Errorf("after: %+v, %v", got, err)
	}
	back, err := changeSetting.Call(ctx, way, settingAsk{Key: key, Unset: true})
	if got := item(t, back, key); err != nil || got.Origin != "default" {
		t.Errorf("taken back: %+v, %v", got, err)
	}
	for _, ask := range []settingAsk{{Key: key, Value: "many"}, {Key: "no.such", Value: "1"}} {
		if _, err := changeSetting.Call(ctx, way, ask); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("%+v: %v, want %v", ask, err, api.ErrInvalid)
		}
		if _, err := trySetting.Call(ctx, way, ask); !errors.Is(err, api.ErrInvalid) {
			t.Errorf("tried %+v: %v, want %v", ask, err, api.ErrInvalid)
		}
	}
}

func TestWhatPrivacyWouldTakeOutIsNotCountedAsTakenOut(t *testing.T) {
	h, way := housed(t)
	got, err := tryPrivacy.Call(t.Context(), way, textAsk{Text: "a <private>secret plan</private> to keep"})
	if err != nil || strings.Contains(got.Text, "plan") || got.Private != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	if n := h.Redactor.Counts().Private; n != 0 {
		t.Errorf("the house counts %d private spans", n)
	}
}

func TestTheLogIsReadNewestFirstAndItsErrorsAreGrouped(t *testing.T) {
	h, way := housed(t)
	if err := os.MkdirAll(filepath.Dir(h.Paths.Log()), 0o700); err != nil {
		t.Fatal(err)
	}
	text := `time=2026-03-02T09:00:00.000Z level=INFO msg="worker ready" socket="/run/a b"
time=2026-03-02T09:00:01.000Z level=ERROR msg="answered without" what=recall error="too \"slow\""
not of ours
time=2026-03-02T09:00:02.000Z level=ERROR msg="answered without" what=vault error=gone
`
	if err := os.WriteFile(h.Paths.Log(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readLog.Call(t.Context(), way, logAsk{})
	if err != nil || len(got.Lines) != 4 || got.Lines[0].More != "what=vault error=gone" ||
		got.Lines[1].Text != "not of ours" || got.Lines[3].Level != "info" {
		t.Fatalf("got %+v, %v", got.Lines, err)
	}
	if len(got.Groups) != 1 || got.Groups[0].Count != 2 || got.Groups[0].Text != "answered without" ||
		!got.Groups[0].First.Before(*got.Groups[0].Last) {
		t.Errorf("groups: %+v", got.Groups)
	}
	for name, c := range map[string]struct {
		ask  logAsk
		want int
	}{"level": {logAsk{Level: "error"}, 2}, "text": {logAsk{Has: "WORKER"}, 1}, "limit": {logAsk{Limit: 1}, 1}} {
		if got, err := readLog.Call(t.Context(), way, c.ask); err != nil || len(got.Lines) != c.want {
			t.Errorf("%s: %d lines, %v, want %d", name, len(got.Lines), err, c.want)
		}
	}
}

// What reads all of the store is not done for who only opens the page.
func TestACheckUpReadsAllOfTheStoreOnlyWhenAskedTo(t *testing.T) {
	_, way := housed(t)
	for _, deep := range []bool{false, true, false} { // the last gets what was found just now
		got, err := checkup.Call(t.Context(), way, checkupAsk{Deep: deep})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Checks) < 10 || got.Overview.Stats.Schema == 0 {
			t.Errorf("deep %v: %d checks, schema %d", deep, len(got.Checks), got.Overview.Stats.Schema)
		}
		if deep && !got.Deep {
			t.Error("asked to read all, it did not")
		}
	}
}

func TestACheckUpThatIsAskedForAgainIsMadeAnew(t *testing.T) {
	_, way := housed(t)
	for _, tt := range []struct{ ask, deep bool }{{true, true}, {false, true}, {true, false}} {
		// A check of a moment ago that read all of the store is shown again, unless it is to be made anew.
		got, err := checkup.Call(t.Context(), way, checkupAsk{Deep: tt.ask && tt.deep, Again: tt.ask && !tt.deep})
		if err != nil {
			t.Fatal(err)
		}
		if got.Deep != tt.deep {
			t.Errorf("asked anew %v: read all of the store %v, want %v", tt.ask, got.Deep, tt.deep)
		}
	}
}

// The daemon runs in a directory of its own, in which nothing is remembered.
func TestACheckUpForeseesTheNextSessionWhereTheLastOneWas(t *testing.T) {
	_, way := housed(t)
	if _, err := api.Add.Call(t.Context(), way, curate.AddRequest{
		ProjectRef: mem.ProjectRef{Dir: t.TempDir()},
		Text:       "we deploy on Thursdays only", Kind: mem.Convention,
	}); err != nil {
		t.Fatal(err)
	}
	got, err := checkup.Call(t.Context(), way, checkupAsk{})
	i := slices.IndexFunc(got.Checks, func(c doctor.Check) bool { return c.ID == "briefing" })
	if err != nil || i < 0 || got.Checks[i].State != setup.OK {
		t.Errorf("checks %+v, %v, want a briefing", got.Checks, err)
	}
}

func TestABriefLookNamesWhatItDidNotRead(t *testing.T) {
	p := newMachine(t)
	for brief, want := range map[bool]string{true: setup.Info, false: setup.OK} {
		look := p.checks()
		look.Brief = brief
		for _, c := range look.Examine(t.Context()) {
			if (c.ID == "store" || c.ID == "secrets") && c.State != want {
				t.Errorf("brief %v: %s is %q: %s, want %q", brief, c.ID, c.State, c.What, want)
			}
			if c.ID == "rows" && brief {
				t.Errorf("a brief look read rows: %s", c.What)
			}
		}
		p.Close()
		p.Close = func() {}
	}
}

func TestWhatALookAtTheLogTakesOutIsNotCounted(t *testing.T) {
	h, way := housed(t)
	if err := config.ReplaceFile(h.Paths.Log(),
		[]byte("level=INFO msg=\"a <private>secret plan</private> to keep\"\n")); err != nil {
		t.Fatal(err)
	}
	got, err := readLog.Call(t.Context(), way, logAsk{})
	if err != nil || len(got.Lines) != 1 || strings.Contains(got.Lines[0].Text, "plan") {
		t.Errorf("got %+v, %v", got.Lines, err)
	}
	if n := h.Redactor.Counts().Private; n != 0 {
		t.Errorf("the house counts %d private spans", n)
	}
}

func TestWhatAHookSaysInTheLogIsOneText(t *testing.T) {
	h, way := housed(t)
	if err := os.MkdirAll(filepath.Dir(h.Paths.Log()), 0o700); err != nil {
		t.Fatal(err)
	}
	l := hook.Line{Component: "HOOK", Note: `late" level=ERROR msg="worker failed`}
	hookclient.LogHook(h.Paths, time.Now(), l)
	got, err := readLog.Call(t.Context(), way, logAsk{})
	if err != nil || len(got.Lines) != 1 || got.Lines[0].Text != l.String() || got.Lines[0].More != "" {
		t.Errorf("got %+v, %v, want one line: %s", got.Lines, err, l)
	}
}
