package secrets

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// Forms of tokens that services document: # is a letter of either case or a digit, % a small letter or a digit, ^ a
// capital or a digit, ~ a hex digit, @ one of base32; a number repeats the sign before it.
var serviceTokens = []string{
	"p8e-#{32}", "ico-#{32}", "pnu_%{36}", "CLOJARS_%{60}", "vcp_#{56}", "napi_%{64}", "rnd_#{28}", "phx_#{43}",
	"csk-%{48}", "e2b_~{40}", "rpa_^{40}%{6}", "rdme_%{70}", "shippo_live_~{40}", "sgp_~{40}", "sgp_~{16}_~{40}",
	"unkey_#{22}", "apify_api_#{36}", "packagist_uut_~{68}", "os_v2_app_%{102}", "hcaik_%{58}", "cfut_#{40}~{8}",
	"dnsimple_u_#{32}", "fw_#{24}", "EZAK#{54}", "duffel_live_#{43}", "fio-u-#{64}", "tk-us-#{48}", "tgp_v1_#{43}",
	"jina_#{60}", "nvapi-#{64}", "bb_live_#{27}", "sha256~#{43}", "vercel_blob_rw_#{16}_#{30}", "pcsk_#{6}_#{64}",
	"CCDB1_#{22}_#{40}", "pdl_live_apikey_%{26}_#{22}_#{3}", "sm_pat_#{16}", "npg_#{20}", "re_#{8}_#{24}",
	"pat-na1-~{8}-~{4}-~{4}-~{4}-~{12}", "sk-lf-~{8}-~{4}-~{4}-~{4}-~{12}", "fc-~{32}", "sk_~{48}", "pk_12345678_^{32}",
	"API-^{26}", "pat.#{22}.~{24}.#{20}", "t1.#{120}.#{86}", "access_token$production$%{16}$~{32}", "00D#{12}!AQ#{90}",
	"#{6}_#{29}_mmk", "A3-^{6}-^{6}-^{5}-^{5}-^{5}-^{5}", "#{43}AzFu#{5}==", "#{76}+ASt#{6}==", "#{75}AZDO#{5}",
	"#{52}JQQJ99B^{10}AC#{13}", "glffct-#{20}", "glrtr-#{20}",
}

// draw returns an example of a form.
func draw(roll *rand.Rand, form string) string {
	alphabets := map[string]string{
		"#": alnum, "%": "abcdefghijklmnopqrstuvwxyz0123456789",
		"^": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "~": "0123456789abcdef", "@": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	}
	return regexp.MustCompile(`[#%^~@]\{\d+\}`).ReplaceAllStringFunc(form, func(part string) string {
		var n int
		fmt.Sscanf(part[1:], "{%d}", &n) //nolint:errcheck // the pattern matched it
		var b strings.Builder
		for range n {
			b.WriteByte(alphabets[part[:1]][roll.IntN(len(alphabets[part[:1]]))])
		}
		return b.String()
	})
}

func TestServiceTokensAreRecognisedByFormat(t *testing.T) {
	f, roll := New(nil), rand.New(rand.NewPCG(5, 6))
	for _, form := range serviceTokens {
		for range 20 {
			token := draw(roll, form)
			for _, place := range []string{"Here it is: %s", "- %s\n", "new Client(\"%s\")", "\x1b[32m%s\x1b[0m"} {
				if got := f.redact(fmt.Sprintf(place, token)); survivor(got, []string{token}) != "" {
					t.Errorf("%s: %q", form, got)
				}
			}
		}
	}
}

