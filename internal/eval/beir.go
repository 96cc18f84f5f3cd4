package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 64 << 20

// beirUnit is a line of corpus.jsonl. Of metadata, what is not named here is ignored.
type beirUnit struct {
	ID       string `json:"_id"`
	Title    string `json:"title"`
	Text     string `json:"text"`
	Metadata struct {
		Project string   `json:"project"`
		Session string   `json:"session"`
		Turn    *int     `json:"turn"`
		Who     string   `json:"who"`
		Created float64  `json:"created"` // seconds since 1970
		Files   []string `json:"files"`
	} `json:"metadata"`
}

// beirQuestion is a line of queries.jsonl.
type beirQuestion struct {
	ID       string `json:"_id"`
	Text     string `json:"text"`
	Metadata struct {
		Project  string  `json:"project"`
		AsOf     float64 `json:"as_of"` // seconds since 1970
		Category string  `json:"category"`
	} `json:"metadata"`
}

// beir reads a folder in BEIR's layout, as one part.
func beir(dir string) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		p, err := readBEIR(dir)
		yield(p, err)
	}
}

func readBEIR(dir string) (Part, error) {
	units, err := readCorpus(filepath.Join(dir, "corpus.jsonl"))
	if err != nil {
		return Part{}, err
	}
	known := make(map[string]bool, len(units))
	for _, u := range units {
		known[u.ID] = true
	}
	questions, err := readQueries(filepath.Join(dir, "queries.jsonl"))
	if err != nil {
		return Part{}, err
	}
	if err := readJudgements(filepath.Join(dir, "qrels", "test.tsv"), questions, known); err != nil {
		return Part{}, err
	}
	inOrder(units)
	return Part{Units: units, Questions: questions}, nil
}

// inOrder brings the turns of each session together, by their numbers, at the
// place of the first that came.
func inOrder(units []Unit) {
	place := map[string]int{}
	name := func(u Unit) string { return cmp.Or(u.Session, "\x00"+u.ID) }
	for i, u := range units {
		if _, ok := place[name(u)]; !ok {
			place[name(u)] = i
		}
	}
	slices.SortStableFunc(units, func(a, b Unit) int {
		return cmp.Or(cmp.Compare(place[name(a)], place[name(b)]), cmp.Compare(a.Turn, b.Turn))
	})
}

func readCorpus(file string) ([]Unit, error) {
	var out []Unit
	seen := map[string]bool{}
	err := eachLine(file, func(line []byte) error {
		var in beirUnit
		if err := json.Unmarshal(line, &in); err != nil {
			return inWords(err)
		}
		switch {
		case in.ID == "":
			return errors.New("a unit without _id")
		case seen[in.ID]:
			return fmt.Errorf("a second unit with the _id %q", in.ID)
		}
		seen[in.ID] = true
		out = append(out, in.unit())
		return nil
	})
	return out, err
}

func (in beirUnit) unit() Unit {
	md := in.Metadata
	u := Unit{
		ID: in.ID, Project: projectKey(md.Project), Title: in.Title, Text: in.Text,
		Said: md.Who != "" || md.Turn != nil, Who: md.Who, Created: unix(md.Created), Files: md.Files,
	}
	u.Session = sessionID(u.Project, md.Session)
	if md.Turn != nil {
		u.Turn = *md.Turn
	}
	return u
}

func readQueries(file string) ([]Question, error) {
	var out []Question
	seen := map[string]bool{}
	err := eachLine(file, func(line []byte) error {
		var in beirQuestion
		if err := json.Unmarshal(line, &in); err != nil {
			return inWords(err)
		}
		switch {
		case in.ID == "":
			return errors.New("a query without _id")
		case seen[in.ID]:
			return fmt.Errorf("a second query with the _id %q", in.ID)
		}
		seen[in.ID] = true
		out = append(out, Question{
			ID: in.ID, Project: projectKey(in.Metadata.Project), Text: in.Text,
			Category: in.Metadata.Category, AsOf: unix(in.Metadata.AsOf), Relevant: map[string]float64{},
		})
		return nil
	})
	return out, err
}

// maxGain is the largest score of a judgement: sums of such are finite.
const maxGain = 1e6

// readJudgements reads query, unit and score from each line, with or without a
// line of names above them. A score of 0 or less says that the unit is no answer.
func readJudgements(file string, questions []Question, known map[string]bool) error {
	byID := make(map[string]Question, len(questions))
	for _, q := range questions {
		byID[q.ID] = q
	}
	first := true
	return eachLine(file, func(line []byte) error {
		head := first
		first = false
		fields := strings.Split(string(line), "\t")
		if len(fields) != 3 {
			return fmt.Errorf("got %d fields between tabs, want query, unit and score", len(fields))
		}
		score, err := strconv.ParseFloat(fields[2], 64)
		switch q, ok := byID[fields[0]]; {
		case errors.Is(err, strconv.ErrSyntax) && head:
			return nil
		case err != nil, math.IsNaN(score), math.Abs(score) > maxGain:
			return fmt.Errorf("%q is no score", fields[2])
		case !ok:
			return fmt.Errorf("no query has the _id %q", fields[0])
		case !known[fields[1]]:
			return fmt.Errorf("no unit has the _id %q", fields[1])
		case score > 0:
			q.Relevant[fields[1]] = score
		}
		return nil
	})
}

// unix is a time of seconds since 1970; 0 is the zero time.
func unix(seconds float64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(seconds * 1000)).UTC()
}

// eachLine calls f for every line that is not blank. What f finds fault with
// comes back as a Mistake.
func eachLine(file string, f func(line []byte) error) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	r := bufio.NewReaderSize(in, 1<<20)
	for n := 1; ; n++ {
		line, err := readLine(r)
		if err != nil && !errors.Is(err, io.EOF) {
			return &Mistake{File: file, Line: n, Err: err}
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := f(line); err != nil {
				return &Mistake{File: file, Line: n, Err: err}
			}
		}
		if err != nil {
			return nil
		}
	}
}

var errLong = errors.New("the line is too long")

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxLine {
			return nil, errLong
		}
	}
}
