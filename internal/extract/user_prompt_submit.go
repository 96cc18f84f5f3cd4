package extract

func First(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
