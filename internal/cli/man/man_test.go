package man

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// tree is a command with one sub-command and one that is hidden.
func tree() *cobra.Command {
	run := func(*cobra.Command, []string) {}
	root := &cobra.Command{Use: "tool", Short: "do things", Run: run}
	root.PersistentFlags().Bool("json", false, "answer in JSON")
	sub := &cobra.Command{
		Use: "keep TEXT", Short: "keep a text", Long: ".hidden files stay.\n\n  a\\b  as it is",
		Example: "  tool keep -n 3 'x'", Run: run,
	}
	sub.Flags().IntP("number", "n", 1, "how many")
	root.AddCommand(sub, &cobra.Command{Use: "secret", Hidden: true, Run: run})
	return root
}

func TestEveryVisibleCommandHasAPage(t *testing.T) {
	pages := Pages(tree(), "1.2.3", "2026-11-25")
	var names []string
	for _, p := range pages {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "tool.1 tool-keep.1" {
		t.Fatalf("pages %q", got)
	}
	for _, want := range []string{
		".TH \"TOOL-KEEP\" 1 \"2026-11-25\" \"remanence 1.2.3\"", "tool\\-keep \\- keep a text", "\\&.hidden files stay.",
		"  a\\eb  as it is", "\\fB\\-n\\fR, \\fB\\-\\-number\\fR \\fIint\\fR\nhow many", "  tool keep \\-n 3 'x'",
		".SH EXIT STATUS\n.TP\n0\ndone;", ".SH SEE ALSO\n\\fBtool\\fR(1)",
	} {
		if !strings.Contains(pages[1].Text, want) {
			t.Errorf("no %q in\n%s", want, pages[1].Text)
		}
	}
	if !strings.Contains(pages[0].Text, ".SH OPTIONS OF EVERY COMMAND\n.TP\n\\fB\\-\\-json\\fR\n") {
		t.Errorf("the flags of every command are not on the first page:\n%s", pages[0].Text)
	}
}

func TestGroffReadsThePagesWithoutAWarning(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("groff is not installed")
		}
		t.Skip("groff is not installed")
	}
	for _, p := range Pages(tree(), "1.2.3", "") {
		cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
		cmd.Stdin = strings.NewReader(p.Text)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", p.Name, err, out)
		}
	}
}
