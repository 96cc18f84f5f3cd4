//go:build e2e

package e2e

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// otherClient is an agent other than Claude Code, as test/client/install.sh fetches it.
type otherClient struct {
	id, folder string // its name for us, and that in the cache
	program    string // pattern below the folder
	node       bool   // the program is JavaScript for Node
	args, env  []string
	config     string // its own configuration, below the home directory
	own        string // what is in there
	instructs  string // its file of instructions, below the home directory
	made       string // file that the installation makes, below the home directory; "" if it makes none
	shell      string // its tool that runs a command
	command    string // the input that has the command; "" means "command"
	input      map[string]any
	statusless bool          // it does not tell hooks that a command failed
	unmeasured bool          // its record is not read for context usage
	prepare    func(u *user) // nil if there is nothing to prepare
}

// In texts of a client @URL@ is the model's address, @PROJECT@ the project's directory.
func clients() []otherClient {
	return []otherClient{
		{
			id: "opencode", folder: "opencode-1.18.33", program: "node_modules/opencode-linux-*/bin/opencode",
			args: []string{"run", "--format", "json", "--auto"},
			env: []string{
				"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
				"OPENCODE_DISABLE_SHARE=1",
			},
			config: ".config/opencode/opencode.json",
			own: `{"$schema": "https://opencode.ai/config.json",
 "autoupdate": false, "share": "disabled", "model": "mock/mock-model", "small_model": "mock/mock-small",
 "permission": {"*": "allow"}, "provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "name": "mock",
  "options": {"baseURL": "@URL@/v1", "apiKey": "dummy-key"}, "models": {
   "mock-model": {"name": "mock", "tool_call": true, "limit": {"context": 200000, "output": 8000}},
   "mock-small": {"name": "small", "limit": {"context": 200000, "output": 8000}}}}}}`,
			made: ".config/opencode/plugins/remanence.js", unmeasured: true, instructs: ".config/opencode/AGENTS.md",
			shell: "bash", input: map[string]any{"description": "check"},
			prepare: withPluginPackage,
		},
		{
			id: "gemini", folder: "gemini-0.61.0", program: "node_modules/@google/gemini-cli/bundle/gemini.js", node: true,
			args:   []string{"--yolo", "-m", "gemini-2.5-pro", "-p"},
			env:    []string{"GEMINI_API_KEY=dummy-key", "GOOGLE_GEMINI_BASE_URL=@URL@", "GEMINI_CLI_TRUST_WORKSPACE=true"},
			config: ".gemini/settings.json", instructs: ".gemini/GEMINI.md",
			own: `{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
 "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
 "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}}`,
			shell: "run_shell_command", input: map[string]any{"description": "check"},
		},
		{
			id: "qwen", folder: "qwen-0.24.4", program: "node_modules/@qwen-code/qwen-code/cli.js", node: true,
			args:   []string{"--yolo", "-p"},
			env:    []string{"OPENAI_API_KEY=dummy-key", "OPENAI_BASE_URL=@URL@/v1", "OPENAI_MODEL=qwen3-coder-plus"},
			config: ".qwen/settings.json", instructs: ".qwen/QWEN.md",
			own: `{"security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
 "general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
 "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}}`,
			shell: "run_shell_command", input: map[string]any{"description": "check", "is_background": false},
		},
		{
			id: "copilot", folder: "copilot-1.0.102", program: "node_modules/@github/copilot-*/copilot",
			args: []string{"--allow-all-tools", "--allow-all-paths", "--disable-client-telemetry", "-p"},
			env: []string{
				"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_BASE_URL=@URL@/v1",
				"COPILOT_PROVIDER_API_KEY=dummy-key", "COPILOT_PROVIDER_WIRE_API=completions", "COPILOT_MODEL=gpt-5.4",
			},
			config: ".copilot/mcp-config.json", own: `{"mcpServers": {}}`,
			made: ".copilot/hooks/remanence.json", instructs: ".copilot/copilot-instructions.md",
			shell: "bash", input: map[string]any{"description": "check", "mode": "sync", "initial_wait": 10},
		},
		{
			id: "codex", folder: "codex-0.169.0", program: "node_modules/@openai/codex-*/vendor/*/bin/codex",
			args:   []string{"exec", "--json", "--skip-git-repo-check"},
			env:    []string{"MOCK_KEY=dummy-key"},
			config: ".codex/config.toml",
			own: `model = "gpt-5.5"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.mock]
name = "mock"
base_url = "@URL@/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."@PROJECT@"]
trust_level = "trusted"`,
			made: ".codex/hooks.json", instructs: ".codex/AGENTS.md",
			shell: "exec_command", command: "cmd", statusless: true,
		},
	}
}

