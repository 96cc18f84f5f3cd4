package team

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/redact"
	"remanence/internal/store/sqlite"
	"remanence/internal/store/sqlitetest"
	"remanence/internal/store/stored"
)

// teamServer is the memory of one team on a server, for one role.
type teamServer struct {
	*table

	role string
}

// table is what all roles see.
type table struct {
	files   map[string]stored.TeamFile // by project and name
	version int64
	away    error // why the server cannot be reached
}

func newTable() *table { return &table{files: map[string]stored.TeamFile{}} }

func hashOf(f stored.TeamFile) string {
	if f.Deleted || f.File == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(f.Text))
	return hex.EncodeToString(sum[:])[:32]
}

func (s teamServer) Changes(_ context.Context, project string, after int64, known map[string]string, n int) (
	out []stored.TeamFile, last int64, err error,
) {
	last = after
	for key, f := range s.files {
		if !strings.HasPrefix(key, project+" ") {
			continue
		}
		last = max(last, f.Version)
		if was, ok := known[f.File]; f.Version > after && !(ok && was == hashOf(f)) {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b stored.TeamFile) int { return int(a.Version - b.Version) })
	return out[:min(n, len(out))], last, s.away
}

func (s teamServer) put(project string, f stored.TeamFile, was string) error {
	key := project + " " + f.File
	now, there := s.files[key]
	switch {
	case s.away != nil:
		return s.away
	case !there && f.Deleted, there && !now.Deleted && hashOf(now) != was && now.Text != f.Text:
		return stored.ErrNewer
	}
	s.version++
	f.Author, f.Version = s.role, s.version
	s.files[key] = f
	return nil
}

func (s teamServer) Put(_ context.Context, project, file, text, was string) error {
	return s.put(project, stored.TeamFile{File: file, Text: text}, was)
}

func (s teamServer) Delete(_ context.Context, project, file, was string) error {
	return s.put(project, stored.TeamFile{File: file, Deleted: true}, was)
}

func (s teamServer) Server(context.Context) (stored.TeamServer, error) {
	return stored.TeamServer{Role: s.role, Memories: len(s.files)}, s.away
}

func (teamServer) Close() error { return nil }

// counted is a store that counts the memories that its lists return.
type counted struct {
	*sqlite.Store

	wrote func([]mem.Batch, []mem.Result)
	read  int
}

func (c *counted) List(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	ms, err := c.Store.List(ctx, q)
	c.read += len(ms)
	return ms, err
}

func (c *counted) Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	results, err := c.Store.Apply(ctx, batches...)
	c.wrote(batches[:len(results)], results)
	return results, err
}

// member is a person of a team.
type member struct {
	*Link

	t        *testing.T
	settings Settings
	store    *counted
	clock    time.Time
}

var till = mem.Project{Key: "p_000000000001", Name: "till", Root: "/till", Origin: "git.example.org/shop/till"}

func newMember(t *testing.T, role string, on *table) *member {
	t.Helper()
	m := &member{
		t: t, clock: time.Date(2026, 3, 2, 9, 0, 0, 1000*int(role[0]), time.UTC), settings: Settings{
			Address: "postgres://" + role + "@db.example.org/memories", Team: "shop", Kinds: []mem.Kind{mem.Decision},
			Projects: []string{"git.example.org/shop/*"},
		},
	}
	now := func() time.Time {
		m.clock = m.clock.Add(time.Millisecond)
		return m.clock
	}
	m.store = &counted{Store: sqlitetest.Open(t, now)}
	files := filesync.New(filesync.Config{
		Event: event.New(event.Config{
			Store: m.store, Now: now, Project: func(string) (mem.Project, error) { return till, nil },
		}),
		Redactor: &redact.Redactor{}, Store: m.store, Now: now,
	})
	m.Link = New(Config{
		Settings: func() Settings { return m.settings }, Projects: m.store.Projects, Sync: files.SyncTeam,
		Status: files.TeamStatus, Erase: files.EraseTeam, Now: now, Log: slog.New(slog.DiscardHandler),
		Open: func(context.Context, Settings) (stored.TeamStore, error) { return teamServer{on, role}, on.away },
	})
	m.store.wrote = m.Wrote
	if _, err := m.store.Apply(t.Context(), mem.Batch{Project: &till}); err != nil {
		t.Fatal(err)
	}
	return m
}

