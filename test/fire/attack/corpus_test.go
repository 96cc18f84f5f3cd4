//go:build fire

package attack

import (
	"encoding/base64"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// hostile is a proper request with one thing about it that must not pass. It
// has the right token unless the token is what it is about: each defence has to
// hold by itself.
type hostile struct {
	about string
	name  string
	where string // of the endpoints and targets: "" all, "port", "post" (with a body), "slow"
	edit  func(x scene, r *request)
}

// scene is where a hostile request is made for.
type scene struct {
	v    victim
	d    endpoint
	to   target
	port string
	old  string // the token of a worker that has ended
}

// header returns the edit that sets one header.
func header(name, value string) func(scene, *request) {
	return func(_ scene, r *request) { r.set(name, value) }
}

// host returns the edit that asks for another host; %p stands for the port.
func host(value string) func(scene, *request) {
	return func(x scene, r *request) { r.set("Host", strings.ReplaceAll(value, "%p", x.port)) }
}

// uri returns the edit that asks for another target; %s stands for the right one.
func uri(form string) func(scene, *request) {
	return func(_ scene, r *request) { r.uri = strings.ReplaceAll(form, "%s", r.uri) }
}

func method(m string) func(scene, *request) {
	return func(_ scene, r *request) { r.method = m }
}

func corpus() []hostile {
	var all []hostile
	for _, part := range [][]hostile{hosts(), pages(), methods(), tokens(), transports(), paths()} {
		all = append(all, part...)
	}
	return all
}

func hosts() []hostile {
	return []hostile{
		{"host", "missing", "", func(_ scene, r *request) { r.unset("Host") }},
		{"host", "missing, HTTP/1.0", "", func(_ scene, r *request) { r.unset("Host"); r.proto = "HTTP/1.0" }},
		{"host", "empty", "", host("")},
		{"host", "doubled", "", func(_ scene, r *request) { r.add("Host", "evil.example") }},
		{"host", "doubled, foreign first", "", func(x scene, r *request) {
			r.set("Host", "evil.example")
			r.add("Host", x.d.host)
		}},
		{"host", "wrong port", "", host("127.0.0.1:1")},
		{"host", "no port", "", host("127.0.0.1")},
		{"host", "trailing dot", "", host("localhost.:%p")},
		{"host", "upper case", "", host("LOCALHOST:%p")},
		{"host", "any address", "", host("0.0.0.0:%p")},
		{"host", "decimal address", "", host("2130706433:%p")},
		{"host", "short address", "", host("127.1:%p")},
		{"host", "prefix trick", "", host("127.0.0.1.evil.example:%p")},
		{"host", "user info", "", host("evil@127.0.0.1:%p")},
		{"host", "private address", "", host("192.168.1.7:%p")},
		{"host", "mapped address", "", host("[::ffff:127.0.0.1]:%p")},
		{"host", "rebound name", "", func(x scene, r *request) {
			r.set("Host", "evil.example:"+x.port)
			r.set("Origin", "http://evil.example:"+x.port)
			r.set("Sec-Fetch-Site", "same-origin")
		}},
		{"host", "of the socket", "port", host("remanence")},
		{"host", "foreign in the target", "", func(x scene, r *request) { r.uri = "http://evil.example:" + x.port + r.uri }},
		{"host", "own in the target, foreign beside it", "", func(x scene, r *request) {
			r.uri = "http://" + x.d.host + r.uri
			r.set("Host", "evil.example")
		}},
	}
}

func pages() []hostile {
	return []hostile{
		{"page", "null origin", "", header("Origin", "null")},
		{"page", "empty origin", "", header("Origin", "")},
		{"page", "foreign origin", "", header("Origin", "https://evil.example")},
		{"page", "other scheme", "", func(x scene, r *request) { r.set("Origin", "https://"+x.d.host) }},
		{"page", "other port", "", header("Origin", "http://127.0.0.1:1")},
		{"page", "other spelling", "", header("Origin", "http://LOCALHOST")},
		{"page", "prefix trick", "", func(x scene, r *request) { r.set("Origin", "http://"+x.d.host+".evil.example") }},
		{"page", "two origins", "", func(x scene, r *request) {
			r.set("Origin", "http://"+x.d.host)
			r.add("Origin", "null")
		}},
		{"page", "same site", "", header("Sec-Fetch-Site", "same-site")},
		{"page", "cross site", "", header("Sec-Fetch-Site", "cross-site")},
		{"page", "unknown site", "", header("Sec-Fetch-Site", "other")},
		{"page", "cross-site image", "", func(_ scene, r *request) {
			r.method = "GET"
			r.set("Sec-Fetch-Site", "cross-site")
			r.set("Sec-Fetch-Dest", "image")
		}},
		{"page", "typed address with a body", "post", header("Sec-Fetch-Site", "none")},
		{"page", "own origin from another site", "", func(x scene, r *request) {
			r.set("Origin", "http://"+x.d.host)
			r.set("Sec-Fetch-Site", "cross-site")
		}},
		{"page", "extension", "", header("Origin", "chrome-extension://abcdefghijklmnop")},
		{"page", "preflight", "", func(_ scene, r *request) {
			r.method, r.body = "OPTIONS", ""
			r.unset("Content-Length")
			r.unset("Authorization")
			r.set("Origin", "https://evil.example")
			r.set("Access-Control-Request-Method", "POST")
			r.set("Access-Control-Request-Private-Network", "true")
		}},
	}
}

func methods() []hostile {
	kind := func(k string) func(scene, *request) { return header("Content-Type", k) }
	return []hostile{
		{"method", "text", "post", kind("text/plain")},
		{"method", "form", "post", kind("application/x-www-form-urlencoded")},
		{"method", "multipart", "post", kind("multipart/form-data; boundary=x")},
		{"method", "no type", "post", func(_ scene, r *request) { r.unset("Content-Type") }},
		{"method", "JSON as a parameter", "post", kind("text/plain; charset=application/json")},
		{"method", "two types in one", "post", kind("application/json, text/plain")},
		{"method", "two types", "post", func(_ scene, r *request) { r.add("Content-Type", "text/plain") }},
		{"method", "GET that writes", "post", method("GET")},
		{"method", "GET with a method override", "post", func(_ scene, r *request) {
			r.method = "GET"
			r.set("X-HTTP-Method-Override", "POST")
		}},
		{"method", "HEAD", "", method("HEAD")},
		{"method", "PUT", "", method("PUT")},
		{"method", "DELETE", "", method("DELETE")},
		{"method", "OPTIONS", "", method("OPTIONS")},
		{"method", "OPTIONS of everything", "", func(_ scene, r *request) { r.method, r.uri = "OPTIONS", "*" }},
		{"method", "TRACE", "", method("TRACE")},
		{"method", "lower case", "", func(_ scene, r *request) { r.method = strings.ToLower(r.method) }},
		{"method", "CONNECT", "", func(x scene, r *request) { r.method, r.uri = "CONNECT", x.d.host }},
	}
}

func tokens() []hostile {
	auth := func(form string) func(scene, *request) {
		return func(x scene, r *request) { r.set("Authorization", strings.ReplaceAll(form, "%t", x.v.Token)) }
	}
	bare := func(edit func(scene, *request)) func(scene, *request) {
		return func(x scene, r *request) { r.unset("Authorization"); edit(x, r) }
	}
	return []hostile{
		{"token", "none", "", bare(func(scene, *request) {})},
		{"token", "empty", "", auth("")},
		{"token", "empty bearer", "", auth("Bearer ")},
		{"token", "wrong", "", auth("Bearer " + strings.Repeat("0f", 32))},
		{"token", "prefix", "", func(x scene, r *request) { r.set("Authorization", "Bearer "+x.v.Token[:63]) }},
		{"token", "and more", "", auth("Bearer %t0")},
		{"token", "upper case", "", func(x scene, r *request) {
			r.set("Authorization", "Bearer "+strings.ToUpper(x.v.Token)+" ")
		}},
		{"token", "of a worker that has ended", "", func(x scene, r *request) { r.set("Authorization", "Bearer "+x.old) }},
		{"token", "doubled", "", func(x scene, r *request) { r.add("Authorization", "Bearer "+x.v.Token) }},
		{"token", "behind a wrong one", "", func(x scene, r *request) {
			r.set("Authorization", "Bearer x")
			r.add("Authorization", "Bearer "+x.v.Token)
		}},
		{"token", "basic", "", func(x scene, r *request) {
			r.set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("x:"+x.v.Token)))
		}},
		{"token", "without its scheme", "", auth("%t")},
		{"token", "other scheme", "", auth("Token %t")},
		{"token", "in the query", "", bare(func(x scene, r *request) { r.uri += "?token=" + x.v.Token })},
		{"token", "in the query, as browsers' sockets do", "", bare(func(x scene, r *request) {
			r.uri += "?access_token=" + x.v.Token
		})},
		{"token", "in the path", "", bare(func(x scene, r *request) { r.uri = "/" + x.v.Token + r.uri })},
		{"token", "in a cookie", "", bare(func(x scene, r *request) {
			r.set("Cookie", "token="+x.v.Token+"; remanence="+x.v.Token)
		})},
		{"token", "in other headers", "", bare(func(x scene, r *request) {
			r.set("X-Api-Key", x.v.Token)
			r.set("Proxy-Authorization", "Bearer "+x.v.Token)
		})},
		{"token", "login without a user", "", bare(func(x scene, r *request) {
			r.set("Cookie", x.v.cookieName()+"=9999999999."+strings.Repeat("0f", 32))
		})},
		{"token", "login, its time changed", "", bare(func(x scene, r *request) {
			r.set("Cookie", strings.Replace(x.v.cookie, "=1", "=9", 1))
		})},
		{"token", "login without its proof", "", bare(func(x scene, r *request) {
			r.set("Cookie", x.v.cookie[:strings.Index(x.v.cookie, ".")+1])
		})},
		{"token", "login of another instance", "", bare(func(x scene, r *request) {
			_, value, _ := strings.Cut(x.v.cookie, "=")
			r.set("Cookie", "remanence_00000000="+value)
		})},
		{"token", "login, twice", "", bare(func(x scene, r *request) { r.set("Cookie", x.v.cookie+"; "+x.v.cookie) })},
		{"token", "login beside a wrong token", "", func(x scene, r *request) {
			r.set("Cookie", x.v.cookie)
			r.set("Authorization", "Bearer "+strings.Repeat("0f", 32))
		}},
		{"token", "login as a token", "", bare(func(x scene, r *request) {
			_, value, _ := strings.Cut(x.v.cookie, "=")
			r.set("Authorization", "Bearer "+value)
		})},
		{"token", "code as a login", "", bare(func(x scene, r *request) { r.set("Cookie", x.v.cookieName()+"="+x.v.code) })},
		{"token", "used code in the query", "", bare(func(x scene, r *request) { r.uri += "?code=" + x.v.code })},
		{"token", "used code", "", bare(func(x scene, r *request) {
			if r.method == "POST" {
				r.body = `{"code":"` + x.v.code + `"}`
				r.set("Content-Length", strconv.Itoa(len(r.body)))
			}
		})},
		{"page", "login, of a page that hides where it is from", "post", bare(func(x scene, r *request) {
			r.set("Cookie", x.v.cookie)
		})},
		{"page", "login, foreign origin", "", bare(func(x scene, r *request) {
			r.set("Cookie", x.v.cookie)
			r.set("Origin", "https://evil.example")
		})},
		{"page", "login, another port of this machine", "", bare(func(x scene, r *request) {
			r.set("Cookie", x.v.cookie)
			r.set("Origin", "http://127.0.0.1:1")
			r.set("Sec-Fetch-Site", "same-site")
		})},
		{"page", "login, cross-site", "", bare(func(x scene, r *request) {
			r.set("Cookie", x.v.cookie)
			r.set("Sec-Fetch-Site", "cross-site")
		})},
		{"host", "login, rebound name", "", bare(func(x scene, r *request) {
			r.set("Cookie", x.v.cookie)
			r.set("Host", "evil.example:"+x.port)
			r.set("Origin", "http://evil.example:"+x.port)
			r.set("Sec-Fetch-Site", "same-origin")
		})},
		{"token", "in the user info", "", bare(func(x scene, r *request) {
			r.uri = "http://x:" + x.v.Token + "@" + x.d.host + r.uri
		})},
	}
}

