package worker

import (
	"log/slog"
	"net"
	"sync"
	"time"
)

const (
	// MaxConnections is how many connections of the socket are served at a time;
	// more wait in the system's queue.
	MaxConnections = 32
	// MaxHTTPConnections is the same for the door on TCP. They are counted apart:
	// whoever fills that door keeps no hook waiting.
	MaxHTTPConnections = 16

	writeWithin = 10 * time.Second // a client takes what is written, or is dropped
)

// guarded is a listener that gives out only connections that are let in, and
// only as many at a time as there are slots.
type guarded struct {
	net.Listener
	slots  chan struct{} // may be shared with other listeners
	closed chan struct{}
	once   sync.Once
	own    func(net.Conn) bool // nil lets all in
	log    *slog.Logger
}

func guard(l net.Listener, slots chan struct{}, own func(net.Conn) bool, log *slog.Logger) *guarded {
	return &guarded{Listener: l, slots: slots, closed: make(chan struct{}), own: own, log: log}
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
		if g.own == nil || g.own(c) {
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

// slotConn frees its slot when it is closed. A client that does not read ends it.
type slotConn struct {
	net.Conn
	once sync.Once
	free func()
}

// Write implements net.Conn.
func (c *slotConn) Write(b []byte) (int, error) {
	if err := c.Conn.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// CloseWrite ends what we say, so that a client that was refused in the middle
// of its request can still read why.
func (c *slotConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close implements net.Conn.
func (c *slotConn) Close() error {
	c.once.Do(c.free)
	return c.Conn.Close()
}