func decision(title string) mem.Memory {
	return mem.Memory{
		Kind: mem.Decision, Title: title, Scope: mem.ScopeProject, Project: till.Key, Trust: mem.TrustUser,
		Status: mem.Active,
	}
}

func (m *member) knows(ms ...mem.Memory) []string {
	m.t.Helper()
	got, err := m.store.Apply(m.t.Context(), mem.Batch{Memories: ms})
	if err != nil {
		m.t.Fatal(err)
	}
	return got[0].IDs
}

func (m *member) edit(e mem.Edit) {
	m.t.Helper()
	if _, err := m.store.Apply(m.t.Context(), mem.Batch{Edits: []mem.Edit{e}}); err != nil {
		m.t.Fatal(err)
	}
}

// titles are the titles of active memories, with their authors, sorted.
func (m *member) titles() (out []string) {
	m.t.Helper()
	ms, err := m.store.Store.List(m.t.Context(), mem.Query{Limit: 1000})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, mm := range ms {
		title := mm.Title
		if by := mm.TeamAuthor(); by != "" {
			title += " by " + by
		}
		out = append(out, title)
	}
	slices.Sort(out)
	return out
}

// id is the id of the newest memory with a title.
func (m *member) id(title string) string {
	m.t.Helper()
	ms, err := m.store.Store.List(m.t.Context(), mem.Query{Limit: 1000})
	for _, mm := range ms {
		if mm.Title == title {
			return mm.ID
		}
	}
	m.t.Fatalf("no memory %q, %v", title, err)
	return ""
}

func (m *member) want(titles ...string) {
	m.t.Helper()
	if got := m.titles(); !slices.Equal(got, titles) {
		m.t.Errorf("%s has %q, want %q", m.settings.Address, got, titles)
	}
}

// rounds has all members synchronize until each knows what the others sent.
func rounds(t *testing.T, members ...*member) {
	t.Helper()
	for range 2 {
		for _, m := range members {
			m.round(t.Context())
			if m.err != nil {
				t.Fatalf("synchronize: %v", m.err)
			}
		}
	}
}

// texts are the texts on the server.
func (s *table) texts() (out []string) {
	for _, f := range s.files {
		out = append(out, f.Text)
	}
	return out
}

func TestNothingIsSharedUnlessConfigured(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"no server":   func(s *Settings) { s.Address = "" },
		"no team":     func(s *Settings) { s.Team = "" },
		"no kinds":    func(s *Settings) { s.Kinds = nil },
		"no projects": func(s *Settings) { s.Projects = nil },
		"other":       func(s *Settings) { s.Projects = []string{"git.example.org/bank/*"} },
	} {
		t.Run(name, func(t *testing.T) {
			on := newTable()
			m := newMember(t, "one", on)
			change(&m.settings)
			m.knows(decision("the till rounds to five cents"))
			m.round(t.Context())
			if len(on.files) != 0 {
				t.Errorf("the server has %q", on.texts())
			}
			if (m.State() == nil) != (m.settings.Address == "") {
				t.Errorf("state %+v", m.State())
			}
			if incomplete := name != "no server" && name != "other"; incomplete != (m.err != nil) {
				t.Errorf("error %v", m.err)
			}
		})
	}
}

