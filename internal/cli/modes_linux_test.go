package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
)

// modeCase is one command with arguments that do something in the home of these tests. Where FILE stands in them, the
// path of a file that does not exist is given.
type modeCase struct {
	args  string // words; the command first
	exit  int    // the exit status that it ends with
	text  bool   // prints a file's content, which neither the terminal nor --json shapes
	wrong string // arguments that it refuses; "" if it takes any
}

// modeCases has every command once.
var modeCases = map[string]modeCase{
	"remanence":                   {args: "", wrong: "no-such-command"},
	"remanence add":               {args: "add amounts are integer cents -k convention", wrong: "add x -k nothing"},
	"remanence backfill":          {args: "backfill --dry-run", wrong: "backfill --since never"},
	"remanence checkpoint":        {args: "checkpoint", wrong: "checkpoint extra"},
	"remanence checkpoint diff":   {args: "checkpoint diff c_1 c_2", wrong: "checkpoint diff c_999"},
	"remanence checkpoint drift":  {args: "checkpoint drift", wrong: "checkpoint drift extra more"},
	"remanence checkpoint list":   {args: "checkpoint list", wrong: "checkpoint list -n x"},
	"remanence checkpoint log":    {args: "checkpoint log green", wrong: "checkpoint log"},
	"remanence checkpoint resume": {args: "checkpoint resume", wrong: "checkpoint resume c_999"},
	"remanence checkpoint save":   {args: "checkpoint save", wrong: "checkpoint save extra"},
	"remanence checkpoint show":   {args: "checkpoint show c_1", wrong: "checkpoint show c_999"},
	"remanence completion":        {args: "completion bash", text: true, wrong: "completion pascal"},
	"remanence config":            {args: "config", wrong: "config extra"},
	"remanence config describe":   {args: "config describe worker.idle_exit", wrong: "config describe no.key"},
	"remanence config get":        {args: "config get worker.idle_exit", wrong: "config get no.key"},
	"remanence config list":       {args: "config list", wrong: "config list no.key"},
	"remanence config path":       {args: "config path", wrong: "config path extra"},
	"remanence config schema":     {args: "config schema", text: true, wrong: "config schema extra"},
	"remanence config set":        {args: "config set worker.idle_exit 20m", wrong: "config set worker.idle_exit soon"},
	"remanence config unset":      {args: "config unset worker.idle_exit", wrong: "config unset no.key"},
	"remanence config validate":   {args: "config validate", wrong: "config validate extra"},
	"remanence consolidate":       {args: "consolidate --dry-run", wrong: "consolidate extra"},
	"remanence daemon":            {args: "daemon", wrong: "daemon extra"},
	"remanence daemon logs":       {args: "daemon logs", wrong: "daemon logs --level loud"},
	"remanence daemon retry":      {args: "daemon retry", wrong: "daemon retry extra"},
	"remanence daemon stop":       {args: "daemon stop", wrong: "daemon stop extra"},
	"remanence db":                {args: "db", wrong: "db extra"},
	"remanence db backup":         {args: "db backup FILE", wrong: "db backup one two"},
	"remanence db check":          {args: "db check", wrong: "db check extra"},
	"remanence db info":           {args: "db info", wrong: "db info extra"},
	"remanence db migrate":        {args: "db migrate", wrong: "db migrate extra"},
	"remanence db move":           {args: "db move --to sqlite:", exit: 6, wrong: "db move --to nowhere"},
	"remanence db reindex":        {args: "db reindex", wrong: "db reindex extra"},
	"remanence db restore":        {args: "db restore FILE --yes", exit: 3, wrong: "db restore one two"},
	"remanence db vacuum":         {args: "db vacuum", wrong: "db vacuum extra"},
	"remanence demo":              {args: "demo --fast", wrong: "demo extra"},
	"remanence digest":            {args: "digest", wrong: "digest extra"},
	"remanence doctor":            {args: "doctor", wrong: "doctor extra"},
	"remanence edit":              {args: "edit m_1 --kind fact", wrong: "edit m_999 --kind fact"},
	"remanence eval":              {args: "eval", wrong: "eval extra"},
	"remanence eval report":       {args: "eval report", exit: 2, wrong: "eval report extra"},
	"remanence export":            {args: "export --format jsonl -o FILE", wrong: "export --format pdf"},
	"remanence forget":            {args: "forget m_1", wrong: "forget m_999"},
	"remanence blame":             {args: "blame blamed.go", wrong: "blame no-such-file"},
	"remanence trailers":          {args: "trailers", wrong: "trailers maybe"},
	"remanence propose":           {args: "propose", wrong: "propose no-such-file"},
	"remanence handoff":           {args: "handoff", wrong: "handoff no-such-file"},
	"remanence help":              {args: "help search", text: true, wrong: "help no-such-topic"},
	"remanence import":            {args: "import FILE", exit: 3, wrong: "import"},
	"remanence lint":              {args: "lint", wrong: "lint extra"},
	"remanence man":               {args: "man .", wrong: "man one two"},
	"remanence mark":              {args: "mark m_1 useful", wrong: "mark m_1 lovely"},
	"remanence merge":             {args: "merge m_1 m_2", wrong: "merge m_1"},
	"remanence mind":              {args: "mind", wrong: "mind extra"},
	"remanence mind compress":     {args: "mind compress --dry-run", exit: 3, wrong: "mind compress extra more"},
	"remanence mind init":         {args: "mind init", wrong: "mind init extra more"},
	"remanence mind show":         {args: "mind show", wrong: "mind show extra more"},
	"remanence next":              {args: "next", wrong: "next extra"},
	"remanence pause":             {args: "pause --for 10m", wrong: "pause --for never"},
	"remanence pin":               {args: "pin m_1", wrong: "pin m_999"},
	"remanence privacy":           {args: "privacy", wrong: "privacy extra"},
	"remanence privacy rules":     {args: "privacy rules", wrong: "privacy rules extra"},
	"remanence privacy scan":      {args: "privacy scan", wrong: "privacy scan extra"},
	"remanence privacy test":      {args: "privacy test deploy with care", wrong: ""},
	"remanence purge":             {args: "purge m_1 --yes", wrong: "purge m_999 --yes"},
	"remanence recap":             {args: "recap", wrong: "recap --format pdf"},
	"remanence restore":           {args: "restore m_1", wrong: "restore m_999"},
	"remanence resume":            {args: "resume", wrong: "resume extra"},
	"remanence review":            {args: "review", wrong: "review --kind nothing"},
	"remanence review accept":     {args: "review accept duplicate --all --yes", wrong: "review accept"},
	"remanence review merge":      {args: "review merge duplicate --all --yes", wrong: "review merge"},
	"remanence review reject":     {args: "review reject duplicate --all --yes", wrong: "review reject"},
	"remanence search":            {args: "search greet bash", wrong: "search --kind nothing"},
	"remanence share":             {args: "share m_1", exit: 2, wrong: "share"},
	"remanence share diff":        {args: "share diff", wrong: "share diff extra"},
	"remanence share status":      {args: "share status", wrong: "share status extra"},
	"remanence show":              {args: "show m_1", wrong: "show m_999"},
	"remanence stats":             {args: "stats", wrong: "stats extra"},
	"remanence status":            {args: "status", wrong: "status extra"},
	"remanence statusline":        {args: "statusline", wrong: "statusline extra"},
	"remanence timeline":          {args: "timeline m_1", wrong: "timeline m_999"},
	"remanence trust":             {args: "trust --list", wrong: "trust one two"},
	"remanence uninstall":         {args: "uninstall claude-code --dry-run", wrong: "uninstall no-agent"},
	"remanence unpin":             {args: "unpin m_1", wrong: "unpin m_999"},
	"remanence upgrade":           {args: "upgrade", wrong: "upgrade extra"},
	"remanence vault":             {args: "vault", wrong: "vault extra"},
	"remanence vault check":       {args: "vault check", exit: 3, wrong: "vault check extra"},
	"remanence vault init":        {args: "vault init", wrong: "vault init extra more"},
	"remanence vault path":        {args: "vault path", wrong: "vault path extra"},
	"remanence version":           {args: "version", wrong: "version extra"},
	"remanence why":               {args: "why", wrong: "why r_999"},
}

