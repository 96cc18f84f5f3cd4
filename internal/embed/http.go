package embed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"remanence/internal/mem"
)

// maxAnswer bounds an answer in bytes: Batch vectors of MaxDimensions need about
// half of it.
const maxAnswer = 16 << 20

const dialWithin = 5 * time.Second

var (
	errTooLong = errors.New("the answer is too long")
	errMoved   = errors.New("the server sends us elsewhere, where we do not go")
	errAway    = errors.New("that address is not on this machine")
	errCut     = errors.New("the answer breaks off")
)

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
	case u.RawQuery != "" || u.Fragment != "":
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

// newClient returns a client that keeps few connections and follows nobody. A
// local one also looks at the address that a name led to, and uses no proxy.
func newClient(local bool) *http.Client {
	t := &http.Transport{
		DialContext: dialer(local).DialContext, Proxy: http.ProxyFromEnvironment,
		MaxIdleConns: 2, IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: dialWithin, MaxResponseHeaderBytes: 64 << 10,
	}
	if local {
		t.Proxy = nil
	}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
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
		return errAway
	}
	return nil
}

// ask sends one request and reads its answer. What the server says about an
// error stays unread: it may repeat what was sent.
func (e *Embedder) ask(ctx context.Context, texts []string) ([][]*float64, error) {
	body, err := e.message(texts)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.path(), bytes.NewReader(body))
	if err != nil {
		return nil, ErrURL
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "remanence")
	if e.cfg.Key != nil {
		if key := e.cfg.Key(); key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
	}
	res, err := e.client.Do(req)
	if err != nil {
		return nil, e.unreached(err)
	}
	defer res.Body.Close()
	if err := e.refusal(res); err != nil {
		return nil, err
	}
	left := &bounded{r: res.Body, left: maxAnswer}
	raw, err := e.read(left)
	switch {
	case err == nil || errors.Is(err, errAnswer):
		return raw, err
	case errors.Is(err, errTooLong):
		return nil, errTooLong
	}
	return nil, mem.Later{Err: errCut}
}

// unreached is the error of a request that got no answer.
func (e *Embedder) unreached(err error) error {
	if errors.Is(err, errAway) {
		return fmt.Errorf("%s: %w", e.base.Host, errAway)
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return mem.Later{Err: fmt.Errorf("%s does not answer in time", e.base.Host)}
	}
	return mem.Later{Err: fmt.Errorf("%s cannot be reached", e.base.Host)}
}

// refusal is the error that a status stands for.
func (e *Embedder) refusal(res *http.Response) error {
	code := res.StatusCode
	switch {
	case code == http.StatusOK:
		return nil
	case code >= 300 && code < 400:
		return fmt.Errorf("%s: %w", e.base.Host, errMoved)
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		return mem.Later{Wait: e.retryAfter(res.Header.Get("Retry-After")), Err: fmt.Errorf("%s has too much to do (status %d)", e.base.Host, code)}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return fmt.Errorf("%s does not take the key (status %d)", e.base.Host, code)
	case code == http.StatusNotFound:
		return fmt.Errorf("%s has no model %q, or nothing at %s (status 404)", e.base.Host, e.cfg.Model, res.Request.URL.Path)
	}
	return fmt.Errorf("%s refuses (status %d)", e.base.Host, code)
}

// retryAfter is how long a server wants to be left alone, 0 if it does not say.
func (e *Embedder) retryAfter(s string) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(s)); err == nil && n > 0 {
		return min(time.Duration(min(n, int(mostWait/time.Second)))*time.Second, mostWait)
	}
	if t, err := http.ParseTime(s); err == nil {
		return min(max(0, t.Sub(e.cfg.Now())), mostWait)
	}
	return 0
}

// bounded fails where a reader goes on for longer than it may.
type bounded struct {
	r    io.Reader
	left int
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