func TestOnlyWhatMayBeSharedIsSent(t *testing.T) {
	on := newTable()
	m := newMember(t, "one", on)
	with := func(title string, change func(*mem.Memory)) mem.Memory {
		mm := decision(title)
		change(&mm)
		return mm
	}
	m.knows(
		decision("the till rounds to five cents"),
		with("umbrellas stand by the door", func(mm *mem.Memory) { mm.Scope, mm.Project = mem.ScopeUser, "" }),
		with("this session counts coins", func(mm *mem.Memory) { mm.Scope, mm.Session = mem.ScopeSession, "s1" }),
		with("scales weigh marzipan", func(mm *mem.Memory) { mm.Kind = mem.Fact }),
		with("a page on the web says buy", func(mm *mem.Memory) { mm.Trust = mem.TrustNone }),
		with("the key", func(mm *mem.Memory) { mm.Body = "use AKIAQ3EGRTZ5LPXWV7KD and <private>swordfish</private>" }),
		with("a page of the vault", func(mm *mem.Memory) { mm.Note = mem.Note{File: "memory/page.md", Hash: "ab"} }),
		with("a file of the repository", func(mm *mem.Memory) {
			mm.Note = mem.Note{File: mem.SharedDir + "memory/x.md", Hash: "ab"}
		}),
		with("another project", func(mm *mem.Memory) { mm.Project = "p_000000000002" }),
	)
	rounds(t, m)
	if got := on.texts(); len(got) != 1 || !strings.Contains(got[0], "five cents") {
		t.Errorf("the server has %q, want one text", got)
	}
	shares, err := m.Shares(t.Context(), till)
	if err != nil || len(shares.Items) != 1 || shares.Items[0].State != filesync.SharedSame {
		t.Errorf("shares %+v, %v, want the one that was sent", shares, err)
	}
	left := map[string]string{}
	for _, l := range shares.LeftOut {
		left[l.Title] = l.Why
	}
	for title, why := range map[string]string{
		"the key": "private", "a page on the web says buy": "confirmed", "a page of the vault": "vault",
		"a file of the repository": "elsewhere",
	} {
		if !strings.Contains(left[title], why) {
			t.Errorf("%q is left out since %q, want %q", title, left[title], why)
		}
	}
}

func TestEditsAndDeletionsReachColleagues(t *testing.T) {
	on := newTable()
	one, two := newMember(t, "one", on), newMember(t, "two", on)
	id := one.knows(decision("the till rounds to five cents"), decision("the drawer stays locked"))
	rounds(t, one, two)
	two.want("the drawer stays locked by one", "the till rounds to five cents by one")

	one.edit(mem.Edit{ID: id[0], Title: new("the till rounds to ten cents")})
	rounds(t, one, two)
	two.want("the drawer stays locked by one", "the till rounds to ten cents by one")

	two.edit(mem.Edit{
		ID: two.id("the till rounds to ten cents"), Title: new("the till rounds to one cent"),
		Trust: new(mem.TrustUser), Tags: []string{},
	})
	rounds(t, two, one)
	one.want("the drawer stays locked", "the till rounds to one cent by two")

	two.edit(mem.Edit{ID: two.id("the drawer stays locked"), Status: new(mem.Forgotten)}) // a colleague's: only here
	rounds(t, two, one)
	two.want("the till rounds to one cent")
	one.want("the drawer stays locked", "the till rounds to one cent by two")

	one.edit(mem.Edit{ID: id[1], Status: new(mem.Forgotten)})
	rounds(t, one, two)
	if got := strings.Join(on.texts(), ""); strings.Contains(got, "drawer") {
		t.Errorf("the server has a forgotten text: %q", got)
	}
	two.edit(mem.Edit{ID: two.id("the till rounds to one cent"), Scope: new(mem.ScopeUser)})
	rounds(t, two, one)
	one.want()
	if got := strings.Join(on.texts(), ""); got != "" {
		t.Errorf("the server has a private text: %q", got)
	}
	late := newMember(t, "late", on)
	rounds(t, late)
	late.want()
}

