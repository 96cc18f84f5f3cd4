// Package egress is the one way by which text leaves the process for a server.
// It knows where that may be and how the server is left alone when it fails; what
// is sent, and what an answer means, is for others.
//
// Nothing here is lax: only the configured server is asked, another machine only
// if that is allowed, no redirect is followed, a key goes over https or to this
// machine only, an answer is bounded, and what a server says about an error stays
// unread, for it may repeat what was sent.
package egress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"remanence/internal/mem"
)

// Errors of New and CheckURL.
var (
	ErrURL    = errors.New("not an address of a server")
	ErrRemote = errors.New("the server is not on this machine, and that is not allowed")
	ErrKey    = errors.New("a key is only sent over https or on this machine")
)

// Errors of Post that asking again does not change.
var (
	ErrLong  = errors.New("the answer is too long")
	ErrMoved = errors.New("the server sends us elsewhere, where we do not go")
	ErrAway  = errors.New("that address is not on this machine")
)

// ErrCut is what a mem.Later of Post wraps when an answer broke off.
var ErrCut = errors.New("the answer breaks off")

// Config says which server is asked.
type Config struct {
	URL string // where its paths begin
	// Key returns the key that the server wants; nil or an empty one means none.
	// It is asked for each request and kept nowhere.
	Key    func() string
	Remote bool             // the server may be on another machine
	Now    func() time.Time // nil means time.Now
}

// Server is one that may be asked. It is safe for concurrent use.
type Server struct {
	cfg    Config
	base   *url.URL
	client *http.Client
	rest   rest
}

// New returns a server. It opens nothing and sends no request.
func New(cfg Config) (*Server, error) {
	base, err := address(cfg.URL)
	if err != nil {
		return nil, err
	}
	local := isLocal(base.Hostname())
	if !local && !cfg.Remote {
		return nil, fmt.Errorf("%s: %w", base.Host, ErrRemote)
	}
	if cfg.Key != nil && !local && base.Scheme != "https" {
		return nil, fmt.Errorf("%s: %w", base.Host, ErrKey)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Server{cfg: cfg, base: base, client: newClient(local), rest: rest{now: cfg.Now}}, nil
}

// Host names the server, without what may be secret.
func (s *Server) Host() string { return s.base.Host }

// Address is where its paths begin, without a slash at the end.
func (s *Server) Address() string { return strings.TrimRight(s.base.String(), "/") }

// Request is one question to a server.
type Request struct {
	URL    string // begins with Address
	Body   []byte // JSON
	Most   int    // bytes of an answer that are read
	Header map[string]string
	// Key puts the key into a header. Nil means a bearer token.
	Key func(key string) (name, value string)
}

// Post asks once. A status of 200 has its answer given to read, whose errors
// come back as they are if they are among known; any other means that the answer
// broke off. Other statuses are a *Refusal. A mem.Later among the errors says
// that the same may work later.
func (s *Server) Post(ctx context.Context, q Request, read func(io.Reader) error, known ...error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, q.URL, bytes.NewReader(q.Body))
	if err != nil {
		return ErrURL
	}
	s.dress(req, q)
	res, err := s.client.Do(req)
	if err != nil {
		return s.unreached(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return s.refusal(res)
	}
	err = read(&bounded{r: res.Body, left: q.Most})
	if err == nil {
		return nil
	}
	for _, k := range append(known, ErrLong) {
		if errors.Is(err, k) {
			return err
		}
	}
	return mem.RetryLater{Err: ErrCut}
}

func (s *Server) dress(req *http.Request, q Request) {
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "remanence")
	for name, value := range q.Header {
		req.Header.Set(name, value)
	}
	if s.cfg.Key == nil {
		return
	}
	key := s.cfg.Key()
	switch {
	case key == "":
	case q.Key != nil:
		req.Header.Set(q.Key(key))
	default:
		req.Header.Set("Authorization", "Bearer "+key)
	}
}

// unreached is the error of a request that got no answer.
func (s *Server) unreached(err error) error {
	if errors.Is(err, ErrAway) {
		return fmt.Errorf("%s: %w", s.base.Host, ErrAway)
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return mem.RetryLater{Err: fmt.Errorf("%s does not answer in time", s.base.Host)}
	}
	return mem.RetryLater{Err: fmt.Errorf("%s cannot be reached", s.base.Host)}
}
