package transcript

// Read is a part as Take reads it, of which no prompt hides a part.
func Read(path string, from int64, redact func(string) string) (Part, error) {
	return readFrom(path, from, redact, wholly)
}