// withPluginPackage puts the package beside the configuration that OpenCode would fetch with the first plugin.
func withPluginPackage(u *user) {
	u.t.Helper()
	from := filepath.Join(cache(u.t), "agents", "opencode-plugin-1.18.33")
	to := filepath.Join(u.home, ".config/opencode")
	for _, name := range []string{"package.json", "package-lock.json"} {
		u.write(filepath.Join(to, name), u.read(filepath.Join(from, name)))
	}
	if err := os.CopyFS(filepath.Join(to, "node_modules"), os.DirFS(filepath.Join(from, "node_modules"))); err != nil {
		u.t.Fatal(err)
	}
}

// cache is where test/client/install.sh puts clients.
func cache(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("CC_CACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "claude-code-harness")
}

// found returns the first file that a pattern below the cache of clients matches.
func found(t *testing.T, pattern string) string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(cache(t), "agents", pattern))
	if len(files) == 0 {
		t.Fatalf("no %s: run test/client/install.sh", pattern)
	}
	return files[0]
}

// talk runs one session of a client.
func (u *user) talk(c otherClient, url, prompt string) {
	u.t.Helper()
	words := append(c.words(u.t), prompt)
	cmd := exec.Command("timeout", append([]string{"-k", "5", "120"}, words...)...)
	cmd.Dir, cmd.Env = u.project(""), u.envOf(c, url)
	if out, err := cmd.CombinedOutput(); err != nil {
		u.t.Fatalf("%s: %v\n%s", c.id, err, out)
	}
}

// words are the client's command line without a prompt.
func (c otherClient) words(t *testing.T) []string {
	t.Helper()
	words := []string{found(t, filepath.Join(c.folder, c.program))}
	if c.node {
		words = append([]string{node(t)}, words...)
	}
	return append(words, c.args...)
}

// envOf is the whole environment of a client.
func (u *user) envOf(c otherClient, url string) []string {
	env := []string{
		"HOME=" + u.home, "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "SHELL=/bin/bash",
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
		"HTTPS_PROXY=http://127.0.0.1:9", "https_proxy=http://127.0.0.1:9",
	}
	for _, v := range c.env {
		env = append(env, strings.ReplaceAll(v, "@URL@", url))
	}
	return env
}

// node returns a Node that is new enough: that of the cache, else the machine's own.
func node(t *testing.T) string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(cache(t), "agents", "node-*", "node_modules/node-linux-*/bin/node"))
	if len(files) > 0 {
		return files[0]
	}
	own, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("no Node: run test/client/install.sh")
	}
	return own
}

// with gives the person a client and a project, and the client a model.
func (u *user) with(c otherClient) (model *scripted, url string) {
	u.t.Helper()
	u.newProject("")
	model = &scripted{}
	url = model.serve(u.t)
	u.prepares(c, url)
	return model, url
}

// withAll gives the person every client, with one model and our hooks, and a project.
func (u *user) withAll() (model *scripted, url string) {
	u.t.Helper()
	u.newProject("")
	model = &scripted{}
	url = model.serve(u.t)
	names := []string{"install", "--yes"}
	for _, c := range clients() {
		u.prepares(c, url)
		names = append(names, c.id)
	}
	u.remanence(names...)
	return model, url
}

