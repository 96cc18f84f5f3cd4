package chars

// digits are Crockford's: none can be taken for another, and they sort by value.
const digits = "0123456789abcdefghjkmnpqrstvwxyz"

// ShortID writes a row's number in base 32 behind the prefix of its kind.
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
