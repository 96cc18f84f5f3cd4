package shell

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Writes returns the files that a line changes otherwise than by a redirection, as far as it names them: those of
// "sed -i", "perl -i" and "git mv", and those that a script which stands in the line writes. Paths are relative to the
// directory in which the line runs.
func Writes(line string) (out []string) {
	if !containsAny(line, "sed -", "perl -", "git mv", "write", "open(") { // most lines
		return nil
	}
	add := func(dir, file string) {
		if file = joinDir(dir, file); file != "" && !strings.ContainsAny(file, "*?[]{}$~\n") && !slices.Contains(out, file) {
			out = append(out, file)
		}
	}
	cd := ""
	commands, script, _ := strings.Cut(line, "<<")
	for _, words := range commandsOf(commands) {
		named := withoutFlags(words)
		switch {
		case len(words) > 1 && words[0] == "cd":
			cd = joinDir(cd, words[1])
		case words[0] == "sed" || words[0] == "perl":
			for _, file := range inPlace(words) {
				add(cd, file)
			}
		case len(named) == 4 && named[0] == "git" && named[1] == "mv" && !strings.HasSuffix(named[3], "/"):
			add(cd, named[3])
		case slices.Contains(interpreters, path.Base(words[0])) && script == "":
			script = line
		}
	}
	if script != "" {
		for _, file := range written(script) {
			add(cd, file)
		}
	}
	return out
}

// inPlace returns the files that a sed or perl command changes in place.
func inPlace(words []string) (files []string) {
	changes, scripts := false, words[0] == "perl"
	for i, w := range words[1:] {
		before := words[i]
		switch short := strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--"); {
		case short:
			changes = changes || strings.Contains(strings.TrimSuffix(w, ".bak"), "i")
			scripts = scripts || strings.HasSuffix(w, "e")
		case strings.HasPrefix(w, "--"):
			changes = changes || strings.HasPrefix(w, "--in-place")
		case w == "" || strings.HasPrefix(before, "-") && strings.HasSuffix(before, "e"):
		case !scripts:
			scripts = true
		default:
			files = append(files, w)
		}
	}
	if !changes {
		return nil
	}
	return files
}

// written returns the files that a script in Python, JavaScript or Ruby writes, if it names them, also by a variable.
func written(script string) (files []string) {
	const quoted = `'[^'\n]+'|"[^"\n]+"`
	const file = `\s*(` + quoted + `|\w+)\s*`
	calls := regexp.MustCompile(`open\(` + file + `,\s*(?:mode\s*=\s*)?['"][wax]|` +
		`(?:writeFileSync|writeFile|File\.write)\(` + file + `|Path\(` + file + `\)\.write_|\b(\w+)\.write_(?:text|bytes)\(`)
	for _, found := range calls.FindAllStringSubmatch(script, -1) {
		for _, name := range found[1:] {
			if name != "" && name[0] != '\'' && name[0] != '"' {
				set := regexp.MustCompile(`\b` + name + `\s*=\s*(?:\w+\.)?(?:Path\(\s*)?(` + quoted + `)`)
				name = ""
				if set := set.FindStringSubmatch(script); set != nil {
					name = set[1]
				}
			}
			if len(name) > 2 {
				files = append(files, name[1:len(name)-1])
			}
		}
	}
	return files
}
