package inject

import (
	"slices"
	"strings"
	"unicode"

	"remanence/internal/mem"
)

// Suspicious reports whether a text reads like an order to an agent rather than a record: to ignore its
// instructions, to hide something from the person, to run downloaded code, to disclose a secret, or unreadable
// code. Such a text waits for a review by the person. It is a filter for common patterns and no security boundary;
// trust decides what is injected.
func Suspicious(text string) bool {
	seen := bare(text)
	t := " " + strings.ToLower(seen) + " "
	return overrides(t) || runsFetched(t) || namesSecretAndURL(t) || hasBlob(seen)
}

// SuspiciousMemory applies Suspicious to title and body of a memory, which are injected as one line: an order may
// begin in the title and end in the body.
func SuspiciousMemory(m mem.Memory) bool {
	return Suspicious(strings.TrimRight(m.Title, " .:…") + " " + m.Body)
}

// bare returns the text as a person sees it, with single spaces.
func bare(s string) string { return strings.Join(strings.Fields(visible(s)), " ") }

// orders are verbs that put instructions aside, and phrases about silence and new instructions, by a part that each of
// them contains. Most texts contain none of the parts, so that the phrases are not looked for.
var orders = []struct {
	part           string
	verbs, phrases []string
}{
	{part: "ignor", verbs: []string{"ignore", "ignoriere", "ignorez", "ignora"}},
	{part: "disregard", verbs: []string{"disregard"}},
	{part: "forget", verbs: []string{"forget"}},
	{part: "override", verbs: []string{"override"}, phrases: []string{"system override"}},
	{part: "bypass", verbs: []string{"bypass"}},
	{part: "vergiss", verbs: []string{"vergiss"}},
	{part: "oubli", verbs: []string{"oublie"}},
	{part: "olvida", verbs: []string{"olvida"}},
	{part: "the user", phrases: []string{
		"do not tell the user", "don't tell the user", "don’t tell the user", "dont tell the user", "never tell the user",
		"without telling the user", "do not inform the user", "don't inform the user", "hide this from the user",
		"without the user's knowledge", "without asking the user", "do not ask the user",
	}},
	{part: "this", phrases: []string{"do not mention this to", "don't mention this to", "keep this secret from"}},
	{part: "new ", phrases: []string{"new system prompt", "new instructions:", "your new instructions"}},
	{part: "you", phrases: []string{
		"you are now in", "you are now a", "you are now an", "reveal your system prompt", "print your system prompt",
		"act as if you", "you must now", "from now on you must", "from now on, you must",
	}},
	{part: "developer mode", phrases: []string{"developer mode"}},
	{part: "jailbreak", phrases: []string{"jailbreak"}},
	{part: " nicht", phrases: []string{"sag dem nutzer nicht", "sage dem benutzer nicht"}},
	{part: "ne dis pas", phrases: []string{"ne dis pas à l'utilisateur"}},
	{part: "no le digas", phrases: []string{"no le digas al usuario"}},
}

// foreignOrders are such phrases in other scripts.
var foreignOrders = []string{
	"忽略之前", "忽略以上", "忽略前面", "无视之前", "不要告诉用户", "以前の指示を無視", "ユーザーに言わないで",
	"не говори пользователю", "игнорируй",
}

// overrides finds orders about instructions and about silence. The words of an order may be held together as one name.
func overrides(t string) bool {
	t = strings.ReplaceAll(strings.ReplaceAll(t, "-", " "), "_", " ")
	for _, o := range orders {
		if !strings.Contains(t, o.part) {
			continue
		}
		aside := func(verb string) bool { return ordersAside(t, verb) }
		if slices.ContainsFunc(o.verbs, aside) || containsAny(t, o.phrases) {
			return true
		}
	}
	return !ascii(t) && containsAny(t, foreignOrders)
}

// ordersAside reports whether a verb is followed by instructions.
func ordersAside(t, verb string) bool {
	for {
		_, after, found := strings.Cut(t, verb)
		if !found {
			return false
		}
		if aboutInstructions(after) {
			return true
		}
		t = after
	}
}

func containsAny(t string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(t, part) })
}

// near is how many bytes after a verb its object is looked for.
const near = 48

