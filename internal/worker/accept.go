package worker

import (
	"log/slog"
	"net"
	"sync"
	"time"
)

const (
	// MaxConnections is the number of socket connections that are served at a time. Further
	// connections wait in the operating system's queue.
	MaxConnections = 32
	// MaxHTTPConnections is the same limit for TCP. It is separate, so that TCP clients cannot
	// delay hooks.
	MaxHTTPConnections = 16

	writeWithin = 10 * time.Second // a client that does not read for this long is disconnected
)

// limitedListener accepts only permitted connections, and at most as many at a time as there
// are slots.
type limitedListener struct {
	net.Listener
	slots  chan struct{} // may be shared with other listeners
	closed chan struct{}
	once   sync.Once
	own    func(net.Conn) bool // permits a connection; nil permits all
	log    *slog.Logger
}

func guard(l net.Listener, slots chan struct{}, own func(net.Conn) bool, log *slog.Logger) *limitedListener {
	return &limitedListener{Listener: l, slots: slots, closed: make(chan struct{}), own: own, log: log}
}

// Accept implements net.Listener.
func (g *limitedListener) Accept() (net.Conn, error) {
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
func (g *limitedListener) Close() error {
	g.once.Do(func() { close(g.closed) })
	return g.Listener.Close()
}

// slotConn frees its slot when it is closed. A write timeout closes it.
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

// CloseWrite closes the sending side, so that a client whose request was refused halfway can
// still read the reason.
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
