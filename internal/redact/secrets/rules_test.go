package secrets

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"remanence/internal/redact/ascii"
)

func TestTheContextOfASecretStays(t *testing.T) {
	for in, want := range map[string]string{
		`export DB_PASSWORD="s3cr3t!x" && run`:                  `export DB_PASSWORD="[secret:password]" && run`,
		"mysql -u root -phunter2 app":                           "mysql -u root -p[secret:password] app",
		"my password is hunter2, ok?":                           "my password is [secret:password], ok?",
		"postgres://app:hunter2@db:5432/x":                      "postgres://app:[secret:url-password]@db:5432/x",
		"Authorization: Bearer " + pat:                          "Authorization: Bearer [secret:github-pat]",
		"Set-Cookie: sid=0123456789abcdefABCDEF; Path=/":        "Set-Cookie: sid=[secret:cookie]; Path=/",
		"password=" + pat + "!x":                                "password=[secret:github-pat]",
		"a -----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n": "a [secret:private-key]",
		"MIIEpAIBAAKCAQEA7\nabc\n-----END PRIVATE KEY----- b":   "[secret:private-key] b",
	} {
		if got := New(nil).redact(in); got != want {
			t.Errorf("redact(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestOrdinaryTextIsUnchanged(t *testing.T) {
	for _, s := range []string{
		"993404b5-91aa-4a15-97f6-c25103f13900", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "toolu_01A09q90qw90lq917835lq9",
		"commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"/home/dev/.claude/projects/-home-dev/26b09994.jsonl", "h1:oIi9Bhn8mCnGn8OTf6UgKhmEQq0pVPwV0d3bFbS9SKQ=",
		`"integrity": "sha512-Xq9nH7KlWZmcAGODXti8yv7RPVsLuJCTgCkOiz7G6ZLpBc=="`, "the password is wrong",
		"password is required", "Invalid password.", "token expired", "the secret is safe", "max_tokens: 4096",
		"input_tokens=120394", "password: string", "password: ${DB_PASSWORD}", "token = os.Getenv(\"TOKEN\")",
		"apiKey: process.env.API_KEY", "password = \"\"", "PASSWORD=$PASS", "Authorization: Bearer $TOKEN",
		"password: ********", "func (t *Token) String() string", "token := p.next()", "if tok == token.LPAREN {",
		"secret_name: my-app-credentials", "password_file: /run/secrets/db", "git commit -m 'pass ctx to store'",
		"the key-value store", "primary_key: id", "http://localhost:8080/a@b", "user@example.org", "npm_config_registry=x",
		"task-skills-and-more-things1", "go test ./... -run TestToken", "<password>", "password:", "token",
		"mysql -u root -p app", "curl -u admin https://h/", "api key", "Cookie: none", "-----BEGIN CERTIFICATE-----\nMIID\n",
		"strings.Contains(s, \"-----BEGIN PRIVATE KEY-----\")", "passwd := readPasswd(r)", "const secretKey = loadKey()",
		"session_id=993404b5-91aa-4a15-97f6-c25103f13900", "x-amz-date 20250101T000000Z",
		"v1.2.3-20240102030405-abcdef012345", "2025-01-02T03:04:05.678Z", "PWD=/home/dev/project", "cd $PWD",
		"password *uint16", `["thinking-token-count-2026-05-13", "advanced-tool-use-2025-11-20"]`,
	} {
		if got := New(nil).redact(s); got != s {
			t.Errorf("redact(%q) = %q, want it unchanged", s, got)
		}
	}
}

func TestBuiltInRulesCompileAndHaveHeads(t *testing.T) {
	f := New(nil)
	for i := range builtin {
		r := &builtin[i]
		if ways := []bool{r.find != nil, r.flag != "", r.tail != ""}; slices.Index(ways, true) < 0 ||
			slices.Contains(ways[slices.Index(ways, true)+1:], true) {
			t.Errorf("%s: want one of a tail, a flag and a function", r.kind)
		}
		if r.tail != "" {
			f.tail(i) // panics if it does not compile
		}
		if _, ok := markerEnd(r.kind+"]", 0); !ok {
			t.Errorf("%q is no kind for a marker", r.kind)
		}
		for _, h := range r.heads {
			if len(h) < 3 || r.fold && h != ascii.Lower(h) {
				t.Errorf("%s: bad head %q", r.kind, h)
			}
		}
	}
}

// spell draws one spelling of a head: a choice of its classes, and letters in any case if it folds.
func spell(t *rapid.T, head string, fold bool) string {
	var b []byte
	for rest := head; rest != ""; {
		var class string
		class, rest = element(rest)
		c := rapid.SampledFrom([]byte(class)).Draw(t, "choice")
		if fold && ascii.IsLower(c) && rapid.Bool().Draw(t, "upper") {
			c -= 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b)
}

// The index contains every head of every rule, in each spelling and beside any text.
func TestEveryHeadIsFound(t *testing.T) {
	f := New(nil)
	rapid.Check(t, func(t *rapid.T) {
		index := rapid.IntRange(0, len(builtin)-1).Draw(t, "rule")
		r := &builtin[index]
		text := spell(t, rapid.SampledFrom(r.heads).Draw(t, "head"), r.fold)
		before := drawText(t)
		s := before + text
		if r.tail != "" {
			s += rapid.StringMatching(r.tail).Draw(t, "tail")
		}
		s += drawText(t)
		for at := f.next(s, 0); at <= len(before); at = f.next(s, at+1) {
			for i := f.bucket(triple(s, at)); at == len(before) && i > 0; i = f.entries[i].next {
				end, ok := f.entries[i].at(s, at)
				if ok && int(f.entries[i].rule) == index && s[at:end] == text {
					return
				}
			}
		}
		t.Fatalf("%s: head %q not found at %d of %q", r.kind, text, len(before), s)
	})
}

// Text that matches the pattern of a rule is redacted. Rules with a check are left out, because it may reject the text.
func TestEveryPatternIsRedacted(t *testing.T) {
	f := New(nil)
	var plain []*rule
	for i := range builtin {
		if r := &builtin[i]; r.tail != "" && r.check == nil {
			plain = append(plain, r)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(plain).Draw(t, "rule")
		before := " "
		if r.left == edgeDigit {
			before = " 12345678"
		}
		s := before + spell(t, rapid.SampledFrom(r.heads).Draw(t, "head"), r.fold) + rapid.StringMatching(r.tail).Draw(t,
			"tail")
		if got := f.redact(s); !strings.Contains(got, markerHead) {
			t.Fatalf("%s: redact(%q) = %q", r.kind, s, got)
		}
	})
}