// separate are the commands that these tests do not run, and why.
var separate = map[string]string{
	"remanence daemon run":     "is the daemon",
	"remanence daemon start":   "starts one",
	"remanence daemon restart": "starts one",
	"remanence open":           "starts a daemon and a browser",
	"remanence install":        "needs a file of the name remanence: TestScripts/install",
	"remanence mcp":            "speaks a protocol until its input ends",
	"remanence config edit":    "starts an editor",
	"remanence eval run":       "needs a suite: TestScripts/eval",
	"remanence eval compare":   "needs two runs: TestScripts/eval",
	"remanence eval capture":   "needs a suite: TestScripts/eval",
}

func TestEveryCommandInEveryMode(t *testing.T) {
	m := newModes(t)
	var walk func(cmd *cobra.Command)
	seen := map[string]bool{}
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
		name := cmd.CommandPath()
		if !cmd.Runnable() || separate[name] != "" {
			return
		}
		seen[name] = true
		c, ok := modeCases[name]
		if !ok {
			t.Errorf("%s is in no row", name)
			return
		}
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) { m.run(t, c) })
	}
	walk(testTree())
	for name := range modeCases {
		if !seen[name] {
			t.Errorf("no command is called %q", name)
		}
	}
}

// modes is a home whose store is the same before each run.
type modes struct {
	home, project, pristine string
}

