package secrets

import (
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"remanence/test/tier"
)

// example is a text and the secrets in it: for most one, for a key in a block each of its lines.
type example struct {
	text    string
	secrets []string
}

// kind is one sort of credential; make gives another example of it with each call.
type kind struct {
	name string
	make func(g *gen) example
}

const (
	holdoutKinds   = 36  // at least so many kinds
	holdoutSamples = 50  // of each kind
	holdoutPerfect = 30  // kinds of which nothing may survive
	holdoutMissed  = 100 // at most one example in so many may survive
)

// The rules find secrets that they were not fitted to. The examples were written from the public formats of
// credentials, without reading the rules: 99 of 100 are redacted, and all of 30 kinds.
func TestHoldoutSecretsAreRedacted(t *testing.T) {
	g := &gen{tier.Rand(t)}
	kinds := holdoutSet()
	if len(kinds) < holdoutKinds {
		t.Fatalf("%d kinds, want %d or more", len(kinds), holdoutKinds)
	}
	f := New(nil)
	missed, perfect := 0, 0
	for _, k := range kinds {
		lost, misses := 0, ""
		for range holdoutSamples {
			e := k.make(g)
			if len(e.secrets) == 0 {
				t.Fatalf("%s: an example without a secret: %q", k.name, e.text)
			}
			for _, s := range e.secrets {
				if len(s) < 6 || !strings.Contains(e.text, s) {
					t.Fatalf("%s: the text does not hold the secret %q: %q", k.name, s, e.text)
				}
			}
			if left := survivor(f.redact(e.text), e.secrets); left != "" {
				lost++
				misses += fmt.Sprintf("\n\t%s: %q", left, masked(e))
			}
		}
		missed += lost
		if lost == 0 {
			perfect++
			continue
		}
		t.Logf("%s: %d of %d missed:%s", k.name, lost, holdoutSamples, misses)
	}
	total := len(kinds) * holdoutSamples
	t.Logf("%d of %d missed (%.2f%% gone), %d of %d kinds without a miss", missed, total,
		100-100*float64(missed)/float64(total), perfect, len(kinds))
	if missed*holdoutMissed > total {
		t.Errorf("missed %d of %d, want at most 1 in %d", missed, total, holdoutMissed)
	}
	if perfect < holdoutPerfect {
		t.Errorf("%d kinds without a miss, want %d or more", perfect, holdoutPerfect)
	}
}

// survivor returns how much of the secrets is left in text: nothing, a half or the whole. Half of a secret counts,
// because a rule that stops at the first slash or plus leaves a usable secret.
func survivor(text string, secrets []string) string {
	for _, s := range secrets {
		if strings.Contains(text, s) {
			return "whole"
		}
		half := max(6, (len(s)+1)/2)
		for i := 0; i+half <= len(s); i++ {
			if strings.Contains(text, s[i:i+half]) {
				return "half"
			}
		}
	}
	return ""
}

// masked returns the text of e with only the first four bytes of every secret, cut to a line that can be read.
func masked(e example) string {
	text := e.text
	for _, s := range e.secrets {
		text = strings.ReplaceAll(text, s, s[:4]+"…")
	}
	if len(text) > 400 {
		text = text[:400] + " (cut)"
	}
	return text
}

const (
	decimals    = "0123456789"
	lowers      = "abcdefghijklmnopqrstuvwxyz"
	uppers      = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	hexDigits   = decimals + "abcdef"
	bothCases   = uppers + lowers
	base62Chars = decimals + uppers + lowers
	urlChars    = base62Chars + "_-"
	base32Chars = uppers + "234567"
)

// gen draws random credentials and the texts around them.
type gen struct{ *rand.Rand }

func (g *gen) pick(from ...string) string { return from[g.IntN(len(from))] }
func (g *gen) between(from, to int) int   { return from + g.IntN(to-from+1) }

// of returns n characters of an alphabet.
func (g *gen) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[g.IntN(len(alphabet))]
	}
	return string(b)
}

func (g *gen) hex(n int) string { return g.of(hexDigits, n) }

func (g *gen) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

// b64 and b64url return the encodings of n random bytes.
func (g *gen) b64(n int) string    { return base64.StdEncoding.EncodeToString(g.bytes(n)) }
func (g *gen) b64url(n int) string { return base64.RawURLEncoding.EncodeToString(g.bytes(n)) }