func TestTwoEditsOfOneTextAreBothKept(t *testing.T) {
	on := newTable()
	one, two := newMember(t, "one", on), newMember(t, "two", on)
	id := one.knows(decision("the till rounds to five cents"))[0]
	rounds(t, one, two)
	one.edit(mem.Edit{ID: id, Title: new("the till rounds to ten cents")})
	two.edit(mem.Edit{
		ID: two.id("the till rounds to five cents"), Title: new("the till rounds to one cent"), Trust: new(mem.TrustUser),
		Tags: []string{},
	})
	rounds(t, one, two)
	two.want("the till rounds to one cent", "the till rounds to ten cents by one")
	one.want("the till rounds to ten cents")
	got, err := two.store.Links(t.Context(), two.id("the till rounds to ten cents"))
	if err != nil || !slices.ContainsFunc(got, func(l mem.Link) bool { return l.Kind == mem.LinkContradicts }) {
		t.Errorf("the texts are linked by %+v, %v, want a contradiction", got, err)
	}
}

// A change of one memory reads that one, on the machine that wrote it and on that of a colleague, however many there
// are.
func TestAChangeIsNotSearchedForAmongAll(t *testing.T) {
	on := newTable()
	one, two := newMember(t, "one", on), newMember(t, "two", on)
	var many []mem.Memory
	for i := range 300 {
		many = append(many, decision(fmt.Sprintf("shelf %d holds tin number %d", i, i)))
	}
	ids := one.knows(many...)
	rounds(t, one, two, one, two)
	for _, change := range []func(){
		func() { one.edit(mem.Edit{ID: ids[7], Title: new("shelf 7 is empty")}) },
		func() { one.knows(decision("a new shelf")) },
		func() { one.edit(mem.Edit{ID: ids[8], Status: new(mem.Forgotten)}) },
		func() { one.edit(mem.Edit{ID: ids[9], Used: 1, UsedIn: mem.Use{Turn: "one/p1"}}) },
	} {
		rounds(t, one, two)
		one.store.read, two.store.read = 0, 0
		change()
		rounds(t, one, two)
		if one.store.read > 20 || two.store.read > 20 {
			t.Errorf("for one change %d and %d memories were read", one.store.read, two.store.read)
		}
	}
	one.store.read = 0
	one.round(t.Context())
	if one.store.read != 0 {
		t.Errorf("without a change %d memories were read", one.store.read)
	}
	if got := two.titles(); len(got) != 300 || !slices.Contains(got, "shelf 7 is empty by one") ||
		!slices.Contains(got, "a new shelf by one") {
		t.Errorf("a colleague has %d memories", len(got))
	}
	one.clock = one.clock.Add(2 * compareAfter)
	one.round(t.Context())
	if one.store.read < 300 {
		t.Errorf("after a long time %d memories were compared, want all", one.store.read)
	}
}

// A person who decides for the text from here after a contradiction sends it into the file that both had.
func TestADecidedTextReplacesTheOther(t *testing.T) {
	on := newTable()
	one, two := newMember(t, "one", on), newMember(t, "two", on)
	id := one.knows(decision("the till rounds to five cents"))[0]
	rounds(t, one, two)
	two.edit(mem.Edit{
		ID: two.id("the till rounds to five cents"), Title: new("the till rounds to one cent"), Trust: new(mem.TrustUser),
		Tags: []string{},
	})
	one.edit(mem.Edit{ID: id, Title: new("the till rounds to ten cents")})
	rounds(t, two, one)
	one.want("the till rounds to one cent by two", "the till rounds to ten cents")
	one.edit(mem.Edit{ID: one.id("the till rounds to one cent"), Status: new(mem.Superseded)})
	one.edit(mem.Edit{ID: id, Body: new("decided on Monday")})
	rounds(t, one, two)
	two.want("the till rounds to ten cents by one")
	if len(on.files) != 1 {
		t.Errorf("the server has %q, want one file", on.texts())
	}
}

