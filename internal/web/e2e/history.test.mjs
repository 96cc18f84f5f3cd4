// The pages on the past of a project: the recap, the lines of a file, and the lines for AGENTS.md.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import AxeBuilder from "@axe-core/playwright";
import { eye, test, w, withWorld } from "./rig.mjs";
import { violations } from "./world.mjs";

const run = promisify(execFile);
const secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
const rule = "Always use tabs for indentation.";
let key;

const git = (...args) => run("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], { cwd: w.project, env: w.env });

/** One session with one turn, which may write a file. */
async function session(id, prompt, answer, file, text) {
  const h = (event) => w.hook({ session_id: id, prompt_id: id + "-1", ...event });
  await h({ hook_event_name: "SessionStart", source: "startup" });
  await h({ hook_event_name: "UserPromptSubmit", prompt });
  if (file) {
    await mkdir(join(w.project, file, ".."), { recursive: true });
    await writeFile(join(w.project, file), text);
    await h({
      hook_event_name: "PostToolUse", tool_name: "Write", tool_use_id: id + "-t", tool_input: { file_path: join(w.project, file), content: text },
      tool_response: { type: "create", filePath: join(w.project, file), content: text },
    });
  }
  await h({ hook_event_name: "Stop", last_assistant_message: answer });
  await h({ hook_event_name: "SessionEnd", reason: "other" });
}

withWorld(async () => {
  await git("init", "-q", "-b", "main");
  await writeFile(join(w.project, "AGENTS.md"), "# Ledger\n\n- Tests run with make test.\n");
  await writeFile(join(w.project, "old.go"), "package old\n");
  await git("add", "-A");
  await git("commit", "-q", "-m", "begin");
  await session("one", "retries must not sleep: write retry.go", `I decided to wait by a timer in \`retry.go\` instead of a sleep, because a sleep with ${secret} blocks the worker.`,
    "retry.go", `package retry\n\nconst wait = 9 // <b>seconds</b>\nconst token = "${secret}"\n`);
  for (const id of ["two", "three", "four"]) await session(id, rule, "Understood.");
  for (const end = Date.now() + 20_000; Date.now() < end; await new Promise((done) => setTimeout(done, 200))) {
    if ((await w.json("propose")).lines.length > 0) break;
  }
  key = (await w.json("stats", "--effect")).project.key;
});

/** A page with the project chosen, checked for access and policy. */
async function page(path, id, options, check) {
  const { page, base, faults, context } = await eye.enter(w, options);
  await page.evaluate((k) => localStorage.setItem("project", k), key);
  await page.goto(base + path);
  const part = page.getByTestId(id);
  await part.waitFor();
  await check(part, page);
  const found = await new AxeBuilder({ page }).options({ rules: { "target-size": { enabled: true } } }).analyze();
  assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(" ")}`), [], `axe on ${path}`);
  assert.deepEqual(await violations(page), [], `policy on ${path}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${path} is ${wide} pixels too wide`);
  assert.deepEqual(faults, []);
  await context.close();
}

const looks = [{ scheme: "light" }, { scheme: "dark" }, { width: 320, height: 700 }];

test("the lines of a file name their session, prompt and reason, and no secret", async () => {
  for (const look of looks) {
    await page("/blame?path=retry.go", "blame", look, async (part) => {
      const text = await part.innerText();
      assert.match(text, /3 of 4 lines were written in a known session/);
      assert.match(text, /not committed/);
      assert.match(text, /retries must not sleep: write retry\.go/);
      assert.match(text, /wait by a timer/);
      assert.match(text, /const wait = 9 \/\/ <b>seconds<\/b>/);
      assert.doesNotMatch(text, /a1B2c3D4/);
    });
  }
  await page("/blame?path=old.go", "blame", {}, async (part) => {
    assert.match(await part.innerText(), /0 of 1 line were written in a known session[^]*begin[^]*before Remanence, or outside of an agent/);
  });
});

test("a file outside of the project and one that settings exclude are refused", async () => {
  await writeFile(join(w.project, ".env"), "A=1\n");
  for (const [path, says] of [["../../etc/hosts", /not in the project|Nothing is here/], [".env", /the settings exclude it/], ["none.go", /Nothing is here/]]) {
    const { page, base, context } = await eye.enter(w);
    page.lenient = true;
    await page.evaluate((k) => localStorage.setItem("project", k), key);
    await page.goto(base + "/blame?path=" + encodeURIComponent(path));
    await page.locator(".failure").first().waitFor();
    assert.match(await page.locator(".failure").first().innerText(), says);
    await context.close();
  }
});

test("the recap is read, copied and saved", async () => {
  for (const look of looks) {
    await page("/recap?since=7d", "recap", look, async (part, p) => {
      const text = await part.innerText();
      assert.match(text, /ledger[^]*4 sessions/);
      assert.match(text, /Decided[^]*wait by a timer/);
      assert.match(text, /Done[^]*\((committed|not committed)[^)]*\)/i);
      assert.match(text, /Files[^]*retry\.go/);
      const [file] = await Promise.all([p.waitForEvent("download"), part.getByRole("button", { name: "Save as page" }).click()]);
      assert.match(file.suggestedFilename(), /^recap-\d{4}-\d\d-\d\d\.html$/);
      const html = await readFile(await file.path(), "utf8");
      assert.match(html, /^<!doctype html>[^]*default-src 'none'[^]*<b>decided:<\/b> [^]*wait by a timer/);
    });
  }
});

test("a handoff says where the work stands, with links and commands", async () => {
  for (const look of looks) {
    await page("/handoff", "handoff", look, async (part, p) => {
      const text = await part.innerText();
      assert.match(text, /Goal[^]*asked first/i);
      assert.match(text, /Decisions[^]*wait by a timer.* a sleep with \[secret:/i);
      assert.match(text, /Take a page in/i);
      assert.doesNotMatch(text, /a1B2c3D4/);
      assert.match(await part.locator(".command code").last().innerText(), /^remanence handoff HANDOFF\.md --project \//);
      await part.getByRole("link", { name: /^m_/ }).first().click();
      await p.waitForURL(/\/m\/m_/);
      await p.goBack();
      await part.waitFor();
    });
  }
});

test("proposed lines show their evidence and the change, and nothing is written", async () => {
  const before = await readFile(join(w.project, "AGENTS.md"), "utf8");
  for (const look of looks) {
    await page("/propose", "propose", look, async (part) => {
      const text = await part.innerText();
      assert.match(text, /1 line for AGENTS\.md/i);
      assert.match(text, /said 3 times/);
      assert.match(text, /\+- Always use tabs for indentation/);
      const line = await part.locator(".command code").innerText();
      assert.match(line, /^remanence propose --project \//);
      assert.match(await w.shell(line), /1 line for AGENTS\.md/);
    });
  }
  assert.equal(await readFile(join(w.project, "AGENTS.md"), "utf8"), before);
});

test("the page on cost says what the sessions allow to say about the effect", async () => {
  for (const look of looks) {
    await page("/usage", "effect", look, async (part) => {
      await part.getByText("What it does not show").waitFor();
      const text = await part.innerText();
      assert.equal(text.match(/too few sessions to compare/g)?.length, 1); // once for all measures
      assert.match(text, /This is a comparison, not an experiment/);
    });
  }
});