func (g *gen) uuid() string {
	return g.hex(8) + "-" + g.hex(4) + "-4" + g.hex(3) + "-" + g.of("89ab", 1) + g.hex(3) + "-" + g.hex(12)
}

// checked returns a token of GitHub or npm: 30 random characters and their CRC-32 as six of base 62.
func (g *gen) checked(prefix string) string {
	s := g.of(base62Chars, 30)
	sum, tail := crc32.ChecksumIEEE([]byte(s)), make([]byte, 6)
	for i := 5; i >= 0; i-- {
		tail[i] = base62Chars[sum%62]
		sum /= 62
	}
	return prefix + s + string(tail)
}

func (g *gen) user() string {
	return g.pick("app", "admin", "root", "alice", "bob", "deploy", "svc_reports", "postgres", "jenkins", "shop_rw")
}

func (g *gen) host() string {
	return g.pick("db.internal", "localhost", "10.0.3.17", "prod-db-1.eu-west-1.example.net", "cache", "mq.example.com",
		"cluster0.ab1cd.mongodb.example", "127.0.0.1")
}

func (g *gen) word() string {
	return g.pick("harbor", "winter", "sunflower", "dragon", "monkey", "coffee", "falcon", "thunder", "copper", "meadow",
		"lantern", "pepper", "saturn", "mustang", "velvet", "orchid", "glacier", "tango", "walnut", "compass")
}

// password returns a password as people and password managers make it, with the given symbols.
func (g *gen) password(symbols string) string {
	w := g.word()
	title := strings.ToUpper(w[:1]) + w[1:]
	mark := ""
	if symbols != "" {
		mark = g.of(symbols, 1)
	}
	switch g.IntN(6) {
	case 0:
		return g.of(base62Chars, g.between(12, 24))
	case 1:
		return title + g.of(decimals, 4) + mark
	case 2:
		return w + g.of(decimals, g.between(2, 3)) + mark
	case 3:
		return g.word() + "-" + g.word() + "-" + g.word() + "-" + g.word()
	case 4:
		return strings.NewReplacer("a", "4", "e", "3", "o", "0").Replace(title) + mark + g.of(decimals, 2)
	}
	return g.of(bothCases, 1) + g.of(base62Chars+symbols+symbols, g.between(11, 23)) + g.of(base62Chars, 1)
}

// one returns an example of one secret in a text with the verb %s for it.
func one(format, secret string) example {
	return example{strings.ReplaceAll(format, "%s", secret), []string{secret}}
}

// in inserts the secret into one of the texts.
func (g *gen) in(secret string, texts ...string) example { return one(g.pick(texts...), secret) }

// named inserts a secret beside its name: name is that of an environment variable, say that of a sentence.
func (g *gen) named(name, say, secret string) example {
	format := g.pick(namedTexts...)
	if strings.Contains(format, "{query}") {
		secret = url.QueryEscape(secret)
	}
	words := strings.Split(strings.ToLower(name), "_")
	pascal := ""
	for _, w := range words {
		pascal += strings.ToUpper(w[:1]) + w[1:]
	}
	text := strings.NewReplacer("{NAME}", name, "{name}", strings.ToLower(name), "{Camel}", pascal,
		"{camel}", words[0]+pascal[len(words[0]):], "{kebab}", strings.Join(words, "-"), "{dot}", strings.Join(words, "."),
		"{say}", say, "{query}", secret, "{v}", secret).Replace(format)
	return example{text, []string{secret}}
}

// token inserts a secret that has a format of its own, with its name or without.
func (g *gen) token(name, say, secret string) example {
	if g.IntN(5) < 3 {
		return g.named(name, say, secret)
	}
	return g.in(secret, looseTexts...)
}

