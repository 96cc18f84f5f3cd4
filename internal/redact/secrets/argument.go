package secrets

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
	return from, to, ok && to-from >= 6 && isPasswordLike(s[from:to]) && !isMail(s[from:to])
}

func findThirdPassword(s string, _, end int) (from, to int, ok bool) {
	from, to, ok = findArgument(s, end, 3)
	return from, to, ok && to-from >= 6 && isPasswordLike(s[from:to])
}

func findSecondArgument(s string, _, end int) (from, to int, ok bool) { return findArgument(s, end, 2) }

func findThirdArgument(s string, _, end int) (from, to int, ok bool) { return findArgument(s, end, 3) }

// findArgument returns the position of the quoted text in argument n, from 1, of the call whose name ends at s[:i].
func findArgument(s string, i, n int) (from, to int, ok bool) {
	i = skipAny(s, i, " \t=", 4)
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
				return from, to, notPlaceholder(v) && !isWordOfCode(v) && !isAlgorithm(v) && !looksLikePhrase(v)
			}
			i = to + slashes
		}
	}
	return 0, 0, false
}
