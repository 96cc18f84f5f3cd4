// Package man renders the manual pages of a command tree as roff. It knows no command and writes no file.
package man

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"remanence/internal/fault"
)

// Page is a manual page of section 1.
type Page struct {
	Name string // of the file, such as remanence-search.1
	Text string
}

// Pages returns a page for each command of a tree that is not hidden, the root first. The version and the date
// (YYYY-MM-DD, may be empty) are in the footers.
func Pages(root *cobra.Command, version, date string) []Page {
	var pages []Page
	var add func(*cobra.Command)
	add = func(cmd *cobra.Command) {
		pages = append(pages, Page{name(cmd) + ".1", page(cmd, version, date)})
		for _, sub := range cmd.Commands() {
			if !sub.Hidden {
				add(sub)
			}
		}
	}
	add(root)
	return pages
}

func name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func page(cmd *cobra.Command, version, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 %q \"remanence %s\" \"Remanence manual\"\n", strings.ToUpper(name(cmd)), date, version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escape(name(cmd)), escape(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fR\n", escape(cmd.UseLine()))
	if cmd.Long != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", paragraphs(cmd.Long))
	}
	options(&b, "OPTIONS", cmd.LocalNonPersistentFlags())
	options(&b, "OPTIONS OF EVERY COMMAND", cmd.PersistentFlags())
	if cmd.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range cmd.Commands() {
			if !sub.Hidden {
				fmt.Fprintf(&b, ".TP\n\\fB%s\\fR(1)\n%s\n", escape(name(sub)), escape(sub.Short))
			}
		}
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", lines(cmd.Example))
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range fault.ExitStatuses() {
		fmt.Fprintf(&b, ".TP\n%d\n%s\n", e.Status, escape(e.Meaning))
	}
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fR(1)\n", escape(name(cmd.Parent())))
	}
	return b.String()
}

// paragraphs fills the lines of a text, except those that are indented.
func paragraphs(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(part, " ") || strings.Contains(part, "\n ") {
			fmt.Fprintf(&b, ".nf\n%s\n.fi\n", lines(part))
		} else {
			fmt.Fprintf(&b, "%s\n", lines(part))
		}
	}
	return b.String()
}

func options(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		short := ""
		if f.Shorthand != "" {
			short = fmt.Sprintf("\\fB%s\\fR, ", escape("-"+f.Shorthand))
		}
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			value = " \\fI" + escape(value) + "\\fR"
		}
		fmt.Fprintf(b, ".TP\n%s\\fB%s\\fR%s\n%s\n", short, escape("--"+f.Name), value, escape(usage))
	})
}

// lines escapes a text line by line.
func lines(text string) string {
	all := strings.Split(text, "\n")
	for i, line := range all {
		all[i] = escape(line)
	}
	return strings.Join(all, "\n")
}

// escape makes one line stand as it is: a backslash or a hyphen means something to roff, and so does a dot or an
// apostrophe at the start of a line.
func escape(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
