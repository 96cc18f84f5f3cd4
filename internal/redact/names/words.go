package names

import (
	"strings"
	"unicode"

	"remanence/internal/redact/ascii"
)

// IsOwner reports whether a word before "password is" shows that a particular password is meant.
func IsOwner(word string) bool {
	switch ascii.Lower(word) {
	case "my", "our", "the", "his", "her", "their", "your", "new", "old", "current", "root", "admin", "user", "db",
		"database", "login", "wifi", "wi-fi", "sudo", "master", "ssh", "test", "temp", "temporary", "initial", "account",
		"vpn", "mein", "das", "whose", "and", "with", "its", "production", "prod", "staging", "postgres", "redis", "github",
		"email", "gmail":
		return true
	}
	return false
}

// IsCommon reports whether word may follow "the password is" without being a password.
func IsCommon(word string) bool {
	switch strings.Trim(word, ".,:;()*_`") {
	case "wrong", "incorrect", "correct", "invalid", "valid", "missing", "empty", "required", "optional", "expired",
		"stored", "hashed", "encrypted", "used", "sent", "still", "being", "never", "always", "also", "only", "just",
		"then", "than", "that", "this", "from", "with", "what", "when", "where", "which", "your", "their", "there", "here",
		"same", "based", "given", "known", "unknown", "needed", "printed", "passed", "read", "shown", "hidden", "visible",
		"checked", "verified", "compared", "provided", "supplied", "specified", "asked", "prompted", "ignored", "allowed",
		"accepted", "rejected", "refused", "more", "less", "long", "short", "weak", "strong", "safe", "secure", "insecure",
		"public", "private", "secret", "plain", "plaintext", "correctly", "nothing", "something", "anything", "about",
		"above", "below", "after", "before", "because", "changed", "reset", "rotated", "logged", "leaked", "exposed",
		"redacted", "masked", "removed", "deleted", "saved", "kept", "cached", "returned", "generated", "created",
		"defined", "default", "derived", "left", "have", "must", "should", "could", "would", "will", "does", "done", "made",
		"part", "supposed", "going", "available", "loaded", "found", "lost", "protected", "longer", "shorter", "blank",
		"null", "none", "true", "false", "really", "already", "however", "currently", "usually", "typically", "either",
		"both", "neither", "handled", "taken", "typed", "entered", "written", "unset", "compromised", "different",
		"identical", "equal", "simple", "complex", "good", "enough", "disabled", "enabled", "omitted", "transmitted",
		"very", "quite", "probably", "rather", "actually", "often", "falsch", "richtig", "leer", "ungültig", "gültig",
		"abgelaufen", "gesetzt", "geändert", "zurückgesetzt", "nicht", "noch", "schon", "jetzt", "bereits", "erforderlich",
		"nötig", "unbekannt", "bekannt", "gespeichert", "verschlüsselt", "sicher", "unsicher", "kurz", "lang", "schwach",
		"stark", "gleich", "eine", "einem", "immer", "hier", "dort", "vergessen", "verloren", "korrekt", "inkorrekt",
		"nirgends", "überall":
		return true
	}
	return len(word) < 4 || strings.HasSuffix(word, "ed") && ascii.All(word, ascii.IsLower)
}

// IsOfCode reports whether v is a word that code, schemas and documents use in place of a value.
func IsOfCode(v string) bool {
	switch strings.TrimRight(ascii.Lower(v), ";,): ") {
	case "string", "str", "bool", "boolean", "int", "bytes", "text", "any", "number", "null", "none", "nil", "true",
		"false", "undefined", "required", "optional", "password", "passwd", "passphrase", "secret", "token", "secretstr",
		"varchar", "type", "object", "value", "credentials", "credential", "apikey", "api_key", "api-key", "bearer",
		"basic", "redacted", "hidden", "masked", "empty", "unset", "default", "self", "this", "void", "char", "const",
		"let", "var", "new", "await", "return", "func", "function", "username", "user", "email", "login", "input", "output",
		"auth", "oauth", "header", "authorization", "interface", "struct", "option", "private_key", "access_token",
		"refresh_token", "client_secret", "prompt", "file", "stdin", "pass", "fail", "env", "key", "name", "session",
		"cookie", "error", "test", "write", "read", "inherit":
		return true
	}
	return false
}

// IsAlgorithm reports whether a value is the name of a digest, an encoding or a scheme of authentication.
func IsAlgorithm(v string) bool {
	switch strings.TrimRight(ascii.Lower(v), ".,;:)") {
	case "sha1", "sha256", "sha-256", "sha512", "sha-512", "md5", "base64", "base32", "oauth2", "oauth2.0", "bcrypt",
		"argon2", "argon2id", "pbkdf2", "scram-sha-1", "scram-sha-256", "scram-sha-512", "sha384", "hs384", "hs512",
		"rs512", "es256", "utf8", "utf-8", "x509", "http2", "aes256", "aes-256", "ed25519", "rs256", "hs256", "2fa",
		"nist800":
		return true
	}
	return false
}

