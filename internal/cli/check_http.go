package cli

import (
	"context"
	"strconv"
	"strings"

	"remanence/internal/api"
)

// checkHTTP looks whether tools find the daemon at the port they were promised.
// Without a promise there is nothing to say.
func (a *app) checkHTTP(ctx context.Context) []checkItem {
	rt, _, err := a.running(ctx)
	if err != nil {
		return nil // the daemon has a check of its own
	}
	cfg, _ := LoadConfig(a.paths.Config, a.sys.Getenv)
	return httpItem(value[int](cfg, "worker.http_port"), rt)
}

func httpItem(port int, rt api.Runtime) []checkItem {
	switch {
	case port == 0 && rt.HTTP == "":
		return nil
	case port != 0 && rt.HTTPFault != "":
		return []checkItem{bad("http", false, faultPort.because("%s", rt.HTTPFault))}
	case port == 0 && strings.HasSuffix(rt.HTTP, ":"+strconv.Itoa(rt.HTTPPort)):
		return []checkItem{good("http", false, "open for your browser at %s", rt.HTTP)}
	case port == 0 || !strings.HasSuffix(rt.HTTP, ":"+strconv.Itoa(port)):
		return []checkItem{bad("http", false, faultPort.about("the daemon does not listen as configured").
			because("worker.http_port is %d since after it started", port).fixedBy("remanence daemon restart"))}
	}
	return []checkItem{good("http", false, "tools may ask at %s", rt.HTTP)}
}
