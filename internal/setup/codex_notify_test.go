package setup

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestCodexReportsTurnsByNotifyWhileItSkipsTheHooks(t *testing.T) {
	for _, own := range []string{
		"", "\n", "model = \"x\"", "\ufeffmodel = \"x\"\r\n[t]\r\n", "# mine\n[t]\nnotify = [\"theirs\"]\n",
		"s = '''\nnotify = 1\n'''\n",
	} {
		c := emptyMachine(t)
		cl, _ := ClientByID("codex")
		config := cl.targets[1].path(c)
		writeFile(t, config, own)
		text := func() string {
			b, err := os.ReadFile(config)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		untrusted := Parts{Hooks: true, Server: true}
		for range 2 {
			p := installParts(t, c, cl, untrusted)
			if !notifies([]byte(text())) || !strings.Contains(p.Untrusted(), "reports turns") {
				t.Errorf("with %q: %q, want notify in\n%s", own, p.Untrusted(), text())
			}
		}
		if why := trustOf(t, c, cl).Why; !strings.Contains(why, "reports turns as they end") {
			t.Errorf("the finding says %q", why)
		}
		if p := installClient(t, c, cl); notifies([]byte(text())) || p.Untrusted() != "" {
			t.Errorf("with trust: %q and\n%s", p.Untrusted(), text())
		}
		installParts(t, c, cl, untrusted) // which keeps the trust
		if notifies([]byte(text())) || trustOf(t, c, cl).State != OK {
			t.Errorf("without a new consent: %+v and\n%s", trustOf(t, c, cl), text())
		}
		uninstallClient(t, c, cl)
		if text() != own {
			t.Errorf("after uninstalling: %q, want %q", text(), own)
		}
		installParts(t, c, cl, untrusted)
		writeFile(t, config, text()+"\n[theirs]\nx = 1\n")
		uninstallClient(t, c, cl)
		if got := text(); strings.Contains(got, "remanence") || !strings.HasSuffix(got, "[theirs]\nx = 1\n") {
			t.Errorf("after a change: %q", got)
		}
	}
}

func installParts(t *testing.T, c Config, cl Client, parts Parts) ClientPlan {
	t.Helper()
	p, err := PlanClient(c, cl, parts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ApplyClient(c, p); err != nil {
		t.Fatal(err)
	}
	return p
}

func trustOf(t *testing.T, c Config, cl Client) Finding {
	t.Helper()
	list := CheckClient(c, cl).Findings
	i := slices.IndexFunc(list, func(f Finding) bool { return f.ID == "codex.trust" })
	if i < 0 {
		t.Fatalf("no finding on trust in %+v", list)
	}
	return list[i]
}

func TestTheNotifyProgramOfAPersonStays(t *testing.T) {
	for _, own := range []string{
		"notify = [\"say\", \"done\"]\n", "notify = [\n \"say\"]\n[t]\n",
		"'notify' = [\"/bin/remanence\", \"hook\", \"codex\"] # mine\n",
	} {
		c := emptyMachine(t)
		cl, _ := ClientByID("codex")
		config := cl.targets[1].path(c)
		writeFile(t, config, own)
		p := installParts(t, c, cl, Parts{Hooks: true})
		if b, _ := os.ReadFile(config); string(b) != own || !strings.Contains(p.Untrusted(), "nothing is kept") {
			t.Errorf("%q: became %q, said %q", own, b, p.Untrusted())
		}
	}
}
