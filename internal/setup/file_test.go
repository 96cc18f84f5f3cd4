package setup

import (
	"strings"
	"testing"
)

func TestALinkThatCannotBeFollowedSaysWhy(t *testing.T) {
	for why, link := range map[string]func(m machine){
		"a link that leads nowhere": func(m machine) { m.link("nowhere", m.user()) },
		"too many links":            func(m machine) { m.link("settings.json", m.user()) },
		"not a directory": func(m machine) {
			m.write(m.user()+"2", "", 0o600)
			m.link("settings.json2/in", m.user())
		},
		"file name too long": func(m machine) { m.link(strings.Repeat("n", 300), m.user()) },
	} {
		m := newMachine(t)
		link(m)
		_, err := PlanInstall(m.Config, Options{})
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("got %v, want %q in it", err, why)
		}
		if nowhere := "leads nowhere"; err != nil && !strings.Contains(why, nowhere) &&
			strings.Contains(err.Error(), nowhere) {
			t.Errorf("got %v, want nothing of %q", err, nowhere)
		}
	}
}
