package secrets

import (
	"remanence/internal/redact/names"

	"remanence/internal/redact/ascii"
)

// Keys of providers that a regular expression cannot find, or only with a long look-ahead. Each function reads a
// bounded part of the text once.

const nearby = 64 // bytes after a provider's name in which its key is looked for

// findAWSSecret finds forty characters of base64 after a name like aws_secret_access_key.
func findAWSSecret(s string, _, end int) (from, to int, ok bool) {
	limit := min(len(s), end+nearby)
	i := end
	for i < limit && (s[i] != '\n' || isContinued(s, i)) {
		run := i
		for run < len(s) && ascii.IsBase64(s[run]) && run-i <= 40 {
			run++
		}
		if run-i == 40 && isMixed(s[i:run]) && !ascii.All(s[i:run], ascii.IsHex) {
			return i, run, true
		}
		i = max(run, i+1)
		for i < len(s) && run-i > 40 && ascii.IsBase64(s[i]) {
			i++
		}
	}
	return 0, 0, false
}

// findHerokuKey finds a UUID on the same line: Heroku's older keys are plain UUIDs.
func findHerokuKey(s string, _, end int) (from, to int, ok bool) {
	for i := end; i < min(len(s), end+nearby) && s[i] != '\n'; i++ {
		if ascii.IsHex(s[i]) && !ascii.IsHex(s[i-1]) && i+36 <= len(s) && names.IsUUID(s[i:i+36]) {
			return i, i + 36, true
		}
	}
	return 0, 0, false
}

// findTwilioToken finds 32 hex digits on the same line.
func findTwilioToken(s string, _, end int) (from, to int, ok bool) {
	for i := end; i < min(len(s), end+nearby) && s[i] != '\n'; i++ {
		if !ascii.IsHex(s[i]) || ascii.IsWordByte(s[i-1]) {
			continue
		}
		run := i
		for run < len(s) && run-i <= 32 && ascii.IsHex(s[run]) {
			run++
		}
		if run-i == 32 && isMixed(s[i:run]) {
			return i, run, true
		}
		i = run
	}
	return 0, 0, false
}

// findMailchimpKey finds 32 hex digits before the data centre's suffix.
func findMailchimpKey(s string, at, end int) (from, to int, ok bool) {
	if at < 32 || !ascii.All(s[at-32:at], ascii.IsLowerHex) {
		return 0, 0, false
	}
	for end < len(s) && ascii.IsDigit(s[end]) {
		end++
	}
	return at - 32, end, true
}

// findNewRelicKey finds the 36 hex digits before the suffix of a licence key.
func findNewRelicKey(s string, at, end int) (from, to int, ok bool) {
	const size = 36
	if at < size || !ascii.All(s[at-size:at], ascii.IsHex) || end < len(s) && ascii.IsWordByte(s[end]) {
		return 0, 0, false
	}
	return at - size, end, true
}

// findAirtableToken finds an id of 14 letters and digits, a dot, and 64 hex digits.
func findAirtableToken(s string, at, end int) (from, to int, ok bool) {
	const id, secret = 14, 64
	to = end + id + 1 + secret
	if to > len(s) || s[end+id] != '.' || !ascii.All(s[end+id+1:to], ascii.IsHex) {
		return 0, 0, false
	}
	return at, to, ascii.All(s[end:end+id], ascii.IsWordByte)
}

// findMaxMindKey finds six letters and digits, '_' and 29 more before the suffix of a licence key.
func findMaxMindKey(s string, at, end int) (from, to int, ok bool) {
	const id, secret = 6, 29
	from = at - id - 1 - secret
	if from < 0 || s[from+id] != '_' || end < len(s) && ascii.IsWordByte(s[end]) || from > 0 &&
		ascii.IsWordByte(s[from-1]) {
		return 0, 0, false
	}
	return from, end, ascii.All(s[from:from+id], ascii.IsWordByte) && isRandom(s[from+id+1:at])
}

// findAzureKey finds a key with the mark of its service near its end, as Microsoft's newer keys have it.
func findAzureKey(s string, at, end int) (from, to int, ok bool) {
	const before, longest = 43, 96
	isKeyByte := func(c byte) bool { return ascii.IsBase64(c) || c == '-' || c == '_' }
	for from = at; from > 0 && at-from <= longest && isKeyByte(s[from-1]); {
		from--
	}
	for to = end; to < len(s) && to-end <= longest && isKeyByte(s[to]); {
		to++
	}
	tail := to - end
	to = ascii.SkipAny(s, to, "=", 2)
	return from, to, at-from >= before && at-from <= longest && tail >= 4 && tail <= 32 && isMixed(s[from:at]) &&
		hasUpperAndLower(s[from:at])
}
