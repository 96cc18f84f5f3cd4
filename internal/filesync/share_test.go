package filesync_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/redact"
	"remanence/internal/store/sqlite"
	"remanence/internal/store/sqlitetest"
	"remanence/internal/vaultfile"
)

// checkout is a working tree with the shared files of a repository, in memory.
type checkout struct {
	files   map[string]vaultfile.Note // relative to SharedDir
	dirty   map[string]bool           // not committed
	deleted map[string]bool           // by a commit
	author  string
	made    bool
}

func (*checkout) Place() string { return mem.SharedDir }

func (c *checkout) There() bool { return c.made }

func (c *checkout) Make() error {
	c.made = true
	return nil
}

func (c *checkout) Look(_ context.Context, known func() ([]mem.Note, error), keep func(vaultfile.Changes) error) error {
	notes, err := known()
	if err != nil {
		return err
	}
	var l vaultfile.Changes
	hashes := map[string]string{}
	for _, n := range notes {
		hashes[n.File] = n.Hash
		if _, there := c.files[n.File]; !there {
			l.Gone = append(l.Gone, n.File)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(c.files)) {
		if n := c.files[file]; n.Hash != hashes[file] {
			l.Notes = append(l.Notes, n)
		}
	}
	if len(l.Notes)+len(l.Gone) == 0 {
		return nil
	}
	return keep(l)
}

func (c *checkout) Write(was mem.Note, ch vaultfile.NoteChange) (mem.Note, error) {
	n := vaultfile.Note{
		Description: *ch.Description, Type: *ch.Type, Body: *ch.Body, Tags: ch.Tags, Invariant: *ch.Invariant,
	}
	n.File = was.File
	n.Hash = fmt.Sprintf("%x", []byte(n.Description+n.Body+n.Type+strings.Join(n.Tags, ",")))
	c.files[was.File] = n
	return n.Note, nil
}

func (c *checkout) Erase(file string) error {
	delete(c.files, file)
	return nil
}

func (*checkout) Bad() ([]vaultfile.BadFile, error) { return nil, nil }

func (c *checkout) Uncommitted(context.Context) (map[string]bool, error) {
	out := map[string]bool{}
	for file := range c.dirty {
		out[mem.SharedDir+file] = true
	}
	return out, nil
}

func (c *checkout) Authors(context.Context) (map[string]string, error) {
	out := map[string]string{}
	for file := range c.files {
		out[mem.SharedDir+file] = c.author
	}
	return out, nil
}

func (c *checkout) Deleted(_ context.Context, file string) (bool, error) {
	return c.deleted[strings.TrimPrefix(file, mem.SharedDir)], nil
}

// teammate is a person with a clone of the repository.
type teammate struct {
	t *testing.T
	*checkout
	service *filesync.Service
	store   *sqlite.Store
	trusts  bool
	clock   time.Time
}

var shop = mem.Project{Key: "p_000000000001", Name: "shop", Root: "/shop", Common: "/shop/.git"}

func newTeammate(t *testing.T, name string) *teammate {
	t.Helper()
	m := &teammate{
		t: t, trusts: true, clock: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
		checkout: &checkout{files: map[string]vaultfile.Note{}, deleted: map[string]bool{}, author: name},
	}
	now := func() time.Time {
		m.clock = m.clock.Add(time.Second)
		return m.clock
	}
	m.store = sqlitetest.Open(t, now)
	events := event.New(event.Config{
		Store: m.store, Now: now, Project: func(string) (mem.Project, error) { return shop, nil },
	})
	m.service = filesync.New(filesync.Config{
		Event: events, Redactor: &redact.Redactor{}, Store: m.store, Now: now,
		Shared: func(mem.Project) (filesync.SharedFolder, bool) { return m.checkout, m.trusts },
	})
	if _, err := m.store.Apply(t.Context(), mem.Batch{Project: &shop}); err != nil {
		t.Fatal(err)
	}
	return m
}

// knows stores memories of the project.
func (m *teammate) knows(ms ...mem.Memory) []string {
	m.t.Helper()
	for i := range ms {
		if ms[i].Scope == "" {
			ms[i].Scope, ms[i].Project = mem.ScopeProject, shop.Key
		}
	}
	got, err := m.store.Apply(m.t.Context(), mem.Batch{Memories: ms})
	if err != nil {
		m.t.Fatal(err)
	}
	return got[0].IDs
}

func decision(title string) mem.Memory {
	return mem.Memory{Kind: mem.Decision, Title: title, Trust: mem.TrustUser, Origin: mem.FromUserCommand}
}

func (m *teammate) share(req filesync.ShareRequest) (filesync.ShareResponse, error) {
	m.t.Helper()
	req.Dir = shop.Root
	return m.service.Share(m.t.Context(), req)
}

func (m *teammate) must(req filesync.ShareRequest) filesync.ShareResponse {
	m.t.Helper()
	got, err := m.share(req)
	if err != nil {
		m.t.Fatal(err)
	}
	return got
}

// titles are the titles of active memories, sorted.
func (m *teammate) titles() (out []string) {
	m.t.Helper()
	ms, err := m.store.List(m.t.Context(), mem.Query{Project: shop.Key, Limit: 100})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, mm := range ms {
		out = append(out, mm.Title)
	}
	slices.Sort(out)
	return out
}

// states are the states of the shared memories by their title.
func (m *teammate) states() map[string]string {
	m.t.Helper()
	out := map[string]string{}
	for _, it := range m.must(filesync.ShareRequest{}).Items {
		out[it.Title] = it.State
	}
	return out
}

// merges takes over the committed files of another clone.
func (m *teammate) merges(from *teammate) {
	for file := range m.files {
		if _, there := from.files[file]; !there {
			m.deleted[file] = true
		}
	}
	m.files, m.made, m.author = maps.Clone(from.files), from.made, from.author
}

func TestSecretsAndPrivateTextAreRefusedBeforeAnythingIsWritten(t *testing.T) {
	for why, bad := range map[string]mem.Memory{
		"private text":      decision("the office <private>door code is 1234</private>"),
		"a secret":          decision("the token is ghp_" + strings.Repeat("x7Qm", 9)),
		"that you have not": {Kind: mem.Decision, Title: "from a web page", Origin: mem.FromWeb},
		"does not belong":   {Kind: mem.Decision, Scope: mem.ScopeUser, Title: "tabs, not spaces", Trust: mem.TrustUser},
		"it is forgotten":   {Kind: mem.Decision, Title: "gone", Status: mem.Forgotten, Trust: mem.TrustUser},
		"a file in your vault": {
			Kind: mem.Decision, Title: "mine", Trust: mem.TrustUser, Note: mem.Note{File: "memory/mine.md"},
		},
	} {
		t.Run(why, func(t *testing.T) {
			m := newTeammate(t, "Ana")
			ids := m.knows(decision("prices are cents"), bad)
			if bad.Status == mem.Forgotten {
				hide := mem.Batch{Edits: []mem.Edit{{ID: ids[1], Status: &bad.Status}}}
				if _, err := m.store.Apply(t.Context(), hide); err != nil {
					t.Fatal(err)
				}
			}
			_, err := m.share(filesync.ShareRequest{Op: filesync.ShareWrite, IDs: ids})
			if !errors.Is(err, filesync.ErrNotShareable) || !strings.Contains(err.Error(), why) {
				t.Errorf("error %v, want %q", err, why)
			}
			if len(m.files) != 0 || m.made {
				t.Errorf("written: %v, the directory: %v", m.files, m.made)
			}
			got := m.must(filesync.ShareRequest{Op: filesync.ShareWrite, Kinds: []mem.Kind{mem.Decision}})
			left := slices.ContainsFunc(got.LeftOut, func(n filesync.NotShared) bool {
				return n.ID == ids[1] && strings.Contains(n.Why, why)
			})
			hidden := bad.Status == mem.Forgotten || bad.Scope == mem.ScopeUser // no such memory is selected by its kind
			if len(m.files) != 1 || len(got.Items) != 1 || left == hidden {
				t.Errorf("written %v, left out %+v", slices.Collect(maps.Keys(m.files)), got.LeftOut)
			}
		})
	}
}

func TestNothingIsWrittenUnasked(t *testing.T) {
	m := newTeammate(t, "Ana")
	ids := m.knows(decision("prices are cents"))
	m.must(filesync.ShareRequest{})
	m.must(filesync.ShareRequest{Op: filesync.ShareWrite, IDs: ids, DryRun: true})
	for _, op := range []string{filesync.ShareWrite, filesync.ShareRemove} {
		if _, err := m.share(filesync.ShareRequest{Op: op, IDs: ids, Agent: "s"}); !errors.Is(err, curate.ErrNotPerson) {
			t.Errorf("an agent: %s: %v", op, err)
		}
	}
	if m.made || len(m.files) != 0 {
		t.Errorf("written: %v", m.files)
	}
	if _, err := m.share(filesync.ShareRequest{Op: "copy"}); !errors.Is(err, filesync.ErrNoOp) {
		t.Errorf("an unknown operation: %v", err)
	}
}

func TestTwoClonesShareEditAndDelete(t *testing.T) {
	ana, ben := newTeammate(t, "Ana"), newTeammate(t, "Ben")
	ids := ana.knows(decision("prices are cents"))
	own := ben.knows(decision("orders are numbered"))
	ana.must(filesync.ShareRequest{Op: filesync.ShareWrite, IDs: ids})
	anas := slices.Collect(maps.Keys(ana.files))
	ben.must(filesync.ShareRequest{Op: filesync.ShareWrite, IDs: own})
	bens := slices.Collect(maps.Keys(ben.files))
	if anas[0] == bens[0] {
		t.Fatalf("both wrote %s", anas[0])
	}

	ben.trusts = false
	ben.files[anas[0]] = ana.files[anas[0]] // merged without a conflict: the files are two
	ben.author = "Ana"
	if ben.must(filesync.ShareRequest{}); slices.Contains(ben.titles(), "prices are cents") {
		t.Error("a file was read without trust")
	}
	ben.trusts = true
	got := ben.must(filesync.ShareRequest{})
	i := slices.IndexFunc(got.Items, func(it filesync.SharedItem) bool { return it.Title == "prices are cents" })
	if i < 0 || got.Items[i].Author != "Ana" || got.Items[i].State != filesync.SharedSame {
		t.Fatalf("read as %+v", got.Items)
	}

	title := "prices are integer cents" // Ben edits Ana's memory and shares the edit
	edit := mem.Edit{ID: got.Items[i].ID, Title: &title, Index: &title, Trust: new(mem.TrustUser)}
	if _, err := ben.store.Apply(t.Context(), mem.Batch{Edits: []mem.Edit{edit}}); err != nil {
		t.Fatal(err)
	}
	if s := ben.states()[title]; s != filesync.SharedChangedHere {
		t.Errorf("after an edit: %q", s)
	}
	ben.must(filesync.ShareRequest{Op: filesync.ShareWrite, IDs: []string{edit.ID}})
	ben.author = "Ben"
	ana.dirty = map[string]bool{anas[0]: true}
	ana.merges(ben)
	if ana.must(filesync.ShareRequest{}); slices.Contains(ana.titles(), title) {
		t.Error("an edit that is not committed was read")
	}
	ana.dirty = nil
	ana.must(filesync.ShareRequest{})
	if got := ana.titles(); !slices.Equal(got, []string{"orders are numbered", title}) {
		t.Errorf("Ana knows %q", got)
	}

	ben.must(filesync.ShareRequest{Op: filesync.ShareRemove, IDs: own})
	if got := ben.titles(); !slices.Contains(got, "orders are numbered") {
		t.Errorf("Ben's own memory went with its file: %q", got)
	}
	ana.merges(ben)
	ana.must(filesync.ShareRequest{})
	if got := ana.titles(); !slices.Equal(got, []string{title}) {
		t.Errorf("after the deletion Ana knows %q", got)
	}
}

func TestAFactThatBothChangedIsNotLost(t *testing.T) {
	ana, ben := newTeammate(t, "Ana"), newTeammate(t, "Ben")
	ids := ana.knows(decision("the till rounds up"))
	ana.must(filesync.ShareRequest{Op: filesync.ShareWrite, IDs: ids})
	ben.merges(ana)
	it := ben.must(filesync.ShareRequest{}).Items[0]
	for who, edit := range map[*teammate]mem.Edit{
		ana: {ID: ids[0], Title: new("the till rounds down")},
		ben: {ID: it.ID, Title: new("the till rounds half to even"), Trust: new(mem.TrustUser)},
	} {
		edit.Index = edit.Title
		if _, err := who.store.Apply(t.Context(), mem.Batch{Edits: []mem.Edit{edit}}); err != nil {
			t.Fatal(err)
		}
	}
	ben.must(filesync.ShareRequest{Op: filesync.ShareWrite, IDs: []string{it.ID}})
	ana.merges(ben)
	ana.must(filesync.ShareRequest{})
	if got := ana.titles(); !slices.Equal(got, []string{"the till rounds down", "the till rounds half to even"}) {
		t.Errorf("Ana knows %q, want both texts", got)
	}
	if _, err := ana.share(filesync.ShareRequest{
		Op: filesync.ShareWrite, IDs: ids,
	}); !errors.Is(err, filesync.ErrNotShareable) {
		t.Errorf("her text was written over the other one: %v", err)
	}
}
