package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/setup"
)

// explain turns any error into a fault. Without a root nothing is suggested for
// misspelt commands.
func explain(root *cobra.Command, err error) Fault {
	if f, ok := errors.AsType[Fault](err); ok {
		return f
	}
	if e := (*api.Error)(nil); errors.As(err, &e) && e.Name == api.NameInvalid && e.Fix != "" {
		return faultInput.about("%s", e.Detail).fixedBy(e.Fix)
	}
	for _, k := range []struct {
		is    error
		fault Fault
	}{
		{mem.ErrAmbiguous, faultAmbiguous},
		{mem.ErrNotFound, faultNoID},
		{mem.ErrNewer, faultNewer},
		{mem.ErrForeign, faultForeign},
		{mem.ErrCorrupt, faultCorrupt},
		{mem.ErrLocked, faultLocked},
		{mem.ErrNoStore, faultStore},
		{mem.ErrFull, faultFull},
		{mem.ErrReadOnly, faultReadOnly},
		{mem.ErrDisk, faultDiskFails},
		{mem.ErrUnsafe, faultStateFile},
		{syscall.ENOSPC, faultFull},
		{syscall.EDQUOT, faultFull},
		{syscall.EROFS, faultReadOnly},
		{errNoPlace, faultReadOnly},
		{errNoHome, faultNoHome},
		{errConfig, faultConfig},
		{setup.ErrNotJSON, faultSettings},
		{setup.ErrShape, faultSettings},
		{setup.ErrNotFile, faultSettings},
		{setup.ErrReadOnly, faultSettings},
		{setup.ErrChanged, faultSettings},
		{setup.ErrBinary, faultBinary.fixedBy("give it the name remanence, and run it by its full path")},
		{api.ErrUnreachable, faultStale},
		{api.ErrGone, faultStale},
		{api.ErrUnknownRoute, faultVersion},
		{api.ErrInvalid, faultInput},
		{fs.ErrPermission, faultDenied},
		{context.DeadlineExceeded, faultSlow},
	} {
		if errors.Is(err, k.is) {
			return k.fault.because("%s", cause(err))
		}
	}
	if word, ok := unknownCommand(err); ok {
		return faultUsage.about("unknown command %q", word).fixedBy(suggest(root, word)...)
	}
	if flags, ok := exclusive(err); ok {
		return faultUsage.about("%s exclude each other", flags).fixedBy()
	}
	return faultOther.because("%s", cause(err))
}

// exclusive returns the flags that were given and exclude each other. Cobra has no type for that error either.
func exclusive(err error) (string, bool) {
	given, ok := strings.CutSuffix(err.Error(), "] were all set")
	names := strings.Fields(given[strings.LastIndexByte(given, '[')+1:])
	return "--" + strings.Join(names, " and --"), ok
}

// cause is an error in words: the daemon's own, where it answered with one.
func cause(err error) string {
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e.Error()
	}
	return err.Error()
}

// unknownCommand returns the word that cobra took for a command. It has no type
// for that error.
func unknownCommand(err error) (string, bool) {
	rest, ok := strings.CutPrefix(err.Error(), "unknown command \"")
	word, _, quoted := strings.Cut(rest, "\"")
	return word, ok && quoted
}

// suggest names the commands beside or below cmd that the person may have meant.
func suggest(cmd *cobra.Command, word string) []string {
	if cmd == nil {
		return faultUsage.Fix
	}
	for _, c := range cmd.Commands() {
		if slices.Contains(c.SuggestFor, word) { // by another name
			return []string{c.CommandPath()}
		}
	}
	var out []string
	cmd.SuggestionsMinimumDistance = 2
	for _, near := range cmd.SuggestionsFor(word) {
		out = append(out, cmd.CommandPath()+" "+near)
	}
	if len(out) == 0 && cmd.HasParent() {
		return []string{cmd.CommandPath() + " --help"}
	}
	if len(out) == 0 {
		return faultUsage.Fix
	}
	slices.Sort(out)
	return out
}

// fail prints a fault and returns its exit status.
func (p *printer) fail(f Fault) int {
	if f.Code == "" { // the output has said it already
		return f.Exit
	}
	fix := slices.DeleteFunc(slices.Clone(f.Fix), func(s string) bool { return s == "" })
	if p.flags.json || p.flags.jsonl {
		b, err := encode(errorView{"remanence.error/v1", errorBody{f.Code, f.What, nullable(f.Why), some(fix), "remanence help " + f.Code}})
		if err == nil {
			fmt.Fprintf(p.err, "%s\n", b)
		}
		return f.Exit
	}
	fmt.Fprintf(p.err, "%s %s\n", p.style(red, "error:"), safe(f.What))
	if f.Why != "" {
		fmt.Fprintf(p.err, "  why  %s\n", safe(f.Why))
	}
	for i, s := range fix {
		label := "fix"
		if i > 0 {
			label = "or "
		}
		fmt.Fprintf(p.err, "  %s  %s\n", label, safe(s))
	}
	fmt.Fprintf(p.err, "  %s · remanence help %s\n", f.Code, f.Code)
	return f.Exit
}

// errorView is the JSON form of a fault.
type errorView struct {
	Schema string    `json:"schema"`
	Error  errorBody `json:"error"`
}

type errorBody struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Cause   *string  `json:"cause"`
	Fix     []string `json:"fix"`
	Doc     string   `json:"doc"`
}
