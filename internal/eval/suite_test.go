package eval

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// written writes files below a new directory and returns it.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// all reads every part of the suite at path.
func all(t *testing.T, path string) (Part, error) {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		return Part{}, err
	}
	var whole Part
	for p, err := range s.Parts {
		if err != nil {
			return whole, err
		}
		whole.Units = append(whole.Units, p.Units...)
		whole.Questions = append(whole.Questions, p.Questions...)
	}
	return whole, nil
}

func ids(units []Unit) []string {
	var out []string
	for _, u := range units {
		out = append(out, u.ID)
	}
	return out
}

// small is a good folder in BEIR's layout.
func small() map[string]string {
	return map[string]string{
		"corpus.jsonl": "\ufeff" +
			`{"_id":"n1","title":"Backoff","text":"with jitter","metadata":{"project":"p","created":1767225600,` +
			`"files":["a/b.go"],"colour":"red"}}
{"_id":"t2","title":"","text":"second","metadata":{"project":"p","session":"s","turn":1,"who":"Ann",` +
			`"created":1767225660.5}}

{"_id":"t1","title":"","text":"first","metadata":{"project":"p","session":"s","turn":0,"who":"Bo"}}
{"_id":"o1","title":"","text":"of another project","metadata":{"project":"q","session":"s","turn":0}}
`,
		"queries.jsonl": `{"_id":"q1","text":"how are retries spaced","metadata":{"project":"p","as_of":1767312000,` +
			`"category":"fact"}}
{"_id":"q2","text":"never judged","metadata":{"project":"p"}}
`,
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\tn1\t2\nq1\tt2\t1\nq1\tt1\t0\n",
	}
}

func TestAFolderIsReadWithItsMetadata(t *testing.T) {
	got, err := all(t, written(t, small()))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"n1", "t1", "t2", "o1"}; !slices.Equal(ids(got.Units), want) {
		t.Fatalf("got units %q, want %q: the turns of a session stand together, in order", ids(got.Units), want)
	}
	p, q := projectKey("p"), projectKey("q")
	note, second, other := got.Units[0], got.Units[2], got.Units[3]
	want := Unit{ID: "n1", Project: p, Title: "Backoff", Text: "with jitter", Created: time.Date(2026, 1, 1, 0, 0, 0, 0,
		time.UTC), Files: []string{"a/b.go"}}
	if !reflect.DeepEqual(note, want) {
		t.Errorf("got %+v, want %+v", note, want)
	}
	if !second.Said || second.Who != "Ann" || second.Turn != 1 || second.Created.UnixMilli() != 1767225660500 {
		t.Errorf("got %+v, want Ann's turn 1", second)
	}
	if p == q || second.Session == other.Session {
		t.Errorf("got projects %s and %s, sessions %q and %q: each project has its own", p, q, second.Session, other.Session)
	}
	asked := got.Questions[0]
	if asked.Project != p || asked.Category != "fact" || asked.AsOf != time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) {
		t.Errorf("got %+v", asked)
	}
	if want := map[string]float64{"n1": 2, "t2": 1}; !reflect.DeepEqual(asked.Relevant, want) {
		t.Errorf("got relevant %v, want %v", asked.Relevant, want)
	}
	if len(got.Questions[1].Relevant) != 0 {
		t.Errorf("got %v for a query without judgements", got.Questions[1].Relevant)
	}
}

