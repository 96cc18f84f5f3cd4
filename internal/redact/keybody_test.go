package redact

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"strings"
	"testing"

	"remanence/test/canary"
)

func seeded(n uint64) *mathrand.Rand { return mathrand.New(mathrand.NewPCG(n, n)) }

// cores are the parts of a key's lines that must be found nowhere: a rule may
// leave the ends of a line.
func cores(lines []string) []string {
	var out []string
	for _, l := range lines {
		if len(l) >= 16 && !strings.HasPrefix(l, "-----") {
			out = append(out, l[4:len(l)-4])
		}
	}
	return out
}

func leaks(t *testing.T, name, text string, lines []string) {
	t.Helper()
	for _, p := range cores(lines) {
		if strings.Contains(text, p) {
			t.Errorf("%s: a line of the key is left: %.400q", name, text)
			return
		}
	}
}

// prefixed are lines as other programs print them.
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
	for range 500 { // a line in three hundred holds no byte below the blank
		body := canary.KeyBody(r)
		text := strings.Join(body[1:4], "\n")
		leaks(t, "many", new(Door).Text(text), body[1:4])
	}
	for range 20 {
		body := canary.KeyBody(r)
		for n := 2; n <= len(body); n++ {
			for name, text := range prefixed(body[:n]) {
				leaks(t, fmt.Sprint(name, " ", n), new(Door).Text("before\n"+text+"\nafter the key"), body[:n])
			}
		}
		tail := body[len(body)-3:]
		for name, text := range prefixed(tail) {
			leaks(t, name+" tail", new(Door).Text(text), tail)
		}
	}
}

// A key's first line alone tells what it is: the structure begins there.
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
		leaks(t, name, new(Door).Text("$ sed -n 2p key\n"+lines[1]+"\n"), lines[1:2])
	}
	der, err := x509.MarshalECPrivateKey(ec)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})), "\n")
	leaks(t, "sec1", new(Door).Text(lines[1]), lines[1:2])
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
			if got := new(Door).Text(s); got != s {
				t.Errorf("%s, %s became %q", name, shape, got)
			}
		}
	}
}