func newModes(t *testing.T) *modes {
	dir := realTemp(t)
	m := &modes{filepath.Join(dir, "home"), filepath.Join(dir, "home", "work", "greeter"), filepath.Join(dir, "pristine")}
	if err := os.MkdirAll(m.project, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(m.project)
	gitIn(t, m.project, "init", "-q")
	d, _ := housedAt(t, m.home)
	learn(t, d.Engine, time.Now(), m.project, "0b1c2d3e-4f50-4a61-8b72-93a4b5c6d7e8")
	if err := d.Store.Close(); err != nil {
		t.Fatal(err)
	}
	guide := "# Greeter\n\nAmounts are floats.\n"
	if err := os.WriteFile(filepath.Join(m.project, "AGENTS.md"), []byte(guide), 0o600); err != nil {
		t.Fatal(err)
	}
	blamed := filepath.Join(m.project, "blamed.go")
	if err := os.WriteFile(blamed, []byte("package greeter\n\nconst name = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{
			"add", "We deploy with blue and green hosts, never in place, because a half-deployed host once served two versions",
			"-k", "decision", "--file", "deploy/very/deep/folder/of/the/project/hosts.yaml",
		},
		{"add", "値段は常に整数のセントで保存し、浮動小数点数を使ってはいけない。丸め誤差で請求額が合わなくなったことがあるため", "-k", "convention"},
		{"add", "see https://example.com/" + strings.Repeat("long-part/", 12)},
	} {
		if _, stderr, code := m.exec(t, 0, nil, args...); code != 0 {
			t.Fatalf("%v: exit %d\n%s", args, code, stderr)
		}
	}
	copyTree(t, m.home, m.pristine)
	return m
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v\n%s", err, out)
	}
}

