package worker

import (
	"log/slog"
	"net"
	"sync"
)

// MaxConnections is how many connections are served at a time; more wait in
// the system's queue.
const MaxConnections = 32

// guarded is a listener that gives out only connections of this user, and only
// so many at a time.
type guarded struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	once   sync.Once
	log    *slog.Logger
}

func guard(l net.Listener, log *slog.Logger) *guarded {
	return &guarded{Listener: l, slots: make(chan struct{}, MaxConnections), closed: make(chan struct{}), log: log}
}

// Accept implements net.Listener.
func (g *guarded) Accept() (net.Conn, error) {
	for {
		select {
		case g.slots <- struct{}{}:
		case <-g.closed:
			return nil, net.ErrClosed
		}
		c, err := g.Listener.Accept()
		if err != nil {
			<-g.slots
			return nil, err
		}
		slot := &slotConn{Conn: c, free: func() { <-g.slots }}
		if ownPeer(c) {
			return slot, nil
		}
		g.log.Warn("connection of another user refused")
		_ = slot.Close()
	}
}

// Close implements net.Listener.
func (g *guarded) Close() error {
	g.once.Do(func() { close(g.closed) })
	return g.Listener.Close()
}

// slotConn frees its slot when it is closed.
type slotConn struct {
	net.Conn
	once sync.Once
	free func()
}

// Close implements net.Conn.
func (c *slotConn) Close() error {
	c.once.Do(c.free)
	return c.Conn.Close()
}
