package api

import (
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Door is the way in to a handler: what a request must show to be let through.
// The zero Door lets nobody in.
type Door struct {
	Hosts []string // exact values of Host that pass
	Token string   // that every request must carry as its one Bearer authorization
	// Logins are another proof that a request may carry; nil means none.
	Logins *Logins
	// Public reports whether a request needs no proof at all, since what answers
	// it holds nothing of the person's; nil means none is.
	Public func(*http.Request) bool
}

// LoopbackHosts are the only spellings of Host by which a door on a TCP port of
// this machine is asked for. Any other name may be one that somebody else made
// point here.
func LoopbackHosts(port int) []string {
	p := strconv.Itoa(port)
	return []string{net.JoinHostPort("127.0.0.1", p), net.JoinHostPort("::1", p), net.JoinHostPort("localhost", p)}
}

// Guard returns next behind the door. It refuses, in this order, without having
// read a body and without next hearing of it: a foreign Host (421), a page of
// another origin (403), a missing or wrong token (401). No answer, also of
// next, may be read by another origin, sniffed or framed, run anything that this
// door did not serve, or be kept, unless next says that it may be.
func Guard(d Door, next http.Handler) http.Handler { return guard{d, next} }

type guard struct {
	door Door
	next http.Handler
}

func (g guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	harden(w.Header())
	if e := g.door.admit(r); e != nil {
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

// pagePolicy lets a page load what this door serves, and nothing else.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src " +
	"'self'; font-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// admit returns nil for a request that may pass.
func (d Door) admit(r *http.Request) *Error {
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

// own reports whether the request is meant for this door. A target that names a
// host itself is for proxies, and its host would count instead of the header's.
func (d Door) own(r *http.Request) bool {
	return r.URL.Host == "" && r.URL.Scheme == "" && slices.Contains(d.Hosts, r.Host)
}

// ownPage reports whether the request comes from no page, or from one of this
// door. Browsers say which by Origin, by Sec-Fetch-Site or by both; "none" is
// an address that the person typed, and so only ever asks to see something.
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

// proven reports whether the request carries the token, in the one place where
// nothing logs it, or the cookie of a login. Browsers add cookies by themselves:
// to write with one, a request must say of which page it is.
func (d Door) proven(r *http.Request) bool {
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
