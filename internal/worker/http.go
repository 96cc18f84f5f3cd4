package worker

import (
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
)

// openHTTP opens the door on TCP, if one is asked for. A port that cannot be
// had is told where people look, and the socket is served all the same. It is
// not tried again: whoever holds the port meanwhile may have been shown the
// token, which is worth nothing as long as this door stays shut.
func (w *worker) openHTTP() {
	if w.cfg.HTTPPort == 0 {
		return
	}
	doors, err := listenLoopback(w.cfg.HTTPPort)
	if err != nil {
		w.cfg.Log.Warn("http port not open", "port", w.cfg.HTTPPort, "error", err)
		w.runtime.HTTPFault = err.Error()
		return
	}
	slots := make(chan struct{}, MaxHTTPConnections)
	for _, l := range doors {
		w.doors = append(w.doors, guard(l, slots, nil, w.cfg.Log))
	}
	w.runtime.HTTP = doors[0].Addr().String()
}

// listenLoopback listens on a port of this machine's loopback addresses: on all
// of them, or on none, so that a name for both never leads to somebody else.
func listenLoopback(port int) ([]net.Listener, error) {
	hosts := []string{"127.0.0.1"}
	if hasIPv6() {
		hosts = append(hosts, "::1")
	}
	var open []net.Listener
	for _, host := range hosts {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			closeAll(open)
			return nil, err
		}
		open = append(open, l)
	}
	return open, nil
}

func hasIPv6() bool {
	addrs, err := net.InterfaceAddrs()
	return err == nil && slices.ContainsFunc(addrs, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(net.IPv6loopback)
	})
}

func closeAll(open []net.Listener) {
	for _, l := range open {
		_ = l.Close()
	}
}

// serveHTTP serves one address of the door on TCP. Should that end by itself,
// the worker goes on without it.
func (w *worker) serveHTTP(l net.Listener) {
	if err := w.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		w.cfg.Log.Warn("http port failed", "error", err)
	}
}