// prepares writes what a client has of its own, and what it would fetch.
func (u *user) prepares(c otherClient, url string) {
	u.t.Helper()
	own := strings.NewReplacer("@URL@", url, "@PROJECT@", u.project("")).Replace(c.own)
	u.write(filepath.Join(u.home, c.config), own)
	if c.prepare != nil {
		c.prepare(u)
	}
}

// runs is a call of the client's tool for commands.
func (c otherClient) runs(command string) reply {
	input := map[string]any{cmp.Or(c.command, "command"): command}
	for k, v := range c.input {
		input[k] = v
	}
	return reply{text: "Let me see.", tool: c.shell, input: input}
}

// contextTokens returns the context usage of the last session, 0 if it is not known.
func (u *user) contextTokens() int {
	u.t.Helper()
	var status struct{ Context struct{ Tokens int } }
	if err := json.Unmarshal([]byte(u.remanence("status", "--json")), &status); err != nil {
		u.t.Fatal(err)
	}
	return status.Context.Tokens
}

// What was learned in one session is in the bytes of the model's request in the next.
func TestWhatAClientLearnedIsInjectedInItsNextSession(t *testing.T) {
	for _, c := range clients() {
		t.Run(c.id, func(t *testing.T) {
			u := newUser(t)
			model, url := u.with(c)
			config := filepath.Join(u.home, c.config)
			model.takes(reply{text: "Hello."})
			u.talk(c, url, "hello there") // what the client adds to its configuration is there from now on
			before := u.read(config)
			const own = "Mind the moat-41.\n"
			instructions := filepath.Join(u.home, c.instructs)
			u.write(instructions, own)
			u.remanence("install", c.id, "--yes", "--instructions")

			model.takes(c.runs("sh check.sh"), reply{text: "I decided to use a ballista instead of a catapult."})
			u.talk(c, url, "what shall we throw with? <private>my cat is called Mitzi-77</private>")
			u.keeps("ballista", "--agent", c.id)
			if !c.statusless {
				u.keeps("sh check.sh", "--agent", c.id)
			}
			if !c.unmeasured && !eventually(func() bool { return u.contextTokens() > 0 }) {
				t.Errorf("the context usage is not known: %s", u.remanence("status"))
			}
			if left := u.leaks("Mitzi-77"); len(left) > 0 {
				t.Errorf("on the disk: %v", left)
			}

			model.takes(c.runs("sh check.sh"), reply{text: "As we said."})
			u.talk(c, url, "did we choose the ballista or the catapult?")
			sent := model.sent()
			if len(sent) < 2 {
				t.Fatalf("the model got %d requests in the second session", len(sent))
			}
			wants(t, "second session", sent[0], "remanence-context", "I decided to use a ballista")
			wants(t, "skills", sent[0], "remanence-recall", "Search Remanence, the memory of earlier sessions",
				"remanence-remember", "remanence-handoff", "remanence-history", "remanence-checkpoint")
			wants(t, "instructions", sent[0], "Mind the moat-41.", "Memory of earlier sessions")
			wants(t, "after the command", sent[1], "retry limit must be a number")
			if !c.statusless {
				wants(t, "after the command", sent[1], "failed in this way before")
			}
			wantsNot(t, "second session", strings.Join(sent, "\n"), "Mitzi-77")

			u.unaffectedWithoutADaemon(c, model, url)

			u.remanence("uninstall", "--yes")
			if got := u.read(config); got != before {
				t.Errorf("after uninstall:\n%s\nwant\n%s", got, before)
			}
			if got := u.read(instructions); got != own {
				t.Errorf("after uninstall: the instructions are %q, want %q", got, own)
			}
			if _, err := os.Stat(filepath.Join(u.home, c.made)); c.made != "" && !os.IsNotExist(err) {
				t.Errorf("%s: %v", c.made, err)
			}
			if _, err := os.Stat(filepath.Join(u.home, ".agents")); !os.IsNotExist(err) {
				t.Errorf("after uninstall: the directory of the skills: %v", err)
			}
			model.takes(reply{text: "Hello."})
			u.talk(c, url, "did we choose the ballista or the catapult?")
			wants(t, "after uninstall", model.sent()[0], "the ballista or the catapult?")
			wantsNot(t, "after uninstall", model.sent()[0], "remanence")
		})
	}
}

