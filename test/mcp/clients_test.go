//go:build mcp && unix

// Package mcp tries the server with the clients that its protocol's makers
// publish, over both transports, and with many of them at once.
package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/test/world"
)

var clients string // where install.sh put them

func TestMain(m *testing.M) {
	out, err := exec.Command("./install.sh").CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		os.Exit(1)
	}
	line := strings.TrimPrefix(strings.TrimSpace(string(out)), "clients: ")
	clients, _, _ = strings.Cut(line, " (")
	os.Exit(world.Main(m))
}

// within is how long a client may take for all it does.
const within = 10 * time.Minute

// runs runs another vendor's program as the person and returns what it printed.
func runs(t *testing.T, p *world.Person, program string, args ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), within)
	defer stop()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = p.Project, p.Environ()
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", program, strings.Join(args, " "), err, out, errs.String())
	}
	return string(out)
}

func program(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(clients, "node_modules", pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	return found[0]
}

// serves serves the person's memory over HTTP and returns address and token.
func serves(t *testing.T, p *world.Person) (address, token string) {
	t.Helper()
	p.Run("daemon", "start")
	cmd := p.Command("mcp", "--http", "127.0.0.1:0")
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if at := regexp.MustCompile(`http://\S+`).FindString(lines.Text()); at != "" {
			b, err := os.ReadFile(filepath.Join(p.State(), "mcp-token"))
			if err != nil {
				t.Fatal(err)
			}
			return at, strings.TrimSpace(string(b))
		}
	}
	t.Fatal("no address is named")
	return "", ""
}

// daemonAddress returns the daemon's own address for the person's project, and its token.
func daemonAddress(t *testing.T, p *world.Person) []string {
	t.Helper()
	p.Run("open", "--print")
	rt, err := api.ReadRuntime(filepath.Join(p.State(), "run", "runtime.json"))
	if err != nil || rt.HTTP == "" {
		t.Fatalf("the daemon's port: %q, %v", rt.HTTP, err)
	}
	return []string{"http://" + rt.HTTP + "/mcp?project=" + url.QueryEscape(p.Project), rt.Token}
}

// whatTheClientSaw is what testdata/client.mjs prints.
type whatTheClientSaw struct {
	Server                               string
	Tools, Resources, Templates, Prompts []string
	Prompt                               int
	Status                               struct{ Memories int }
	Mistake                              struct {
		Failed bool
		Error  string
	}
	Saved struct {
		Saved     bool
		ID, Trust string
	}
	Found struct{ Results []struct{ ID string } }
	Read  struct{ Records []struct{ ID, Title string } }
}

func TestTheOfficialTypeScriptClient(t *testing.T) {
	for _, c := range []struct {
		name, transport string
		how             func(*testing.T, *world.Person) []string
	}{
		{"stdio", "stdio", func(*testing.T, *world.Person) []string { return []string{world.Binary, "mcp"} }},
		{"http", "http", func(t *testing.T, p *world.Person) []string {
			address, token := serves(t, p)
			return []string{address, token}
		}},
		{"at the daemon's port", "http", daemonAddress},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := world.NewPerson(t)
			transport, how := c.transport, c.how(t, p)
			script, err := filepath.Abs("testdata/client.mjs")
			if err != nil {
				t.Fatal(err)
			}
			out := runs(t, p, "node", append([]string{script, clients, transport}, how...)...)
			var saw whatTheClientSaw
			if err := json.Unmarshal([]byte(out), &saw); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			if saw.Server != "remanence" || len(saw.Tools) != 9 || len(saw.Resources) < 5 || len(saw.Templates) != 1 ||
				len(saw.Prompts) != 2 || saw.Prompt != 1 {
				t.Errorf("it was offered %s", out)
			}
			if !saw.Saved.Saved || saw.Saved.Trust != "L0" {
				t.Errorf("saved: %+v, want it saved with L0: which session calls is not known", saw.Saved)
			}
			if len(saw.Found.Results) == 0 || saw.Found.Results[0].ID != saw.Saved.ID {
				t.Errorf("found: %+v, want %s first", saw.Found, saw.Saved.ID)
			}
			if len(saw.Read.Records) != 1 || !strings.Contains(saw.Read.Records[0].Title, transport+" courier") {
				t.Errorf("read: %+v", saw.Read)
			}
			if !saw.Mistake.Failed || saw.Mistake.Error != "bad_arguments" || saw.Status.Memories == 0 {
				t.Errorf("a mistake: %+v, status: %+v", saw.Mistake, saw.Status)
			}
		})
	}
}

