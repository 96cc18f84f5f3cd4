package egress

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

const dialWithin = 5 * time.Second

// address reads the address of a server. One with a password in it is refused:
// it would end up in logs.
func address(s string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	switch {
	case err != nil: // it would repeat the text
		return nil, ErrURL
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%w: it begins with neither http:// nor https://", ErrURL)
	case u.Hostname() == "":
		return nil, fmt.Errorf("%w: it names no host", ErrURL)
	case u.User != nil:
		return nil, fmt.Errorf("%w: it holds a user or a password", ErrURL)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, fmt.Errorf("%w: it goes on behind the path", ErrURL)
	}
	return u, nil
}

// CheckURL reports what is wrong with an address, nil if nothing is.
func CheckURL(s string) error {
	_, err := address(s)
	return err
}

// isLocal reports whether a host is this machine by its name.
func isLocal(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// newClient returns a client that keeps few connections and follows no redirects. A
// local one also looks at the address that a name led to, and uses no proxy.
func newClient(local bool) *http.Client {
	t := &http.Transport{
		DialContext: dialer(local).DialContext, Proxy: http.ProxyFromEnvironment,
		MaxIdleConns: 2, IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: dialWithin, MaxResponseHeaderBytes: 64 << 10,
	}
	if local {
		t.Proxy = nil
	}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

func dialer(local bool) *net.Dialer {
	d := &net.Dialer{Timeout: dialWithin}
	if local {
		d.Control = onlyHere
	}
	return d
}

// onlyHere refuses to connect to another machine.
func onlyHere(_, addr string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || !isLocal(host) {
		return ErrAway
	}
	return nil
}

// bounded fails where a reader goes on for longer than it may.
type bounded struct {
	r    io.Reader
	left int
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, ErrLong
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
