package chars

import "strings"

// digits is Crockford's base 32 alphabet: no two look alike, and they sort by value.
const digits = "0123456789abcdefghjkmnpqrstvwxyz"

// ShortID returns prefix followed by n in base 32.
func ShortID(prefix string, n int64) string {
	var buf [16]byte
	i := len(buf)
	for {
		i--
		buf[i] = digits[n&31]
		if n >>= 5; n == 0 {
			return prefix + string(buf[i:])
		}
	}
}

// ShortNumber returns the number of an id that ShortID made, false if it made none such.
func ShortNumber(prefix, id string) (n int64, ok bool) {
	text, found := strings.CutPrefix(id, prefix)
	if !found || text == "" || len(text) > 12 {
		return 0, false
	}
	for _, c := range []byte(text) {
		i := strings.IndexByte(digits, c)
		if i < 0 {
			return 0, false
		}
		n = n<<5 | int64(i)
	}
	return n, ShortID(prefix, n) == id
}