func transports() []hostile {
	return []hostile{
		{"transport", "web socket", "", func(_ scene, r *request) {
			r.method, r.body = "GET", ""
			r.unset("Content-Length")
			r.set("Connection", "Upgrade")
			r.set("Upgrade", "websocket")
			r.set("Sec-WebSocket-Version", "13")
			r.set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
			r.set("Origin", "https://evil.example")
		}},
		{"transport", "web socket without a page", "post", func(_ scene, r *request) {
			r.method = "GET"
			r.set("Connection", "Upgrade")
			r.set("Upgrade", "websocket")
		}},
		{"transport", "cross-site event stream", "", func(_ scene, r *request) {
			r.method = "GET"
			r.set("Accept", "text/event-stream")
			r.set("Sec-Fetch-Site", "cross-site")
		}},
		{"transport", "HTTP/2 by prior knowledge", "", func(_ scene, r *request) {
			*r = request{"PRI", "*", "HTTP/2.0", nil, "SM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"}
		}},
		{"transport", "HTTP/2 by upgrade", "post", func(_ scene, r *request) {
			r.method = "GET"
			r.set("Connection", "Upgrade, HTTP2-Settings")
			r.set("Upgrade", "h2c")
			r.set("HTTP2-Settings", "AAMAAABkAARAAAAAAAIAAAAA")
		}},
		{"transport", "length and chunks", "post", func(x scene, r *request) {
			r.set("Transfer-Encoding", "chunked")
			r.body = fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(r.body), r.body)
			r.set("Content-Length", strconv.Itoa(len(r.body)))
			hide(x, r)
		}},
		{"transport", "chunks and length", "post", func(x scene, r *request) {
			r.unset("Content-Length")
			r.head = append([]string{"Transfer-Encoding: chunked", "Content-Length: 4"}, r.head...)
			r.body = fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(r.body), r.body)
			hide(x, r)
		}},
		{"transport", "chunks", "post", func(_ scene, r *request) {
			r.unset("Content-Length")
			r.set("Transfer-Encoding", "chunked")
			r.body = fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(r.body), r.body)
		}},
		{"transport", "unknown encoding", "post", header("Transfer-Encoding", "xchunked")},
		{"transport", "two lengths", "post", func(_ scene, r *request) { r.add("Content-Length", "1") }},
		{"transport", "negative length", "post", header("Content-Length", "-1")},
		{"transport", "more than it may hold", "post", header("Content-Length", "3000000000")},
		{"transport", "no length", "post", func(_ scene, r *request) { r.unset("Content-Length") }},
		{"transport", "another request behind a refused one", "", func(x scene, r *request) {
			r.set("Origin", "https://evil.example")
			hide(x, r)
		}},
		{"transport", "header of 17 KB", "", func(_ scene, r *request) { r.set("X-Long", strings.Repeat("x", 17<<10)) }},
		{"transport", "a thousand headers", "", func(_ scene, r *request) {
			for i := range 1000 {
				r.add(fmt.Sprint("X-Many-", i), "abcdefgh")
			}
		}},
		{"transport", "folded header", "", func(_ scene, r *request) {
			r.head = append(r.head, "X-A: b\r\n c: d", "Origin\t: null")
		}},
		{"transport", "line feed alone in a value", "", func(_ scene, r *request) { r.add("X-A", "b\x00\x0bc") }},
		{"transport", "unknown version", "", func(_ scene, r *request) { r.proto = "HTTP/3.0" }},
		{"transport", "no version", "", func(_ scene, r *request) { r.proto = "" }},
		{"transport", "slow header", "slow", func(_ scene, r *request) {
			r.proto = "HTTP/1.1\r\nX-Slow: " + strings.Repeat("x", 64) + "\r"
			r.head = nil
		}},
		{"transport", "endless chunks", "slow", func(_ scene, r *request) {
			r.method = "POST"
			r.set("Content-Type", "application/json")
			r.unset("Content-Length")
			r.set("Transfer-Encoding", "chunked")
			r.body = strings.Repeat("8000\r\n"+strings.Repeat(" ", 0x8000)+"\r\n", 16)
		}},
	}
}

