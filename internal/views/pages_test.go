package views

import "testing"

// The next page ends where the first day begins: what is left out of that day would stand on no page.
func TestAPageOfARecapBeginsWithAWholeDay(t *testing.T) {
	for _, c := range []struct {
		days string
		n    int
		want string
	}{
		{"1223", 1, "3"}, {"1223", 2, "3"}, {"1223", 3, "223"}, {"122", 1, "2"}, {"22", 1, "2"}, {"112", 2, "2"},
	} {
		var r RecapResponse
		for _, day := range c.days {
			r.Days = append(r.Days, RecapDay{Day: string(day)})
		}
		head, _ := r.Head(c.n).(RecapResponse)
		got := ""
		for _, d := range head.Days {
			got += d.Day
		}
		if got != c.want || !head.Cut {
			t.Errorf("%d of %s: got %s, want %s", c.n, c.days, got, c.want)
		}
	}
}
