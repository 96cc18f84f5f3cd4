package secrets

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Alphabets of secrets.
const (
	digits   = "0123456789"
	hexSet   = digits + "abcdef"
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnum    = letters + digits
	upperNum = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits
	b64      = alnum + "+/"
	b64url   = alnum + "-_"
)

type dice struct{ *rand.Rand }

func (d dice) of(set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[d.IntN(len(set))]
	}
	return string(b)
}

func (d dice) one(choices ...string) string { return choices[d.IntN(len(choices))] }

func (d dice) uuid() string {
	return d.of(hexSet, 8) + "-" + d.of(hexSet, 4) + "-4" + d.of(hexSet, 3) + "-a" + d.of(hexSet, 3) + "-" +
		d.of(hexSet, 12)
}

// word returns a password as people choose them.
func (d dice) word() string {
	w := d.one("hunter", "Tr0ub4dor", "dragon", "Sommer", "correct-horse", "qwerty", "P@ss", "letMeIn", "s3cr3t", "monkey")
	return w + d.one("", "!", "#", "_", ".") + d.of(digits, 2+d.IntN(3)) + d.one("", "!", "$", "xY")
}

func (d dice) lines(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(d.of(b64, 64) + "\n")
	}
	return b.String() + d.of(b64, 20) + "=="
}

type secretKind struct {
	name     string
	make     func(d dice) string
	contexts []string // nil: everyContext
}

// everyContext are texts in which a secret, %s, must be recognised by its own form.
var everyContext = []string{
	"%s", "use %s for it", "x=%s\n", "\"%s\"", "{\"v\": \"%s\"}", `{\"v\":\"%s\"}`, "line one\\n%s\\nline two",
	"key: '%s'", "\x1b[32m%s\x1b[0m", "(%s)", "curl -H 'X-Key: %s' https://api.example.org/v1",
	"https://example.org/?k=%s&b=1", "`%s`", "<v>%s</v>", "a,%s,b", "     1→%s", "+%s", "%%20%s",
}

var passwordContexts = []string{
	"DB_PASSWORD=%s\n", "export PGPASSWORD='%s'", "password: %s\n", "password = \"%s\"", "{\"password\":\"%s\"}",
	`{\"passwd\": \"%s\"}`, "mysql -u root -p%s app", "mysqldump --password=%s db > out", "my password is %s",
	"The admin password is %s.", "login: bob, password: %s", "tool --password %s --verbose", "const dbPassword = '%s';",
	"Server=db;User Id=sa;Password=%s;Encrypt=true", "sshpass -p '%s' ssh host", "<password>%s</password>",
	"ALTER USER bob WITH PASSWORD '%s';", "CREATE USER x IDENTIFIED BY '%s'", "redis-cli -h h -a %s ping",
	"curl -u admin:%s https://h/", "machine h login bob password %s", "spring.datasource.password=%s",
	"  - MYSQL_ROOT_PASSWORD=%s", "pwd=%s;", "passphrase: \"%s\"", "docker login -u bob -p %s reg.example.org",
	"password for the staging db is %s", "user.setPassword(\"%s\")", "os.environ[\"DB_PASSWORD\"] = \"%s\"",
	"smtp_pass = %s", "if password == \"%s\" {", "db_password: str = \"%s\"", "let password: String = \"%s\"",
	"password := \"%s\"", "'password' => '%s',", "--from-literal=password=%s", "password=%s&user=x",
	"psql postgres://app:%s@db:5432/x", "the root password was %s, change it", "echo 'password %s' | chat",
	"set password=%s", "ENV POSTGRES_PASSWORD %s", "ENV POSTGRES_PASSWORD=%s", "echo %s | sudo -S apt update",
	"echo -n '%s' | docker login -u bob --password-stdin", "mongosh -u admin -p %s", "pw=%s", "login bob, pw: %s",
	"pass: %s\n", "password is: %s", "_password=%s", "net:\n  - pass: '%s'", "sshpass -p%s ssh h", "\"password\": '%s',",
	"passwd=%s;",
}

