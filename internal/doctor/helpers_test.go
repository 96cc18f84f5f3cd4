package doctor

func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}
