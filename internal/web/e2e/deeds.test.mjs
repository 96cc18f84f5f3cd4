// What a person does on the pages, and what he finds after a reload.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eye, test, w, withWorld } from "./rig.mjs";
import { chord, hostile, live, violations } from "./world.mjs";

withWorld();

const add = async (text) => (await w.json("add", text)).id;
const shown = async (id) => (await w.json("show", id)).memories[0];

test("a memory is changed, pinned, hidden, taken back and restored, and each survives a reload", async () => {
  const id = await add("the tax table rounds half to even");
  const { page, base, faults, context } = await eye.enter(w);
  await page.goto(base + "/m/" + id);

  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Text").fill("the tax table rounds half up since March");
  await page.getByLabel("Scope").selectOption("user");
  await page.getByLabel("Why").fill("the accountant said so");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { level: 1, name: "rounds half up since March" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "rounds half up since March" }).waitFor();
  await page.getByText("all projects", { exact: true }).waitFor();
  await page.getByText("the accountant said so").waitFor();
  await page.locator(".diff del", { hasText: "even" }).waitFor();
  await page.locator(".diff ins", { hasText: "March" }).waitFor();

  await page.getByRole("button", { name: /^Pin/ }).click();
  await page.getByRole("button", { name: /^Unpin/ }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: /^Unpin/ }).waitFor();

  await page.getByRole("button", { name: /^Forget/ }).click();
  await page.getByText("It is not injected").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: /^Forget/ }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: /^Forget/ }).click();
  await page.getByText("It is not injected").waitFor();
  await page.reload();
  await page.getByText("It is not injected").waitFor();
  assert.equal((await shown(id)).status, "forgotten");
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("button", { name: /^Forget/ }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: /^Outdated/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Mark as outdated" }).click();
  await page.locator(".feed li", { hasText: "stale" }).waitFor(); // of its life; the message goes away by itself
  assert.equal((await shown(id)).status, "active");
  assert.deepEqual(faults, []);
  await context.close();
});

test("the next briefing is shown word for word, and an item is hidden from it", async () => {
  const { page, base, faults, context } = await eye.enter(w);
  await page.goto(base);
  await page.getByLabel("Project").selectOption({ label: "ledger" });
  const strip = (s) => s.replace(/boundary="?[^ >"]+"?/g, "").replace(/\b(now|\d+ (s|min))\b/g, "").replace(/\s+/g, " ").trim();
  const both = async () => [strip(await page.getByTestId("briefing").textContent()), strip((await w.json("next")).text)];
  let [there, here] = await both();
  for (const until = Date.now() + 60_000; there !== here && Date.now() < until;) [there, here] = await both(); // the page follows what is still digested
  assert.equal(there, here);
  const id = (await page.getByRole("button", { name: /^Forget m_/ }).first().getAttribute("aria-label")).split(" ")[1];
  assert.ok((await page.getByTestId("briefing").textContent()).includes(id));
  await page.getByRole("button", { name: "Forget " + id, exact: true }).click();
  await page.waitForFunction((x) => !document.querySelector("[data-testid=briefing]").textContent.includes(x), id);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForFunction((x) => document.querySelector("[data-testid=briefing]").textContent.includes(x), id);
  assert.deepEqual(faults, []);
  await context.close();
});

test("what is erased for good needs its id typed and is gone", async () => {
  const id = await add("a walrus to be erased");
  await w.cli("forget", id, "--yes");
  const { page, base, context } = await eye.enter(w);
  await page.goto(base + "/m/" + id);
  await page.getByRole("button", { name: "Erase for good" }).click();
  const erase = page.getByRole("dialog").getByRole("button", { name: "Erase for good" });
  assert.ok(await erase.isDisabled());
  await page.getByLabel(`Type ${id} to confirm`).fill(id);
  await erase.click();
  await page.getByRole("heading", { level: 1, name: "Memories" }).waitFor();
  await assert.rejects(w.cli("show", id));
  await context.close();
});