// unaffectedWithoutADaemon plays a session while there is no daemon and none can be started.
func (u *user) unaffectedWithoutADaemon(c otherClient, model *scripted, url string) {
	u.t.Helper()
	u.remanence("daemon", "stop")
	run := filepath.Join(u.home, ".local/state/remanence/run")
	if err := os.RemoveAll(run); err != nil {
		u.t.Fatal(err)
	}
	u.write(run, "in the way")
	model.takes(c.runs("sh check.sh"), reply{text: "I see."})
	u.talk(c, url, "and without a memory?")
	sent := model.sent()
	if len(sent) < 2 {
		u.t.Fatalf("without a daemon the model got %d requests", len(sent))
	}
	wants(u.t, "without a daemon", sent[0], "and without a memory?")
	wants(u.t, "without a daemon", strings.Join(sent[1:], "\n"), "retry limit must be a number")
	if err := os.Remove(run); err != nil {
		u.t.Fatal(err)
	}
}

// Gemini reports neither the end of a compaction nor, unlike Copilot, every compaction: only one that is asked for.
func TestGeminiIsGivenTheStateAgainAfterItsCommandCompress(t *testing.T) {
	u := newUser(t)
	c := clients()[1]
	model, url := u.with(c)
	u.remanence("install", c.id, "--yes")
	u.remanence("add", "we throw with a ballista", "-k", "decision")
	model.takes(reply{text: "ANSWER-1"}, reply{text: "ANSWER-2", tokens: 20_000}, reply{text: "ANSWER-3"})
	c.args = c.args[:len(c.args)-1] // its last argument asks for one prompt
	screen := u.terminal(c, url)
	screen.shows("Type your message")
	for _, line := range [][2]string{
		{"make the check pass", "ANSWER-1"},
		{"and the second thing", "ANSWER-2"},
		{"/compress", "history compressed"},
		{"what is next here", "ANSWER-3"},
	} {
		screen.types(line[0], line[1])
	}
	wants(t, "before", model.sent()[0], "SESSION BRIEFING")
	sent := model.every()
	after := sent[len(sent)-1]
	wants(t, "after", after, "what is next here", "CONTEXT RESTORED", "we throw with a ballista")
	wantsNot(t, "after", after, "SESSION BRIEFING")
}

// A compaction takes what was injected out of the conversation. OpenCode reports its end; Copilot does not.
func TestTheStateIsGivenAgainAfterACompaction(t *testing.T) {
	for _, c := range clients() {
		tokens := 0
		switch c.id {
		case "opencode":
			tokens, c.own = 39_000, strings.Replace(c.own, `"context": 200000`, `"context": 40000`, 1)
		case "copilot":
			tokens, c.env = 59_000, append(c.env, "COPILOT_PROVIDER_MAX_PROMPT_TOKENS=60000")
		default:
			continue
		}
		t.Run(c.id, func(t *testing.T) {
			u := newUser(t)
			model, url := u.with(c)
			u.remanence("install", c.id, "--yes")
			u.remanence("add", "we throw with a ballista", "-k", "decision")
			first := c.runs("sh check.sh")
			first.tokens = tokens
			model.takes(first, c.runs("echo once more"), c.runs("echo and more"), reply{text: "Done."})
			u.talk(c, url, "make the check pass")
			sent := model.sent()
			if len(sent) < 4 {
				t.Fatalf("the model got %d requests, want 4", len(sent))
			}
			wants(t, "before", sent[0], "SESSION BRIEFING")
			after := sent[len(sent)-1]
			wants(t, "after", after, "SUMMARY-TEXT", "CONTEXT RESTORED", "we throw with a ballista", "make the check pass")
			wantsNot(t, "after", after, "SESSION BRIEFING")
		})
	}
}