// hide puts a whole proper request behind the end of this one.
func hide(x scene, r *request) {
	inner := proper(x.v, x.d, target{"/api/v1/search", "POST", bodies["search"], true})
	r.body += string(inner.bytes())
}

func paths() []hostile {
	return []hostile{
		{"path", "climbing", "", uri("/x/..%s")},
		{"path", "climbing, escaped", "", uri("/x/%2e%2e%s")},
		{"path", "out of the root", "", uri("/../../../../etc/passwd")},
		{"path", "doubled slash", "", uri("/%s")},
		{"path", "doubled slash within", "", func(_ scene, r *request) {
			r.uri = "/" + strings.ReplaceAll(r.uri[1:], "/", "//") + "/"
		}},
		{"path", "dot", "", uri("/.%s")},
		{"path", "slash at the end", "", uri("%s/")},
		{"path", "escaped slash", "", func(_ scene, r *request) {
			r.uri = "/" + strings.ReplaceAll(r.uri[1:], "/", "%2f") + "%2f"
		}},
		{"path", "escaped letter", "", func(_ scene, r *request) {
			r.uri = r.uri[:1] + fmt.Sprintf("%%%02x", at(r.uri, 1)) + from(r.uri, 2)
		}},
		{"path", "backslash", "", func(_ scene, r *request) { r.uri = strings.ReplaceAll(r.uri, "/", `\`) }},
		{"path", "own host in the target", "", func(x scene, r *request) { r.uri = "http://" + x.d.host + r.uri }},
		{"path", "escaped NUL", "", uri("%s%00")},
		{"path", "NUL", "", uri("%s\x00")},
		{"path", "very long", "", uri("%s" + strings.Repeat("/x", 6<<10))},
		{"path", "query", "", uri("%s?x=1")},
		{"path", "empty query", "", uri("%s?")},
		{"path", "semicolon", "", uri("%s;x=1")},
		{"path", "fragment", "", uri("%s#x")},
		{"path", "upper case", "", func(_ scene, r *request) { r.uri = strings.ToUpper(r.uri) + "X" }},
		{"path", "file", "", func(x scene, r *request) {
			r.uri = "/api/v1/" + net.JoinHostPort("..", "x") + x.v.RuntimeFile()
		}},
		{"path", "a space", "", uri("%s x")},
	}
}

func at(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 'x'
}

func from(s string, i int) string { return s[min(i, len(s)):] }
