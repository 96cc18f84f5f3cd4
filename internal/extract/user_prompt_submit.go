package extract

// First returns the first value of a list; empty if there is none.
func First(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
