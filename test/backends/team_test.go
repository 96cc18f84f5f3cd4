//go:build backends && linux

package backends

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/test/corpus"
	"remanence/test/pgserver"
	"remanence/test/world"
)

// newTeams returns a server that is set up for teams with docs/team.sql. Members of the teams shop and bank can log in.
func newTeams(t testing.TB, members map[string]string) *pgserver.Server {
	t.Helper()
	server, err := pgserver.New(true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Remove(); err != nil {
			t.Error(err)
		}
	})
	setUp, err := os.ReadFile("../../docs/team.sql")
	if err != nil {
		t.Fatal(err)
	}
	statements := []string{
		string(setUp), string(setUp), // a second time changes nothing
		"CREATE ROLE shop NOLOGIN IN ROLE remanence_teams", "CREATE ROLE bank NOLOGIN IN ROLE remanence_teams",
	}
	for name, team := range members {
		statements = append(statements, fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD '%s' IN ROLE %s", name, server.Password,
			team))
	}
	for _, text := range statements {
		if err := server.SQL("remanence", text); err != nil {
			t.Fatal(err)
		}
	}
	return server
}

// newMember returns a person who shares decisions with a team. All have a clone of the same project.
func newMember(t testing.TB, server *pgserver.Server, name, team string) *world.Person {
	t.Helper()
	p := newClient(t, program)
	line := fmt.Sprintf("127.0.0.1:%d:remanence:%s:%s\n", server.Port, name, server.Password)
	if err := os.WriteFile(filepath.Join(p.Home, ".pgpass"), []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"share.team": team, "share.kinds": "decision", "share.projects": "git.example.org/shop/*",
		"share.dsn": fmt.Sprintf("postgres://%s@127.0.0.1:%d/remanence?sslmode=disable", name, server.Port),
	} {
		p.Run("config", "set", key, value)
	}
	return p
}

// add adds a memory of a person's and returns its id.
func add(t testing.TB, p *world.Person, args ...string) string {
	t.Helper()
	out := p.Run(append([]string{"add", "--json"}, args...)...)
	id := regexp.MustCompile(`"id":\s*"(m_\w+)"`).FindStringSubmatch(out)
	if id == nil {
		t.Fatalf("no id in %s", out)
	}
	return id[1]
}

// idOf is the id of the memory that a search finds first.
func idOf(p *world.Person, words string) string {
	return regexp.MustCompile(`m_\w+`).FindString(p.Run("search", words))
}

// expect waits until what a search of a person's finds has all of some words. Of "no word" it has none.
func expect(t testing.TB, p *world.Person, search string, words ...string) {
	t.Helper()
	var out string
	if !p.Eventually(func() bool {
		out = p.Run("search", search, "--json")
		for _, w := range words {
			lacks, absent := strings.CutPrefix(w, "no ")
			if strings.Contains(out, lacks) == absent {
				return false
			}
		}
		return true
	}) {
		t.Errorf("search %q: %s, want %q", search, out, words)
	}
}

