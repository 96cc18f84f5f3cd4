package worker

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"remanence/internal/api"
)

// openHTTP opens the door on TCP, if one is asked for: by the configuration, or
// by a browser that an earlier worker let in and whose login still lasts. A port
// that cannot be had is told where people look, and the socket is served all the
// same. It is not tried again: whoever holds the port meanwhile may have been
// shown the token, which is worth nothing as long as this door stays shut.
func (w *worker) openHTTP() {
	port := w.cfg.HTTPPort
	if port == 0 && time.Now().Before(w.runtime.Login.Until) {
		port = w.runtime.HTTPPort
	}
	if port == 0 {
		return
	}
	if err := w.listenHTTP(port); err != nil {
		w.cfg.Log.Warn("http port not open", "port", port, "error", err)
		if w.cfg.HTTPPort != 0 {
			w.runtime.HTTPFault = err.Error()
		}
		return
	}
	w.runtime.HTTP = w.doors[0].Addr().String()
}

// listenHTTP makes the door on TCP at a port; 0 means any.
func (w *worker) listenHTTP(port int) error {
	doors, err := listenLoopback(port)
	if err != nil {
		return err
	}
	slots := make(chan struct{}, MaxHTTPConnections)
	for _, l := range doors {
		w.doors = append(w.doors, guard(l, slots, nil, w.cfg.Log))
	}
	w.http = w.newServer(api.LoopbackHosts(portOf(doors[0]))...)
	return nil
}

// open lets a person's browser in: it opens the door on TCP, if that is shut, at
// the port of the last time, if that is free, and makes a code for one login.
func (w *worker) open(context.Context, api.Nothing) (api.Opened, error) {
	w.opening.Lock()
	defer w.opening.Unlock()
	switch {
	case w.draining.Load():
		return api.Opened{}, &api.Error{Status: http.StatusServiceUnavailable, Name: "not_ready", Detail: api.Draining}
	case len(w.doors) == 0 && w.cfg.HTTPPort != 0:
		return api.Opened{}, &api.Error{Status: http.StatusServiceUnavailable, Name: "no_port", Detail: w.runtime.HTTPFault}
	case len(w.doors) == 0:
		err := w.listenHTTP(w.runtime.HTTPPort)
		if err != nil && w.runtime.HTTPPort != 0 {
			err = w.listenHTTP(0)
		}
		if err != nil {
			return api.Opened{}, &api.Error{Status: http.StatusServiceUnavailable, Name: "no_port", Detail: err.Error()}
		}
		for _, l := range w.doors {
			w.all.Go(func() { w.serveHTTP(l) })
		}
		at := w.doors[0].Addr().String()
		w.tell(func(rt *api.Runtime) { rt.HTTP, rt.HTTPPort = at, portOf(w.doors[0]) })
		w.cfg.Log.Info("http port opened for a browser", "http", w.runtime.HTTP)
	}
	return api.Opened{URL: "http://" + w.runtime.HTTP + "/", Code: w.logins.Code(), Until: time.Now().Add(api.CodeFor).UTC()}, nil
}

// anyPort is how many ports are tried where any will do: one that is free on
// one address may be taken on the other.
const anyPort = 8

// listenLoopback listens on a port of this machine's loopback addresses, 0 being
// any: on all of them, or on none, so that a name for both never leads to somebody else.
func listenLoopback(port int) (open []net.Listener, err error) {
	if port != 0 {
		return listenAll(port)
	}
	for range anyPort {
		if open, err = listenAll(0); err == nil {
			break
		}
	}
	return open, err
}

func listenAll(port int) ([]net.Listener, error) {
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
		open, port = append(open, l), portOf(l)
	}
	return open, nil
}

func portOf(l net.Listener) int {
	at, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0
	}
	return at.Port
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