var namedTexts = []string{
	"{NAME}={v}", "export {NAME}=\"{v}\"", "{NAME}='{v}'\nPORT=8080", "NODE_ENV=production\n{NAME}={v}\nPORT=8080\n",
	"@@ -3,6 +3,7 @@\n DEBUG=false\n+{NAME}={v}\n-{NAME}=\n", "-  {name}: {v}\n+  {name}: ${{NAME}}",
	"service:\n  {name}: \"{v}\"\n  timeout: 30\n", "  {kebab}: {v}\n", "  {camel}: '{v}'",
	"{\n  \"{name}\": \"{v}\",\n  \"region\": \"eu\"\n}", "{\"{camel}\":\"{v}\",\"retries\":3}",
	`{"type":"tool_result","content":"{\"{camel}\":\"{v}\",\"ok\":true}"}`,
	`{"tool_name":"Bash","tool_input":{"command":"{NAME}={v} make deploy"}}`,
	`{"stdout":"PATH=/usr/bin\n{NAME}={v}\nHOME=/root\n","stderr":""}`, "{name} = \"{v}\"",
	"os.environ[\"{NAME}\"] = \"{v}\"", "    {name} = os.getenv('{NAME}', '{v}')", "const {camel} = '{v}';",
	"const {camel} = process.env.{NAME} ?? \"{v}\"", "  {camel}: `{v}`,", "\t{camel} := \"{v}\"",
	"\tos.Setenv(\"{NAME}\", \"{v}\")", "\tcfg := Config{Region: \"eu\", {Camel}: \"{v}\"}",
	"private static final String {NAME} = \"{v}\";", "spring.{dot}={v}", "var {camel} = \"{v}\"; // TODO move out",
	"ENV['{NAME}'] = '{v}'", "{name} = ENV.fetch('{NAME}', '{v}')", "define('{NAME}', '{v}');", "'{name}' => '{v}',",
	"pub const {NAME}: &str = \"{v}\";", "let {camel}: String = \"{v}\"", "  {name}   = \"{v}\"\n  region = \"eu-west-1\"",
	"variable \"{name}\" {\n  type    = string\n  default = \"{v}\"\n}", "ENV {NAME} {v}", "ARG {NAME}={v}",
	"docker run -d -e {NAME}={v} -p 8080:80 app:latest", "        - name: {NAME}\n          value: {v}\n",
	"        - name: {NAME}\n          value: \"{v}\"", "    environment:\n      - {NAME}={v}\n      - TZ=UTC",
	"2025-03-04T10:11:12Z DEBUG config loaded {name}={v} region=eu", "[info] using {say} {v}",
	"    12→{NAME}={v}\n    13→PORT=8080", "deploy/prod.env:14:{NAME}={v}", "Set `{NAME}` to `{v}` and restart.",
	"| Variable | Value |\n|---|---|\n| {NAME} | {v} |", "the {say} is {v}, please do not commit it",
	"Here's my {say}: {v}", "> I used the {say} `{v}` and got a 401", "./run --{kebab} {v} --verbose",
	"./run --{kebab}={v}", "heroku config:set {NAME}={v} -a shop", "gh secret set {NAME} --body \"{v}\"",
	"$env:{NAME} = \"{v}\"", "kubectl create secret generic app --from-literal={NAME}={v}", "set {NAME}={v}",
	"setx {NAME} \"{v}\"", "aws ssm put-parameter --name /prod/{kebab} --type SecureString --value {v}",
	"set -gx {NAME} {v}", "<{camel}>{v}</{camel}>", "<add key=\"{Camel}\" value=\"{v}\" />",
	"helm upgrade app . --set secrets.{camel}={v}",
	"Traceback (most recent call last):\n  File \"app.py\", line 12, in main\n    client = " +
		"Client({name}=\"{v}\")\nAuthError: 401",
	"Error: 401 Unauthorized ({camel}: {v})\n    at request (/srv/app/client.js:41:13)",
	"panic: bad config {Region:eu {Camel}:{v} Timeout:30s}", "{'{name}': '{v}', 'timeout': 30}",
	"{:{name}=>\"{v}\", :timeout=>30}", "+ export {NAME}={v}\n+ npm publish", "++ {NAME}={v}",
	"INSERT INTO settings (name, value) VALUES ('{name}', '{v}');", "GET /v1/items?{name}={query}&page=2 HTTP/1.1",
	"<key>{Camel}</key>\n<string>{v}</string>", "  \"env\": {\n    \"{NAME}\": \"{v}\"\n  }",
}