func TestTheOfficialInspector(t *testing.T) {
	p := world.NewPerson(t)
	p.Run("add", "the night porter keeps the spare key in the blue box")
	address, token := serves(t, p)
	inspector := program(t, "@modelcontextprotocol/inspector/clients/launcher/build/index.js")
	for transport, how := range map[string][]string{
		"http":  {address, "--transport", "http", "--header", "Authorization: Bearer " + token},
		"stdio": {world.Binary, "mcp"},
	} {
		t.Run(transport, func(t *testing.T) {
			inspect := func(args ...string) string {
				return runs(t, p, "node", slices.Concat([]string{inspector, "--cli"}, how, args)...)
			}
			var listed struct {
				Tools []struct {
					Name        string
					InputSchema struct{ Type string }
				}
			}
			if err := json.Unmarshal([]byte(inspect("--method", "tools/list")), &listed); err != nil || len(listed.Tools) != 9 ||
				listed.Tools[0].InputSchema.Type != "object" {
				t.Errorf("tools: %+v, %v", listed, err)
			}
			for method, want := range map[string]string{
				"resources/list": "remanence://project/state",
				"prompts/list":   "handoff",
			} {
				if out := inspect("--method", method); !strings.Contains(out, want) {
					t.Errorf("%s: %s", method, out)
				}
			}
			if out := inspect("--method", "tools/call", "--tool-name", "search", "--tool-arg",
				"query=where is the spare key"); !strings.Contains(out, "night porter") {
				t.Errorf("search: %s", out)
			}
			if out := inspect("--method", "resources/read", "--uri", "remanence://status"); !strings.Contains(out, "memories") {
				t.Errorf("status: %s", out)
			}
		})
	}
}

// Why a scenario of the suite says nothing about this server.
const (
	fixture   = "calls a tool, reads a resource or gets a prompt of the suite's own example server by name"
	noClient  = "the server asks nothing of its client"
	noUpdates = "nothing is announced, so nothing is completed, subscribed to or logged"
	noStream  = "answers come whole, no stream of events is opened"
)

// scenarios are those of the conformance suite, each with why it does not
// apply, or "".
var scenarios = map[string]string{
	"server-initialize": "", "ping": "", "tools-list": "", "resources-list": "", "prompts-list": "",
	"dns-rebinding-protection": "", "logging-set-level": "",
	"tools-call-simple-text": fixture, "tools-call-image": fixture, "tools-call-audio": fixture,
	"tools-call-embedded-resource": fixture,
	"tools-call-mixed-content":     fixture, "tools-call-error": fixture, "json-schema-2020-12": fixture,
	"resources-read-text":   fixture,
	"resources-read-binary": fixture, "resources-templates-read": fixture, "prompts-get-simple": fixture,
	"prompts-get-with-args":         fixture,
	"prompts-get-embedded-resource": fixture, "prompts-get-with-image": fixture,
	"tools-call-sampling": noClient, "tools-call-elicitation": noClient, "elicitation-sep1034-defaults": noClient,
	"elicitation-sep1330-enums": noClient,
	"completion-complete":       noUpdates, "resources-subscribe": noUpdates, "resources-unsubscribe": noUpdates,
	"tools-call-with-logging": noUpdates, "tools-call-with-progress": noUpdates,
	"server-sse-polling": noStream, "server-sse-multiple-streams": noStream,
}

func TestTheOfficialConformanceSuite(t *testing.T) {
	p := world.NewPerson(t)
	bun, suite := program(t, "@oven/bun-*/bin/bun"), program(t, "@modelcontextprotocol/conformance/dist/index.js")
	url := admitted(t, p)
	listed := regexp.MustCompile(`(?m)^  - ([a-z0-9-]+)`).FindAllStringSubmatch(runs(t, p, bun, suite, "list", "--server"),
		-1)
	if len(listed) != len(scenarios) {
		t.Errorf("the suite has %d scenarios, %d are known", len(listed), len(scenarios))
	}
	applied := 0
	for _, s := range listed {
		why, known := scenarios[s[1]]
		if !known {
			t.Errorf("a new scenario: %s", s[1])
		}
		if why != "" || !known {
			continue
		}
		applied++
		t.Run(s[1], func(t *testing.T) {
			out := runs(t, p, bun, suite, "server", "--url", url, "--scenario", s[1])
			if !regexp.MustCompile(`Passed: (\d+)/(\d+), 0 failed, 0 warnings`).MatchString(out) ||
				strings.Contains(out, "Passed: 0/") {
				t.Errorf("%s", out)
			}
		})
	}
	t.Logf("%d scenarios, %d apply", len(listed), applied)
}

// admitted is an address at which every request is given the token, since the
// suite knows of none, and its own host is reported as the server's.
func admitted(t *testing.T, p *world.Person) string {
	t.Helper()
	address, token := serves(t, p)
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	own := l.Addr().String()
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
		r.Out.Header.Set("Authorization", "Bearer "+token)
		if r.Out.Host = r.In.Host; r.In.Host == own {
			r.Out.Host = to.Host
		}
		if r.In.Header.Get("Origin") == "http://"+own {
			r.Out.Header.Set("Origin", "http://"+to.Host)
		}
	}}
	srv := &http.Server{Handler: proxy, ReadHeaderTimeout: within}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return "http://" + own + to.Path
}