// onDisk reports whether a word is in a file of the server, its log of writes included.
func onDisk(t testing.TB, server *pgserver.Server, word string) (found bool) {
	t.Helper()
	if err := server.SQL("postgres", "CHECKPOINT"); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(server.Dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // it was removed meanwhile
		}
		text, _ := os.ReadFile(file)
		found = found || bytes.Contains(text, []byte(word))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestATeamSharesWhatItsMembersAllow(t *testing.T) {
	t.Parallel()
	server := newTeams(t, map[string]string{"anna": "shop", "ben": "shop", "carl": "bank"})
	anna, ben, carl := newMember(t, server, "anna", "shop"), newMember(t, server, "ben", "shop"),
		newMember(t, server, "carl", "bank")
	for _, p := range []*world.Person{anna, ben, carl} {
		p.StartWorker()
	}
	add(t, carl, "-k", "decision", "the vault opens at nine") // makes the project known
	add(t, ben, "-k", "decision", "receipts are printed on both sides")
	first := add(t, anna, "-k", "decision", "the till rounds to five cents")
	add(t, anna, "-k", "preference", "--scope", "user", "sugarcubes belong in the tea")
	add(t, anna, "-k", "decision", "--scope", "user", "umbrellas stand by the door")
	add(t, anna, "-k", "fact", "the scales weigh marzipan")
	expect(t, ben, "till rounds", "rounds to five cents", "author:anna")
	expect(t, anna, "receipts printed", "on both sides", "author:ben")

	anna.Run("edit", first, "--text", "the till rounds to ten cents")
	expect(t, ben, "till rounds", "ten cents", "no \"title\":\"the till rounds to five cents\"")
	ben.Run("edit", idOf(ben, "till rounds"), "--text", "the till rounds to twenty cents")
	expect(t, anna, "till rounds", "twenty cents", "author:ben", "no \"title\":\"the till rounds to ten cents\"")

	anna.Run("edit", idOf(anna, "receipts printed"), "--text", "receipts are printed on one side")
	expect(t, ben, "receipts printed", "one side", "author:anna")
	second := add(t, anna, "-k", "decision", "coupons expire in March")
	expect(t, ben, "coupons expire", "in March")
	anna.Run("forget", second)
	expect(t, ben, "coupons expire", "no in March")
	third := add(t, ben, "-k", "decision", "the drawer stays locked")
	expect(t, anna, "drawer locked", "stays locked")
	ben.Run("forget", third)
	expect(t, anna, "drawer locked", "no stays locked")
	private := add(t, ben, "-k", "decision", "lunch is at noon")
	expect(t, anna, "lunch noon", "lunch is at noon")
	ben.Run("edit", private, "--scope", "user")
	expect(t, anna, "lunch noon", "no lunch is at noon")

	if got := anna.Run("purge", idOf(anna, "till rounds"), "--dry-run"); !strings.Contains(got, "(ben)") {
		t.Errorf("a purge of a colleague's text warns of nothing:\n%s", got)
	}
	if got := anna.Run("share", "status"); !strings.Contains(got, "Team shop: 1 sent, 1 received; 0 wait") ||
		!strings.Contains(got, "the till rounds to twenty cents  (ben)") {
		t.Errorf("share status: %s", got)
	}
	purgesOnTheServer(t, server, anna, ben)

	for _, word := range []string{"sugarcubes", "umbrellas", "marzipan"} {
		if onDisk(t, server, word) {
			t.Errorf("%s is on the server", word)
		}
	}
	if !onDisk(t, server, "twenty cents") {
		t.Error("what is shared is in no file of the server: this proves nothing")
	}
	expect(t, carl, "till rounds", "no cents")
	for role, want := range map[string]string{"carl": "1", "ben": "6", "remanence": "permission denied"} {
		got, err := server.Query("remanence", "SET ROLE "+role+"; SELECT count(*) FROM remanence_team.memory")
		if got != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s sees %s rows, %v, want %s", role, got, err, want)
		}
	}
	if _, err := server.Query("remanence", "SET ROLE carl; INSERT INTO remanence_team.memory (team, project, file, body) "+
		"VALUES ('shop', 'p', 'f', 't')"); err == nil {
		t.Error("a role writes for another team")
	}
	if out := anna.Run("doctor", "--json"); !strings.Contains(out, "shop as anna") {
		t.Errorf("doctor does not say what is shared: %s", out)
	}
}

// purgesOnTheServer purges a memory on the server too, or nowhere if the server is away.
func purgesOnTheServer(t *testing.T, server *pgserver.Server, anna, ben *world.Person) {
	t.Helper()
	id := add(t, anna, "-k", "decision", "the safe opens with rosebud")
	expect(t, ben, "safe opens", "rosebud")
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	out, err := anna.Command("purge", id, "--yes").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "nothing was erased") ||
		!strings.Contains(string(out), "config unset share.dsn") {
		t.Errorf("a purge that the server does not know of: %v, %s", err, out)
	}
	if got := anna.Run("share", "status"); !strings.Contains(got, "The team's server cannot be used") ||
		!strings.Contains(got, "rosebud") {
		t.Errorf("share status without the server: %s", got)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if out := anna.Run("purge", id, "--yes"); !strings.Contains(out, "1 text deleted on the team's server too") {
		t.Errorf("purge: %s", out)
	}
	n, err := server.Query("remanence", "SELECT count(*) FROM remanence_team.memory WHERE body LIKE '%rosebud%'")
	if n != "0" || err != nil {
		t.Errorf("after the purge %s rows have the text, %v", n, err)
	}
	if err := server.SQL("remanence", "VACUUM FULL remanence_team.memory"); err != nil {
		t.Fatal(err)
	}
	expect(t, ben, "safe opens", "no rosebud")
	anna.StopWorker()
	anna.StartWorker()
	expect(t, anna, "safe opens", "no rosebud")
}

// The same memory is edited on both sides while the server is away: both texts are kept, and review shows them.
func TestTwoEditsOfOneMemoryAreBothKept(t *testing.T) {
	t.Parallel()
	server := newTeams(t, map[string]string{"anna": "shop", "ben": "shop"})
	anna, ben := newMember(t, server, "anna", "shop"), newMember(t, server, "ben", "shop")
	anna.StartWorker()
	ben.StartWorker()
	add(t, ben, "-k", "decision", "receipts are printed on both sides")
	id := add(t, anna, "-k", "decision", "the till rounds to five cents")
	expect(t, ben, "till rounds", "five cents")
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	anna.Run("edit", id, "--text", "the till rounds to ten cents")
	ben.Run("edit", idOf(ben, "till rounds"), "--text", "the till rounds to twenty cents")
	add(t, anna, "-k", "decision", "the drawer stays locked") // nothing waits for the server
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	one, other := anna, ben
	both := func(p *world.Person) bool {
		out := p.Run("search", "till rounds")
		return strings.Contains(out, "ten cents") && strings.Contains(out, "twenty cents")
	}
	if !anna.Eventually(func() bool { return both(anna) || both(ben) }) {
		t.Fatalf("one edit is lost: %s %s", anna.Run("search", "till rounds"), ben.Run("search", "till rounds"))
	}
	if !both(one) {
		one, other = other, one
	}
	if out := one.Run("review"); !strings.Contains(out, "ten cents") || !strings.Contains(out, "twenty cents") {
		t.Errorf("review shows %s", out)
	}
	expect(t, ben, "drawer locked", "stays locked")
	_ = other
}

