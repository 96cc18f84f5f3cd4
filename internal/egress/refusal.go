package egress

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"remanence/internal/mem"
)

// Refusal is an answer that is none: its status says why.
type Refusal struct {
	Status int
	Host   string
	Path   string
}

// Error implements error.
func (r *Refusal) Error() string {
	switch r.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Sprintf("%s does not take the key (status %d)", r.Host, r.Status)
	case http.StatusNotFound:
		return fmt.Sprintf("%s has no such model, or nothing at %s (status 404)", r.Host, r.Path)
	}
	return fmt.Sprintf("%s refuses (status %d)", r.Host, r.Status)
}

// overloaded is what some servers answer besides the statuses that HTTP has for it.
const overloaded = 529

// refusal is the error that a status stands for.
func (s *Server) refusal(res *http.Response) error {
	switch code := res.StatusCode; {
	case code >= 300 && code < 400:
		return fmt.Errorf("%s: %w", s.base.Host, ErrMoved)
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable, code == overloaded:
		return mem.RetryLater{
			Wait: s.retryAfter(res.Header.Get("Retry-After")),
			Err:  fmt.Errorf("%s has too much to do (status %d)", s.base.Host, code),
		}
	default:
		return &Refusal{Status: code, Host: s.base.Host, Path: res.Request.URL.Path}
	}
}

// retryAfter is how long a server wants to be left alone, 0 if it does not say.
func (s *Server) retryAfter(text string) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n > 0 {
		return min(time.Duration(min(n, int(MostWait/time.Second)))*time.Second, MostWait)
	}
	if t, err := http.ParseTime(text); err == nil {
		return min(max(0, t.Sub(s.cfg.Now())), MostWait)
	}
	return 0
}
