package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remanence/internal/setup/section"
)

func TestAFileOfInstructionsGetsASectionOnRequestAndEveryByteBack(t *testing.T) {
	asked := Parts{Hooks: true, Server: true, Skills: true, Instructions: true, Trusted: true}
	for _, cl := range Clients() {
		for _, own := range []string{"none", "", "\n", "# Mine", "# Mine\n\nBe brief.\n", "# Mine\r\nBe brief.\r\n"} {
			c := emptyMachine(t)
			if cl.instructions == nil {
				if p := installParts(t, c, cl, asked); !p.NoInstructions {
					t.Errorf("%s: the plan does not say that there is no such file", cl.ID)
				}
				continue
			}
			file := cl.instructions(c)
			if own != "none" {
				writeFile(t, file, own)
			}
			text := func() string {
				b, err := os.ReadFile(file)
				if errors.Is(err, os.ErrNotExist) {
					return "none"
				}
				return string(b)
			}
			if installClient(t, c, cl); text() != own {
				t.Fatalf("%s: not asked for, and yet %q", cl.ID, text())
			}
			installParts(t, c, cl, asked)
			with := text()
			was := strings.TrimPrefix(own, "none")
			if n := strings.Count(with, "<!-- remanence begin"); n != 1 || !strings.HasPrefix(with, was) {
				t.Errorf("%s: %q became %q", cl.ID, own, with)
			}
			if p := installParts(t, c, cl, asked); p.Changes() || text() != with {
				t.Errorf("%s: a second installation makes %q of %q", cl.ID, text(), with)
			}
			if installClient(t, c, cl); text() != with {
				t.Errorf("%s: an installation without the request makes %q of %q", cl.ID, text(), with)
			}
			uninstallClient(t, c, cl)
			if text() != own {
				t.Errorf("%s: after uninstalling %q, want %q", cl.ID, text(), own)
			}
		}
	}
}

// A link to a file elsewhere stays one, and a section that is cut in two is left alone.
func TestInstructionsThatCannotBeEditedAreLeftAlone(t *testing.T) {
	cl := clientsOf(t, "codex")[0]
	c := emptyMachine(t)
	elsewhere := filepath.Join(c.Home, "dotfiles", "AGENTS.md")
	writeFile(t, elsewhere, "Mine.\n")
	writeFile(t, filepath.Join(cl.dir(c), "x"), "")
	if err := os.Symlink(elsewhere, cl.instructions(c)); err != nil {
		t.Fatal(err)
	}
	installParts(t, c, cl, Parts{Instructions: true})
	if info, err := os.Lstat(cl.instructions(c)); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	uninstallClient(t, c, cl)
	if b, _ := os.ReadFile(elsewhere); string(b) != "Mine.\n" {
		t.Errorf("after uninstalling: %q", b)
	}
	added, err := section.Put(nil)
	if err != nil {
		t.Fatal(err)
	}
	whole := string(added)
	writeFile(t, elsewhere, strings.Replace("Mine.\n"+whole, "<!-- remanence end -->", "", 1))
	if _, err := PlanClient(c, cl, Parts{Instructions: true}); !errors.Is(err, section.ErrUnended) {
		t.Errorf("a section without an end: %v", err)
	}
}
