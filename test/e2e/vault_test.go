//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// note writes a file of the person's vault.
func (u *user) note(name, text string) string {
	u.t.Helper()
	file := filepath.Join(strings.TrimSpace(u.remanence("vault", "path")), filepath.FromSlash(name))
	u.write(file, text)
	return file
}

func TestTheVaultIsInjectedAndFollowsEdits(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.remanence("vault", "init")
	u.note("IDENTITY.md", "I am the night shift of this shop.\n")
	u.note("USER.md", "# Me\n\nAda; short answers, please.\n")
	friday := u.note("memory/feedback_friday.md",
		"---\nname: No Friday deploys\ndescription: when to deploy\ntype: feedback\ncritical: true\ninvariant: Never "+
			"deploy on a Friday.\nmine: [1, 2]   # kept\n---\n\nThe till was down for a weekend.\n")
	ports := u.note("memory/reference_ports.md",
		"---\nname: Ports\ndescription: which port the gateway listens on\n---\n\nThe gateway listens on 8080.\n")
	u.run(session{
		script: script(
			says("It is 8080, as reference_ports.md says; reference_ports.md is the place to look.").
				given("--- IDENTITY AND USER (vault) ---", "I am the night shift of this shop.", "Ada; short answers, please.",
					"--- INVARIANTS (vault) ---", "Never deploy on a Friday.", "The gateway listens on 8080."),
			says("Still so."),
		),
		prompts: []string{"which port does the gateway have?", "and is that still so today?"},
		stream:  true,
	})
	var found struct {
		Memories []struct {
			ID   string
			Note struct{ File string }
			Uses int
		}
	}
	id := u.finds("ports")[0].ID
	u.asks(&found, "show", id)
	if m := found.Memories[0]; m.Uses != 1 || m.Note.File != "memory/reference_ports.md" {
		t.Errorf("got %+v, want one use of the file", m)
	}
	u.write(ports, "---\nname: Ports\ndescription: which port the gateway listens on\n---\n\nThe gateway listens on "+
		"9090 now.\n")
	u.run(session{
		script: script(says("It is 9090.").given("The gateway listens on 9090 now.",
			"Never deploy on a Friday.").without("listens on 8080")),
		prompts: []string{"which port does the gateway have?"},
	})
	u.remanence("mark", u.finds("Friday")[0].ID, "prevented", "--note", "would have deployed on a Friday")
	b, err := os.ReadFile(friday)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(b); !strings.Contains(text, "\nmine: [1, 2]   # kept\n") ||
		!strings.Contains(text, "\nprevented: 1\n") ||
		!strings.HasSuffix(text, "\n---\n\nThe till was down for a weekend.\n") {
		t.Errorf("got\n%s", text)
	}
	u.remanence("next", "--check", "-q")
}
