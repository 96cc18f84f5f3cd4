package transcript

// Read is a part as Take reads it, of which no prompt hides a part.
func Read(path string, from int64, door func(string) string) (Part, error) {
	return readFrom(path, from, door, wholly)
}