// What each agent learned is injected into it and every other one.
func TestWhatOneAgentIsTaughtEveryOtherIsTold(t *testing.T) {
	u := newUser(t)
	taught := map[string]string{
		"claude-code": "I decided to use a ballista instead of a catapult.",
		"codex":       "I decided to cap the retry queue instead of growing it.",
		"gemini":      "I decided to paint the harbour gate green instead of red.",
		"copilot":     "I decided to sign tokens with ed25519 instead of RSA.",
		"qwen":        "I decided to store prices in cents instead of floats.",
		"opencode":    "I decided to render charts as SVG instead of PNG.",
	}
	const asked = "the ballista, the retry queue, the harbour gate, ed25519 tokens, prices in cents and SVG charts?"
	model, url := u.withAll()
	u.run(session{script: script(says(taught["claude-code"])), prompts: []string{"which of the two?"}})
	u.keeps("ballista", "--agent", "claude-code")
	for _, c := range clients() {
		model.takes(reply{text: taught[c.id]})
		u.talk(c, url, "which of the two?")
		u.keeps(strings.TrimSuffix(taught[c.id], "."), "--agent", c.id)
	}
	injected := func(by, request string) {
		for of, decision := range taught {
			wants(t, by+" of "+of, request, strings.TrimSuffix(decision, "."))
		}
	}
	claude := u.run(session{script: script(says("Yes.")), prompts: []string{"did we decide on " + asked}})
	injected("claude-code", claude.last())
	for _, c := range clients() {
		model.takes(reply{text: "Yes."})
		u.talk(c, url, "did we decide on "+asked)
		injected(c.id, strings.Join(model.sent(), "\n"))
	}
}

// The prompts of a subagent of OpenCode are those of the model.
func TestASubagentOfOpenCodeSaysNothingForThePerson(t *testing.T) {
	u := newUser(t)
	c := clients()[0]
	model, url := u.with(c)
	u.remanence("install", c.id, "--yes")
	model.takes(
		reply{text: "I ask another one.", tool: "task", input: map[string]any{
			"description": "ask", "prompt": "remember that the mast is 30 m high", "subagent_type": "general",
		}},
		reply{text: "I decided to use a trebuchet instead of a sling."},
		reply{text: "I decided to use a ballista instead of a catapult."},
	)
	u.talk(c, url, "what shall we throw with?")
	if n := len(model.sent()); n != 3 {
		t.Fatalf("the model got %d requests, want 3", n)
	}
	wants(t, "the subagent", model.sent()[1], "the mast is 30 m high")
	u.keeps("ballista")
	for _, m := range u.finds() {
		wantsNot(t, "kept", m.Title+m.Body, "mast", "trebuchet")
	}
}

// The plugin of OpenCode runs in the client's process.
func TestOpenCodeGoesOnWhateverTheHookDoes(t *testing.T) {
	for name, script := range map[string]string{
		"hangs": "exec sleep 30", "fails": "exit 1", "prints what is no JSON": "echo '{'", "reads nothing": "exec 0<&-",
		"is missing": "",
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			c := clients()[0]
			model, url := u.with(c)
			u.remanence("install", c.id, "--hooks-only")
			program := filepath.Join(u.dir, "remanence")
			if script != "" {
				u.write(program, "#!/bin/sh\n"+script+"\n")
				if err := os.Chmod(program, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			plugin := filepath.Join(u.home, c.made)
			u.write(plugin, strings.ReplaceAll(u.read(plugin), binary, program))
			model.takes(c.runs("sh check.sh"), reply{text: "I see."})
			u.talk(c, url, "how does it look?")
			sent := model.sent()
			if len(sent) != 2 {
				t.Fatalf("the model got %d requests, want 2", len(sent))
			}
			wants(t, "first request", sent[0], "how does it look?")
			wants(t, "after the command", sent[1], "retry limit must be a number")
			wantsNot(t, "the session", strings.Join(sent, "\n"), "remanence-context")
		})
	}
}