func aboutInstructions(after string) bool {
	after = after[:min(len(after), near)]
	for _, object := range []string{
		"previous", "prior", "above", "earlier instruction", "all instruction", "your instruction", "the instruction",
		"any instruction", "these instruction",
		"system prompt", "your rules", "all rules", "guardrail", "safety", "guidelines", "vorherigen", "bisherigen",
		"anweisung", "précédent", "instructions", "anteriores", "instrucciones",
	} {
		if strings.Contains(after, object) {
			return !strings.HasPrefix(strings.TrimLeft(after, "sd "), "in ") // "ignored in" speaks of what was
		}
	}
	return false
}

// runsFetched finds a download handed to an interpreter, by a pipe or by
// substitution, and hidden code unpacked into a pipe.
func runsFetched(t string) bool {
	if !strings.ContainsAny(t, "|$<`") { // most texts: no need to look for the rest
		return false
	}
	for _, fetch := range []string{"curl ", "wget ", "iwr ", "invoke-webrequest", "irm ", "fetch "} {
		_, after, found := strings.Cut(t, fetch)
		if !found {
			continue
		}
		if strings.Contains(t, "$("+fetch) || strings.Contains(t, "<("+fetch) || strings.Contains(t, "`"+fetch) ||
			pipedToShell(after) {
			return true
		}
	}
	return strings.Contains(t, "base64 -d |") || strings.Contains(t, "base64 --decode |") ||
		strings.Contains(t, "base64 -d|")
}

// pipedToShell reports whether the command behind any | is an interpreter.
func pipedToShell(t string) bool {
	for {
		_, after, found := strings.Cut(t, "|")
		if !found {
			return false
		}
		t = after
		command := strings.TrimLeft(after, " ")
		end := strings.IndexFunc(command, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if end >= 0 {
			command = command[:end]
		}
		switch command {
		case "sh", "bash", "zsh", "fish", "sudo", "python", "python3", "perl", "ruby", "node", "php", "iex", "powershell",
			"pwsh":
			return true
		}
	}
}

// namesSecretAndURL finds a credential named together with an address outside
// this machine.
func namesSecretAndURL(t string) bool {
	if !remoteURL(t) {
		return false
	}
	for _, w := range []string{
		"password", "passwd", "passwort", "api key", "api_key", "apikey", "api-key", "secret", "credential", "private key",
		"access key", "access token", "auth token",
		"ssh key", "id_rsa", "id_ed25519", ".env ", ".env,", ".env.", ".aws/", ".netrc", "bearer token", "session cookie",
		"mot de passe", "contraseña", "пароль", "密码", "パスワード",
	} {
		if strings.Contains(t, w) {
			return true
		}
	}
	return false
}

func remoteURL(t string) bool {
	for rest := t; ; {
		_, after, found := strings.Cut(rest, "://")
		if !found {
			return false
		}
		host := after[:len(after)-len(strings.TrimLeftFunc(after, func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '-' || r == '[' || r == '@'
		}))]
		if host != "" && host != "localhost" && !strings.HasPrefix(host, "127.") && host != "0.0.0.0" &&
			!strings.HasPrefix(host, "[") {
			return true
		}
		rest = after
	}
}

// minBlob is the length from which a run of base64 is taken for hidden text.
// Keys and hashes in ordinary notes are shorter, or are hexadecimal.
const minBlob = 64

func hasBlob(s string) bool {
	start := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && base64Byte(s[i]) {
			continue
		}
		if run := s[start:i]; len(run) >= minBlob && mixed(run) && !strings.HasSuffix(s[:start], "sha512-") &&
			!strings.HasSuffix(s[:start], "sha384-") {
			return true
		}
		start = i + 1
	}
	return false
}

func base64Byte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '='
}

// mixed distinguishes base64 from a path, a long name or a hash.
func mixed(run string) bool {
	lower, upper, digit, slash := 0, 0, 0, 0
	for i := range len(run) {
		switch c := run[i]; {
		case 'a' <= c && c <= 'z':
			lower++
		case 'A' <= c && c <= 'Z':
			upper++
		case '0' <= c && c <= '9':
			digit++
		case c == '/':
			slash++
		}
	}
	return lower > 8 && upper > 8 && digit > 1 && slash*12 < len(run)
}
