package cli

import (
	"context"
	"errors"
	"net/url"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/fault"
)

// viewerPages are the pages that a person may name.
var viewerPages = []string{
	"today", "sessions", "memories", "injections", "review", "usage", "files", "map", "health", "settings",
	"recap", "state", "propose", "log",
}

// pageOf is where the viewer shows a page or the thing of an id.
func pageOf(arg string) (path string, ok bool) {
	kind, rest, isID := strings.Cut(arg, "_")
	switch {
	case arg == "", arg == "today":
		return "", true
	case slices.Contains(viewerPages, arg):
		return arg, true
	case !isID || rest == "" || url.PathEscape(rest) != rest:
		return "", false
	case kind == "m":
		return "m/" + arg, true
	case kind == "s":
		return "sessions/" + arg, true
	case kind == "r":
		return "injections/" + arg, true
	}
	return "", false
}

func openCommand(a *app) *cobra.Command {
	var only bool
	cmd := &cobra.Command{
		Use:        "open [page | id]",
		SuggestFor: []string{"ui", "web", "viewer", "dashboard"},
		Short:      "look at it all in the browser",
		Long: "The daemon opens a port of this machine for it, if none is open, and the\naddress holds a code that lets " +
			"one browser in, once, within a minute.\n" +
			"Pages: " + strings.Join(viewerPages[:7], " ") + "\n       " + strings.Join(viewerPages[7:], " "),
		Example: "  remanence open\n  remanence open memories\n  remanence open m_7k2q\n  remanence open --print",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			arg := ""
			if len(args) > 0 {
				arg = args[0]
			}
			return runOpen(cmd.Context(), a, arg, only)
		},
	}
	cmd.Flags().BoolVar(&only, "print", false, "print the address and start no browser")
	return cmd
}

func runOpen(ctx context.Context, a *app, arg string, only bool) error {
	path, ok := pageOf(arg)
	if !ok {
		return fault.Input.WithMessage("there is no page %q", arg).FixedBy("remanence open", "remanence open --help")
	}
	if a.NoDaemon {
		return fault.Usage.WithMessage("--no-daemon and open contradict each other").FixedBy("remanence open")
	}
	got, err := ask(ctx, a, api.Open, api.Nothing{})
	var e *api.Error
	if errors.As(err, &e) && e.Name == "no_port" {
		return fault.Port.WithExit(fault.ExitNoSetup).Because("%s", e.Detail)
	}
	if err != nil {
		return err
	}
	v := openView{URL: got.URL + path + "#code=" + got.Code, Until: ui.TimeOrNil(got.Until)}
	if !only && !a.flags.JSON && !a.flags.JSONLines {
		v.started = a.browse(v.URL)
	}
	return a.out.Show(v)
}

// browse starts the person's browser with an address, if there is one, and does
// not wait: some stay as long as they are looked at.
func (a *app) browse(address string) bool {
	var words []string
	switch {
	case a.Sys.Getenv("BROWSER") != "":
		words = strings.Fields(a.Sys.Getenv("BROWSER"))
	case runtime.GOOS == "darwin":
		words = []string{"open"}
	case runtime.GOOS == "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler"}
	case a.Sys.Getenv("DISPLAY") != "" || a.Sys.Getenv("WAYLAND_DISPLAY") != "":
		words = []string{"xdg-open"}
	}
	if len(words) == 0 {
		return false
	}
	cmd := exec.Command(words[0], append(words[1:], address)...)
	return cmd.Start() == nil && cmd.Process.Release() == nil
}

// openView is where the viewer is.
type openView struct {
	URL   string     `json:"url"`   // with the code, which is good once
	Until *time.Time `json:"until"` // when the code ends

	started bool
}

func (openView) SchemaName() string { return "open" }

func (v openView) Print(p *ui.Printer) {
	if v.started {
		place, _, _ := strings.Cut(v.URL, "#")
		p.Say("Your browser is opening %s", place)
		return
	}
	p.Line("%s", v.URL)
	p.Say("The code in it is good for one browser, within a minute.")
}
