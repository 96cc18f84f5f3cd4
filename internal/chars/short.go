package chars

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
