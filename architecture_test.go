package remanence

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// plan is the floor plan of ARCHITECTURE.md. Each line names a package and the
// packages of this module that it may import; "*" means any. Imports point to
// lines above, and a package that is not listed does not exist.
const plan = `
# 0 ground
chars:
fault:
fsx:
mem:            chars fault
workstate:      mem
vaultfile:      mem chars
when:           chars fault
# 1 pure
lang:           chars
shell:
rawjson:
redact/ascii:
redact/names:   redact/ascii
redact/notation: redact/ascii
redact/secrets: redact/ascii redact/names redact/notation
redact/jsonstream: redact/ascii
redact:         redact/ascii redact/secrets redact/jsonstream
rank:           mem chars
index:          mem rank
blame:
vector:
inject:         mem chars
agent:          mem chars
extract:        mem chars lang shell rawjson rank inject
entity:         mem shell inject
remote:         lang shell
propose:        mem chars lang blame extract rank
outcome:        mem chars lang shell extract rank
# 2 core
event:          mem chars workstate vaultfile extract remote rank inject redact
recall:         mem chars vaultfile blame lang entity extract rank index inject redact event
erase:          mem chars fault extract redact event
curate:         mem chars lang entity extract rank inject redact event recall
digest:         mem chars extract inject redact event
continuity:     mem chars vaultfile lang shell extract outcome rank inject redact event recall
filesync:       mem chars workstate vaultfile entity extract rank inject redact event erase curate continuity
capture:        mem chars lang entity extract remote shell rank event
briefing:       mem chars workstate vaultfile extract rank inject redact event recall continuity filesync
views:          mem chars workstate shell blame propose outcome when extract rank inject redact event recall curate
                continuity filesync
engine:         mem chars workstate vaultfile lang extract rank inject redact event recall erase curate digest
                continuity filesync capture briefing views
# 3 adapters
store/stored:   mem chars rank vector
store/sqlite:   mem chars vector fsx store/stored
store/postgres: mem chars vector store/stored
store/surreal/surql: mem store/stored
store/surreal/form: mem chars store/stored store/surreal/surql
store/surreal:  mem chars vector store/stored store/surreal/surql store/surreal/form
store/served:   store/stored store/postgres store/surreal
store/storetest: mem chars
store/sqlitetest: store/sqlite
spool:          mem chars fsx
transcript:     mem chars fsx rawjson agent store/sqlite
transfer:       mem store/stored
trailer:        fault fsx
gitblame:       outcome blame trailer
instructions:   mem fsx extract propose
project:        mem chars fsx
mind:           mem chars workstate fsx
vault:          mem chars vaultfile when fsx
egress:         mem chars
embed:          mem chars egress
llm:            mem chars egress
api:            mem chars workstate fault fsx when event recall curate continuity filesync capture views
# 4 edges
hook:           mem chars agent
queue:          mem chars
worker:         mem api queue
setup/section:
setup/toml:
setup:          fsx setup/toml setup/section
eval:           mem chars extract recall views
mcpserver:      mem chars workstate fault when event recall curate continuity views
web:
config:         mem chars workstate fsx when rank redact event recall egress embed llm setup fault
cli/man:        fault
upgrade:
cli/ui:         mem chars workstate redact rank event recall curate digest continuity filesync views eval fault config
                api fsx propose instructions transfer
hookclient:     mem agent redact hook spool api fault config
peers:          mem api
team:           mem vaultfile redact event filesync store/served store/stored vault
# 5 wiring
daemon:         mem chars workstate vaultfile index fsx propose gitblame instructions redact event curate digest
                continuity filesync capture views engine store/sqlite store/served store/stored spool transcript
                project mind vault embed llm api worker setup mcpserver web fault config hookclient peers team
move:           mem store/sqlite store/served store/stored transfer fault config daemon
foreign:        mem chars when workstate curate project transcript mind vault store/sqlite api
eval/evalstore: mem index redact event recall engine views store/sqlite project transcript daemon fault eval
cli/demo:       mem chars redact recall api config setup cli/ui fault hookclient daemon
doctor:         *
cli:            *
`

