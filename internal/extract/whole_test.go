package extract

import "testing"

func TestATitleIsCutWhereASentenceOrAClauseEnds(t *testing.T) {
	for _, c := range []struct {
		name, text string
		limit      int
		want       string
	}{
		{"it fits", "The cache is per key.", 40, "The cache is per key."},
		{
			"sentence", "The limiter counts per key, not per address. It keeps the counts for an hour.", 60,
			"The limiter counts per key, not per address.",
		},
		{
			"clause", "The limiter counts per key and keeps its counts, which the sweeper removes after an hour", 60,
			"The limiter counts per key and keeps its counts…",
		},
		{
			"no bracket is left open", "The limiter counts per key of a client (one header, set by the proxy alone)", 60,
			"The limiter counts per key of a client…",
		},
		{
			"no code is left open", "The limiter counts per key of a client, see `limit(key, now, other)` in it", 60,
			"The limiter counts per key of a client…",
		},
		{
			"no clause ends in the second half", "Now, the limiter counts every request of a client per key and keeps that", 50,
			"Now, the limiter counts every request of a client…",
		},
		{
			"a condition is not all", "When a key is unknown, if the store is away, the limiter lets requests pass and logs", 60,
			"When a key is unknown, if the store is away, the limiter…",
		},
		{"another script", "リミッターはキーごとに数え、一時間保持する、そして掃除係が古いものを消す、次に数え直す", 30, "リミッターはキーごとに数え、一時間保持する…"},
	} {
		if got := WholeTitle(c.text, c.limit); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAPartOfASessionIsWholeOrLeftOut(t *testing.T) {
	long := "The sender retries with a growing pause that the fake clock of the tests drives, so nothing waits for real " +
		"time any more, and the budget of attempts is part of the options that callers pass"
	all := JoinPart("", long)
	all = JoinPart(all, "The cart has three tests now.")
	all = JoinPart(all, "The cart has three tests now.")
	all = JoinPart(all, long+" to it, twice over, which nobody had asked for but everybody wanted to have at last")
	if want := long + "; The cart has three tests now."; all != want {
		t.Errorf("got %q\nwant %q", all, want)
	}
}