var tokenContexts = []string{
	"API_TOKEN=%s\n", "export FOO_TOKEN=%s", "token: %s\n", "token = \"%s\"", "{\"api_key\":\"%s\"}",
	`{\"client_secret\": \"%s\"}`, "apiKey: '%s',", "--token %s", "--api-key=%s", "Authorization: Bearer %s",
	"-H \"Authorization: token %s\"", "X-Api-Key: %s", "?access_token=%s&x=1", "the api key is %s",
	"const secretKey = \"%s\"", "JWT_SECRET=%s", "secret_key_base: %s", "os.Setenv(\"APP_SECRET\", \"%s\")",
	"//registry.example.org/:_authToken=%s", "signing_key = '%s'", "auth_token=\"%s\"",
	"process.env.STRIPE_SECRET = \"%s\"", "encryptionKey := \"%s\"", "DATADOG_API_KEY: \"%s\"", "\"token\" : \"%s\"",
	"credentials: %s\n", "my token is %s", "Cookie: session=%s", "Set-Cookie: sid=%s; Path=/", "api key: %s",
	"access-key: %s\n", "x-auth-token: %s", "secret = %s\n", "token=%s", "with token %s", "webhook_secret: \"%s\"",
	"{\"headers\":{\"X-Api-Key\":\"%s\"}}", "--set secrets.token=%s", "x-amz-security-token=%s", "ENV API_TOKEN %s",
}