// patch is what Claude Code reports of an edit: a string for each line.
func patch(t testing.TB, lines []string) string {
	t.Helper()
	hunk := make([]string, len(lines))
	for i, l := range lines {
		hunk[i] = "+" + l
	}
	b, err := json.Marshal(map[string]any{
		"tool_name": "Edit",
		"tool_response": map[string]any{
			"filePath":        "/p/key.txt",
			"structuredPatch": []any{map[string]any{"oldStart": 1, "lines": append([]string{" one", "-two"}, hunk...)}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestKeyInLinesOfAnArrayIsRedacted(t *testing.T) {
	key := canary.Key(seeded(2))
	blocks := make([]any, len(key))
	for i, l := range key {
		blocks[i] = map[string]any{"type": "text", "text": l}
	}
	mcp, err := json.Marshal(map[string]any{"tool_response": blocks, "session_id": "s"})
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{
		"patch":        patch(t, key),
		"without ends": patch(t, key[2:5]),
		"mcp":          string(mcp),
		"paths": `{"filenames":[` + quoted(key[0]) + `,` + quoted(key[1]) + `,` + quoted(key[2]) + `,` +
			quoted(key[3]) + `]}`,
		"nested": `{"a":[[[` + quoted(key[0]) + `],[` + quoted(key[1]) + `,` + quoted(key[2]) + `]],` + quoted(key[3]) + `]}`,
	} {
		shown := key
		if name == "nested" || name == "paths" {
			shown = key[:4]
		}
		got := object(t, in)
		leaks(t, name, string(got.JSON), shown)
		if got.Counts.Secrets["private-key"] == 0 {
			t.Errorf("%s: counts %v, want a private key", name, got.Counts)
		}
		out, c, err := new(Door).ScrubJSON([]byte(in))
		if err != nil || c.Secrets["private-key"] == 0 {
			t.Errorf("%s: scan finds %v, %v", name, c, err)
		}
		leaks(t, name+" scan", string(out), shown)
		if again := new(Door).JSON(out); string(again) != string(out) {
			t.Errorf("%s: %q becomes %q", name, out, again)
		}
	}
}

func TestLabelAndValueOnLinesOfAnArray(t *testing.T) {
	for _, in := range []string{
		`{"lines":["+password:","+  Winter.sunshine99"]}`,
		`{"argv":["deploy","--password","Winter.sunshine99"]}`,
		`{"content":[{"type":"text","text":"Password:"},{"type":"text","text":"Winter.sunshine99"}]}`,
	} {
		if got := object(t, in); strings.Contains(string(got.JSON), "Winter.sunshine99") {
			t.Errorf("%s became %s", in, got.JSON)
		}
	}
}

// What the lines of an array are joined to changes no line without a secret.
func TestLinesOfAnArrayKeepTheirPlaces(t *testing.T) {
	key := canary.Key(seeded(3))
	in := patch(t, append([]string{"first <b>", ""}, append(key, "last \"quoted\"")...))
	var got struct {
		Response struct {
			Patch []struct {
				Start int      `json:"oldStart"`
				Lines []string `json:"lines"`
			} `json:"structuredPatch"`
		} `json:"tool_response"`
	}
	if err := json.Unmarshal(object(t, in).JSON, &got); err != nil {
		t.Fatal(err)
	}
	lines := got.Response.Patch[0].Lines
	if len(lines) != len(key)+5 || lines[0] != " one" || lines[2] != "+first <b>" || lines[3] != "+" ||
		lines[len(lines)-1] != `+last "quoted"` {
		t.Errorf("lines are %q", lines)
	}
}

// Bounds hold where markers are longer than what they stand for.
func TestJoinedLinesStayWithinTheBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"lines":["x"`)
	for b.Len() < 2*MaxObject {
		b.WriteString(`,"password:","hunter2!"`)
	}
	b.WriteString(`],"session_id":"s1"}`)
	got := object(t, b.String())
	if len(got.JSON) > MaxObject || strings.Contains(string(got.JSON), "hunter2!") ||
		!strings.Contains(string(got.JSON), `"session_id":"s1"`) {
		t.Errorf("%d bytes, cut %v: %.200s", len(got.JSON), got.Cut, got.JSON)
	}
}

func TestDottedPassphraseIsNoCode(t *testing.T) {
	for _, s := range []string{
		"password: Winter.sunshine99", "db_password: Winter.sunshine99\n", "deploy --password Winter.sunshine99 --force",
		"deploy --password=Winter.sunshine99",
		"--db-password Winter.sunshine99", "password = Winter.sunshine99", "PASSWORD=Winter.sunshine99",
		"password: 'winter.sunshine99'", "the password is Winter.sunshine99",
		"  password: sunshine.winter2024", "my password: Winter.sunshine99, remember", "password: correct.Horse.battery77",
		"passphrase: Blue_Moon.over42hills",
		"Password: Winter.sunshine99.", "password: Winter.sunshine9", `{"password":"winter.sunshine99"}`,
	} {
		if got := new(Door).Text(s); !strings.Contains(got, markerHead) || strings.Contains(got, "unshine99") {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestMemberAccessIsNoPassword(t *testing.T) {
	for _, s := range []string{
		"password: config.db.password", "password=os.environ.X", "--password $VAR", "password: cfg.Password2",
		"Password: opts.Auth.Pass1,", "password = settings.DB_PASSWORD_2",
		"password: local.db_password_01", "password = module.rds01.password", "password: self.passwords.v10",
		"\tPassword: types.Int64,", "password: types.Utf8", "password: hash.Sum256",
		"password: Schemas.String255", "password: db01.example.com", "password: main.test.js", "--password req.body.field12",
		"password: this.form.value10", "password: argv.p2",
		"password = user2.password", "password: z.string.min8", "password: Yup.string", "password: event.target.value",
		"password: env.DB_PASS99", "password: vault.data.db42",
		"password = base64.b64decode", "password: hashlib.sha256",
	} {
		if got := new(Door).Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestSecretInAPathOrAnIDIsRedacted(t *testing.T) {
	line := canary.Key(seeded(4))
	for _, s := range []string{
		"/home/dev/password: Winter.sunshine99/src", "/home/dev/db_password=Winter.sunshine99", "/home/dev/" + line[0] +
			line[1] + line[2],
		"password=Winter.sunshine99", "C:\\work\\--password Winter.sunshine99",
	} {
		got := string(object(t, `{"cwd":`+quoted(s)+`,"session_id":`+quoted(s)+`}`).JSON)
		if strings.Contains(got, "unshine99") || strings.Contains(got, line[1][8:]) {
			t.Errorf("%q became %s", s, got)
		}
	}
	for _, s := range []string{
		"/home/dev/My Projects/pass notes.txt", "/srv/a=b/token.go",
		"C:/Users/dev/secrets/token.txt", "/p/key: value.md",
	} {
		if got := string(object(t, `{"cwd":`+quoted(s)+`}`).JSON); got != `{"cwd":`+quoted(s)+`}` {
			t.Errorf("%q became %s", s, got)
		}
	}
}
