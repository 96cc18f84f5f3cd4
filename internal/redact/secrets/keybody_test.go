package secrets

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"remanence/test/canary"
)

func seeded(n uint64) *mathrand.Rand { return mathrand.New(mathrand.NewPCG(n, n)) }

// leaks fails if a line of a key is in text: a rule may leave the ends of a line.
func leaks(t *testing.T, name, text string, lines []string) {
	t.Helper()
	for _, l := range lines {
		if len(l) >= 16 && !strings.HasPrefix(l, "-----") && strings.Contains(text, l[4:len(l)-4]) {
			t.Errorf("%s: a line of the key is left: %.400q", name, text)
			return
		}
	}
}

// prefixed returns the lines as other programs print them.
func prefixed(lines []string) map[string]string {
	each := func(f func(i int, l string) string) string {
		out := make([]string, len(lines))
		for i, l := range lines {
			out[i] = f(i, l)
		}
		return strings.Join(out, "\n")
	}
	return map[string]string{
		"plain":       strings.Join(lines, "\n"),
		"crlf":        strings.Join(lines, "\r\n") + "\r\n",
		"escaped":     strings.Join(lines, `\n`),
		"one line":    strings.Join(lines, " "),
		"added":       each(func(_ int, l string) string { return "+" + l }),
		"removed":     each(func(_ int, l string) string { return "-" + l }),
		"context":     each(func(_ int, l string) string { return " " + l }),
		"cat -n":      each(func(i int, l string) string { return fmt.Sprintf("%6d\t%s", i+2, l) }),
		"read":        each(func(i int, l string) string { return fmt.Sprintf("%6d→%s", i+2, l) }),
		"grep -n":     each(func(i int, l string) string { return fmt.Sprintf("%d:%s", i+2, l) }),
		"grep -Hn":    each(func(i int, l string) string { return fmt.Sprintf("deploy/key.pem:%d:%s", i+2, l) }),
		"indented":    each(func(_ int, l string) string { return "    " + l }),
		"quoted":      each(func(_ int, l string) string { return "> " + l }),
		"in brackets": each(func(_ int, l string) string { return "| " + l + " |" }),
	}
}

func TestKeyBodyWithoutBeginAndEndIsRedacted(t *testing.T) {
	r := seeded(1)
	for range 500 { // one line in three hundred decodes to no byte below the blank
		body := canary.KeyBody(r)
		text := strings.Join(body[1:4], "\n")
		leaks(t, "many", New(nil).redact(text), body[1:4])
	}
	for range 20 {
		body := canary.KeyBody(r)
		for n := 2; n <= len(body); n++ {
			for name, text := range prefixed(body[:n]) {
				leaks(t, fmt.Sprint(name, " ", n), New(nil).redact("before\n"+text+"\nafter the key"), body[:n])
			}
		}
		tail := body[len(body)-3:]
		for name, text := range prefixed(tail) {
			leaks(t, name+" tail", New(nil).redact(text), tail)
		}
	}
}

// The first line of a key is recognised alone, by the start of its structure.
func TestFirstLineOfAKeyIsRedacted(t *testing.T) {
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]any{"ec": ec, "ed25519": ed} {
		der, err := x509.MarshalPKCS8PrivateKey(k)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))),
			"\n")
		leaks(t, name, New(nil).redact("$ sed -n 2p key\n"+lines[1]+"\n"), lines[1:2])
	}
	der, err := x509.MarshalECPrivateKey(ec)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})), "\n")
	leaks(t, "sec1", New(nil).redact(lines[1]), lines[1:2])
}

// publicBlock returns a block of DER whose base64 holds inner, with lines of 64 bytes and a label.
func publicBlock(t *testing.T, label, inner string) string {
	t.Helper()
	content, err := base64.StdEncoding.DecodeString(inner + "ABC="[len(inner)%4:])
	if err != nil {
		t.Fatal(err)
	}
	size := len(content)
	head := []byte{0x30, 0x82, byte((size + 5) >> 8), byte(size + 5), 2, 4, 82, 19, 74} // 9 bytes: 12 of base64
	der := slices.Concat(head, content)
	return string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: der}))
}