var secretKinds = []secretKind{
	{"aws key id", func(d dice) string { return d.one("AKIA", "ASIA") + d.of(upperNum, 16) }, nil},
	{"aws secret", func(d dice) string { return d.of(b64, 40) }, []string{
		"aws_secret_access_key = %s\n", "AWS_SECRET_ACCESS_KEY=%s", "\"SecretAccessKey\": \"%s\"", "secretAccessKey: '%s'",
		"AKIA1234567890ABCDEF,%s", "AKIA1234567890ABCDEF %s", "export AWS_SECRET_ACCESS_KEY=\"%s\"",
		`\"aws_secret_access_key\":\"%s\"`, "aws secret key is %s",
	}},
	{"github", func(d dice) string { return d.one("ghp_", "gho_", "ghu_", "ghs_", "ghr_") + d.of(alnum, 36) }, nil},
	{"github fine", func(d dice) string { return "github_pat_" + d.of(alnum, 22) + "_" + d.of(alnum, 59) }, nil},
	{"gitlab", func(d dice) string { return "glpat-" + d.of(b64url, 20) }, nil},
	{"slack", func(d dice) string {
		return d.one("xoxb-", "xoxp-", "xoxa-2-") + d.of(digits, 11) + "-" + d.of(digits, 12) + "-" + d.of(alnum, 24)
	}, nil},
	{
		"slack webhook", func(d dice) string {
			return "T" + d.of(upperNum, 8) + "/B" + d.of(upperNum, 8) + "/" + d.of(alnum, 24)
		},
		[]string{"https://hooks.slack.com/services/%s", "url: 'https://hooks.slack.com/services/%s'"},
	},
	{"stripe", func(d dice) string { return d.one("sk_live_", "rk_live_", "sk_test_") + d.of(alnum, 24) }, nil},
	{"google", func(d dice) string { return "AIza" + d.of(b64url, 35) }, nil},
	{"gcp account", func(d dice) string {
		return "-----BEGIN PRIVATE KEY-----\\n" + strings.ReplaceAll(d.lines(5), "\n", "\\n") +
			"\\n-----END PRIVATE KEY-----\\n"
	}, []string{"{\"type\":\"service_account\",\"private_key\":\"%s\"}", `{\"private_key\":\"%s\"}`}},
	{"openai", func(d dice) string { return "sk-" + d.of(alnum, 20) + "T3BlbkFJ" + d.of(alnum, 20) }, nil},
	{"openai project", func(d dice) string { return "sk-proj-" + d.of(b64url, 74) }, nil},
	{"anthropic", func(d dice) string { return "sk-ant-api03-" + d.of(b64url, 93) + "AA" }, nil},
	{"huggingface", func(d dice) string { return "hf_" + d.of(letters, 34) }, nil},
	{"npm", func(d dice) string { return "npm_" + d.of(alnum, 36) }, nil},
	{"pypi", func(d dice) string { return "pypi-AgEIcHlwaS5vcmc" + d.of(b64url, 100) }, nil},
	{"sendgrid", func(d dice) string { return "SG." + d.of(b64url, 22) + "." + d.of(b64url, 43) }, nil},
	{"twilio", func(d dice) string { return "SK" + d.of(hexSet, 32) }, nil},
	{"twilio auth", func(d dice) string {
		return d.of(hexSet, 32)
	}, []string{"TWILIO_AUTH_TOKEN=%s", "twilio.auth = '%s'", "twilio: %s"}},
	{"mailgun", func(d dice) string { return "key-" + d.of(hexSet, 32) }, nil},
	{"mailchimp", func(d dice) string { return d.of(hexSet, 32) + "-us" + d.one("1", "12", "20") }, nil},
	{"digitalocean", func(d dice) string { return "dop_v1_" + d.of(hexSet, 64) }, nil},
	{"telegram", func(d dice) string { return d.of("123456789", 9) + ":AA" + d.of(b64url, 33) }, nil},
	{"discord", func(d dice) string {
		return d.one("MTA", "MTI", "NDc", "OTk", "MjM") + d.of(alnum, 21) + "." + d.of(b64url, 6) + "." + d.of(b64url, 27)
	}, nil},
	{
		"azure storage", func(d dice) string { return d.of(b64, 86) + "==" },
		[]string{
			"DefaultEndpointsProtocol=https;AccountName=x;AccountKey=%s;EndpointSuffix=core.windows.net", "\"AccountKey=%s\"",
		},
	},
	{
		"azure sas", func(d dice) string { return d.of(alnum, 40) + "%2B" + d.of(alnum, 2) + "%3D" },
		[]string{"https://x.blob.core.windows.net/c?sv=2020&sig=%s", "?sig=%s&se=2030"},
	},
	{"jwt", func(d dice) string {
		return "eyJhbGciOiJIUzI1NiJ9.eyJ" + d.of(b64url, 60) + "." + d.of(b64url, 43)
	}, nil},
	{"pem", func(d dice) string {
		k := d.one("RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ")
		return "-----BEGIN " + k + "PRIVATE KEY-----\n" + d.lines(6) + "\n-----END " + k + "PRIVATE KEY-----"
	}, []string{"%s", "cat key\n%s\ndone", "key: |\n  %s"}},
	{"pgp", func(d dice) string {
		return "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n" + d.lines(9) +
			"\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----"
	}, []string{"%s", "key\n%s\n"}},
	{"age", func(d dice) string { return "AGE-SECRET-KEY-1" + d.of(upperNum, 58) }, nil},
	{"vault", func(d dice) string { return "hvs." + d.of(b64url, 90) }, nil},
	{"databricks", func(d dice) string { return "dapi" + d.of(hexSet, 32) }, nil},
	{"shopify", func(d dice) string { return "shpat_" + d.of(hexSet, 32) }, nil},
	{"doppler", func(d dice) string { return "dp.pt." + d.of(alnum, 43) }, nil},
	{"linear", func(d dice) string { return "lin_api_" + d.of(alnum, 40) }, nil},
	{"atlassian", func(d dice) string { return "ATATT3xFfGF0" + d.of(b64url, 170) + "=" + d.of(upperNum, 8) }, nil},
	{"grafana", func(d dice) string { return "glsa_" + d.of(alnum, 32) + "_" + d.of(hexSet, 8) }, nil},
	{"new relic", func(d dice) string { return "NRAK-" + d.of(upperNum, 27) }, nil},
	{"terraform", func(d dice) string { return d.of(alnum, 14) + ".atlasv1." + d.of(b64url, 64) }, nil},
	{"square", func(d dice) string { return "EAAA" + d.of(b64url, 60) }, nil},
	{"heroku", func(d dice) string {
		return d.uuid()
	}, []string{"HEROKU_API_KEY=%s", "heroku_key: \"%s\"", "heroku token %s"}},
	{"figma", func(d dice) string { return "figd_" + d.of(b64url, 40) }, nil},
	{"docker", func(d dice) string { return "dckr_pat_" + d.of(b64url, 27) }, nil},
	{"bearer", func(d dice) string {
		return d.of(alnum, 40)
	}, []string{"Authorization: Bearer %s", "\"Authorization\": \"Bearer %s\"", "-H 'authorization: bearer %s'"}},
	{"basic", func(d dice) string {
		return "dXNlcjpw" + d.of(alnum, 16) + "=="
	}, []string{"Authorization: Basic %s", "{\"Authorization\":\"Basic %s\"}"}},
	{"url password", func(d dice) string { return d.word() }, []string{
		"postgres://app:%s@db.example.org:5432/app", "redis://:%s@cache:6379", "DATABASE_URL=mysql://root:%s@127.0.0.1/x",
		"https://bob:%s@git.example.org/r.git", "amqp://guest:%s@mq", "\"mongodb+srv://u:%s@c0.example.net/db\"",
	}},
	{"cookie", func(d dice) string {
		return d.of(alnum, 32)
	}, []string{"Set-Cookie: session=%s; HttpOnly", "Cookie: sid=%s", "-H 'Cookie: auth=%s'", "PHPSESSID=%s"}},
	{"bcrypt", func(d dice) string { return "$2b$12$" + d.of(alnum, 53) }, nil},
	{"password", dice.word, passwordContexts},
	{"strong password", func(d dice) string { return d.of(alnum+"!@#%^*_+", 14) + "7a" }, passwordContexts},
	{"token", func(d dice) string { return d.of(alnum, 24+d.IntN(30)) }, tokenContexts},
	{"hex token", func(d dice) string { return d.of(hexSet, d.IntN(2)*16+32) }, tokenContexts},
	{"base64 token", func(d dice) string { return d.of(b64, 43) + "=" }, tokenContexts},
	{"uuid token", dice.uuid, []string{"API_KEY=%s", "\"api_key\": \"%s\"", "token: \"%s\"", "client_secret=%s"}},
}

const perKind = 50

// Of each kind, in each of its usual contexts, at least 99 of 100 secrets are redacted.
func TestKnownKindsAreRedacted(t *testing.T) {
	f := New(nil)
	roll := dice{rand.New(rand.NewPCG(1, 2))}
	total, missed := 0, 0
	for _, kind := range secretKinds {
		contexts := kind.contexts
		if contexts == nil {
			contexts = everyContext
		}
		for i := range max(perKind, 2*len(contexts)) {
			secret := kind.make(roll)
			context := contexts[i%len(contexts)]
			text := fmt.Sprintf(context, secret)
			total++
			if got := f.redact(text); strings.Contains(got, core(secret)) {
				missed++
				t.Logf("%s survives: %.300q -> %.300q", kind.name, text, got)
			}
		}
	}
	if missed*100 > total {
		t.Errorf("missed %d of %d, want at most 1 in 100", missed, total)
	}
}

// core returns the part of a secret that must be redacted: not its ends, which a rule may leave.
func core(secret string) string {
	if len(secret) < 16 {
		return secret
	}
	return secret[len(secret)/3 : 2*len(secret)/3]
}