func TestAnUnusableFileIsNamedWithItsLine(t *testing.T) {
	for name, c := range map[string]struct{ file, text, where, what string }{
		"no JSON": {"corpus.jsonl", "{\"_id\":\"a\"}\n\n{oops\n", "corpus.jsonl:3:", "invalid character"},
		"a wrong type": {
			"corpus.jsonl", `{"_id":"a","metadata":{"turn":"one"}}`, "corpus.jsonl:1:",
			"metadata.turn cannot be of type string",
		},
		"a unit without id": {"corpus.jsonl", "{}\n", "corpus.jsonl:1:", "without _id"},
		"a unit twice": {
			"corpus.jsonl", "{\"_id\":\"a\"}\n{\"_id\":\"a\"}\n", "corpus.jsonl:2:",
			`second unit with the _id "a"`,
		},
		"a query without id":  {"queries.jsonl", `{"text":"x"}`, "queries.jsonl:1:", "without _id"},
		"a query twice":       {"queries.jsonl", "{\"_id\":\"q1\"}\n{\"_id\":\"q1\"}", "queries.jsonl:2:", "second query"},
		"a judgement cut off": {"qrels/test.tsv", "q1\tn1\n", "test.tsv:1:", "2 fields"},
		"a word for a score":  {"qrels/test.tsv", "h\th\th\nq1\tn1\tgood\n", "test.tsv:2:", `"good" is no score`},
		"no number":           {"qrels/test.tsv", "h\th\th\nq1\tn1\tNaN\n", "test.tsv:2:", `"NaN" is no score`},
		"no number at once":   {"qrels/test.tsv", "q1\tn1\tNaN\n", "test.tsv:1:", `"NaN" is no score`},
		"an endless score":    {"qrels/test.tsv", "q1\tn1\t+Inf\n", "test.tsv:1:", `"+Inf" is no score`},
		"one below all":       {"qrels/test.tsv", "q1\tn1\t-Inf\n", "test.tsv:1:", `"-Inf" is no score`},
		"one beyond numbers":  {"qrels/test.tsv", "q1\tn1\t1e999\n", "test.tsv:1:", `"1e999" is no score`},
		"one that sums up":    {"qrels/test.tsv", "q1\tn1\t1e308\n", "test.tsv:1:", `"1e308" is no score`},
		"an unknown query":    {"qrels/test.tsv", "q9\tn1\t1\n", "test.tsv:1:", `no query has the _id "q9"`},
		"an unknown unit":     {"qrels/test.tsv", "q1\tn9\t1\n", "test.tsv:1:", `no unit has the _id "n9"`},
	} {
		files := small()
		files[c.file] = c.text
		_, err := all(t, written(t, files))
		var m *Mistake
		if !errors.Is(err, ErrFormat) || !errors.As(err, &m) || !strings.Contains(err.Error(), c.where) ||
			!strings.Contains(err.Error(), c.what) {
			t.Errorf("%s: got %v, want %s … %s", name, err, c.where, c.what)
		}
	}
}

