package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func (m machine) servers() string { return filepath.Join(m.Home, ".claude.json") }

func (m machine) installServer() Record {
	m.t.Helper()
	p, err := PlanServer(m.Config)
	if err != nil {
		m.t.Fatal(err)
	}
	r, err := ApplyServer(m.Config, p)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

func TestTheServerGoesInAndOutToTheByte(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "{}\n",
		"blanks":  "{ \n }",
		"others": "\ufeff{ \"numStartups\" : 3,\r\n  \"big\": 9007199254740993, " +
			"\"mcpServers\":{\r\n\"x\":{\"command\":\"y\"}}, \"a\":\"\\u00e9\"}",
		"none of many":    "{\n\t\"mcpServers\": { },\n\t\"projects\": {\"/p\": {\"mcpServers\": {}}}\n}\n",
		"on one line":     `{"mcpServers":{},"userID":"1"}`,
		"without servers": "{\n  \"numStartups\": 3\n}",
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write(m.servers(), text, 0o640)
			r := m.installServer()
			with := m.text(m.servers())
			d, err := parse([]byte(with))
			if err != nil {
				t.Fatalf("%v in\n%s", err, with)
			}
			ours := d.root.get("mcpServers").get("remanence")
			if ours == nil || !d.ourServer(ours) || !d.runs(ours, m.Binary) {
				t.Errorf("the server is not there:\n%s", with)
			}
			if r.Before != nil || !r.Server || strings.Contains(string(r.Before), "numStartups") {
				t.Errorf("got record %+v", r)
			}
			if again := m.installServer(); again.ID != r.ID || m.text(m.servers()) != with {
				t.Errorf("twice: record %s after %s:\n%s", again.ID, r.ID, m.text(m.servers()))
			}
			m.uninstall()
			if got := m.text(m.servers()); got != text {
				t.Errorf("got %q, want %q", got, text)
			}
			if list, err := Records(m.Config); err != nil || len(list) > 0 {
				t.Errorf("records are left: %v %v", list, err)
			}
		})
	}
}

func TestAConfigurationThatTheAgentLaidOutAnewLosesOnlyOurServer(t *testing.T) {
	m := newMachine(t)
	m.write(m.servers(), `{"mcpServers":{"x":{"command":"y"}}}`, 0o600)
	m.installServer()
	m.write(m.servers(), "{\n  \"n\": 4,\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"y\"\n    },\n    "+
		"\"remanence\": {\n      \"type\": \"stdio\",\n      \"command\": \""+m.Binary+
		"\",\n      \"args\": [\n        \"mcp\"\n      ],\n      \"env\": {}\n    }\n  }\n}", 0o600)
	m.uninstall()
	if got, want := m.text(m.servers()), "{\n  \"n\": 4,\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": "+
		"\"y\"\n    }\n  }\n}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAConfigurationMadeForTheServerGoesWithIt(t *testing.T) {
	m := newMachine(t)
	m.ClaudeDir = filepath.Join(m.Home, "elsewhere", "claude")
	m.installServer()
	if _, err := os.Stat(filepath.Join(m.ClaudeDir, ".claude.json")); err != nil {
		t.Fatal(err)
	}
	m.uninstall()
	if _, err := os.Stat(filepath.Join(m.Home, "elsewhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

func TestAServerThatIsNotOursIsLeftAlone(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want error
	}{
		"another program has the name": {
			`{"mcpServers":{"remanence":{"command":"/usr/bin/other","args":["mcp"]}}}`,
			ErrTaken,
		},
		"a list of servers": {`{"mcpServers":[]}`, ErrShape},
		"no object":         {`[]`, ErrShape},
		"nothing at all":    {"", ErrShape},
		"not JSON":          {`{"mcpServers":{}`, ErrNotJSON},
	} {
		m := newMachine(t)
		m.write(m.servers(), tt.text, 0o600)
		if _, err := PlanServer(m.Config); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
		}
		plan, _ := PlanUninstall(m.Config)
		if err := Uninstall(m.Config, plan); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := m.text(m.servers()); got != tt.text {
			t.Errorf("%s: changed to %q", name, got)
		}
	}
}

func TestAServerOfAnotherPlaceIsRewrittenWhereItStands(t *testing.T) {
	m := newMachine(t)
	m.write(m.servers(), `{"mcpServers":{"remanence":{"command":"/old/remanence","args":["mcp","--read-only"]},"x":{}},`+
		`"n":1}`, 0o600)
	m.installServer()
	want := `{"mcpServers":{"remanence":{"command":` + quote(m.Binary) + `,"args":["mcp","--read-only"]},"x":{}},"n":1}`
	if got := m.text(m.servers()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheServerGoesFromEveryDirectoryOfTheAgent(t *testing.T) {
	m := newMachine(t)
	m.install(Options{})
	m.installServer()
	first := m.snapshot()
	other := m
	other.ClaudeDir = filepath.Join(m.Home, "work")
	other.install(Options{})
	other.installServer()
	if m.snapshot() == first {
		t.Fatal("nothing was installed for the other directory")
	}
	m.uninstall()
	for _, c := range []Config{m.Config, other.Config} {
		if file, _, ok := Server(c); ok {
			t.Errorf("%s still has the server", file)
		}
	}
}