// write writes decisions of a person's, a hundred at a time.
func write(t testing.TB, p *world.Person, of, n int) {
	t.Helper()
	words := corpus.NewWords()
	for from := 0; from < n; from += 100 {
		var lines bytes.Buffer
		for i := from; i < from+100; i++ {
			m := corpus.Memory(mem.Project{}, of*n+i, time.Now(), words)
			line, err := json.Marshal(map[string]any{
				"kind": "decision", "project": "till", "body": m.Body, "title": fmt.Sprintf("%s mark%dx%d", m.Title, of, i),
			})
			if err != nil {
				t.Error(err)
			}
			lines.Write(append(line, '\n'))
		}
		imported := func() ([]byte, error) {
			cmd := p.Command("import", "--trust", "assistant", "-")
			cmd.Stdin = bytes.NewReader(lines.Bytes())
			return cmd.CombinedOutput()
		}
		out, err := imported()
		if err != nil && strings.Contains(string(out), "REM-D004") { // its daemon was killed; what it wrote is known
			out, err = imported()
		}
		if err != nil {
			t.Errorf("import: %v %s", err, out)
		}
	}
}

// Daemons of one team write decisions, while some of them are killed: REMANENCE_DAEMONS says how many daemons, and then
// each writes 200; with REMANENCE_LONG twenty a thousand each. The server has each once, and so has a new member.
func TestManyDaemonsLoseAndDoubleNothing(t *testing.T) {
	t.Parallel()
	daemons, writes, killed := 4, 100, 2
	if n, err := strconv.Atoi(os.Getenv("REMANENCE_DAEMONS")); err == nil {
		daemons, writes = n, 200
	}
	if os.Getenv("REMANENCE_LONG") != "" {
		daemons, writes, killed = 20, 1000, 5
	}
	members := map[string]string{"newcomer": "shop"}
	for i := range daemons {
		members[fmt.Sprintf("member%d", i)] = "shop"
	}
	server := newTeams(t, members)
	persons := make([]*world.Person, daemons)
	var wg sync.WaitGroup
	for i := range daemons {
		p := newMember(t, server, fmt.Sprintf("member%d", i), "shop")
		persons[i] = p
		wg.Go(func() { write(t, p, i, writes) })
	}
	shared := func() string {
		n, err := server.Query("remanence", "SELECT count(*) || ' ' || count(DISTINCT substring(body FROM 'mark[0-9x]+')) "+
			"FROM remanence_team.memory WHERE NOT deleted")
		if err != nil {
			t.Error(err)
		}
		return n
	}
	kill := func(p *world.Person) {
		for _, pid := range p.Workers() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	rand.Shuffle(daemons, func(i, j int) { persons[i], persons[j] = persons[j], persons[i] })
	for _, p := range persons[:killed] { // in the middle of what they send
		p.Eventually(func() bool { return shared() != "0 0" })
		time.Sleep(rand.N(5 * time.Second))
		kill(p)
	}
	wg.Wait()
	begun := time.Now()
	want := fmt.Sprintf("%d %d", daemons*writes, daemons*writes)
	for end := time.Now().Add(110 * time.Minute); shared() != want && time.Now().Before(end); time.Sleep(time.Second) {
		for _, p := range persons[:killed] {
			p.Run("daemon", "start") // those that were killed
		}
	}
	if got := shared(); got != want {
		t.Errorf("the server has memories and different ones: %s, want %s", got, want)
	}
	t.Logf("%d daemons, %d killed: %s memories and different ones, %.0f s after the last write", daemons, killed, shared(),
		time.Since(begun).Seconds())
	for _, p := range persons {
		p.StopWorker()
	}
	p := newMember(t, server, "newcomer", "shop")
	add(t, p, "-k", "fact", "a first memory makes the project known")
	marks := func() map[string]int {
		found := map[string]int{}
		for line := range strings.Lines(p.Run("export", "--format", "jsonl")) {
			if m := regexp.MustCompile(`"title":"[^"]*(mark[0-9x]+)`).FindStringSubmatch(line); m != nil {
				found[m[1]]++
			}
		}
		return found
	}
	var got map[string]int
	begun = time.Now()
	for end := time.Now().Add(10 * time.Minute); len(got) < daemons*writes && time.Now().Before(end); {
		time.Sleep(5 * time.Second)
		got = marks()
	}
	if len(got) != daemons*writes {
		t.Errorf("a new member has %d memories, want %d", len(got), daemons*writes)
	}
	t.Logf("a new member has %d, %.0f s after its first start", len(got), time.Since(begun).Seconds())
	for mark, n := range got {
		if n != 1 {
			t.Fatalf("a new member has %s %d times", mark, n)
		}
	}
}