func TestAMissingFileOfAFolderIsNotThere(t *testing.T) {
	for gone := range small() {
		files := small()
		delete(files, gone)
		if _, err := all(t, written(t, files)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("without %s: got %v, want that it is not there", gone, err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v for a suite that is not there", err)
	}
}

const talkFile = `[
  {
    "sample_id": "conv-1",
    "conversation": {
      "speaker_a": "Ann", "speaker_b": "Bo",
      "session_1_date_time": "1:56 pm on 8 May, 2023",
      "session_1": [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a kayak."},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Nice!", "img_url": ["x"], "blip_caption": "a red boat", ` +
	`"query": "boat"}
      ],
      "session_2_date_time": "9:05 am on 25 May, 2023",
      "session_3_date_time": "10:00 am on 1 June, 2023",
      "session_3": [{"speaker": "Bo", "dia_id": "D3:1", "text": "How is the kayak?"}]
    },
    "qa": [
      {"question": "What did Ann buy?", "answer": "a kayak", "evidence": ["D1:1"], "category": 4},
      {"question": "Which colour?", "answer": "red", "evidence": ["D1:2; D3:1"], "category": 1},
      {"question": "When?", "answer": 2023, "evidence": ["D9:9"], "category": 2},
      {"question": "What did Bo buy?", "adversarial_answer": "a kayak", "evidence": [], "category": 5}
    ],
    "observation": {}
  }
]`

func TestLoCoMosFileIsReadByTurns(t *testing.T) {
	got, err := all(t, filepath.Join(written(t, map[string]string{"locomo10.json": talkFile}), "locomo10.json"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"conv-1/D1:1", "conv-1/D1:2", "conv-1/D3:1"}; !slices.Equal(ids(got.Units), want) {
		t.Fatalf("got %q, want %q", ids(got.Units), want)
	}
	u := got.Units[1]
	if u.Who != "Bo" || !u.Said || u.Turn != 1 || u.Text != "Nice! [image: a red boat]" ||
		u.Created != time.Date(2023, 5, 8, 13, 56, 20, 0, time.UTC) {
		t.Errorf("got %+v", u)
	}
	if a, b := got.Units[0].Session, got.Units[2].Session; a != got.Units[1].Session || a == b {
		t.Errorf("got sessions %q and %q", a, b)
	}
	var relevant []map[string]float64
	for _, q := range got.Questions {
		relevant = append(relevant, q.Relevant)
	}
	want := []map[string]float64{{"conv-1/D1:1": 1}, {"conv-1/D1:2": 1, "conv-1/D3:1": 1}, {}}
	if !reflect.DeepEqual(relevant, want) {
		t.Errorf("got %v, want %v: what has no evidence in the text is asked and not scored, the unanswerable is left out",
			relevant, want)
	}
}

const haystackFile = `[
{"question_id": "e1", "question_type": "single-session-user", "question": "What do I play?", "answer": 1, ` +
	`"question_date": "2023/05/22 (Mon) 14:00",
 "haystack_dates": ["2023/05/10 (Wed) 09:00", "2023/05/15 (Mon) 11:30"],
 "haystack_session_ids": ["s_a", "s_b"],
 "haystack_sessions": [
  [{"role": "user", "content": "I play the cello.", "has_answer": true}, {"role": "assistant", "content": ` +
	`"Lovely.", "has_answer": false}],
  [{"role": "user", "content": "  "}, {"role": "assistant", "content": "Anything else?"}]
 ],
 "answer_session_ids": ["s_a"]},
{"question_id": "e2", "question_type": "multi-session", "question": "Where?", "answer": "x", ` +
	`"haystack_session_ids": ["s_a"],
 "haystack_sessions": [[{"role": "user", "content": "In Graz."}]], "answer_session_ids": ["s_a"]},
{"question_id": "e3_abs", "question_type": "multi-session", "question": "Never said", "answer": "x", ` +
	`"haystack_session_ids": [],
 "haystack_sessions": [], "answer_session_ids": []}
]`

func TestLongMemEvalsFileIsAProjectForEachQuestion(t *testing.T) {
	got, err := all(t, filepath.Join(written(t, map[string]string{"longmemeval_s.json": haystackFile}),
		"longmemeval_s.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Questions) != 2 || len(got.Units) != 4 {
		t.Fatalf("got %d questions and %d units, want 2 and 4: without those that are not answered, and without empty turns",
			len(got.Questions), len(got.Units))
	}
	first, second := got.Questions[0], got.Questions[1]
	if u := got.Units[0]; !reflect.DeepEqual(first.Relevant, map[string]float64{u.ID: 1}) || !first.Sessions[u.Session] ||
		len(first.Sessions) != 1 || u.Who != "user" {
		t.Errorf("got %+v for %+v", first, u)
	}
	if u := got.Units[2]; u.Turn != 1 || u.Created != time.Date(2023, 5, 15, 11, 30, 20, 0, time.UTC) {
		t.Errorf("got %+v, want the second turn of 15 May", u)
	}
	if len(second.Relevant) != 0 || !second.Sessions[got.Units[3].Session] || second.Category != "multi-session" {
		t.Errorf("got %+v: without marks it is scored by session", second)
	}
	if first.Project == second.Project {
		t.Error("two questions share a project")
	}
}

func TestAnUnusableJSONFileIsNamedWithItsLine(t *testing.T) {
	for name, c := range map[string]struct{ text, line, what string }{
		"no array":        {`{"a":1}`, ":1:", "JSON array"},
		"empty":           {``, ":1:", "JSON array"},
		"an empty array":  {`[]`, ":", "empty"},
		"of another kind": {"[\n{\"a\":1}]", ":2:", "neither"},
		"cut off":         {strings.TrimSuffix(talkFile, "]"), ":", "unexpected end"},
		"broken inside":   {strings.Replace(talkFile, `"dia_id": "D3:1"`, `dia_id`, 1), ":13:", "invalid character"},
		"a wrong type": {
			strings.Replace(talkFile, `"category": 2`, `"category": "two"`, 1), ":18:",
			"category cannot be of type string",
		},
		"a day that is none": {strings.Replace(talkFile, "8 May", "8 Mai", 1), ":2:", "session_1"},
		"a turn without id":  {strings.Replace(talkFile, `"dia_id": "D3:1", `, ``, 1), ":2:", "dia_id"},
		"sessions without ids": {strings.Replace(haystackFile, `"haystack_session_ids": ["s_a", "s_b"]`,
			`"haystack_session_ids": ["s_a"]`, 1), ":2:", "1 session ids for 2"},
		"too few dates": {
			strings.Replace(haystackFile, `"2023/05/10 (Wed) 09:00", `, ``, 1), ":2:",
			"1 dates for 2",
		},
		"a date that is none":      {strings.Replace(haystackFile, `2023/05/10 (Wed)`, `10.5.2023`, 1), ":2:", "e1"},
		"a question without an id": {strings.Replace(haystackFile, `"question_id": "e2", `, ``, 1), ":10:", "question_id"},
	} {
		file := filepath.Join(written(t, map[string]string{"suite.json": c.text}), "suite.json")
		_, err := all(t, file)
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "suite.json"+c.line) ||
			!strings.Contains(err.Error(), c.what) {
			t.Errorf("%s: got %v, want suite.json%s … %s", name, err, c.line, c.what)
		}
	}
}
