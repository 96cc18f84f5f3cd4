package extract

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// LayoutTag tags a change that only reformats a file.
const LayoutTag = "layout"

// indented are the extensions of files in which white space at the start of a line means something.
var indented = []string{
	"", ".py", ".pyi", ".yaml", ".yml", ".md", ".mk", ".haml", ".pug", ".sass", ".nim", ".hs", ".fs", ".coffee", ".txt",
}

// OnlyReformats reports whether an edit of a file is one of layout: of white space outside quoted text, and of commas
// before a closing bracket. In many languages such a change may mean something, so it teaches nothing only where a
// command that only checks the layout asked for it.
func OnlyReformats(file, before, after string) bool {
	return before != after && !slices.Contains(indented, strings.ToLower(path.Ext(Slashed(file)))) &&
		withoutLayout(before) == withoutLayout(after) && slices.Equal(quoted(before), quoted(after))
}

// quoted are the parts of a code that stand between quotation marks; a mark that is not closed counts as well.
func quoted(code string) []string {
	var out []string
	for i, part := range strings.Split(strings.NewReplacer("'", `"`, "`", `"`).Replace(code), `"`) {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	return out
}

// withoutLayout is a code without white space but for one space between two words.
func withoutLayout(code string) string {
	var out strings.Builder
	word, gap := false, false // whether the last character belongs to a word; whether white space follows it
	for _, r := range code {
		if unicode.IsSpace(r) {
			gap = true
			continue
		}
		is := r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
		if gap && word && is {
			out.WriteByte(' ')
		}
		out.WriteRune(r)
		word, gap = is, false
	}
	return strings.NewReplacer(",)", ")", ",]", "]", ",}", "}").Replace(out.String())
}
