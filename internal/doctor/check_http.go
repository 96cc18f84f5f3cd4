package doctor

import (
	"context"
	"strconv"
	"strings"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/fault"
)

// checkHTTP looks whether tools find the daemon at the port they were promised.
// Without a promise there is nothing to say.
func (a *Checks) checkHTTP(ctx context.Context) []Check {
	rt, _, err := a.Running(ctx)
	if err != nil {
		return nil // the daemon has a check of its own
	}
	cfg, _ := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
	return HTTPItem(config.Get[int](cfg, "worker.http_port"), rt)
}

// HTTPItem judges the port on which the daemon listens.
func HTTPItem(port int, rt api.Runtime) []Check {
	switch {
	case port == 0 && rt.HTTP == "":
		return nil
	case port != 0 && rt.HTTPFault != "":
		return []Check{Bad("http", false, fault.Port.Because("%s", rt.HTTPFault))}
	case port == 0 && strings.HasSuffix(rt.HTTP, ":"+strconv.Itoa(rt.HTTPPort)):
		return []Check{Good("http", false, "open for your browser at %s", rt.HTTP)}
	case port == 0 || !strings.HasSuffix(rt.HTTP, ":"+strconv.Itoa(port)):
		return []Check{Bad("http", false, fault.Port.WithMessage("the daemon does not listen as configured").
			Because("worker.http_port is %d since after it started", port).FixedBy("remanence daemon restart"))}
	}
	return []Check{Good("http", false, "tools may ask at %s", rt.HTTP)}
}
