package toml

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

const (
	tableA = "[a.\"b c:d\"]\nk = \"v\"\n"
	tableB = "[b]\nargs = [\n  [\"x\"]\n]\n"
)

func isTable(names ...string) func(Doc, Head) bool {
	return func(_ Doc, h Head) bool { return slices.Contains(names, strings.Join(h.Name, "/")) }
}

func TestTablesAddedToATextAreCutOutToTheByte(t *testing.T) {
	for _, src := range []string{
		"", "\n", "x = 1", "x = 1\n", "x = 1\n\n", "# only a remark", "x = 1\r\ny = 2\r\n", "[t]\nx = 1 # [b]\n\n\n",
		"s = \"\"\"\n[b]\n\"\"\"\n", "l = [\n  [\"b\"],\n  [1]\n]\n", "s = '''\n[b]''' # \"\n", "s = \"a \\\" [b]\"\n",
		"[t] # \"\nx = '\"'\n", "\ufeffx = 1",
	} {
		with := Append([]byte(src), tableA, tableB)
		d := Parse(with)
		if !d.Table("a", "b c:d") || !d.Table("b") || !d.Has("b", "args") {
			t.Errorf("%q: the tables are not found in\n%s", src, with)
		}
		if got := Cut(with, isTable("a/b c:d", "b")); string(got) != src {
			t.Errorf("got %q, want %q", got, src)
		}
	}
}

func TestWhatOthersAddAfterOurTablesStays(t *testing.T) {
	with := Append([]byte("x = 1"), tableA, tableB)
	with = append(with, "\n# theirs\n[c]\ny = 2\n"...)
	got := Cut(with, isTable("a/b c:d", "b"))
	if want := "x = 1\n\n# theirs\n[c]\ny = 2\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	with = bytes.ReplaceAll(with, []byte("[b]\n"), []byte("[b]\nmore = true\n"))
	if got := Cut(with, isTable("nothing")); !bytes.Equal(got, with) {
		t.Errorf("got %q, want it unchanged", got)
	}
}

func TestNamesOfTOMLAreFoundInEveryForm(t *testing.T) {
	for _, src := range []string{
		"[mcp_servers.remanence]\n", "[ mcp_servers . \"remanence\" ]\n", "[mcp_servers]\nremanence = { command = \"x\" }\n",
		"mcp_servers.remanence.command = \"x\"\n", "[mcp_servers]\n'remanence'.command = 'x'\n",
		"[[x]]\n[mcp_servers.remanence.env]\nA = 1\n",
	} {
		if !Parse([]byte(src)).Has("mcp_servers", "remanence") {
			t.Errorf("not found in %q", src)
		}
	}
	for _, src := range []string{
		"# [mcp_servers.remanence]\n", "s = \"\"\"\n[mcp_servers.remanence]\n\"\"\"\n", "[mcp_servers.other]\n", "",
		"[other]\nmcp_servers.remanence = 1\n", "a = [\n[mcp_servers.remanence]\n]\n",
	} {
		if Parse([]byte(src)).Has("mcp_servers", "remanence") {
			t.Errorf("found in %q", src)
		}
	}
	if d := Parse([]byte("mcp_servers = { x = {} }\n")); !d.Assigned("mcp_servers") {
		t.Error("a value was not seen as one")
	}
	if d := Parse([]byte("[mcp_servers]\n[mcp_servers.x]\n")); d.Assigned("mcp_servers") {
		t.Error("a table was seen as a value")
	}
}

func TestAValueAtTheBeginningIsFoundAndCutOutToTheByte(t *testing.T) {
	for _, src := range []string{
		"", "\n", "x = 1", "# n = 2\r\n[t]\r\nn = 3\r\n", "[t]\nn = 1", "\ufeff", "\ufeff[t]\n", "l = [\n'n = 1'\n]\n",
	} {
		if got := Value([]byte(src), "n"); got != "" {
			t.Errorf("%q: found %q", src, got)
		}
		with := Prepend([]byte(src), "n = [\"v\"]")
		if got := Value(with, "n"); got != "[\"v\"]" {
			t.Errorf("%q: got %q in %q", src, got, with)
		}
		if got := CutValue(with, "n"); string(got) != src {
			t.Errorf("got %q, want %q", got, src)
		}
	}
	if got := Value([]byte("n = [\n1]\n"), "n"); got != "" {
		t.Errorf("a value of several lines: %q", got)
	}
}
