package canary

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
)

// Secret is a made-up credential. Core is the part of it that must be found
// nowhere: rules may leave the ends.
type Secret struct{ Kind, Text, Core string }

const (
	digits = "0123456789"
	hex    = digits + "abcdef"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnum  = lower + upper + digits
)

func some(r *rand.Rand, set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[r.IntN(len(set))]
	}
	return string(b)
}

// form is how the secrets of a kind look: a beginning, and what follows it.
type form struct {
	kind, head, set string
	n               int
	tail            string
}

// forms are kinds that their own form proves, wherever they stand.
func forms() []form {
	return []form{
		{"aws", "AKIA", upper + "234567", 16, ""},
		{"github", "ghp_", alnum, 36, ""},
		{"github fine", "github_pat_", alnum, 82, ""},
		{"gitlab", "glpat-", alnum, 20, ""},
		{"slack", "xoxb-12345678901-123456789012-", alnum, 24, ""},
		{"stripe", "sk_live_", alnum, 24, ""},
		{"google", "AIza", alnum, 35, ""},
		{"google client", "GOCSPX-", alnum, 28, ""},
		{"openai", "sk-proj-", alnum, 74, ""},
		{"anthropic", "sk-ant-api03-", alnum, 93, "AA"},
		{"huggingface", "hf_", lower + upper, 34, ""},
		{"npm", "npm_", alnum, 36, ""},
		{"pypi", "pypi-AgEIcHlwaS5vcmc", alnum, 100, ""},
		{"sendgrid", "SG.aB3dE5gH7jK9mN1pQ3sT5u.", alnum, 43, ""},
		{"digitalocean", "dop_v1_", hex, 64, ""},
		{"vault", "hvs.", alnum, 90, ""},
		{"databricks", "dapi", hex, 32, ""},
		{"shopify", "shpat_", hex, 32, ""},
		{"doppler", "dp.pt.", alnum, 43, ""},
		{"linear", "lin_api_", alnum, 40, ""},
		{"atlassian", "ATATT3xFfGF0", alnum, 170, ""},
		{"grafana", "glsa_", alnum, 32, "_1a2b3c4d"},
		{"new relic", "NRAK-", upper + digits, 27, ""},
		{"docker", "dckr_pat_", alnum, 27, ""},
		{"circleci", "CCIPAT_", alnum, 40, ""},
		{"sentry", "sntrys_", alnum, 60, ""},
		{"postman", "PMAK-0123456789abcdef01234567-", hex, 34, ""},
		{"netlify", "nfp_", alnum, 36, ""},
		{"groq", "gsk_", alnum, 52, ""},
		{"perplexity", "pplx-", alnum, 48, ""},
		{"planetscale", "pscale_tkn_", alnum, 43, ""},
		{"notion", "ntn_", alnum, 46, ""},
		{"jwt", "eyJhbGciOiJIUzI1NiJ9.eyJ", alnum, 60, ".aB3dE5gH7jK9mN1pQ3sT5u"},
	}
}

// Secrets draws one secret of each of more than thirty kinds.
func Secrets(r *rand.Rand) []Secret {
	var out []Secret
	for _, f := range forms() {
		body := some(r, f.set, f.n)
		if !strings.ContainsAny(body, digits) && strings.Contains(f.set, digits) {
			body = "7" + body[1:]
		}
		end := min(len(body)/3, 4)
		out = append(out, Secret{f.kind, f.head + body + f.tail, body[end : len(body)-end]})
	}
	return out
}

// Key returns the lines of a made-up private key, from its BEGIN to its END.
// The lines between them are base 64 of random bytes, 64 characters wide.
func Key(r *rand.Rand) []string {
	der := make([]byte, 300)
	for i := range der {
		der[i] = byte(r.UintN(256))
	}
	body := base64.StdEncoding.EncodeToString(append([]byte{0x30, 0x82, 1, 0x28, 2, 1, 0}, der...))
	lines := []string{"-----BEGIN RSA PRIVATE KEY-----"}
	for len(body) > 64 {
		lines = append(lines, body[:64])
		body = body[64:]
	}
	return append(lines, body, "-----END RSA PRIVATE KEY-----")
}

// KeyBody returns the lines of Key between its BEGIN and its END.
func KeyBody(r *rand.Rand) []string {
	lines := Key(r)
	return lines[1 : len(lines)-1]
}
