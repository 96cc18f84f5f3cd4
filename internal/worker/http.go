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

// openHTTP listens on TCP if the configuration says so, or if a browser's login from an
// earlier daemon is still valid. If the port is taken, a warning is logged and only the socket
// is served. The port is not tried again: the program that holds it may have received the
// token, which is useless while this daemon does not listen.
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
	w.runtime.HTTP = w.httpListeners[0].Addr().String()
}

// listenHTTP listens on a TCP port; 0 means any.
func (w *worker) listenHTTP(port int) error {
	doors, err := listenLoopback(port)
	if err != nil {
		return err
	}
	slots := make(chan struct{}, MaxHTTPConnections)
	for _, l := range doors {
		w.httpListeners = append(w.httpListeners, guard(l, slots, nil, w.cfg.Log))
	}
	w.http = w.newServer(api.LoopbackHosts(portOf(doors[0]))...)
	return nil
}

// openBrowser prepares access for a person's browser: it listens on TCP if necessary,
// preferably on the last port, and makes a code for one login.
func (w *worker) openBrowser(context.Context, api.Nothing) (api.OpenResponse, error) {
	w.httpMu.Lock()
	defer w.httpMu.Unlock()
	switch {
	case w.draining.Load():
		return api.OpenResponse{}, &api.Error{Status: http.StatusServiceUnavailable, Name: "not_ready", Detail: api.Draining}
	case len(w.httpListeners) == 0 && w.cfg.HTTPPort != 0:
		return api.OpenResponse{}, &api.Error{
			Status: http.StatusServiceUnavailable, Name: "no_port",
			Detail: w.runtime.HTTPFault,
		}
	case len(w.httpListeners) == 0:
		err := w.listenHTTP(w.runtime.HTTPPort)
		if err != nil && w.runtime.HTTPPort != 0 {
			err = w.listenHTTP(0)
		}
		if err != nil {
			return api.OpenResponse{}, &api.Error{Status: http.StatusServiceUnavailable, Name: "no_port", Detail: err.Error()}
		}
		for _, l := range w.httpListeners {
			w.all.Go(func() { w.serveHTTP(l) })
		}
		at := w.httpListeners[0].Addr().String()
		w.updateRuntime(func(rt *api.Runtime) { rt.HTTP, rt.HTTPPort = at, portOf(w.httpListeners[0]) })
		w.cfg.Log.Info("http port opened for a browser", "http", w.runtime.HTTP)
	}
	return api.OpenResponse{
		URL: "http://" + w.runtime.HTTP + "/", Code: w.logins.Code(),
		Until: time.Now().Add(api.CodeFor).UTC(),
	}, nil
}

// anyPort is the number of attempts to find a port that is free on all loopback addresses.
const anyPort = 8

// listenLoopback listens on a port of all loopback addresses of this machine, or of none. 0
// means any port. A host name that resolves to several of them thus never reaches another
// program.
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

// serveHTTP serves one TCP listener. If it fails, the daemon continues without it.
func (w *worker) serveHTTP(l net.Listener) {
	if err := w.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		w.cfg.Log.Warn("http port failed", "error", err)
	}
}