test("the keyboard alone finds, opens, changes and takes back", async () => {
  const id = await add("keyboards suffice for the roster desk");
  const { page, faults, context } = await eye.enter(w);
  await page.keyboard.press("/");
  await page.getByRole("searchbox").waitFor();
  await page.waitForFunction(() => document.activeElement?.id === "q");
  await page.keyboard.type("keyboards suffice e p x");
  await page.keyboard.press("Enter");
  await page.locator(".hits mark").first().waitFor(); // not the list that was there before
  await page.getByRole("link", { name: "keyboards suffice for the roster desk" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "keyboards suffice" }).waitFor();
  await page.keyboard.press("p");
  await page.getByRole("button", { name: /^Unpin/ }).waitFor();
  await page.keyboard.press("x");
  await page.getByText("It is not injected").waitFor();
  await page.keyboard.press("u");
  await page.getByRole("button", { name: /^Forget/ }).waitFor();
  await chord(page, "g", "s");
  await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.waitForTimeout(1_000); // a key that follows the closing at once is not a shortcut
  await page.keyboard.press("t");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
  await page.keyboard.press("Tab");
  const first = await page.evaluate(() => document.activeElement?.className);
  assert.equal(first, "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "main");
  assert.equal((await shown(id)).status, "active");
  assert.deepEqual(faults, []);
  await context.close();
});

/** Opens a page and does something in the very moment in which what selector names is there. */
async function atOnce(context, url, selector, act) {
  const page = await context.newPage();
  await page.addInitScript(`new MutationObserver((_, o) => {
    const el = document.querySelector(${JSON.stringify(selector)});
    if (el) { o.disconnect(); (${act})(el); }
  }).observe(document, { childList: true, subtree: true })`);
  await page.goto(url);
  return page;
}

test("what is seen can be used at once", async () => {
  const id = await add("the early bird presses a key");
  const { page: first, base, faults, context } = await eye.enter(w);
  await first.close();
  const press = (key) => `(el) => el.dispatchEvent(new KeyboardEvent("keydown", { key: "${key}", bubbles: true }))`;
  const memory = await atOnce(context, base + "/m/" + id, "article h1", press("p"));
  await memory.getByRole("button", { name: /^Unpin/ }).waitFor();
  const key = "hooks.session_start.token_budget";
  const settings = await atOnce(context, base + "/settings?find=session_start.token", `[id="set-${key}"]`, '(el) => { el.value = "77"; el.dispatchEvent(new Event("input")); }');
  await settings.getByRole("button", { name: "Save" }).click();
  await settings.getByText("file", { exact: true }).waitFor();
  assert.equal((await w.json("config", "get", key)).value, 77);
  await w.cli("config", "unset", key);
  const { session } = (await w.json("why")).receipt;
  const lanes = await atOnce(context, base + "/sessions/" + session, "[role=slider][data-testid=lanes]", press("Home"));
  await lanes.locator('[data-testid=lanes][aria-valuenow="1"]').waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("keys that come faster than a busy page takes them mean the same", async () => {
  const id = await add("a slow desk hears late");
  const { page, base, faults, context } = await eye.enter(w);
  await page.goto(base + "/m/" + id);
  await live(page);
  await page.getByRole("button", { name: /^Pin/ }).click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  let answer;
  await page.route("**/api/v1/mark", async (route) => {
    const done = await route.fetch();
    await new Promise((go) => (answer = go));
    await route.fulfill({ response: done });
  }, { times: 1 });
  await page.keyboard.press("x");
  await page.getByText("It is not injected").waitFor(); // the feed was faster than the answer
  await page.keyboard.press("u");
  while (!answer) await page.waitForTimeout(10); // the feed may be faster than the daemon's answer, too
  answer();
  await page.getByRole("button", { name: /^Forget/ }).waitFor();
  assert.equal((await shown(id)).pinned, true); // the order before the last stands

  await page.evaluate(() => addEventListener("keydown", () => { for (const end = Date.now() + 1_600; Date.now() < end;); }, { once: true }));
  await chord(page, "g", "s");
  await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

/** The path of the session that began with a prompt of these words. */
const sessionOf = (page, words) => page.evaluate(async (x) => {
  const { sessions } = await (await fetch("/api/v1/sessions?project=all&limit=200")).json();
  return "/sessions/" + sessions.find((s) => s.first_prompt.includes(x)).short;
}, words);

test("a session is replayed: the point moves by key, and what was known grows", async () => {
  const { page, base, faults, context } = await eye.enter(w);
  await page.goto(base + await sessionOf(page, "TestWebhookRetry fails"));
  const lanes = page.getByRole("slider", { name: /^Lanes/ }), at = (n) => page.locator(`[data-testid=lanes][aria-valuenow="${n}"]`);
  await lanes.focus();
  await page.keyboard.press("Home");
  await at(1).waitFor();
  await page.getByText("Nothing was known yet.").waitFor();
  await page.keyboard.press("End");
  await page.locator("#known li").nth(3).waitFor();
  const second = await eye.enter(w);
  await second.page.goto(base + await sessionOf(page, "is red again since the upgrade"));
  await second.page.locator("#known").getByRole("link", { name: /^injected at session start: \d+ items?, \d[\d,]* tokens: [\d,]+ for items \(budget 1,200\), \d+ around them/ }).click();
  await second.page.getByTestId("injected").waitFor(); // what that was
  await second.context.close();
  await page.getByRole("slider", { name: "Point in the session" }).fill("4");
  await at(5).waitFor();
  await page.getByText("All events as a table").click();
  await page.getByRole("table", { name: /Lanes of the session/ }).getByRole("row").nth(10).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("sessions and memories are narrowed down to a branch, among all of them", async () => {
  const head = join(w.project, ".git/HEAD"), file = join(w.project, "internal/ledger/tax.go");
  await writeFile(head, "ref: refs/heads/tax-rounding\n");
  const on = (event) => w.hook({ session_id: "on-a-branch", prompt_id: "b1", ...event });
  await on({ hook_event_name: "SessionStart", source: "startup" });
  await on({ hook_event_name: "UserPromptSubmit", prompt: "round each tax line half up" });
  await on({ hook_event_name: "PostToolUse", tool_name: "Edit", tool_use_id: "toolu_b1", tool_input: { file_path: file, old_string: "a", new_string: "b" }, tool_response: { filePath: file } });
  await w.cli("add", "tax lines are rounded one by one on this branch");
  await writeFile(head, "ref: refs/heads/main\n");
  for (let i = 0; i < 55; i++) await w.hook({ session_id: `later-${i}`, hook_event_name: "UserPromptSubmit", prompt_id: `l${i}`, prompt: `look at desk ${i}` });

  const { page, base, faults, context } = await eye.enter(w);
  await page.goto(base + "/sessions");
  await page.getByRole("row").nth(50).waitFor();
  assert.equal(await page.getByRole("link", { name: "round each tax line half up" }).count(), 0); // older than what is listed
  await page.getByRole("group", { name: "Branch" }).getByRole("button", { name: /^tax-rounding/ }).click();
  await page.getByRole("link", { name: "look at desk 54" }).waitFor({ state: "detached" });
  assert.equal(await page.locator("main tbody tr").count(), 1);
  await page.getByRole("link", { name: "round each tax line half up" }).click();
  await page.locator(".figures div", { hasText: "Tool calls" }).getByText("1", { exact: true }).waitFor();
  await page.goto(base + "/memories?q=branch%3Atax-rounding");
  await page.getByRole("link", { name: "tax lines are rounded one by one on this branch" }).waitFor();
  await page.getByRole("group", { name: "Branch" }).getByRole("button", { name: /^tax-rounding/, pressed: true }).waitFor();
  assert.equal(await page.getByRole("link", { name: /back off with jitter/ }).count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test("filters narrow a search, and what finds nothing says which one to drop", async () => {
  const { page, base, faults, context } = await eye.enter(w);
  await page.goto(base + "/memories");
  await page.getByTestId("examples").getByRole("link").first().click();
  await page.waitForURL(/memories\?q=./);
  await page.locator(".hits mark").first().waitFor();
  await page.goto(base + "/memories?q=retry");
  await page.locator(".hits li").first().waitFor();
  const before = await page.locator(".hits li").count();
  await page.getByTestId("facets").getByRole("button", { name: /^decision/ }).click();
  await page.waitForURL(/kind%3Adecision/);
  await page.waitForFunction((n) => document.querySelectorAll(".hits li").length < n, before);
  await page.locator(".hits mark").first().waitFor();
  await page.getByRole("searchbox").fill("zebra kind:decision file:nowhere.go");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Search without kind:decision" }).waitFor();
  await page.getByRole("link", { name: "Search without file:nowhere.go" }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("any title may be an example of a search", async () => {
  for (const text of ["1" + "\u{1f600}".repeat(20), "x".repeat(3_000), "\u65e5\u672c".repeat(60)]) await add(text);
  const { page, base, faults, context } = await eye.enter(w);
  await page.goto(base + "/memories");
  await page.getByTestId("examples").getByRole("link", { name: /^1\u{1f600}/u }).click();
  await page.waitForURL(/memories\?q=1%F0%9F%98%80/);
  await page.goto(base + "/memories");
  await page.getByTestId("examples").waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.deepEqual(faults, []);
  await context.close();
});

test("what is pinned is found however old it is, and what is stale is looked for where files are", async () => {
  await w.cli("pin", await add("the anchor of the lightship is painted every spring"));
  for (let i = 0; i < 30; i++) await add(`buoy number ${i} lies off the point`);
  const { page, base, faults, context } = await eye.enter(w);
  await page.goto(base + "/memories?q=is%3Apinned");
  await page.getByRole("link", { name: "the anchor of the lightship" }).waitFor();
  assert.equal(await page.locator(".hits").getByText("buoy").count(), 0);
  await page.goto(base + "/memories?q=is%3Astale");
  await page.getByText("one project at a time").waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("the way back leads to where a list was left", async () => {
  const { page, base, faults, context } = await eye.enter(w, { height: 300 });
  await page.goto(base + "/memories");
  const link = page.locator(".hits li").nth(8).locator("a").first();
  await link.scrollIntoViewIfNeeded();
  const y = await page.evaluate(() => scrollY);
  assert.ok(y > 0);
  await link.click();
  await page.getByTestId("provenance").waitFor();
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.goBack();
  await page.waitForFunction((at) => scrollY === at, y);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a list keeps its numbers, and what changed in a long text is shown, no more", async () => {
  const long = (word, first, last) => `three steps: ${first}\n\n3. the third\n7. the seventh\n\n1984. a year\n\n${Array.from({ length: 1_500 }, (_, i) => word + i % 10).join(" ")} ${last}`;
  const { page, base, faults, context } = await eye.enter(w);
  for (const [word, from, to] of [["", ["one", "before"], ["one", "after"]], ["seaweed-", ["before", "two"], ["after", "three"]]]) {
    const id = await add(long(word, ...from));
    await w.cli("edit", id, "--text", long(word, ...to));
    await page.goto(base + "/m/" + id);
    await page.locator(".diff").waitFor();
    assert.deepEqual([await page.locator(".diff del").allInnerTexts(), await page.locator(".diff ins").allInnerTexts()], [["before"], ["after"]]);
    assert.equal(await page.getByText("Only the beginning of the text before was kept.").count(), word ? 1 : 0);
  }
  assert.deepEqual(await page.locator(".md ol li").evaluateAll((all) => all.map((li) => li.value)), [3, 7, 1984]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("an edit changes what the person changed, and nothing else", async () => {
  const id = await add("\u05db\u05dc\u05dc\u200f (v2)\u200f one");
  const { page, base, faults, context } = await eye.enter(w);
  await page.goto(base + "/m/" + id);
  await page.getByRole("button", { name: "Edit" }).click();
  assert.equal(await page.locator("h1").evaluate((h) => getComputedStyle(h).direction), "rtl");
  assert.equal(await page.getByLabel("Text").inputValue(), "\u05db\u05dc\u05dc\u200f (v2)\u200f one"); // what nobody sees is not written over
  await w.cli("edit", id, "--text", "somebody else wrote this");
  await page.getByRole("heading", { level: 1, name: "somebody else wrote this", includeHidden: true }).waitFor();
  await page.getByLabel("Kind").selectOption("decision");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const now = await shown(id);
  assert.deepEqual([now.kind, now.title], ["decision", "somebody else wrote this"]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("older recalls stay where they are when a newer one comes", async () => {
  const ask = (n) => w.hook({ session_id: "recalls-1", hook_event_name: "UserPromptSubmit", prompt_id: "r" + n, prompt: "who oils the lock of gate " + n });
  for (let n = 0; n < 55; n++) await ask(n);
  const { page, base, faults, context } = await eye.enter(w);
  await page.goto(base + "/injections");
  await page.getByRole("link", { name: "lock of gate 54" }).waitFor();
  await page.getByRole("button", { name: "Older" }).click();
  await page.getByRole("link", { name: "lock of gate 0", exact: false }).first().waitFor();
  await ask("77 by the mill");
  await page.getByRole("link", { name: "lock of gate 77 by the mill" }).waitFor();
  for (const n of [3, 4, 5, 6]) assert.equal(await page.getByRole("link", { name: new RegExp(`gate ${n}$`) }).count(), 1, `gate ${n}`);
  assert.deepEqual(faults, []);
  await context.close();
});

test("the command of a page is a line that a shell takes as it is meant", async () => {
  const text = "the roster's $(id) price is `fixed` for the night desk";
  await w.cli("add", text, "-k", "gotcha");
  const { page, base, faults, context } = await eye.enter(w);
  const line = () => page.getByRole("button", { name: "Copy command" }).getAttribute("title");
  await page.goto(base + "/memories?q=" + encodeURIComponent("roster's $(id) `fixed` kind:gotcha after:2w"));
  await page.getByRole("link", { name: text }).waitFor();
  const asked = await line();
  assert.equal(asked, "remanence search --kind gotcha --since 2w --project all -- 'roster'\\''s $(id) `fixed`'");
  assert.ok((await w.shell(asked)).includes("night desk"));
  await page.goto(base + "/files?path=" + encodeURIComponent("a'; touch owned #\u001b[201~.go"));
  assert.equal(await line(), "remanence search --file 'a'\\''; touch owned # [201~.go' --project all");
  await page.goto(base);
  await page.getByTestId("briefing").waitFor({ state: "attached" });
  assert.ok((await w.shell(await line())).includes("BRIEFING"));
  assert.deepEqual(faults, []);
  await context.close();
});

test("hostile text stays text on every page that shows it", async () => {
  await w.hostile();
  const { page, base, faults, context } = await eye.enter(w);
  for (const path of ["/", "/sessions", "/memories", "/memories?q=onerror", "/memories?q=javascript"]) {
    await page.goto(base + path);
    await page.getByText("onerror").or(page.getByText("javascript:")).first().waitFor();
    await inert(page, path);
  }
  const { results } = await w.json("search", "javascript", "-n", "20");
  for (const r of results) {
    await page.goto(base + "/m/" + r.id);
    await page.getByTestId("provenance").waitFor();
    await inert(page, r.id);
    assert.equal(await page.locator("a[href^='javascript']").count(), 0);
  }
  assert.ok(hostile.length > 0 && results.length > 0);
  assert.deepEqual(faults, []);
  await context.close();
});

async function inert(page, where) {
  assert.doesNotMatch(await page.title(), /^owned/, where);
  assert.equal(await page.locator("main img, main script, main h1 h1").count(), 0, where);
  const text = await page.locator("body").innerText();
  assert.doesNotMatch(text, /[\u202a-\u202e\u0007\u001b]/, where);
  assert.deepEqual(await violations(page), [], where);
}

test("a code works once, and without a login nothing is shown", async () => {
  const { page, base, context } = await eye.enter(w, { login: false });
  page.lenient = true; // 401 is what is expected
  const address = await w.open();
  await page.goto(base);
  await page.getByTestId("login").waitFor();
  await page.goto(address); // only the hash is new: the page that is open logs in
  const now = page.getByRole("heading", { level: 1, name: "Today" });
  await now.waitFor();
  assert.equal(new URL(page.url()).hash, "");
  await page.reload();
  await now.waitFor();
  await context.close();
  const second = await eye.enter(w, { login: false });
  second.page.lenient = true;
  await second.page.goto(address);
  await second.page.getByText("was used already").waitFor();
  assert.equal((await second.page.locator("main").innerText()).includes("TestWebhookRetry"), false);
  await second.context.close();
});