// outside lists what may be imported outside of internal.
var outside = map[string][]string{
	"cmd/remanence": {"internal/cli", "internal/config"},
	"plugin":        {},

	"tools/fit":        {"internal/eval", "internal/index", "internal/mem", "internal/rank"},
	"tools/fitcapture": {"internal/extract", "internal/eval"},
	"tools/release":    {"internal/setup", "plugin"},

	"test/e2e":           nil, // nil means any
	"test/bench":         nil,
	"test/fill":          nil,
	"test/year":          nil,
	"test/mcp":           nil,
	"test/world":         nil,
	"test/tier":          {},
	"test/port":          {},
	"test/backends":      nil,
	"test/pgserver":      {},
	"test/surrealserver": {},
	"test/canary":        {},
	"test/golden":        {},
	"test/release":       {},
	"test/corpus":        {"internal/mem", "internal/rank", "internal/chars"},
	"test/fire/fault":    nil,
	"test/fire/crash":    nil,
	"test/fire/disk":     nil,
	"test/fire/doctor":   nil,
	"test/fire/soak":     nil,
	"test/fire/attack":   nil,
	"test/fire/privacy":  nil,
	"test/fire/home":     nil,
}

// planned returns what each package may import; nil means anything. It fails
// where a line names a package that does not stand above it.
func planned(t *testing.T) map[string][]string {
	t.Helper()
	all := maps.Clone(outside)
	for line := range strings.Lines(strings.ReplaceAll(plan, "\n  ", " ")) { // an indented line continues the one above
		name, imports, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		allowed := []string{}
		for imp := range strings.FieldsSeq(imports) {
			if imp == "*" {
				allowed = nil
				break
			}
			if _, above := all["internal/"+imp]; !above {
				t.Errorf("plan: %s may import %s, which is not above it", name, imp)
			}
			allowed = append(allowed, "internal/"+imp)
		}
		all["internal/"+name] = allowed
	}
	return all
}

// forTests may be imported by any test.
var forTests = []string{
	"internal/store/storetest", "internal/store/sqlitetest", "internal/store/sqlite", "internal/index", "test/tier",
	"internal/blame", "internal/outcome", "test/canary", "test/corpus", "test/golden", "test/port", "test/pgserver",
	"test/surrealserver",
}

// unreachable lists what no package on the hook's way may reach, by any path
// inside the module.
var unreachable = map[string][]string{
	"internal/hook": {"database/sql", "net", "net/http"}, "internal/agent": {"database/sql", "net", "net/http"},
	"internal/engine": {"database/sql", "net", "net/http", "os", "os/exec"}, "internal/extract": {
		"database/sql", "net",
		"net/http", "os",
	}, "internal/inject": {"database/sql", "net", "net/http"},
	"internal/mem": {"database/sql", "net", "net/http", "os"}, "internal/rank": {"database/sql", "net", "net/http", "os"},
	"internal/redact": {"database/sql", "net", "net/http", "os"}, "internal/lang": {
		"database/sql", "net", "net/http",
		"os",
	},
}

// only says who alone may import a module or a package of the standard library.
var only = map[string][]string{
	"modernc.org/sqlite":                {"internal/store/sqlite"},
	"database/sql":                      {"internal/store/sqlite"},
	"github.com/jackc/pgx/v5":           {"internal/store/postgres"},
	"github.com/surrealdb/surrealdb.go": {"internal/store/surreal", "internal/store/surreal/surql"},
	"github.com/spf13/cobra":            {"internal/cli", "internal/cli/man"},

	"github.com/modelcontextprotocol/go-sdk/mcp":     {"internal/mcpserver"},
	"github.com/modelcontextprotocol/go-sdk/jsonrpc": {"internal/mcpserver"},
}

const module = "remanence"

// source is what one directory's Go files import and say.
type source struct {
	imports     []string // of the code
	testImports []string
	goStmt      bool
	methods     map[string]int // by type
	initFunc    bool
	writes      []string // what it uses of package os that changes files
}

// writers may change files. Everybody else only reads, or hands on what is to
// be written: where bytes of the person's end up can be looked up in these.
var writers = []string{
	"internal/cli", "internal/cli/demo", "internal/config", "internal/hookclient", "internal/daemon", "internal/doctor",
	"internal/setup",
	"internal/spool", "internal/worker", "internal/api", "internal/store/sqlite", "internal/transcript",
	"internal/store/sqlitetest", // for tests: databases in their temporary directories
	"internal/instructions",     // a project's file of instructions, asked for by its person
	"internal/trailer",          // a hook of git, asked for by the person
	"internal/mind",             // a project's state files, asked for by its person
	"internal/vault",            // the person's memory in files
	"internal/hook",             // the agent's environment file
	"internal/fsx",              // for its callers
	"tools/release",             // the files of a release
	"internal/eval/evalstore",   // stores of evaluations, in the temporary directory
}

