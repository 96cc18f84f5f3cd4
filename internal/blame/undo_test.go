package blame_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"remanence/internal/blame"
)

func TestAnEditThatTakesBackAnEarlierOneIsRecognised(t *testing.T) {
	timer := blame.Edit{
		Old: "func wait() {\n\ttime.Sleep(delay)\n}", New: "func wait() {\n\t<-time.NewTimer(delay).C\n}",
	}
	value := blame.Edit{Old: "wait=30s\nlimit=4", New: "wait=9s\nlimit=4"}
	file := blame.Edit{New: "package retry\n\nconst tries = 5\n", Whole: true}
	for name, tt := range map[string]struct {
		now, then blame.Edit
		want      []blame.UndoneLine
	}{
		"the old line is back": {
			blame.Edit{Old: "    <-time.NewTimer(delay).C", New: "    time.Sleep(delay)"},
			timer,
			[]blame.UndoneLine{{
				Old: "<-time.NewTimer(delay).C", New: "time.Sleep(delay)", Restores: true,
				Words: []string{"new", "timer", "c", "sleep"},
			}},
		},
		"the old value is back": {
			blame.Edit{Old: "wait=9s", New: "wait=30s"},
			value,
			[]blame.UndoneLine{{Old: "wait=9s", New: "wait=30s", Restores: true, Words: []string{"9", "30"}}},
		},
		"another value": {
			blame.Edit{Old: "wait=9s\n# end", New: "wait=45s\n# end"},
			value,
			[]blame.UndoneLine{{Old: "wait=9s", New: "wait=45s", Words: []string{"9"}}},
		},
		"another value of a new file": {
			blame.Edit{Old: "const tries = 5", New: "const tries = 1"},
			file,
			[]blame.UndoneLine{{Old: "const tries = 5", New: "const tries = 1", Words: []string{"5"}}},
		},
		"a word in another form": {blame.Edit{Old: "limits=4", New: "limit=4"}, blame.Edit{New: "limits=4\n"}, nil},
		"the file is written anew": {
			blame.Edit{Old: "const tries = 5\n" + numbered(50), New: "const tries = 1"},
			file, nil,
		},
		"the line is only indented": {blame.Edit{Old: "wait=9s", New: "\twait=9s"}, value, nil},
		"what was written goes": {
			blame.Edit{Old: "wait=9s\nlimit=4", New: "limit=4"},
			value,
			[]blame.UndoneLine{{Old: "wait=9s", Words: []string{"9"}}},
		},
		"it goes with more":         {blame.Edit{Old: "wait=9s\nlimit=4\n}", New: "}"}, value, nil},
		"a part of it goes":         {blame.Edit{Old: "package retry"}, file, nil},
		"something new":             {blame.Edit{Old: "wait=9s", New: "wait = min(deadline, 9s)"}, value, nil},
		"a line that nothing names": {blame.Edit{Old: "limit=4", New: "limit=5"}, value, nil},
		"the old line without ours": {blame.Edit{Old: "# end", New: "wait=30s"}, value, nil},
		"a brace":                   {blame.Edit{Old: "}", New: "})"}, timer, nil},
		"no word stays":             {blame.Edit{Old: "wait=9s", New: "x"}, value, nil},
	} {
		got := blame.ChangeOf(tt.now).Undoes(tt.then)
		if !slices.EqualFunc(got, tt.want, func(a, b blame.UndoneLine) bool {
			return a.Old == b.Old && a.New == b.New && a.Restores == b.Restores && slices.Equal(a.Words, b.Words)
		}) {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}
}

// numbered returns a text of so many lines.
func numbered(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "call(%d)\n", i)
	}
	return b.String()
}

// rewritten returns a text of so many lines that share their words, and the same with another value in each.
func rewritten(lines int) (was, is string) {
	var a, b strings.Builder
	for i := range lines {
		fmt.Fprintf(&a, "setting[%d] = wait(sender, gateway, timer, 9)\n", i)
		fmt.Fprintf(&b, "setting[%d] = wait(sender, gateway, timer, 45)\n", i)
	}
	return a.String(), b.String()
}

// An edit of a large file is compared in part: a hook waits for it.
func TestOfALargeEditSomeLinesAreCompared(t *testing.T) {
	was, is := rewritten(1500)
	got := blame.ChangeOf(blame.Edit{Old: was, New: is}).Undoes(blame.Edit{New: was})
	if n := len(got); n == 0 || n > 200 {
		t.Errorf("%d lines are taken back, want some, and 200 at most", n)
	}
}

func BenchmarkUndoes(b *testing.B) {
	for _, lines := range []int{10, 200, 1500} {
		was, is := rewritten(lines)
		c := blame.ChangeOf(blame.Edit{Old: was, New: is})
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			for b.Loop() {
				c.Undoes(blame.Edit{New: was})
			}
		})
	}
}