// A session that ended in Claude Code is gone on with in every other agent: its handoff, its last request, what failed
// and what is open. Claude Code in its turn is given what the others did.
func TestASessionThatEndedInOneAgentIsGoneOnWithInAnother(t *testing.T) {
	u := newUser(t)
	model, url := u.withAll()
	u.run(session{
		script: script(bash("sh check.sh"), edits("check.sh", "echo ok", "echo fine"),
			handsOff("Task: the check.\n"+nextStep+"\n"+waits), says(stillOpen)),
		prompts: []string{"make the check pass before port 8443 opens"},
	})
	for _, c := range clients() {
		model.takes(reply{text: "I go on."})
		u.talk(c, url, "go on with the check")
		got := strings.Join(model.sent(), "\n")
		for _, want := range []string{nextStep, waits, "make the check pass before port 8443 opens", "check.sh"} {
			wants(t, c.id, got, want)
		}
	}
	last := clients()[len(clients())-1]
	const decided = "I decided to set the retry limit to 3 instead of reading it from the environment."
	model.takes(reply{text: decided})
	u.talk(last, url, "which limit do we take?")
	u.keeps("retry limit to 3", "--agent", last.id)
	claude := u.run(session{script: script(says("Yes.")), prompts: []string{"why is the retry limit 3?"}})
	wants(t, "claude-code", claude.last(), "set the retry limit to 3 instead of reading it from the environment")
	wantsNot(t, "claude-code", claude.last(), nextStep) // the other agent was given it, and did something
	wants(t, "why", u.remanence("why"), "learned in Codex")
}

// Codex skips hooks that are not trusted. Its notify needs no trust: it reports each turn, and injects nothing.
func TestCodexReportsTurnsWhileItSkipsTheHooks(t *testing.T) {
	u := newUser(t)
	all := clients()
	c := all[len(all)-1]
	model, url := u.with(c)
	config := filepath.Join(u.home, c.config)
	before := u.read(config)
	u.remanence("install", c.id, "--no-trust")
	model.takes(c.runs("sh check.sh"), reply{text: "I decided to use a ballista instead of a catapult."})
	u.talk(c, url, "what shall we throw with? <private>my cat is called Mitzi-77</private>")
	u.keeps("ballista", "--agent", c.id)
	if !eventually(func() bool { return u.contextTokens() > 0 }) {
		t.Errorf("its transcript is not read: %s", u.remanence("status"))
	}
	if left := u.leaks("Mitzi-77"); len(left) > 0 {
		t.Errorf("on the disk: %v", left)
	}
	model.takes(reply{text: "As we said."})
	u.talk(c, url, "did we choose the ballista or the catapult?")
	wantsNot(t, "without trust", model.sent()[0], "remanence-context")

	// with trust both report each turn, which is kept once
	c.args = append([]string{"exec", "--dangerously-bypass-hook-trust"}, c.args[1:]...)
	model.takes(reply{text: "I decided to grease the axle with lard instead of tar."})
	u.talk(c, url, "and what goes on the axle of the ballista?")
	wants(t, "with trust", model.sent()[0], "remanence-context", "I decided to use a ballista")
	u.keeps("lard", "--agent", c.id)
	if got := u.finds("--agent", c.id, "--kind", "decision", "lard tar axle"); len(got) != 1 {
		t.Errorf("one decision is kept as %+v", got)
	}
	u.remanence("uninstall", "--yes")
	if got := u.read(config); got != before {
		t.Errorf("after uninstall:\n%s\nwant\n%s", got, before)
	}
}
