package setup

import (
	"strings"
	"testing"
)

const otherLine = `"statusLine": {"type": "command", "command": "~/.claude/line.sh"}`

func TestStatusLineGivesBackEveryByte(t *testing.T) {
	for name, src := range shapes() {
		for how, mutate := range mutations() {
			text := mutate(src)
			want, err := Entries(Lean, "/opt/remanence")
			if err != nil {
				t.Fatal(err)
			}
			hooks, err := Merge([]byte(text), want)
			if err != nil {
				continue // settings of a shape that is left alone
			}
			both, state, err := mergeStatusLine(hooks, "/opt/remanence", true)
			if err != nil {
				t.Errorf("%s, %s: %v", name, how, err)
				continue
			}
			if state != LineOther && StatusLine(both) != LineOurs {
				t.Errorf("%s, %s: state %q, but there is no line of ours in\n%s", name, how, state, both)
			}
			if got, err := Unmerge(both, Ours); err != nil || string(got) != text {
				t.Errorf("%s, %s: got %q, %v, want %q", name, how, got, err, text)
			}
		}
	}
}

func TestStatusLineIsAddedOnlyOnRequest(t *testing.T) {
	for _, c := range []struct {
		name, settings string
		add            bool
		want           LineState
		command        string // in the settings afterwards; "" means no status line
	}{
		{"not asked for", "{}\n", false, "", ""},
		{"asked for", "{}\n", true, LineAdded, `\"BIN\" statusline`},
		{"of another program", "{\n  " + otherLine + "\n}\n", true, LineOther, "~/.claude/line.sh"},
		{
			"ours, of another place", `{"statusLine":{"type":"command","command":"/old/remanence statusline","padding":0}}`,
			false, LineOurs, `\"BIN\" statusline`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			m.write(m.user(), c.settings, 0o644)
			p, err := PlanInstall(m.Config, Options{StatusLine: c.add})
			if err != nil {
				t.Fatal(err)
			}
			if p.StatusLine != c.want {
				t.Errorf("got state %q, want %q", p.StatusLine, c.want)
			}
			m.install(Options{StatusLine: c.add})
			got := m.text(m.user())
			command := strings.ReplaceAll(c.command, "BIN", m.Binary)
			if !strings.Contains(got, command) || strings.Contains(got, "statusLine") != (command != "") {
				t.Errorf("got settings\n%s\nwant a status line with %q", got, command)
			}
			if strings.Contains(c.settings, "padding") && !strings.Contains(got, `"padding":0`) {
				t.Errorf("what the person put beside the command is gone: %s", got)
			}
			again, err := PlanInstall(m.Config, Options{StatusLine: c.add})
			if err != nil || again.Changes() {
				t.Errorf("a second installation changes something: %v", err)
			}
		})
	}
}

func TestUninstallLeavesAnotherProgramsStatusLine(t *testing.T) {
	m := newMachine(t)
	m.write(m.user(), "{\n  \"model\": \"opus\"\n}\n", 0o644)
	m.install(Options{StatusLine: true})
	changed := strings.Replace(m.text(m.user()), `"model": "opus"`, `"model": "haiku"`, 1)
	m.write(m.user(), changed, 0o644)
	m.uninstall()
	if got, want := m.text(m.user()), "{\n  \"model\": \"haiku\"\n}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	m.write(m.user(), "{\n  "+otherLine+"\n}\n", 0o644)
	m.install(Options{StatusLine: true})
	m.uninstall()
	if got, want := m.text(m.user()), "{\n  "+otherLine+"\n}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
