package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/inject"
	"remanence/internal/mcpserver"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// asConfigured is the address that stands for the one in the configuration.
const asConfigured = "on"

func mcpCommand(a *app) *cobra.Command {
	var address string
	var readOnly bool
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "serve memory to an agent by the Model Context Protocol",
		Long: "An agent's client starts this and speaks to it over its standard input and\noutput. Which tools are listed " +
			"is set with mcp.tools.\n\n" +
			"With --http it serves clients on this machine until it is stopped. Every\nrequest needs the token of the file " +
			"that it names.",
		Example: "  remanence mcp                          what a client's configuration runs\n" +
			"  remanence mcp --read-only              nothing that it serves changes anything\n" +
			"  remanence mcp --http 127.0.0.1:7410    over HTTP, until it is stopped",
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.NoDaemon {
				return fault.Usage.WithMessage("mcp does not work with --no-daemon").Because("it never opens the database itself").
					FixedBy("leave --no-daemon out")
			}
			cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
			if err != nil {
				a.out.Say("remanence: %s", err)
			}
			s := mcpServer(a, cfg, readOnly)
			if address == "" {
				return s.Serve(cmd.Context(), closeOnce(a.Sys.Stdin), keptOpen{a.Sys.Stdout})
			}
			if address == asConfigured {
				address = config.Get[string](cfg, "mcp.http")
			}
			return serveMCP(cmd.Context(), a, s, address)
		},
	}
	cmd.Flags().StringVar(&address, "http", "",
		"serve on this loopback address instead, such as 127.0.0.1:7410; on is that of mcp.http")
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "list and do nothing that changes anything")
	return cmd
}

// mcpServer is the server over the daemon, which it finds or starts for each call:
// it outlives daemons that went idle or are of an older version.
func mcpServer(a *app, cfg config.Config, readOnly bool) *mcpserver.Server {
	c := overMCP(cfg, a.Sys.Now, func(ctx context.Context) (api.Caller, func(), error) {
		return daemon.Connect(ctx, a.Connection)
	})
	c.Place, c.Session, c.Reader = a.ProjectRef(), a.session(), readOnly
	c.Client, c.Root = os.Getppid(), a.Sys.Getenv("CLAUDE_PROJECT_DIR")
	c.Abandon = func() { a.Sys.Exit(fault.ExitFailed) }
	return mcpserver.New(c)
}

// mcpOf returns the server within the daemon. Its callers name the project.
func mcpOf(h *daemon.Daemon) http.Handler {
	return lazily(func() http.Handler {
		here := api.Local(h.CheckedRoutes())
		c := overMCP(h.Config.Now(), h.Sys.Now, func(context.Context) (api.Caller, func(), error) {
			return here, func() {}, nil
		})
		return mcpserver.New(c).HTTP()
	})
}

// lazily is a handler that is made for the first request.
func lazily(made func() http.Handler) http.Handler {
	once := sync.OnceValue(made)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { once().ServeHTTP(w, r) })
}

// overMCP is the configuration that every server shares.
func overMCP(cfg config.Config, now func() time.Time, r reacher) mcpserver.Config {
	return mcpserver.Config{
		Version: config.Version, Tools: config.Get[string](cfg, "mcp.tools"), Now: now,
		Explain: problemOf, Plain: plainLine, Source: func(m mem.Memory) string { return ui.Provenance(m, now()) },
		Memory: mcpserver.Memory{
			Search: port(r, api.Search), Timeline: port(r, api.Timeline), Show: port(r, api.Show), Status: port(r, api.Status),
			Add: port(r, api.Add), Edit: port(r, api.Edit), Mark: port(r, api.Mark), Feedback: port(r, api.Feedback),
			State: port(r, api.State), Handoff: port(r, api.Handoff), Successor: port(r, api.Successor), Next: port(r, api.Next),
			Related:     port(r, api.Related),
			Consolidate: port(r, api.Consolidate), Why: port(r, api.Why), Checkpoints: port(r, api.Checkpoints),
			Session: port(r, api.GetSession), Blame: port(r, api.BlameFile), Recap: port(r, api.Recap),
			Propose: port(r, api.ProposeFile),
			Projects: func(ctx context.Context) (views.ProjectsResponse, error) {
				return port(r, api.Projects)(ctx, api.Nothing{})
			},
		},
	}
}