// changes are the names of package os that make, change or remove files. Files
// opened with OpenFile may be written to.
var changes = []string{
	"Create", "CreateTemp", "OpenFile", "WriteFile", "Mkdir", "MkdirAll", "MkdirTemp", "Rename", "Link", "Symlink",
	"Remove", "RemoveAll", "Truncate", "Chmod", "Chown", "Lchown", "Chtimes", "CopyFS", "OpenRoot", "OpenInRoot",
}

func TestFloorPlan(t *testing.T) {
	sources, packages := read(t), planned(t)
	for dir, src := range sources {
		allowed, ok := packages[dir]
		if !ok {
			t.Errorf("%s is not in the plan", dir)
			continue
		}
		for _, imp := range inside(src.imports) {
			if allowed != nil && !slices.Contains(allowed, imp) {
				t.Errorf("%s imports %s, which the plan does not allow", dir, imp)
			}
			if strings.HasPrefix(imp, "cmd/") || imp == "internal/store/storetest" || imp == "internal/store/sqlitetest" ||
				(imp == "internal/cli" && dir != "cmd/remanence") {
				t.Errorf("%s imports %s", dir, imp)
			}
		}
		for _, imp := range inside(src.testImports) {
			if allowed != nil && imp != dir && !slices.Contains(forTests, imp) && !slices.Contains(allowed, imp) {
				t.Errorf("the tests of %s import %s, which the plan does not allow", dir, imp)
			}
		}
	}
	for dir := range packages {
		if _, ok := sources[dir]; !ok && !strings.HasPrefix(dir, "test/") {
			t.Errorf("%s is in the plan and does not exist", dir)
		}
	}
}

