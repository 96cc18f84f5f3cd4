package ui

import (
	"fmt"
	"slices"
	"strings"

	"remanence/internal/config"
)

// HelpWidth is the width of every help page, in columns.
const HelpWidth = 80

// HelpView is a page of help.
type HelpView struct {
	Topic string `json:"topic"` // the command
	Text  string `json:"text"`
}

// SchemaName returns the name of the view's schema.
func (HelpView) SchemaName() string { return "help" }

// Print writes the view for a person.
func (v HelpView) Print(p *Printer) { p.Line("%s", v.Text) }

// NamesEmbeddings reports whether help on embeddings is asked for.
func NamesEmbeddings(args []string) bool {
	return len(args) == 1 && slices.Contains([]string{"embed", "embedding", "embeddings"}, strings.ToLower(args[0]))
}

// HelpOfEmbeddings explains embeddings, which are settings and no command.
func HelpOfEmbeddings() HelpView {
	out := &strings.Builder{}
	fmt.Fprint(out, `embeddings: find memories by meaning as well as by words

Examples
  remanence config set embed.provider ollama
  remanence config set embed.model nomic-embed-text
  remanence doctor

They are off until you choose a provider, and no connection is made until then.
A server on this machine turns memories and questions into vectors. One on
another machine is asked only with embed.allow_remote. Without an answer in
time, or at all, words alone are searched for.

Settings
`)
	for _, o := range config.Options() {
		if strings.HasPrefix(o.Key, "embed.") || o.Key == "recall.vector_floor" {
			head := o.Key + " = " + config.SettingOf(config.Value{Option: o, Value: o.Def}).ValueText()
			fmt.Fprintf(out, "  %s\n%s", strings.TrimRight(head, " ="), paragraph(o.Doc))
		}
	}
	fmt.Fprint(out, "\nAll of it: docs/embedding.md, in the repository")
	return HelpView{Topic: "embeddings", Text: out.String()}
}

// paragraph is a text in indented lines that fit a help page.
func paragraph(s string) string {
	const indent = "      "
	out, line := "", indent
	for _, word := range strings.Fields(s) {
		if line != indent && len(line)+1+len(word) > HelpWidth {
			out, line = out+line+"\n", indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return out + line + "\n"
}