// Terminal colours hide no secret: neither between a name and its value nor within a secret, as in the output of grep.
func TestSecretsInsideANSIColoursAreRedacted(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[1mpassword\x1b[0m: \x1b[36mWinter2024!\x1b[0m\n": "\x1b[1mpassword\x1b[0m: " +
			"\x1b[36m[secret:password]\x1b[0m\n",
		"\x1b[33mAPI_KEY\x1b[0m=\x1b[32ma7Bc9dE2fG4h\x1b[m": "\x1b[33mAPI_KEY\x1b[0m=" +
			"\x1b[32m[secret:api-key]\x1b[m",
		"x \x1b[01;31m\x1b[Kghp_\x1b[m\x1b[K0123456789abcdefghijklmnopqrstuvwxyz end": "x " +
			"\x1b[01;31m\x1b[K[secret:github-pat] end",
		"\x1b[32m+-----BEGIN RSA PRIVATE " + "KEY-----\x1b[m\n" +
			"\x1b[32m+CQQ2zT3iCHfXKSmM88yGaJrkFZD4zYlAyyBe6s0kWHucTcJaxu2t8usD4mzyUodB\x1b[m\n": "\x1b[32m+" +
			"[secret:private-key]",
		"\x1b[1mplain\x1b[0m": "\x1b[1mplain\x1b[0m",
		"\x1b[":               "\x1b[",
	} {
		if got := New(nil).redact(in); got != want {
			t.Errorf("redact(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSecretsInBase64AreRedacted(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA7bq1/x+hJ2kQz5vN0rT3uYwEoPsDfGhJ\n", 8) +
		"-----END RSA PRIVATE KEY-----\n"
	for name, plain := range map[string]string{
		"a key": key, "an environment": "export GITHUB_TOKEN=" + pat + "\n",
		"Docker's logins": `{"auths":{"r.example.com":{"username":"bob","password":"s3cr3t!x"}}}`,
		"coloured":        "\x1b[1mDB_PASSWORD\x1b[0m=Winter2024!\n",
		"twice":           base64.StdEncoding.EncodeToString([]byte("DB_PASSWORD=Winter2024!x # for the staging server\n")),
	} {
		whole := base64.StdEncoding.EncodeToString([]byte(plain))
		lines := regexp.MustCompile(`.{1,76}`).FindAllString(whole, -1)
		for _, text := range []string{
			"config: " + whole + "\n", strings.Join(lines, "\n"), strings.Join(lines, "\r\n"), strings.Join(lines, `\n`),
			"data:text/plain;base64," + strings.TrimRight(whole, "="),
		} {
			got := New(nil).redact(text)
			for _, line := range lines {
				if strings.Contains(got, strings.TrimRight(line, "=")) {
					t.Errorf("%s: %q becomes %q", name, text, got)
				}
			}
		}
	}
	for _, plain := range []string{
		strings.Repeat("an ordinary text about nothing, ", 20),
		"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n", "\x89PNG\r\n\x1a\n" +
			strings.Repeat("password=Winter2024! \x00", 20),
	} {
		text := "x " + base64.StdEncoding.EncodeToString([]byte(plain))
		if got := New(nil).redact(text); got != text {
			t.Errorf("redact(%q) = %q, want it unchanged", text, got)
		}
	}
}

// The secret of every row of a table is redacted, not only of the first.
func TestEveryRowOfATableIsRedacted(t *testing.T) {
	for in, want := range map[string]string{
		"| env | password |\n|---|:--|\n| dev | Winter2024! |\n| prod | `Summer77#x` |\n\n| x | Autumn99! |\n": "" +
			"| env | password |\n|---|:--|\n| dev | [secret:password] |\n| prod | `[secret:password]` |\n\n| x | Autumn99! |\n",
		"name,url,password,note\na,https://x,Winter2024!,\nb,https://y,Summer77#x,n\n": "" +
			"name,url,password,note\na,https://x,[secret:password],\nb,https://y,[secret:password],n\n",
		"\"Title\",\"Password\",\"Note\"\r\n\"b, c\",\"Winter2024!\",\"x\"\r\n\"d\",\"Summer77#x\",\"\"\r\n": "" +
			"\"Title\",\"Password\",\"Note\"\r\n\"b, c\",\"[secret:password]\",\"x\"\r\n\"d\",\"[secret:password]\",\"\"\r\n",
		"user;password\nbob;Winter2024!\nal;Summer77#x": "user;password\nbob;[secret:password]\nal;[secret:password]",
		"user\ttoken\nbob\tnone\nal\tnone\n":            "user\ttoken\nbob\tnone\nal\tnone\n",
		"| a | password |\n|---|---|\n||\n|\n":          "| a | password |\n|---|---|\n||\n|\n",
		"id," + strings.Repeat("colname_a,", 60) + "user,password\n1," + strings.Repeat("harmless9X,", 60) +
			"joe,fine\n": "id," + strings.Repeat("colname_a,", 60) + "user,password\n1," + strings.Repeat("harmless9X,", 60) +
			"joe,fine\n",
		"ctx, token,\nfirst, second,\n": "ctx, token,\nfirst, second,\n",
	} {
		if got := New(nil).redact(in); got != want {
			t.Errorf("redact(%q) = %q, want %q", in, got, want)
		}
	}
}

// A text that contains itself several times, in base64 and in colours, is searched in linear time.
func TestNestedBase64IsSearchedInBoundedTime(t *testing.T) {
	text := "password: Winter2024!"
	for len(text) < 32<<10 {
		text = strings.Repeat("\x1b", 8) + strings.Repeat("[m", 8) + "x " + base64.StdEncoding.EncodeToString([]byte(text)) +
			" "
	}
	for _, s := range []string{text, strings.Repeat("\x1b", 60<<10) + strings.Repeat("[m", 60<<10)} {
		if got := New(nil).redact(s); len(got) > len(s) {
			t.Errorf("%d bytes become %d", len(s), len(got))
		}
	}
}

func TestTranslatedLabelsAreNotRedacted(t *testing.T) {
	for _, word := range []string{"Şifre", "ПАРОЛЬ", "LÖSENORD", "Hasło", "Contraseña"} {
		in := `{"password": "` + word + `"}`
		if got := New(nil).redact(in); got != in {
			t.Errorf("redact(%q) = %q, want it unchanged", in, got)
		}
	}
}

// A secret in two literals, as character codes, as bytes of a dump, or over two lines of mail.
func TestSecretsInPartsAndNumbersAreRedacted(t *testing.T) {
	roll := rand.New(rand.NewPCG(8, 8))
	numbers := func(s, format, sep string) string {
		var out []string
		for i := range len(s) {
			out = append(out, fmt.Sprintf(format, s[i]))
		}
		return strings.Join(out, sep)
	}
	for range 10 {
		key, pw := draw(roll, "ghp_#{36}"), draw(roll, "marble-%{4}-whistle7")
		dump := fmt.Sprintf("00000000: %s  ................\n", numbers("password="+pw[:7], "%02x", " "))
		for text, secrets := range map[string][]string{
			"$key = '" + key[:20] + "' . '" + key[20:] + "';":                     {key[:20], key[20:]},
			"KEY = (\n    \"" + key[:20] + "\"\n    \"" + key[20:] + "\"\n)":      {key[:20], key[20:]},
			"password = \"" + pw[:9] + "\" & \"" + pw[9:] + "\"":                  {pw[:9], pw[9:]},
			"password = \"" + pw[:9] + "\" .. \"" + pw[9:] + "\"":                 {pw[:9], pw[9:]},
			"key = \"" + key[:20] + "\".concat(\"" + key[20:] + "\")":             {key[:20], key[20:]},
			"password = String.fromCharCode(" + numbers(pw, "%d", ", ") + ");":    {numbers(pw, "%d", ", ")},
			"password = chr(" + numbers(pw, "%d", ") + chr(") + ")":               {numbers(pw[3:], "%d", ") + chr(")},
			"secret := []byte{" + numbers(key, "0x%02x", ", ") + "}":              {numbers(key, "0x%02x", ", ")},
			"char password[] = {" + numbers(pw, "'%c'", ", ") + ", 0};":           {numbers(pw, "'%c'", ", ")},
			dump + "00000010: " + numbers(pw[7:], "%02x", " ") + "  " + pw[7:]:    {pw[7:], numbers(pw[7:], "%02x", " ")},
			"Gr=C3=BC=C3=9Fe, the password is: " + pw[:9] + "=\n" + pw[9:] + "\n": {pw[:9], pw[9:]},
		} {
			got := New(nil).redact(text)
			for _, s := range secrets {
				if strings.Contains(got, s) {
					t.Errorf("%q is left in %q", s, got)
				}
			}
		}
	}
}