func (m *modes) run(t *testing.T, c modeCase) {
	escape := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	args := strings.Fields(c.args)
	for i := range args {
		if args[i] == "FILE" {
			args[i] = filepath.Join(m.home, "new-file")
		}
	}
	ends := func(mode string, code int, stdout, stderr string) {
		t.Helper()
		if code != c.exit {
			t.Errorf("%s: exit %d, want %d\n%s%s", mode, code, c.exit, stdout, stderr)
		}
	}
	for _, width := range []int{80, 60} {
		stdout, stderr, code := m.again(t, width, nil, args...)
		ends(fmt.Sprint(width, " columns"), code, stdout, stderr)
		for line := range strings.Lines(stdout + stderr) {
			line = escape.ReplaceAllString(strings.TrimRight(line, "\r\n"), "")
			breakable := strings.Contains(strings.TrimSpace(line[len(line)*2/3:]), " ")
			if n := ui.Cells(line); n > width && breakable && !c.text {
				t.Errorf("%d columns: a line of %d: %s", width, n, line)
			}
		}
	}
	stdout, stderr, code := m.again(t, 0, nil, args...)
	ends("pipe", code, stdout, stderr)
	if strings.Contains(stdout+stderr, "\x1b") {
		t.Errorf("pipe: colours\n%q", stdout+stderr)
	}
	stdout, stderr, code = m.again(t, 80, map[string]string{"NO_COLOR": "1"}, args...)
	ends("NO_COLOR", code, stdout, stderr)
	if escape.MatchString(stdout + stderr) {
		t.Errorf("NO_COLOR: colours\n%q", stdout+stderr)
	}
	if !c.text {
		stdout, stderr, code = m.again(t, 0, nil, append(args, "--json")...)
		ends("--json", code, stdout, stderr)
		m.isJSON(t, "--json", stdout+stderr)
	}
	stdout, stderr, code = m.again(t, 0, nil, append(strings.Fields(c.args), "--no-such-flag")...)
	if code != 2 || stdout != "" || !strings.Contains(stderr, "REM-U001") || !strings.Contains(stderr, "remanence") {
		t.Errorf("an unknown flag: exit %d\n%s%s", code, stdout, stderr)
	}
	if c.wrong == "" {
		return
	}
	stdout, stderr, code = m.again(t, 80, nil, strings.Fields(c.wrong)...)
	if code == 0 || !strings.Contains(stderr, "REM-") {
		t.Errorf("%s: exit %d\n%s%s", c.wrong, code, stdout, stderr)
	}
	stdout, stderr, again := m.again(t, 0, nil, append(strings.Fields(c.wrong), "--json")...)
	if again != code {
		t.Errorf("%s: exit %d, with --json %d", c.wrong, code, again)
	}
	m.isJSON(t, c.wrong+" --json", stdout+stderr)
}

// isJSON fails the test if a text is not one JSON object that names its schema.
func (m *modes) isJSON(t *testing.T, mode, text string) {
	t.Helper()
	var v struct{ Schema string }
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&v); err != nil || !strings.HasPrefix(v.Schema, "remanence.") {
		t.Errorf("%s: not one object of a schema (%v): %.300s", mode, err, text)
	} else if _, err := d.Token(); err != io.EOF {
		t.Errorf("%s: more than one object: %.300s", mode, text)
	}
}

// again runs a command in the home as it was made.
func (m *modes) again(
	t *testing.T, width int, env map[string]string, args ...string,
) (stdout, stderr string, code int) {
	t.Helper()
	for _, name := range []string{".local", ".config", ".cache", ".claude", "new-file"} {
		if err := os.RemoveAll(filepath.Join(m.home, name)); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(m.pristine)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "work" {
			copyTree(t, filepath.Join(m.pristine, e.Name()), m.home)
		}
	}
	return m.exec(t, width, env, args...)
}

// exec runs a command without a daemon: on a terminal of a width, or, if that is 0, in a pipe.
func (m *modes) exec(t *testing.T, width int, env map[string]string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	vars := map[string]string{"HOME": m.home, "TERM": "xterm", "PAGER": "cat", "PATH": os.Getenv("PATH")}
	for k, v := range env {
		vars[k] = v
	}
	var out, errs bytes.Buffer
	sys := config.System{
		Args: append(slices.Clone(args), "--no-daemon"), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Getenv: environment(vars), Now: time.Now, Slack: time.Minute, Exit: func(int) {},
	}
	if width == 0 {
		code = Main(t.Context(), sys)
		return out.String(), errs.String(), code
	}
	screen, text := terminal(t, width)
	sys.Stdout = screen
	code = Main(t.Context(), sys)
	return text(), errs.String(), code
}

// terminal opens a pseudo-terminal. text closes it and returns what was written to it.
func terminal(t *testing.T, width int) (screen *os.File, text func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(width)})
	}
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		b, _ := io.ReadAll(master) // ends with EIO when the terminal is closed
		read <- string(b)
	}()
	return screen, func() string {
		_ = screen.Close()
		s := <-read
		_ = master.Close()
		return s
	}
}
