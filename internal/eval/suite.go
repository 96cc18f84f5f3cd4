// Package eval examines how well a memory finds again what it was given:
// suites of texts and questions, the measures, what a run has to reach. It asks
// through a small interface of its own and knows neither ranking nor storage:
// what answers is the product, not a copy of it.
package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"time"

	"remanence/internal/mem"
)

// Unit is one text of a suite, which is kept as one memory.
type Unit struct {
	ID      string // unique in its suite
	Project string // key
	Session string // unique over all projects; "" where it was not said in one
	Title   string
	Text    string
	Said    bool   // a turn of a conversation
	Who     string // who said it
	Turn    int    // place in its session
	Created time.Time
	Files   []string
}

// Question is asked of the units of its project.
type Question struct {
	ID       string
	Project  string // key
	Text     string
	Category string
	AsOf     time.Time // only units created before may be found; the zero time means all
	// units that answer it, with how much each says: 1 and more; none means that it is not scored on units
	Relevant map[string]float64
	Sessions map[string]bool // sessions that answer it; nil means those of Relevant
}

// Part is a stretch of a suite. Its questions may be about units of any part.
type Part struct {
	Units     []Unit
	Questions []Question
}

// Suite is an exam. Parts are read as they are needed: a large one is never
// held whole. After an error nothing follows.
type Suite struct {
	Name     string
	Kept     bool       // its units are memories of the store already, under their own ids
	Size     int        // units, if Kept
	NotKinds []mem.Kind // kinds that no answer is of
	Parts    iter.Seq2[Part, error]
}

// ErrFormat means that a suite's file is not what it should be.
var ErrFormat = errors.New("not a suite")

// Mistake says where a suite's file is wrong. It is an ErrFormat.
type Mistake struct {
	File string
	Line int // from 1; 0 where no line is to blame
	Err  error
}

// Error implements error.
func (m *Mistake) Error() string {
	if m.Line == 0 {
		return fmt.Sprintf("%s: %v", m.File, m.Err)
	}
	return fmt.Sprintf("%s:%d: %v", m.File, m.Line, m.Err)
}

// Unwrap makes a mistake an ErrFormat, and what it wraps.
func (m *Mistake) Unwrap() []error { return []error{ErrFormat, m.Err} }

// Open returns the suite at path: a folder in BEIR's layout, or a JSON file in
// that of LoCoMo or LongMemEval. Only as much is read as is needed to distinguish them.
func Open(path string) (Suite, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Suite{}, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return Suite{}, err
	}
	name := filepath.Base(abs)
	if info.IsDir() {
		return Suite{Name: name, Parts: beir(path)}, nil
	}
	form, err := formOf(path)
	if err != nil {
		return Suite{}, err
	}
	read := locomo
	if form == formLongMemEval {
		read = longMemEval
	}
	return Suite{Name: name[:len(name)-len(filepath.Ext(name))], Parts: read(path)}, nil
}

// projectKey is the key of a suite's project. It is none that a directory has.
func projectKey(name string) string {
	sum := sha256.Sum256([]byte("suite\x00" + name))
	return "p_" + hex.EncodeToString(sum[:6])
}

// sessionID names a session so that two projects never share one.
func sessionID(project, session string) string {
	if session == "" {
		return ""
	}
	return project + "/" + session
}

// Memory is the unit as the product keeps it: what a person said, so that no
// lack of trust hides it.
func (u Unit) Memory() mem.Memory {
	m := mem.Memory{
		Scope: mem.ScopeProject, Project: u.Project, Session: u.Session, Kind: mem.Fact, Key: "suite:" + u.ID,
		Title: u.Title, Body: u.Text, Files: u.Files, Confidence: 0.9, Trust: mem.TrustUser, Origin: mem.FromUserPrompt,
		Resolved: true, Created: u.Created, Updated: u.Created,
	}
	if u.Said {
		m.Kind, m.Who = mem.Utterance, u.Who
	}
	return m
}