var looseTexts = []string{
	"%s", "pushed with %s and it worked", "Authorization: Bearer %s", "> %s", "It printed `%s` on start.", "(%s)",
	"I rotated %s.", "curl -s -H \"Authorization: Bearer %s\" https://api.example.com/v1/me", "token=%s",
	"\x1b[32m%s\x1b[0m", "['%s', 'eu-west-1']", "echo %s | login --stdin", `{"stdout":"%s\nDone.\n"}`,
	"client = Client(\"%s\")", "Error: invalid credentials: %s\n    at main.go:17", "+    auth: %s", "-\t\tNew(\"%s\")",
	"- [x] replace %s, it is in the log", "https://api.example.com/hook?key=%s", "<code>%s</code>", `\"%s\"`,
	"x-api-key: %s", "  headers: { 'X-Api-Key': '%s' },", "$ cat token.txt\n%s\n$ ", "401 for %s; is it expired?",
}

// rsa returns the bytes of a 2048-bit key: the real structure with random numbers.
func (g *gen) rsa(pkcs8 bool) []byte {
	b := append([]byte{0x30, 0x82, 0x04, 0xa4, 2, 1, 0, 2, 0x82, 1, 1, 0}, g.bytes(g.between(1178, 1182))...)
	if pkcs8 {
		frame := "0\x82\x04\xbe\x02\x01\x000\r\x06\t*\x86H\x86\xf7\r\x01\x01\x01\x05\x00\x04\x82\x04\xa8"
		b = append([]byte(frame), b...)
	}
	return b
}

// pem inserts a key as a block of lines into one of the texts: %k has its line ends as \n, %K as \\n, %b as they are,
// and %p puts the rest of the text before each line.
func (g *gen) pem(label string, key []byte, texts ...string) example {
	dashes, width := strings.Repeat("-", 5), 64
	if strings.HasPrefix(label, "OPENSSH") {
		width = 70
	}
	lines := []string{dashes + "BEGIN " + label + dashes}
	if strings.HasPrefix(label, "PGP") {
		lines = append(lines, "")
	}
	var secrets []string
	for s := base64.StdEncoding.EncodeToString(key); s != ""; {
		n := min(width, len(s))
		lines = append(lines, s[:n])
		if n >= 16 {
			secrets = append(secrets, s[:n])
		}
		s = s[n:]
	}
	if strings.HasPrefix(label, "PGP") {
		lines = append(lines, "="+g.b64(3))
	}
	lines = append(lines, dashes+"END "+label+dashes)
	text := g.pick(texts...)
	if before, ok := strings.CutPrefix(text, "%p"); ok {
		for i := range lines {
			lines[i] = strings.ReplaceAll(before, "#", fmt.Sprint(i+1)) + lines[i]
		}
		text = "%b"
	}
	text = strings.NewReplacer("%k", strings.Join(lines, `\n`)+`\n`, "%K", strings.Join(lines, `\\n`), "%b",
		strings.Join(lines, "\n"),
		"%h", strings.Join(lines[:min(5, len(lines)-1)], "\n")).Replace(text)
	shown := secrets[:0] // a text may hold only the head of the file
	for _, line := range secrets {
		if strings.Contains(text, line) {
			shown = append(shown, line)
		}
	}
	return example{text, shown}
}

// blocks are texts around a key block in files and in the output of tools.
var blocks = []string{
	"%b\n", "$ cat key\n%b\n$ ", "key: |\n%b", "%p  ", "%p+", "%p    #→", "%p     #\t", "%p> ", "KEY = \"\"\"%b\"\"\"",
	"var key = `%b`", `"key": "%k",`, `{"stdout":"%k"}`, "PRIVATE_KEY=\"%k\"", `{"a":"{\"key\":\"%K\"}"}`, "```\n%b\n```",
	"$ head -5 key\n%h\n\n$ ", "%pkey.pem:#:", "%p// ", "%p-",
}

// jwt returns a signed token with the claims.
func (g *gen) jwt(claims string) string {
	enc := base64.RawURLEncoding
	alg, size := "HS256", 32
	if g.IntN(3) == 0 {
		alg, size = "RS256", 256
	}
	return enc.EncodeToString([]byte(`{"alg":"`+alg+`","typ":"JWT"}`)) + "." + enc.EncodeToString([]byte(claims)) + "." +
		g.b64url(size)
}
