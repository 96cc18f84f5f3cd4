package shell

import (
	"path"
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
	for _, call := range []string{"open(", "writeFileSync(", "writeFile(", "File.write(", "Path("} {
		for at, rest, ok := "", script, true; ok; {
			if at, rest, ok = strings.Cut(rest, call); !ok || call == "open(" && strings.HasSuffix(at, "Path.") {
				continue
			}
			name, behind := argument(rest)
			if call == "open(" && !opensToWrite(behind) || call == "Path(" && !strings.HasPrefix(behind, ").write_") {
				continue
			}
			if name = valueOf(script, name); name != "" {
				files = append(files, name)
			}
		}
	}
	return files
}

// argument returns the first argument of a call, a quoted string or a name, and what follows it.
func argument(text string) (arg, rest string) {
	text = strings.TrimLeft(text, " ")
	if text != "" && (text[0] == '\'' || text[0] == '"') {
		if n := strings.IndexByte(text[1:], text[0]); n >= 0 {
			return text[:n+2], strings.TrimLeft(text[n+2:], " ")
		}
	}
	n := strings.IndexAny(text, " ,)\n")
	if n < 0 {
		return "", ""
	}
	return text[:n], strings.TrimLeft(text[n:], " ")
}

// opensToWrite reports whether what follows the name in a call of open is a mode that writes.
func opensToWrite(rest string) bool {
	mode, ok := strings.CutPrefix(rest, ",")
	mode = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(mode, " "), "mode="), " '\"")
	return ok && mode != "" && strings.ContainsAny(mode[:1], "wax")
}

// valueOf returns the string that an argument is, or that a script assigns to the variable of its name.
func valueOf(script, arg string) string {
	for arg != "" && arg[0] != '\'' && arg[0] != '"' {
		_, set, ok := strings.Cut(script, arg+" = ")
		if !ok {
			if _, set, ok = strings.Cut(script, arg+"="); !ok {
				return ""
			}
		}
		set = strings.TrimPrefix(set, "Path(")
		if arg, _ = argument(set); arg != "" && arg[0] != '\'' && arg[0] != '"' {
			return ""
		}
	}
	if len(arg) < 3 {
		return ""
	}
	return arg[1 : len(arg)-1]
}
