// Command fit measures the in-memory index on retrieval suites (see package eval) and shows what each weight is worth.
//
//	go run ./tools/fit SUITE...          scores with the built-in weights
//	go run ./tools/fit -scan SUITE...    also with each weight changed, all others as they are
//	go run ./tools/fit -size N SUITE...  instead the times of an index of N memories made of the suite's texts
package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"remanence/internal/eval"
	"remanence/internal/index"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

func main() {
	scan := flag.Bool("scan", false, "also change each weight")
	size := flag.Int("size", 0, "measure the times of an index of so many memories")
	flag.Parse()
	measure := func(path string) error { return run(path, *scan) }
	if *size > 0 {
		measure = func(path string) error { return grow(path, *size) }
	}
	for _, path := range flag.Args() {
		if err := measure(path); err != nil {
			fmt.Fprintln(os.Stderr, "fit:", err)
			os.Exit(1)
		}
	}
}

func run(path string, scan bool) error {
	s, err := load(path)
	if err != nil {
		return err
	}
	asked := s.ask()
	w := s.weights()
	fmt.Printf("  %-16s %s  %s\n", "as built in", asked.score(w), asked.latency())
	if !scan {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(w)) {
		for _, factor := range []float64{0, 0.5, 2} {
			changed := maps.Clone(w)
			changed[name] *= factor
			fmt.Printf("  %-10s %5.2f %s\n", name, changed[name], asked.score(changed))
		}
	}
	return nil
}

// suite is a suite in an index.
type suite struct {
	x          *index.Index
	utterances bool // instead of other memories
	questions  []eval.Question
	newest     time.Time // of its memories
}

// load reads a suite into an index and prints what that took.
func load(path string) (suite, error) {
	s, ms, err := read(path)
	if err != nil {
		return suite{}, err
	}
	s.index(path, ms)
	return s, nil
}

// read reads a suite's memories and questions.
func read(path string) (s suite, ms []mem.Memory, err error) {
	from, err := eval.Open(path)
	if err != nil {
		return suite{}, nil, err
	}
	for part, err := range from.Parts {
		if err != nil {
			return suite{}, nil, err
		}
		for _, u := range part.Units {
			m := u.Memory()
			m.ID = u.ID
			ms = append(ms, m)
			if u.Created.After(s.newest) {
				s.newest = u.Created
			}
		}
		s.questions = append(s.questions, part.Questions...)
	}
	if len(ms) == 0 {
		return suite{}, nil, fmt.Errorf("%s holds no texts", path)
	}
	s.utterances = ms[0].Kind == mem.Utterance
	return s, ms, nil
}

// index indexes memories and prints what that took.
func (s *suite) index(path string, ms []mem.Memory) {
	before := heap()
	begun := time.Now()
	s.x = index.New(s.utterances)
	s.x.Put(ms...)
	took := time.Since(begun)
	s.x.Trim()
	size := heap() - before
	runtime.KeepAlive(ms)
	fmt.Printf("%s: %d memories indexed in %s, %.1f MB\n", filepath.Base(path), len(ms), took.Round(time.Millisecond),
		float64(size)/1e6)
}

// weights returns the weight of each part of a score, by its name.
func (s suite) weights() map[string]float64 {
	if s.utterances {
		return rank.AllWeights().Utterances
	}
	return rank.AllWeights().Memories
}

// heap is the number of bytes that are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// answers are the candidates of all questions.
type answers struct {
	found [][]index.Candidate
	want  []map[string]float64
	took  []time.Duration
}

func (s suite) ask() (out answers) {
	for _, q := range s.questions {
		if len(q.Relevant) == 0 {
			continue
		}
		now := q.AsOf
		if now.IsZero() {
			now = s.newest
		}
		begun := time.Now()
		r := s.x.Search(index.Query{
			Query: mem.Query{Text: q.Text, Project: q.Project, Before: q.AsOf, Within: "*"}, Now: now,
		})
		out.took = append(out.took, time.Since(begun))
		out.found, out.want = append(out.found, r.Candidates), append(out.want, q.Relevant)
	}
	slices.Sort(out.took)
	return out
}

func (a answers) latency() string {
	at := func(share int) float64 { return float64(a.took[len(a.took)*share/100].Microseconds()) / 1000 }
	return fmt.Sprintf("p50 %.2f p95 %.2f ms", at(50), at(95))
}

// score ranks the candidates by the weights.
func (a answers) score(weights map[string]float64) string {
	var first, hit, recall, gain float64
	for i, list := range a.found {
		list = slices.Clone(list)
		for k, c := range list {
			list[k].Score = 0
			for part, w := range weights {
				list[k].Score += w * c.Parts[part]
			}
		}
		slices.SortStableFunc(list, func(a, b index.Candidate) int { return cmp.Compare(b.Score, a.Score) })
		found, dcg, ideal := 0.0, 0.0, 0.0
		for at, c := range list[:min(10, len(list))] {
			if a.want[i][c.ID] > 0 {
				found++
				dcg += 1 / math.Log2(float64(at+2))
				if at == 0 {
					first++
				}
			}
		}
		for at := range min(10, len(a.want[i])) {
			ideal += 1 / math.Log2(float64(at+2))
		}
		if found > 0 {
			hit++
		}
		recall += found / float64(len(a.want[i]))
		gain += dcg / ideal
	}
	n := float64(len(a.found)) / 100
	return fmt.Sprintf("any@1 %.1f any@10 %.1f R@10 %.1f nDCG@10 %.1f", first/n, hit/n, recall/n, gain/n)
}

// grow prints the times of an index of n memories, each of which has the title of one memory of the suite, the files of
// another and the body of a third.
func grow(path string, n int) error {
	s, ms, err := read(path)
	if err != nil {
		return err
	}
	grown, r := make([]mem.Memory, n), rand.New(rand.NewPCG(1, 2))
	for i := range grown {
		m := ms[i%len(ms)]
		if i >= len(ms) {
			m.Body, m.Files = ms[r.IntN(len(ms))].Body, ms[r.IntN(len(ms))].Files
			m.ID, m.Key = fmt.Sprint("m_", i), ""
		}
		grown[i] = m
	}
	s.index(path, grown)
	for _, kind := range []string{"five words", "480 bytes"} {
		short := s
		short.questions = slices.Clone(s.questions)
		for i := range short.questions {
			q := &short.questions[i]
			if q.AsOf = (time.Time{}); kind == "five words" {
				words := strings.Fields(q.Text)
				q.Text = strings.Join(words[:min(5, len(words))], " ")
			} else {
				q.Text = strings.ToValidUTF8(q.Text[:min(480, len(q.Text))], "")
			}
		}
		fmt.Printf("  %-16s %s\n", kind, short.ask().latency())
	}
	return nil
}
