package names

import (
	"strings"

	"remanence/internal/redact/ascii"
)

// Names of services and of what they call their objects.

// HasUUIDKeys reports whether the keys of a service are UUIDs.
func HasUUIDKeys(vendor string) bool {
	switch vendor {
	case "snyk", "postmark", "codecov", "splunk", "pinecone", "squarespace", "launchdarkly", "deepl", "tailscale":
		return true
	}
	return false
}

// IsServiceAbout reports whether a name that ends with word, after the name of a service, is not that of a key.
func IsServiceAbout(word string) bool {
	switch word {
	case "sha", "commit", "ref", "rev", "revision", "region", "channel", "site", "org", "organization", "project",
		"account", "zone", "tenant", "repo", "repository", "release", "environment", "bucket", "page", "run", "branch",
		"delivery", "workspace", "user", "username", "host", "domain", "price", "product", "plan", "customer", "model",
		"sid", "digest", "hash", "checksum", "image", "tag", "build", "trace", "span", "event", "board", "list", "issue",
		"ticket", "database", "cluster", "schema", "table", "collection", "public", "pk", "publishable", "sub", "order",
		"invoice", "charge", "mail", "email", "phone", "number", "port", "plugin", "sdk", "lib", "com", "org_id", "etag",
		"actor", "sender", "node", "cursor":
		return true
	}
	return IsAbout(word)
}

// IsObjectID reports whether v is an id of a service: a short word that names the sort of object, and the rest.
func IsObjectID(v string) bool {
	if n := strings.IndexAny(v, "_-"); n > 0 {
		switch v[:n] {
		case "acct", "price", "cus", "prod", "sub", "pi", "evt", "org", "proj", "req", "in", "ch", "txn", "ses", "user",
			"team", "msg", "run", "file", "asst", "thread", "chatcmpl", "call", "toolu", "pm", "seti", "src", "cs", "si", "ii",
			"il", "po", "dp", "re", "tok", "btok", "card", "ba", "i", "vpc", "sg", "ami", "subnet", "vol", "snap", "eni", "G",
			"UA", "GTM":
			return true
		}
	}
	return len(v) == 34 && (strings.HasPrefix(v, "AC") || strings.HasPrefix(v, "PN") || strings.HasPrefix(v, "SM")) &&
		ascii.All(v[2:], ascii.IsLowerHex)
}

// Words before a value that is, or is not, a key.

// keyStems are the beginnings of words that speak of a key.
var keyStems = [...]string{
	"key", "secret", "token", "auth", "priv", "passw", "pwd", "cred", "seed", "hmac", "cipher", "bearer", "api",
	"signing", "access", "webhook", "sk", "aes", "fernet", "login", "session", "cookie", "wallet",
}

// plainStems are the beginnings of words before random letters and digits that are no key.
var plainStems = [...]string{
	"public", "pub", "id", "ids", "uuid", "guid", "hash", "digest", "sha", "md5", "checksum", "fingerprint", "integrity",
	"etag", "signature", "sign", "sig", "cert", "certificate", "modulus", "nonce", "cursor", "page", "next",
	"continuation", "version", "rev", "revision", "commit", "ref", "address", "addr", "account", "file", "doc",
	"document", "video", "list", "playlist", "image", "img", "photo", "url", "uri", "href", "src", "path", "h",
	"frombase", "string", "ssh-ed25519", "ssh-rsa", "trace", "span", "request", "message", "thread", "event", "object",
	"resource", "snapshot", "equal", "tobe", "expect", "assert", "decode", "parse", "get", "find", "fetch", "checkout",
	"lookup", "contains", "mappings", "idempotency", "cache", "name", "test", "node", "block", "build", "release",
	"print", "printf", "log", "write", "error", "format", "query", "exec", "select", "bytes", "buffer", "color",
	"prefix", "suffix", "match", "compare", "diff", "has", "tx", "cid", "ipfs", "peer", "blob", "index", "chunk",
	"asset", "class", "style",
}

// mentions reports whether a word of text is, or for longer words begins with, one of the stems.
func mentions(text string, stems []string) bool {
	isSign := func(r rune) bool { return r >= 0x80 || !ascii.IsWordByte(byte(r)) || r == '_' }
	for part := range strings.FieldsFuncSeq(text, isSign) {
		for _, word := range append(Words(part), ascii.Lower(part)) {
			word = strings.TrimRight(word, "0123456789")
			for _, stem := range stems {
				if word == stem || len(stem) > 3 && strings.HasPrefix(word, stem) || len(stem) == 3 && strings.HasSuffix(word,
					stem) {
					return true
				}
			}
		}
	}
	return false
}

// IsConstructor reports whether the name of a function is that of a type, or of a function that sets up a client.
func IsConstructor(name string) bool {
	words := Words(name[strings.LastIndexAny(name, ".:\\>")+1:])
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "init", "initialize", "new", "start", "setup", "configure", "connect", "auth", "authenticate", "use":
		return true
	}
	last := name[strings.LastIndexAny(name, ".:\\>")+1:]
	return ascii.IsUpper(last[0])
}

// MentionsKey reports whether a text speaks of a key.
func MentionsKey(text string) bool { return mentions(text, keyStems[:]) }

// MentionsOther reports whether a text speaks of an id, a hash or another value that is no key.
func MentionsOther(text string) bool { return mentions(text, plainStems[:]) }