// IsContainer reports whether word is a usual name of an object or a map in code and settings.
func IsContainer(word string) bool {
	switch strings.TrimRight(ascii.Lower(word), "0123456789_") {
	case "config", "cfg", "conf", "settings", "setting", "env", "environ", "os", "process", "var", "vars", "local",
		"locals", "module", "self", "this", "args", "argv", "opts", "opt", "options", "params", "props", "state", "ctx",
		"context", "req", "request", "res", "resp", "response", "body", "form", "input", "output", "user", "users",
		"account", "client", "server", "db", "database", "app", "application", "values", "inputs", "secrets", "credentials",
		"creds", "auth", "vault", "node", "event", "e", "c", "p", "u", "s", "t", "r", "a", "b", "d", "x", "obj", "object",
		"result", "row", "record", "payload", "session", "steps", "needs", "matrix", "github", "runner", "job", "each",
		"count", "path", "terraform", "item", "model", "doc", "types", "type", "test", "tests":
		return true
	}
	return len(word) == 1
}

// IsDomain reports whether word is the last part of a host name.
func IsDomain(word string) bool {
	switch ascii.Lower(word) {
	case "com", "org", "net", "io", "dev", "de", "eu", "uk", "us", "ch", "at", "fr", "local", "internal", "lan", "test",
		"example", "invalid", "localhost", "app", "cloud", "svc", "info", "biz", "edu", "gov", "ai", "co", "me":
		return true
	}
	return false
}

// IsSize reports whether digits are a usual size in bits or bytes, or the number of a standard.
func IsSize(digits string) bool {
	switch digits {
	case "16", "32", "64", "128", "192", "224", "256", "384", "512", "1024", "2048", "4096", "8601", "25519", "3339",
		"509", "10", "11", "12", "13":
		return true
	}
	return false
}

// IsSource reports whether name is a file that is not itself a secret.
func IsSource(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "go", "py", "js", "ts", "tsx", "jsx", "rs", "rb", "java", "kt", "cs", "php", "c", "h", "cpp", "md", "yaml",
		"yml", "json", "toml", "sh", "sql", "html", "css":
		return true
	}
	return false
}

// MentionsMember reports whether one of the words of a part names a secret, or a field that may contain one.
func MentionsMember(part string) bool {
	for _, word := range Words(part) {
		word = strings.TrimRight(word, "0123456789")
		if WordClass(word) != None || IsAbout(word) {
			return true
		}
		switch word {
		case "field", "value", "key", "data", "attr", "attribute", "item", "entry", "param", "prop", "property", "column",
			"string":
			return true
		}
	}
	return false
}

// IsForeign reports whether v is a message in another language, as in translation files under the name of a secret:
// mostly in scripts that are unusual in passwords, or itself the word for a password.
func IsForeign(v string) bool {
	letters, n := 0, 0
	for _, r := range v {
		n++
		if unicode.IsLetter(r) && !unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek) {
			letters++
		}
	}
	if letters*2 > n {
		return true
	}
	switch strings.ToLower(v) {
	case "passwort", "kennwort", "contraseña", "clave", "senha", "palavra-passe", "mot de passe", "wachtwoord",
		"adgangskode", "lösenord", "passord", "heslo", "jelszó", "hasło", "salasana", "şifre", "parola", "пароль",
		"κωδικός":
		return true
	}
	return false
}

// MentionsSecret reports whether a word of v names a secret or is usual in placeholders. Then v is a name, not a
// value.
func MentionsSecret(v string) bool {
	for word := range strings.SplitSeq(v, "-") {
		switch word {
		case "your", "here", "change", "changeme", "replace", "my", "example", "key", "set", "from", "for", "the", "to",
			"of", "in", "and", "with":
			return true
		}
		if WordClass(word) != None {
			return true
		}
	}
	return false
}

// IsYourWord reports whether v is a phrase that manuals print for the reader to replace, such as "your-password".
func IsYourWord(v string) bool {
	if strings.Contains(v, "_your_") || strings.Contains(v, "-your-") {
		return !strings.ContainsAny(v, "0123456789")
	}
	for _, prefix := range [...]string{
		"your-", "your_", "your ", "my-secret-", "insert-", "replace-", "enter-", "changeme-", "put-your",
	} {
		if ascii.HasFoldPrefix(v, prefix) {
			return !strings.ContainsAny(v, "0123456789")
		}
	}
	return false
}

// IsOption reports whether the word after a flag continues a sentence or is the next flag.
func IsOption(word string) bool {
	switch ascii.Lower(strings.TrimRight(word, ".,:;")) {
	case "flag", "flags", "option", "options", "argument", "arguments", "parameter", "switch", "and", "with", "when",
		"instead", "into", "over", "value", "prompt":
		return true
	}
	return strings.HasPrefix(word, "--") || len(word) >= 4 && IsCommon(ascii.Lower(word))
}

// PrintsSecrets reports whether a command of that name may print nothing but a secret.
func PrintsSecrets(command string) bool {
	switch command {
	case "echo", "printenv", "cat", "head", "tail", "kubectl", "oc", "terraform", "tofu", "vault", "aws", "gcloud", "az",
		"heroku", "op", "pass", "gopass", "bw", "lpass", "security", "secret-tool", "doppler", "sops", "sudo", "docker", "jq",
		"yq", "keyring", "infisical", "pulumi", "chamber", "crudini", "get-secret":
		return true
	}
	return false
}