// TestPackagesStaySmall bounds the lines and files of each package, tests not counted.
func TestPackagesStaySmall(t *testing.T) {
	const most, mostFiles = 5000, 40
	lines, files := map[string]int{}, map[string]int{}
	err := filepath.WalkDir("internal", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		dir := filepath.ToSlash(filepath.Dir(file))
		lines[dir] += strings.Count(string(text), "\n")
		files[dir]++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < 50 {
		t.Fatalf("found only %d packages", len(lines))
	}
	limits := map[string]int{"internal/engine": 1500, "internal/store/sqlite": 9000, "internal/cli": 9000}
	for dir, n := range lines {
		limit, special := limits[dir]
		if !special {
			limit = most
		}
		if n > limit {
			t.Errorf("%s has %d lines, more than %d", dir, n, limit)
		}
		if limit <= most && files[dir] > mostFiles {
			t.Errorf("%s has %d files, more than %d", dir, files[dir], mostFiles)
		}
	}
}

func TestNoTypeHasMoreThan60Methods(t *testing.T) {
	const most = 60
	widest := 0
	for dir, src := range read(t) {
		for name, n := range src.methods {
			if widest = max(widest, n); n > most {
				t.Errorf("%s.%s has %d methods, more than %d", dir, name, n, most)
			}
		}
	}
	if widest < 20 {
		t.Errorf("the widest type has %d methods: they were not counted", widest)
	}
}

func TestNoLineIsLongerThan120Characters(t *testing.T) {
	const most = 120
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasPrefix(file, "bin") {
			return err
		}
		text, err := os.ReadFile(file)
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(line); n > most {
				t.Errorf("%s:%d has %d characters", file, i+1, n)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestHookPathReachesNoDatabaseAndNoNetwork(t *testing.T) {
	sources := read(t)
	for dir, banned := range unreachable {
		for _, imp := range reach(sources, dir, map[string]bool{}) {
			if slices.Contains(banned, imp) {
				t.Errorf("%s reaches %s", dir, imp)
			}
		}
	}
}

func TestDriversStayInTheirPackage(t *testing.T) {
	for dir, src := range read(t) {
		for _, imp := range src.imports {
			if who, ok := only[imp]; ok && !slices.Contains(who, dir) {
				t.Errorf("%s imports %s, which is for %s", dir, imp, strings.Join(who, ", "))
			}
		}
	}
}

// starters start goroutines. That of api waits for the worker that was started, which it cannot stop. That of index
// ends within the call that started it.
var starters = []string{
	"internal/worker", "internal/hook", "internal/api", "internal/index", "internal/store/storetest",
}

func TestOnlyEdgesStartGoroutines(t *testing.T) {
	for dir, src := range read(t) {
		ok := slices.Contains(starters, dir) || strings.HasPrefix(dir, "test/")
		if src.goStmt && !ok {
			t.Errorf("%s starts a goroutine: who would stop it and wait for it?", dir)
		}
		if src.initFunc {
			t.Errorf("%s has an init function", dir)
		}
	}
}

// readers open files for reading in ways in which others write: without waiting
// for what is no file, and without leaving a directory.
var readers = []string{"internal/project"}

func TestOnlyWritersWriteFiles(t *testing.T) {
	sources := read(t)
	for dir, src := range sources {
		if slices.Contains(readers, dir) {
			src.writes = slices.DeleteFunc(src.writes, func(name string) bool {
				return name == "OpenFile" || name == "OpenRoot"
			})
		}
		if len(src.writes) > 0 && !slices.Contains(writers, dir) && !strings.HasPrefix(dir, "test/") {
			t.Errorf("%s uses os.%s: it is none of those that may write files", dir, strings.Join(src.writes, ", os."))
		}
	}
	for _, dir := range writers {
		if sources[dir] == nil || len(sources[dir].writes) == 0 {
			t.Errorf("%s may write files and does not", dir)
		}
	}
}

// read parses every Go file of the module. It reads the sources itself: the go
// command's answer would be cached past an edit.
func read(t *testing.T) map[string]*source {
	t.Helper()
	sources := map[string]*source{}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin" ||
				d.Name() == "dist") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil && p != "." {
				return filepath.SkipDir // a module of its own
			}
			return nil
		}
		dir := path.Clean(filepath.ToSlash(filepath.Dir(p)))
		if !strings.HasSuffix(p, ".go") || dir == "." {
			return nil
		}
		return add(sources, dir, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) == 0 {
		t.Fatal("no sources found")
	}
	return sources
}

func add(sources map[string]*source, dir, file string) error {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	src := sources[dir]
	if src == nil {
		src = &source{methods: map[string]int{}}
		sources[dir] = src
	}
	list := &src.imports
	test := strings.HasSuffix(file, "_test.go")
	if test {
		list = &src.testImports
	}
	for _, imp := range f.Imports {
		p, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return err
		}
		*list = append(*list, p)
	}
	if test {
		return nil
	}
	ofOS := nameOf(f, "os")
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Name == ofOS && slices.Contains(changes, n.Sel.Name) &&
				!slices.Contains(src.writes, n.Sel.Name) {
				src.writes = append(src.writes, n.Sel.Name)
			}
		case *ast.GoStmt:
			src.goStmt = true
		case *ast.CallExpr: // of a group that waits for what it starts
			group, ok := n.Fun.(*ast.SelectorExpr)
			src.goStmt = src.goStmt || ok && group.Sel.Name == "Go"
		case *ast.FuncDecl:
			src.initFunc = src.initFunc || n.Recv == nil && n.Name.Name == "init"
			if n.Recv != nil {
				src.methods[receiver(n.Recv.List[0].Type)]++
			}
		}
		return true
	})
	return nil
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// nameOf is the name under which a file imports a package, "" if it does not.
func nameOf(f *ast.File, imported string) string {
	for _, imp := range f.Imports {
		if imp.Path.Value != strconv.Quote(imported) {
			continue
		}
		if imp.Name != nil {
			return imp.Name.Name
		}
		return imported
	}
	return ""
}

// inside keeps the imports of the module itself, without its name.
func inside(imports []string) []string {
	var out []string
	for _, imp := range imports {
		if rest, ok := strings.CutPrefix(imp, module+"/"); ok {
			out = append(out, rest)
		}
	}
	return out
}

// reach lists everything dir imports, through the module's own packages.
func reach(sources map[string]*source, dir string, seen map[string]bool) []string {
	if seen[dir] || sources[dir] == nil {
		return nil
	}
	seen[dir] = true
	out := slices.Clone(sources[dir].imports)
	for _, imp := range inside(sources[dir].imports) {
		out = append(out, reach(sources, imp, seen)...)
	}
	return out
}