// In random base64 the pattern of a token occurs by chance, in one certificate of four hundred.
func TestTokensByChanceInPublicBlocksStay(t *testing.T) {
	inner := strings.Repeat("q7Zx9Lm2Kd4Wp8Vt", 12) +
		"/x+ATTAq7Zx9Lm2Kd4Wp8VtB3nR5cY/" + strings.Repeat("Vt8pW4dK2mL9xZ7q", 12) + "Pw+3"
	for _, label := range []string{"CERTIFICATE", "CERTIFICATE REQUEST", "PUBLIC KEY", "RSA PUBLIC KEY", "X509 CRL"} {
		block := publicBlock(t, label, inner)
		if got := New(nil).redact(strings.ReplaceAll(block, label, "SOMETHING")); !strings.Contains(got, markerHead) {
			t.Fatalf("without its label %q stays: the test shows nothing", block)
		}
		for shape, s := range prefixed(strings.Split(strings.TrimSpace(block), "\n")) {
			if got := New(nil).redact(s); got != s {
				t.Errorf("%s, %s became %q", label, shape, got)
			}
		}
		quoted := strings.ReplaceAll(block, "\n", `\\n`)
		if got := New(nil).redact(quoted); got != quoted {
			t.Errorf("%s, quoted twice, became %q", label, got)
		}
	}
}

func TestSecretsBesideAndInPublicBlocksAreRedacted(t *testing.T) {
	const token, word = "AKIAQ7ZXLMKDWPVTBNRC", "Winter.sunshine99"
	block := publicBlock(t, "CERTIFICATE", strings.Repeat("q7Zx9Lm2Kd4Wp8Vt", 24))
	lines := strings.SplitAfter(block, "\n")
	body := strings.Join(lines[1:len(lines)-2], "")
	key := canary.Key(seeded(5))
	for name, s := range map[string]string{
		"above":              token + "\n" + block,
		"below":              block + token + "\n",
		"between two":        block + token + "\n" + block,
		"a line within":      lines[0] + lines[1] + token + "\n" + strings.Join(lines[2:], ""),
		"a password within":  lines[0] + "password=" + word + "\n" + strings.Join(lines[1:], ""),
		"before a line":      lines[0] + "DB_PASSWORD=" + word + " " + strings.Join(lines[1:], ""),
		"instead of a body":  lines[0] + token + "\n" + lines[len(lines)-2],
		"behind the label":   strings.TrimSpace(lines[0]) + " " + token + "\n" + strings.Join(lines[1:], ""),
		"before the END":     lines[0] + body + token + lines[len(lines)-2],
		"a private key next": block + strings.Join(key, "\n") + "\n" + block,
		"a private key as a certificate": lines[0] + strings.Join(key[1:len(key)-1], "\n") + "\n" + lines[len(lines)-2] +
			"MIIEpAIBAAKCAQEA7bq1hJ2kQz5vN0rT3uYwEoPsDfGhJ" + "\n",
	} {
		got := New(nil).redact(s)
		if strings.Contains(got, token) || strings.Contains(got, word) || !strings.Contains(got, markerHead) {
			t.Errorf("%s: %q became %q", name, s, got)
		}
		if strings.HasPrefix(name, "a private key next") {
			leaks(t, name, got, key)
		}
	}
}

func TestPublicBlocksOfBase64StayAsTheyAre(t *testing.T) {
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(1)},
		&x509.Certificate{SerialNumber: big.NewInt(1)}, &ec.PublicKey, ec)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&ec.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	sums := ""
	for i := range 8 {
		sum := make([]byte, 32)
		sum[0] = byte(i)
		_, _ = rand.Read(sum[1:])
		sums += hex.EncodeToString(sum) + "\n"
	}
	for name, text := range map[string]string{
		"certificate": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})),
		"public key":  string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
		"hashes":      sums,
		"paths":       strings.Repeat("src/internal/component/authentication/handlers/SessionTokens2\n", 4),
		"rulers":      strings.Repeat(strings.Repeat("ABCDabcd0123", 6)[:64]+"\n", 4),
		"names":       strings.Repeat("TheQuickBrownFoxJumpsOverTheLazyDogAndThenTheDogSleepsForOneHour\n", 3),
	} {
		for shape, s := range prefixed(strings.Split(strings.TrimSpace(text), "\n")) {
			if got := New(nil).redact(s); got != s {
				t.Errorf("%s, %s became %q", name, shape, got)
			}
		}
	}
}
