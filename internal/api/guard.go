package api

import (
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Access describes which requests a handler accepts. The zero Access accepts none.
type Access struct {
	Hosts []string // accepted values of Host
	Token string   // required as the only Bearer authorization
	// Logins accepts login cookies instead of the token; nil means none.
	Logins *Logins
	// Public reports whether a request needs no authorization, because its response
	// contains no personal data; nil means none.
	Public func(*http.Request) bool
}

// LoopbackHosts returns the accepted values of Host for a TCP port of this machine.
// Any other name may be a foreign domain that resolves to this machine (DNS
// rebinding).
func LoopbackHosts(port int) []string {
	p := strconv.Itoa(port)
	return []string{net.JoinHostPort("127.0.0.1", p), net.JoinHostPort("::1", p), net.JoinHostPort("localhost", p)}
}

// Guard returns next behind the checks of an Access. It refuses, in this order and
// without reading a body: a foreign Host (421), a page of another origin (403), a
// missing or wrong token (401). Every response, also those of next, forbids other
// origins, content sniffing, framing, foreign scripts and caching, unless next sets
// another header.
func Guard(d Access, next http.Handler) http.Handler { return guard{d, next} }

type guard struct {
	access Access
	next   http.Handler
}

func (g guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	harden(w.Header())
	if e := g.access.admit(r); e != nil {
		refuse(w, e)
		return
	}
	g.next.ServeHTTP(w, r)
}

func harden(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Security-Policy", pagePolicy)
}

// pagePolicy allows a page to load only what this server serves.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src " +
	"'self'; font-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// admit returns nil for a request that may pass.
func (d Access) admit(r *http.Request) *Error {
	switch {
	case !d.own(r):
		return &Error{Status: http.StatusMisdirectedRequest, Name: "foreign_host"}
	case !ownPage(r):
		return &Error{Status: http.StatusForbidden, Name: "foreign_origin"}
	case !d.proven(r) && (d.Public == nil || !d.Public(r)):
		return &Error{
			Status: http.StatusUnauthorized, Name: "unauthorized",
			Detail: "neither the token nor a login: remanence open",
		}
	}
	return nil
}

// own reports whether the request is addressed to this server. A target with a host
// is meant for a proxy, and its host would override the header.
func (d Access) own(r *http.Request) bool {
	return r.URL.Host == "" && r.URL.Scheme == "" && slices.Contains(d.Hosts, r.Host)
}

// ownPage reports whether the request comes from no page or from a page of this
// server. Browsers report it by Origin, Sec-Fetch-Site or both; "none" means that the
// person typed the address, which can only be a GET.
func ownPage(r *http.Request) bool {
	origin, site := r.Header.Values("Origin"), r.Header.Values("Sec-Fetch-Site")
	if len(origin) > 1 || len(site) > 1 {
		return false
	}
	if len(origin) == 1 && origin[0] != "http://"+r.Host {
		return false
	}
	if len(site) == 0 || site[0] == "same-origin" {
		return true
	}
	return site[0] == "none" && len(origin) == 0 && r.Method == http.MethodGet
}

// proven reports whether the request has the token in its Authorization header,
// where it is not logged, or the cookie of a login. Browsers send cookies with any
// request: one that writes must also name its page in Origin.
func (d Access) proven(r *http.Request) bool {
	auth := r.Header.Values("Authorization")
	if len(auth) == 0 && d.Logins.proves(r) {
		return r.Method == http.MethodGet || len(r.Header.Values("Origin")) == 1
	}
	if len(auth) != 1 || d.Token == "" {
		return false
	}
	given, ok := strings.CutPrefix(auth[0], "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(given), []byte(d.Token)) == 1
}
