// Package names holds what is known of names and words in texts about secrets: whether a name suggests a secret,
// whether a word is one of code, of prose or of a service. It knows nothing of the texts around them.
//
// Start reading at [Classify].
package names

import (
	"strings"

	"remanence/internal/redact/ascii"
)

// Class is the kind of secret that a name suggests.
type Class uint8

// The classes. None is that of a name that suggests no secret.
const (
	None     Class = iota
	Password       // may be a word
	Token          // random letters and digits
	SomeKey        // a token, or the key of a table or a map
)

// Classify returns the class of an identifier by its words: "db_password" and "stripeSecretKey" name secrets,
// "password_file", "maxTokens" and "primary_key" do not.
func Classify(name string) Class {
	if !mayNameSecret(name) {
		return None
	}
	words := Words(name)
	if len(words) == 0 {
		return None
	}
	for len(words) > 1 && ascii.All(words[len(words)-1], ascii.IsDigit) {
		words = words[:len(words)-1]
	}
	if IsAbout(words[len(words)-1]) {
		return None
	}
	if name == "PWD" { // the working directory
		return None
	}
	found := None
	for i, w := range words {
		c := WordClass(w)
		if w == "token" && i > 0 && isPositionWord(words, i-1) {
			c = None
		}
		if (w == "pass" || w == "pwd" || w == "pw") && i+1 < len(words) { // "passConstant"
			c = None
		}
		if c == None && i > 0 && (w == "key" || w == "keys") && isKeyOwner(words[i-1]) {
			c = Token
		}
		if c != None {
			found = c
		}
	}
	if last := len(words) - 1; found == None && last > 0 && words[last] == "pat" { // a personal access token
		return Token
	}
	if last := len(words) - 1; found == None && last > 0 && words[last] == "key" && !isPlainKey(words[last-1]) {
		if words[0] == "x" { // of a header
			return Token
		}
		return SomeKey
	}
	return found
}

// isPositionWord reports whether words[i] makes "token" the name of a position in a list or of a request's id:
// "nextToken", "clientRequestToken".
func isPositionWord(words []string, i int) bool {
	switch words[i] {
	case "next", "page", "continuation", "pagination", "cursor", "change", "idempotency":
		return true
	case "request":
		return i > 0 && words[i-1] == "client"
	}
	return false
}

// isPlainKey reports whether a key with this word before it is no secret.
func isPlainKey(word string) bool {
	switch word {
	case "public", "pub", "publishable", "foreign", "unique", "cache", "sort", "partition", "index", "object", "map",
		"hash", "lookup", "composite", "natural", "shard", "routing", "group", "idempotency", "dedup", "site", "host",
		"anon", "registry", "arrow", "hot", "row":
		return true
	}
	return false
}

// mayNameSecret is a fast check that excludes most names that do not name secrets.
func mayNameSecret(name string) bool {
	for i := range len(name) {
		stem := ""
		switch name[i] | 0x20 {
		case 'p':
			stem = "pass"
			if ascii.HasFoldPrefix(name[i:], "pw") || ascii.HasFoldPrefix(name[i:], "psk") ||
				ascii.HasFoldPrefix(name[i:], "pat") {
				return true
			}
		case 's':
			stem = "secret"
		case 't':
			stem = "token"
		case 'k':
			stem = "key"
		case 'c':
			stem = "credential"
		case 'a':
			stem = "auth"
		}
		if stem != "" && ascii.HasFoldPrefix(name[i:], stem) {
			return true
		}
	}
	return false
}

// WordClass returns the class of one word of a name, in lower case; figures at its end do not count.
func WordClass(word string) Class {
	word = strings.TrimRight(word, "0123456789")
	switch word {
	case "password", "passwd", "passwort", "passphrase", "pass", "pwd", "pw", "passcode", "passwords", "userpass",
		"dbpass", "sshpass", "mypass", "adminpass", "rootpass", "smtppass", "mysqlpass", "requirepass", "storepass",
		"keypass", "becomepass", "masterauth", "psk", "bindpw", "rootpw", "dbpw", "userpw":
		return Password
	case "secret", "secrets", "token", "apikey", "apikeys", "accesskey", "secretkey", "privatekey", "authkey",
		"masterkey", "signingkey", "encryptionkey", "subscriptionkey", "credential", "credentials", "authtoken",
		"accesstoken", "clientsecret", "apitoken", "apisecret", "auth", "refreshtoken", "sharedsecret", "usertoken",
		"bottoken", "appsecret", "secretaccesskey", "secrettoken", "jwtsecret", "cookiesecret", "sessionsecret",
		"consumersecret", "idtoken", "sessiontoken":
		return Token
	}
	for _, ending := range [...]string{"password", "passwd", "passwort", "passphrase"} {
		if strings.HasSuffix(word, ending) {
			return Password
		}
	}
	if strings.HasSuffix(word, "stoken") { // German joins words: "Zugriffstoken"
		return Token
	}
	if owner, ok := strings.CutSuffix(word, "key"); ok && isKeyOwner(owner) {
		return Token
	}
	return None
}

// isKeyOwner reports whether a key with this word before it is a secret.
func isKeyOwner(word string) bool {
	switch word {
	case "api", "access", "private", "secret", "signing", "sign", "encryption", "encrypt", "decryption", "auth",
		"master", "account", "service", "shared", "admin", "app", "application", "consumer", "client", "storage",
		"subscription", "license", "deploy", "webhook", "session", "cookie", "hmac", "jwt", "rest", "write", "integration",
		"project", "server", "presharedkey", "preshared", "setup", "recovery", "backup", "function", "wallet", "deployer",
		"dkim", "management", "functions", "llm", "ai", "openai", "gemini", "authorization", "root", "ssh", "gpg",
		"security", "crypto", "aes", "validation", "verification":
		return true
	}
	return false
}

// IsAbout reports whether a name that ends with word describes a secret and is not the name of one.
func IsAbout(word string) bool {
	switch word {
	case "id", "ids", "name", "names", "file", "files", "path", "paths", "dir", "url", "uri", "type", "types", "typ",
		"kind", "count", "counts", "len", "length", "size", "limit", "max", "min", "policy", "field", "label", "hint",
		"reset", "regex", "pattern", "expiry", "expires", "expiration", "ttl", "age", "prompt", "placeholder", "error",
		"err", "message", "msg", "title", "tokens", "budget", "usage", "format", "version", "endpoint", "issuer", "header",
		"prefix", "suffix", "param", "env", "var", "index", "pos", "position", "required", "enabled", "strength",
		"rotation", "manager", "store", "provider", "helper", "source", "ref", "arn", "handler", "func", "fn", "test",
		"required_fields", "input", "form", "text", "class", "set", "at", "changed", "updated", "created", "window", "rate",
		"kinds", "cache", "command", "algo", "algorithm", "reload":
		return true
	}
	return false
}

// Words splits an identifier at '_', '-', '.' and before a capital after a lower-case letter. The words are in
// lower case.
func Words(name string) []string {
	var words []string
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, ascii.Lower(name[start:end]))
		}
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == '.' || c == ' ':
			cut(i)
			start = i + 1
		case i > start && ascii.IsUpper(c) && (!ascii.IsUpper(name[i-1]) || i+1 < len(name) && ascii.IsLower(name[i+1])):
			cut(i)
			start = i
		}
	}
	cut(len(name))
	return words
}
