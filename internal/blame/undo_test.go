package blame_test

import (
	"slices"
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
		want      []blame.Undone
	}{
		"the old line is back": {
			blame.Edit{Old: "    <-time.NewTimer(delay).C", New: "    time.Sleep(delay)"},
			timer,
			[]blame.Undone{{
				Was: "<-time.NewTimer(delay).C", Is: "time.Sleep(delay)", Back: true,
				Words: []string{"new", "timer", "c", "sleep"},
			}},
		},
		"the old value is back": {
			blame.Edit{Old: "wait=9s", New: "wait=30s"},
			value,
			[]blame.Undone{{Was: "wait=9s", Is: "wait=30s", Back: true, Words: []string{"9", "30"}}},
		},
		"another value": {
			blame.Edit{Old: "wait=9s\n# end", New: "wait=45s\n# end"},
			value,
			[]blame.Undone{{Was: "wait=9s", Is: "wait=45s", Words: []string{"9"}}},
		},
		"another value of a new file": {
			blame.Edit{Old: "const tries = 5", New: "const tries = 1"},
			file,
			[]blame.Undone{{Was: "const tries = 5", Is: "const tries = 1", Words: []string{"5"}}},
		},
		"the line is only indented": {blame.Edit{Old: "wait=9s", New: "\twait=9s"}, value, nil},
		"the line goes":             {blame.Edit{Old: "wait=9s\nlimit=4", New: "limit=4"}, value, nil},
		"something new":             {blame.Edit{Old: "wait=9s", New: "wait = min(deadline, 9s)"}, value, nil},
		"a line of nobody":          {blame.Edit{Old: "limit=4", New: "limit=5"}, value, nil},
		"the old line without ours": {blame.Edit{Old: "# end", New: "wait=30s"}, value, nil},
		"a brace":                   {blame.Edit{Old: "}", New: "})"}, timer, nil},
		"no word stays":             {blame.Edit{Old: "wait=9s", New: "x"}, value, nil},
	} {
		got := blame.Undoing(tt.now, tt.then)
		if !slices.EqualFunc(got, tt.want, func(a, b blame.Undone) bool {
			return a.Was == b.Was && a.Is == b.Is && a.Back == b.Back && slices.Equal(a.Words, b.Words)
		}) {
			t.Errorf("%s: got %+v, want %+v", name, got, tt.want)
		}
	}
}
