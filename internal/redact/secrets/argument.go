package secrets

import (
	"strings"

	"remanence/internal/redact/ascii"
	"remanence/internal/redact/names"
)

// Calls that take a user and a password by position: the name of the function shows which argument is the secret.

const (
	maxCall     = 512 // bytes of a call that are searched
	maxArgument = 8   // arguments, likewise
)

func findFirstArgument(s string, _, end int) (from, to int, ok bool) {
	from, to, ok = findArgument(s, end, 1)
	return from, to, ok && to-from >= 6
}

func findFourthArgument(s string, _, end int) (from, to int, ok bool) { return findArgument(s, end, 4) }

// findSecondPassword and findThirdPassword are for names that other functions have as well: the argument must look like
// a password.
func findSecondPassword(s string, _, end int) (from, to int, ok bool) {
	from, to, ok = findArgument(s, end, 2)
	return from, to, ok && to-from >= 6 && isPasswordLike(s[from:to]) && !names.IsMail(s[from:to])
}

func findThirdPassword(s string, _, end int) (from, to int, ok bool) {
	from, to, ok = findArgument(s, end, 3)
	return from, to, ok && to-from >= 6 && isPasswordLike(s[from:to])
}

// findJDBCPassword finds the password in a call whose first argument is a JDBC address.
func findJDBCPassword(s string, at, _ int) (int, int, bool) { return findThirdPassword(s, at, at) }

func findSecondArgument(s string, _, end int) (from, to int, ok bool) { return findArgument(s, end, 2) }

func findThirdArgument(s string, _, end int) (from, to int, ok bool) { return findArgument(s, end, 3) }

// findArgument returns the position of the quoted text in argument n, from 1, of the call whose name ends at s[:i].
func findArgument(s string, i, n int) (from, to int, ok bool) {
	i = ascii.SkipAny(s, i, " \t=", 4)
	if i >= len(s) || s[i] != '(' {
		return 0, 0, false
	}
	depth, at := 0, 1
	for limit := min(len(s), i+maxCall); i < limit && at <= min(n, maxArgument); i++ {
		switch c := s[i]; {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth == 0 {
				return 0, 0, false
			}
		case c == ',' && depth == 1:
			at++
		case isQuote(c):
			slashes := 0
			for s[i-1-slashes] == '\\' {
				slashes++
			}
			from = i + 1
			to = closingQuote(s, from, c, slashes)
			if at == n {
				v := s[from:to]
				return from, to, notPlaceholder(v) && !names.IsOfCode(v) && !names.IsAlgorithm(v) && !looksLikePhrase(v)
			}
			i = to + slashes
		}
	}
	return 0, 0, false
}

// findClientKey finds a key among the arguments of a constructor of a client, whose opening bracket ends at s[:end].
func findClientKey(s string, _, end int) (from, to int, ok bool) {
	return findKeyArgument(s, end-1, false)
}

// findKeyArgument finds the first quoted argument of the call with the bracket s[open] that looks like a key, and those
// that follow it and look like one, too.
func findKeyArgument(s string, open int, uuid bool) (from, to int, ok bool) {
	for v := range literals(s, open) {
		switch {
		case !isVendorKey(s[v.From:v.To], uuid) || ok && strings.Trim(s[to:v.From], "\"'`, \t\n") != "":
		case ok:
			to = v.To
		default:
			from, to, ok = v.From, v.To, true
		}
	}
	return from, to, ok
}

// findLoginArgument finds a password after another quoted argument of the call whose opening bracket ends at s[:end].
func findLoginArgument(s string, _, end int) (from, to int, ok bool) {
	first := true
	for v := range literals(s, end-1) {
		if text := s[v.From:v.To]; !first && isStrongPassword(text) && !names.IsMail(text) {
			return v.From, v.To, true
		}
		first = false
	}
	return 0, 0, false
}

// isStrongPassword reports whether v looks like a password without a name beside it.
func isStrongPassword(v string) bool {
	return len(v) >= 6 && len(v) <= maxArgumentSize && isPasswordLike(v) && (hasSymbol(v) || count(v,
		decimalDigits) >= 2 || hasDigit(v) && isJumbled(v)) &&
		!names.IsVersion(v) && !names.IsUUID(v) && !strings.ContainsAny(v, "/:() \t") && (!looksLikeCode(v) ||
		isDottedPassword(v)) &&
		!names.IsHost(v)
}

const maxArgumentSize = 128

// literals yields the quoted arguments, not those of inner calls, of the call whose opening bracket is s[i].
func literals(s string, i int) func(yield func(Span) bool) {
	return func(yield func(Span) bool) {
		depth := 0
		for limit := min(len(s), i+maxCall); i < limit; i++ {
			switch c := s[i]; {
			case c == '(' || c == '[' || c == '{':
				depth++
			case c == ')' || c == ']' || c == '}':
				if depth--; depth == 0 {
					return
				}
			case isQuote(c):
				slashes := 0
				for s[i-1-slashes] == '\\' {
					slashes++
				}
				to := closingQuote(s, i+1, c, slashes)
				if depth == 1 && !yield(Span{From: i + 1, To: to}) {
					return
				}
				i = to + slashes
			}
		}
	}
}
