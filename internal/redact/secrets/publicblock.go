package secrets

import (
	"encoding/asn1"
	"encoding/base64"
	"slices"
	"strings"

	"remanence/internal/redact/ascii"
)

// A certificate or a public key is a block of random base64, in which a short pattern of a token or a password occurs
// by chance.

// outsidePublicBlocks returns the spans of s that are not in the base64 of a certificate or a public key. Such a block
// counts only if its lines decode to one whole DER structure: with a secret on a line of its own in it, they do not.
// Spans of private keys always stay.
func outsidePublicBlocks(s string, offset int, found []Span) []Span {
	const begin, dashes = "-----BEGIN ", "-----"
	for at := 0; len(found) > 0; {
		n := strings.Index(s[at:], begin)
		if n < 0 {
			break
		}
		diff := at+n > 0 && s[at+n-1] == '+'
		at += n + len(begin)
		label, _, ok := strings.Cut(s[at:min(len(s), at+keyBlockLabel)], dashes)
		if !ok || !isPublicLabel(label) {
			continue
		}
		at += len(label) + len(dashes)
		block, _, _ := strings.Cut(s[at:min(len(s), at+keyBlockSize)], begin) // another block is not part of it
		body, _, ok := strings.Cut(block, "-----END "+label)
		if !ok {
			continue
		}
		lines := publicLines(body, diff)
		found = slices.DeleteFunc(found, func(p Span) bool {
			from, to := p.From-offset-at, p.To-offset-at
			return p.Kind != "private-key" && from >= 0 && to <= len(body) &&
				slices.ContainsFunc(lines, func(l line) bool { return from < l.to && to > l.from })
		})
	}
	return found
}

func isPublicLabel(label string) bool {
	return strings.HasSuffix(label, "CERTIFICATE") || strings.HasSuffix(label, "CERTIFICATE REQUEST") ||
		strings.HasSuffix(label, "PUBLIC KEY") || label == "X509 CRL"
}

// publicLines returns the base64 of each line of the body of a block, nil if it is not DER. In a diff, each line may
// begin with a '+' of the diff.
func publicLines(body string, diff bool) (lines []line) {
	sep := " "
	for _, end := range [...]string{`\n`, "\n"} {
		if strings.Contains(body, end) {
			sep = end
		}
	}
	var all strings.Builder
	parts := strings.Split(body, sep)
	for i, start := 0, 0; i < len(parts)-1; i++ { // the last part stands before the END
		text := strings.TrimRight(strings.TrimSuffix(withoutSigns(parts[i]), `\n`), `\`)
		l := line{from: len(strings.TrimRight(text, "=")), to: len(text)}
		for l.from > 0 && ascii.IsBase64(text[l.from-1]) {
			l.from--
		}
		if diff && l.from == 0 && strings.HasPrefix(text, "+") {
			l.from++
		}
		all.WriteString(text[l.from:])
		lines = append(lines, line{from: start + l.from, to: start + l.to})
		start += len(parts[i]) + len(sep)
	}
	der, err := base64.StdEncoding.DecodeString(all.String())
	var whole asn1.RawValue
	rest, derErr := asn1.Unmarshal(der, &whole)
	if err != nil || derErr != nil || len(rest) > 0 || whole.Tag != asn1.TagSequence {
		return nil
	}
	return lines
}
