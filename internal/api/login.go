package api

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// How long a code is valid, and how long a login lasts.
const (
	CodeFor  = 60 * time.Second
	LoginFor = 7 * 24 * time.Hour

	maxCodes = 16 // that are valid at a time; a new one replaces the oldest
)

// LoginPath exchanges a code for a login, logoutPath ends all logins.
const (
	LoginPath  = prefix + "login"
	logoutPath = prefix + "logout"
)

// IsLogin reports whether Logins answers a request.
func IsLogin(r *http.Request) bool { return r.RequestURI == LoginPath || r.RequestURI == logoutPath }

// Logins authenticates browsers without the token: a code, shown to the person
// once, is exchanged for a cookie. The cookie is signed, so that it stays valid
// after a restart of the daemon with the same Key. The zero Logins accepts none.
type Logins struct {
	Cookie   string    // name of the cookie, unique for each instance: all ports share cookies
	OnChange func(Key) // called after every change of the key; may be nil
	Now      func() time.Time

	mu    sync.Mutex
	key   Key
	codes []code // oldest first
}

// Key signs cookies. It gives full access.
type Key struct {
	Secret string    `json:"secret"` // 64 hex digits; if empty, no cookie is valid
	Until  time.Time `json:"until"`  // when the last login ends
}

type code struct {
	sum   [sha256.Size]byte
	until time.Time
}

// Use sets the key of an earlier daemon.
func (l *Logins) Use(k Key) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.key = k
}

// Code returns a new code for one login.
func (l *Logins) Code() string {
	c := random(16)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.codes) == maxCodes {
		l.codes = l.codes[1:]
	}
	l.codes = append(l.codes, code{sha256.Sum256([]byte(c)), l.Now().Add(CodeFor)})
	return c
}

// exchange returns the cookie's value for a code and invalidates the code. ok is
// false if the code is unknown, expired or used.
func (l *Logins) exchange(given string) (value string, until time.Time, ok bool) {
	sum, now := sha256.Sum256([]byte(given)), l.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.codes[:0]
	for _, c := range l.codes {
		if hmac.Equal(c.sum[:], sum[:]) {
			ok = now.Before(c.until)
		} else if now.Before(c.until) {
			kept = append(kept, c)
		}
	}
	l.codes = kept
	if !ok {
		return "", time.Time{}, false
	}
	if l.key.Secret == "" {
		l.key.Secret = random(32)
	}
	l.key.Until = now.Add(LoginFor).UTC().Truncate(time.Second)
	l.notify()
	return l.signed(l.key.Until), l.key.Until, true
}

// forget ends all logins and invalidates all codes.
func (l *Logins) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.key, l.codes = Key{}, nil
	l.notify()
}

func (l *Logins) notify() {
	if l.OnChange != nil {
		l.OnChange(l.key)
	}
}

// signed returns the value of a cookie: its expiry and a signature.
func (l *Logins) signed(until time.Time) string {
	stamp := strconv.FormatInt(until.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(l.key.Secret))
	mac.Write([]byte("login " + l.Cookie + " " + stamp))
	return stamp + "." + hex.EncodeToString(mac.Sum(nil))
}

// proves reports whether the request has exactly one valid login cookie.
func (l *Logins) proves(r *http.Request) bool {
	if l == nil {
		return false
	}
	given := r.CookiesNamed(l.Cookie)
	if len(given) != 1 {
		return false
	}
	stamp, _, _ := strings.Cut(given[0].Value, ".")
	unix, err := strconv.ParseInt(stamp, 10, 64)
	until := time.Unix(unix, 0)
	l.mu.Lock()
	defer l.mu.Unlock()
	return err == nil && l.key.Secret != "" && l.Now().Before(until) &&
		hmac.Equal([]byte(given[0].Value), []byte(l.signed(until)))
}

// ServeHTTP logs in and out: POST {"code":…} to login answers with the cookie
// and {"until":…}, or 401; POST {} to logout ends every login of the instance.
func (l *Logins) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := l.serve(w, r)
	if err != nil {
		refuse(w, asError(err))
		return
	}
	_ = send(w, http.StatusOK, "application/json", answer)
}

// Login is the response to a login.
type Login struct {
	Until time.Time `json:"until"`
}

func (l *Logins) serve(w http.ResponseWriter, r *http.Request) (any, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	var given struct{ Code string }
	if err := json.Unmarshal(body, &given); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	cookie := http.Cookie{Name: l.Cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}
	if r.RequestURI == logoutPath {
		l.forget()
		cookie.MaxAge = -1
		http.SetCookie(w, &cookie)
		return Nothing{}, nil
	}
	value, until, ok := l.exchange(given.Code)
	if !ok {
		return nil, &Error{
			Status: http.StatusUnauthorized, Name: "unauthorized",
			Detail: "the code was used, or is older than a minute: remanence open",
		}
	}
	cookie.Value, cookie.MaxAge = value, int(LoginFor.Seconds())
	http.SetCookie(w, &cookie)
	return Login{until}, nil
}

// random returns n cryptographically random bytes as hex digits.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
