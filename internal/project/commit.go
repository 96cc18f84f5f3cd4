package project

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"remanence/internal/mem"
)

const (
	minPrefix = 7       // characters of an abbreviated id, which git prints at least
	maxNamed  = 8       // objects that one abbreviation stands for
	maxLoose  = 100_000 // files of a folder of objects that are listed
)

// Commits returns the commits of a project's repository whose id begins with prefix: one, unless the prefix is too
// short. There are none outside of git, for a prefix of less than 7 hex digits, and of what cannot be read.
func Commits(p mem.Project, prefix string) (out []mem.Commit) {
	if p.Common == "" || len(prefix) < minPrefix || len(prefix) > 64 || strings.Trim(prefix, "0123456789abcdef") != "" {
		return nil
	}
	o, err := openObjects(p)
	if err != nil {
		return nil
	}
	defer o.close()
	for _, id := range o.named(prefix, hashWidth(p)) {
		if text, err := o.commit(id, 0); err == nil {
			out = append(out, commitOf(id, text))
		}
	}
	return out
}

// named returns the ids, of so many bytes, that begin with a prefix of at least two hex digits.
func (o *objects) named(prefix string, width int) (ids []string) {
	add := func(id string) {
		if len(ids) < maxNamed && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, root := range o.roots {
		dir, err := root.Open(prefix[:2])
		if err != nil {
			continue
		}
		names, _ := dir.Readdirnames(maxLoose)
		_ = dir.Close()
		for _, name := range names {
			if id := prefix[:2] + name; strings.HasPrefix(id, prefix) && commitID(id) != "" {
				add(id)
			}
		}
	}
	o.List()
	for _, p := range o.packs {
		p.width = width
		p.named(prefix, add)
	}
	return ids
}

// named gives the ids in the pack that begin with a prefix.
func (p *pack) named(prefix string, give func(id string)) {
	want, err := hex.DecodeString(prefix + strings.Repeat("0", max(2*p.width-len(prefix), 0)))
	if err != nil {
		return
	}
	have := make([]byte, p.width)
	for at := p.firstFrom(want); at < p.count; at++ {
		if _, err := p.index.ReadAt(have, indexHead+int64(at)*int64(p.width)); err != nil {
			return
		}
		id := hex.EncodeToString(have)
		if !strings.HasPrefix(id, prefix) {
			return
		}
		give(id)
	}
}

// commitOf reads what is needed of a commit's text: "committer NAME <ADDRESS> SECONDS ZONE" and the like, an empty
// line, the message.
func commitOf(id string, text []byte) mem.Commit {
	head, message, _ := bytes.Cut(text, []byte("\n\n"))
	subject, _, _ := strings.Cut(string(message), "\n")
	c := mem.Commit{ID: id, Subject: strings.TrimSpace(subject)}
	for line := range strings.Lines(string(head)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		words := strings.Fields(value[strings.LastIndexByte(value, '>')+1:])
		if len(words) == 0 {
			continue
		}
		seconds, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil {
			continue
		}
		switch key {
		case "author":
			c.Authored = time.Unix(seconds, 0).UTC()
		case "committer":
			c.Committed = time.Unix(seconds, 0).UTC()
		}
	}
	return c
}
