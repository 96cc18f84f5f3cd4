package ui

import (
	"strings"
	"testing"

	"remanence/internal/config"
	"remanence/internal/views"
)

func TestAnEffectWithoutSessionsSaysWhy(t *testing.T) {
	const none = "all projects · 90 days up to today\n"
	for name, tt := range map[string]struct {
		of   views.EffectSessions
		want string
	}{
		"none": {views.EffectSessions{}, none + "no session with a prompt began in these days\n"},
		"read in": {views.EffectSessions{Past: 12}, none + "12 sessions of these days were read in or imported: nothing " +
			"was injected there, so there is nothing to compare yet. The next session of your agent will be counted\n"},
		"one of each": {views.EffectSessions{Given: 1, Past: 1}, none +
			"  sessions      0 used memory · 1 were given some, no use of it was seen · 0 were given none\n" +
			"  1 more not compared: read in or imported, so that nothing was injected\n" +
			"how it is counted\nwhat it does not show\n"},
	} {
		var out strings.Builder
		p := NewPrinter(config.System{Stdout: &out, Getenv: func(string) string { return "" }}, Flags{})
		EffectView{views.EffectResponse{Days: 90, Sessions: tt.of}}.Print(p)
		if got := out.String(); got != tt.want {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, tt.want)
		}
	}
}