func TestAnErasureDeletesOnesOwnTextOnTheServer(t *testing.T) {
	on := newTable()
	one, two := newMember(t, "one", on), newMember(t, "two", on)
	one.knows(decision("the till rounds to five cents"), decision("not yet sent"))
	two.knows(decision("receipts are printed twice"))
	rounds(t, one, two)
	all, err := one.store.Store.List(t.Context(), mem.Query{Limit: 10})
	if err != nil || len(all) != 3 {
		t.Fatalf("%d memories, %v", len(all), err)
	}
	would, err := one.Erase(t.Context(), all, true)
	if err != nil || would.Deleted != 2 || len(would.Theirs) != 1 || len(on.texts()) != 3 {
		t.Errorf("a preview says %+v, %v", would, err)
	}
	on.away = errors.New("away")
	if _, err := one.Erase(t.Context(), all, false); err == nil {
		t.Error("an erasure that the server does not know of succeeds")
	}
	on.away = nil
	done, err := one.Erase(t.Context(), all, false)
	if err != nil || done.Deleted != 2 || len(done.Theirs) != 1 || done.Theirs[0].Title != "receipts are printed twice" {
		t.Errorf("erased %+v, %v", done, err)
	}
	if got := strings.Join(on.texts(), ""); strings.Contains(got, "five cents") || !strings.Contains(got, "receipts") {
		t.Errorf("the server has %q", got)
	}
	rounds(t, two)
	two.want("receipts are printed twice")
	one.settings.Address = ""
	if left, err := one.Erase(t.Context(), all, false); err != nil || len(left.NoTeam) != 3 {
		t.Errorf("after leaving the team %+v, %v, want three texts that cannot be reached", left, err)
	}
}

func TestWhatIsSharedIsListed(t *testing.T) {
	on := newTable()
	one, two := newMember(t, "one", on), newMember(t, "two", on)
	ids := one.knows(decision("sent"), decision("forgotten"), decision("edited"))
	two.knows(decision("received"))
	rounds(t, one, two, one)
	two.knows(decision("on its way"))
	two.round(t.Context())
	one.edit(mem.Edit{ID: ids[1], Status: new(mem.Forgotten)})
	one.edit(mem.Edit{ID: ids[2], Body: new("more")})
	one.knows(decision("new"))
	states := func() (map[string]string, *filesync.TeamShares) {
		got, err := one.Shares(t.Context(), till)
		if err != nil || !got.Matches || got.Team != "shop" {
			t.Fatalf("shares %+v, %v", got, err)
		}
		out := map[string]string{}
		for _, it := range got.Items {
			out[it.Title] = strings.TrimSpace(it.State + " " + it.Author)
		}
		return out, got
	}
	want := map[string]string{
		"sent": "same", "received": "same two", "forgotten": "withdrawn", "edited": "waiting", "new": "waiting",
		"on its way": "unread",
	}
	if got, _ := states(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("shared is %v, want %v", got, want)
	}
	on.away = errors.New("no answer")
	delete(want, "on its way")
	if got, all := states(); fmt.Sprint(got) != fmt.Sprint(want) || !strings.Contains(all.Error, "no answer") {
		t.Errorf("without the server %v, %q, want %v", got, all.Error, want)
	}
	garden := mem.Project{Origin: "git.example.org/home/garden"}
	if got, err := one.Shares(t.Context(), garden); err != nil || got.Matches || len(got.Items) != 0 {
		t.Errorf("of another project %+v, %v", got, err)
	}
	one.settings.Address = ""
	if got, err := one.Shares(t.Context(), till); got != nil || err != nil {
		t.Errorf("without a team %+v, %v", got, err)
	}
}

// While the server is away the pauses grow, and what was changed is sent afterwards.
func TestWhatWasChangedWithoutTheServerIsSentLater(t *testing.T) {
	on := newTable()
	one := newMember(t, "one", on)
	rounds(t, one)
	on.away = errors.New("away")
	one.knows(decision("the till rounds to five cents"))
	var pauses []time.Duration
	for range 12 {
		pauses = append(pauses, one.round(t.Context()))
	}
	if pauses[0] != every || pauses[1] <= pauses[0] || pauses[11] != longest || one.State().Error != "away" {
		t.Errorf("pauses %v, state %+v", pauses, one.State())
	}
	on.away = nil
	if rounds(t, one); len(on.files) != 1 || one.State().Error != "" {
		t.Errorf("the server has %q", on.texts())
	}
}