// mcpPatience is how long one call may take, a start of the daemon included.
const mcpPatience = 30 * time.Second

// reacher connects a call to the daemon and returns how to close the connection.
type reacher func(context.Context) (api.Caller, func(), error)

// port is a route to the daemon as a function.
func port[Req, Rep any](by reacher, r api.Route[Req, Rep]) func(context.Context, Req) (Rep, error) {
	return func(ctx context.Context, req Req) (Rep, error) {
		ctx, stop := context.WithTimeout(ctx, mcpPatience)
		defer stop()
		caller, closed, err := by(ctx)
		if err != nil {
			var none Rep
			return none, err
		}
		defer closed()
		return r.Call(ctx, caller, req)
	}
}

// problemOf is an error as an agent reads it. What is not the call's own mistake
// makes the memory unavailable: the agent goes on without.
func problemOf(err error) mcpserver.Problem {
	f := daemon.Explain(err)
	p := mcpserver.Problem{Code: "memory_unavailable", Degraded: true, What: f.What, Why: f.Why, Fix: f.Fix}
	for _, k := range []struct {
		is   error
		code string
	}{{mem.ErrNotFound, "not_found"}, {mem.ErrAmbiguous, "ambiguous"}, {api.ErrInvalid, "bad_arguments"}} {
		if errors.Is(err, k.is) {
			p.Code, p.Degraded = k.code, false
		}
	}
	if p.Code == "not_found" {
		p.Fix = []string{"search and timeline give ids"} // an agent has the tools, not the commands
	}
	return p
}

// plainLine makes one line safe to inject, and keeps its indentation.
func plainLine(s string) string {
	text := strings.TrimLeft(s, " \t")
	return s[:len(s)-len(text)] + inject.Neutral(text)
}

// closeOnce makes an input closable, so that a server can end while it waits for it.
func closeOnce(r io.Reader) io.ReadCloser {
	if c, ok := r.(io.ReadCloser); ok {
		return c
	}
	return io.NopCloser(r)
}

// keptOpen is an output that is not the server's to close.
type keptOpen struct{ io.Writer }

// Close implements io.Closer.
func (keptOpen) Close() error { return nil }

// serveMCP serves clients on this machine until ctx ends.
func serveMCP(ctx context.Context, a *app, s *mcpserver.Server, address string) error {
	address, err := config.Loopback(address)
	if err != nil {
		return err
	}
	token := config.ReadSecret(a.Paths.MCPToken())
	if token == nil {
		return fault.ReadOnly.Because("the token for it cannot be kept in %s", a.Paths.MCPToken())
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fault.Other.WithMessage("the address cannot be listened on").Because("%s",
			err).FixedBy("remanence mcp --http 127.0.0.1:0", "another port")
	}
	port := l.Addr().(*net.TCPAddr).Port
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.HTTP())
	var one http.Protocols
	one.SetHTTP1(true)
	srv := &http.Server{
		Handler:           api.Guard(api.Access{Hosts: api.LoopbackHosts(port), Token: fmt.Sprintf("%x", token)}, mux),
		ReadHeaderTimeout: 2 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: mcpPatience + 10*time.Second,
		IdleTimeout:    time.Minute,
		MaxHeaderBytes: 16 << 10, Protocols: &one,
	}
	a.out.Say("serving http://%s/mcp", l.Addr())
	a.out.Say("every request carries the header Authorization: Bearer and the token in %s", a.Paths.MCPToken())
	defer context.AfterFunc(ctx, func() { _ = srv.Close() })()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve mcp over http: %w", err)
	}
	return nil
}
