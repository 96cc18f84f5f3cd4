// What a person does on the pages about recalls, cost, review and settings.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eye, test, w, withWorld } from "./rig.mjs";
import { chord, violations } from "./world.mjs";

const session = async (n, prompt, briefed = true) => {
  const id = `upkeep-${n}`;
  if (briefed) await w.hook({ session_id: id, hook_event_name: "SessionStart", source: "startup" });
  await w.hook({ session_id: id, hook_event_name: "UserPromptSubmit", prompt_id: `u${n}`, prompt });
};
withWorld(async () => {
  await w.demo();
  for (let n = 0; n < 5; n++) await session(n, "how do the retries of the webhook sender back off?");
  await session(8, "how do the retries of the webhook sender back off?", false); // what a briefing injected is not injected again
  await session(9, "write a haiku about the sea in winter");
});

const shown = async (id) => (await w.json("show", id)).memories[0];
const clean = async ({ page, faults, context }) => {
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(faults, []);
  await context.close();
};

test("a recall is found, traced, asked what if, and an item of it is forgotten and restored", async () => {
  const seen = await eye.enter(w), { page, base } = seen;
  await page.goto(base + "/injections?trigger=prompt");
  await page.getByRole("row", { name: /nothing fit/ }).first().waitFor();
  await page.getByRole("button", { name: "injected", exact: true }).click();
  await page.getByRole("row", { name: /nothing fit/ }).first().waitFor({ state: "detached" });
  await page.getByRole("link", { name: /back off/ }).first().click();
  await page.getByTestId("steps").waitFor();
  const receipt = new URL(page.url()).pathname.split("/").pop();
  const why = (await w.json("why", receipt)).receipt;
  const id = why.items.find((i) => i.id.startsWith("m_")).id;
  await page.getByTestId("injected").getByRole("link", { name: id, exact: true }).waitFor();
  await page.getByTestId("injected").getByText("What the score is made of").first().click();
  await page.getByRole("columnheader", { name: "weight" }).first().waitFor();

  const dial = page.getByLabel("Budget", { exact: true });
  await page.getByTestId("whatif").getByText("The same would be injected").waitFor();
  await page.getByTestId("whatif").getByText(`${why.items.length} item${why.items.length === 1 ? "" : "s"}, ${why.tokens} tokens.`).waitFor(); // as it was
  await dial.fill("0");
  await page.getByTestId("whatif").getByText("Would inject 0 items").waitFor();
  await page.getByRole("button", { name: "As it was" }).click();
  await page.getByTestId("whatif").getByText("The same would be injected").waitFor();
  assert.deepEqual((await w.json("why", receipt)).receipt.items.map((i) => i.id), why.items.map((i) => i.id));

  await page.getByRole("button", { name: `Forget ${id}` }).click();
  await page.getByText("now forgotten").waitFor();
  assert.equal((await shown(id)).status, "forgotten");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("now forgotten").waitFor({ state: "detached" });
  assert.equal((await shown(id)).status, "active");
  await clean(seen);
});

test("what was injected besides a search is not laid out once more", async () => {
  const seen = await eye.enter(w), { page, base } = seen;
  await page.goto(base + "/injections?trigger=command&outcome=injected");
  await page.locator("tbody tr a").first().click();
  await page.getByTestId("steps").waitFor();
  const { receipt } = await w.json("why", new URL(page.url()).pathname.split("/").pop());
  assert.ok(receipt.items.some((i) => !i.parts), "every item was found by its words");
  assert.equal(await page.getByTestId("whatif").count(), 0);
  await clean(seen);
});

test("the economy draws what stats counts, and dead weight goes in bulk", async () => {
  const seen = await eye.enter(w), { page, base } = seen;
  const stats = await w.json("stats", "--project", "all", "--days", "7");
  const spent = Object.values(stats.total.tokens).reduce((a, b) => a + b, 0);
  await page.goto(base + "/usage?days=7");
  await page.getByText(spent.toLocaleString("en-US") + " tok", { exact: true }).first().waitFor();
  const chart = page.getByRole("img", { name: /Injected tokens by trigger/ });
  await chart.waitFor();
  await page.setViewportSize({ width: 375, height: 800 });
  await page.waitForFunction((el) => el.viewBox.baseVal.width < 400, await chart.elementHandle());
  const label = await chart.locator("text").first().evaluate((el) => el.getBoundingClientRect().height);
  assert.ok(label >= 10, `labels of ${label} pixels at 375`);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByTestId("verdict").getByText(`A session cost ${Math.round((spent + stats.total.results) / stats.sessions + stats.tools_tokens).toLocaleString("en-US")} tokens on average`).waitFor();
  await page.getByTestId("verdict").getByText(new RegExp(`Over ${stats.sessions} sessions that is [\\d,]+ tokens;`)).waitFor();
  const { sessions } = await w.json("stats", "--effect", "--project", "all", "--days", "7");
  await page.getByTestId("verdict").getByText(`Injected memory was used in ${sessions.used} of the ${sessions.used + sessions.given} session`).waitFor();
  await page.getByText("As a table").click();
  const today = stats.days.at(-1);
  await page.getByRole("row", { name: new RegExp(`^${today.day}`) }).waitFor();
  await page.getByText("Formula:").waitFor();

  const dead = stats.dead.filter((d) => !d.pinned).map((d) => d.id);
  assert.ok(dead.length > 0, "nothing was injected six times");
  await page.getByLabel("Choose all").check();
  await page.getByRole("button", { name: `Forget ${dead.length}` }).click();
  await page.getByText("No dead weight").waitFor();
  assert.equal((await shown(dead[0])).status, "forgotten");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: dead[0], exact: true }).waitFor();
  assert.equal((await shown(dead[0])).status, "active");
  await clean(seen);
});

test("the next briefing marks what is injected often and never used, and nothing else", async () => {
  const { dead } = await w.json("stats", "--project", "all"), next = (await w.json("next")).items;
  const marked = next.filter((i) => i.place !== "index" && dead.some((d) => d.id === i.id)); // a title alone is no injected text
  assert.ok(marked.length > 0 && marked.length < next.length, `${marked.length} of ${next.length} are dead weight`);
  const seen = await eye.enter(w), { page } = seen;
  const rows = page.locator("#next [data-row]");
  await rows.first().waitFor();
  assert.equal(await rows.getByText("injected often, never used", { exact: true }).count(), marked.length);
  for (const { id } of marked) await rows.filter({ has: page.getByRole("link", { name: id, exact: true }) }).getByText("injected often, never used", { exact: true }).waitFor();
  await clean(seen);
});

test("a setting is previewed, saved, taken back, and survives a reload", async () => {
  const seen = await eye.enter(w), { page, base } = seen;
  const key = "hooks.session_start.token_budget";
  await page.goto(base + "/settings");
  await page.locator("nav.jump a").first().waitFor();
  const groups = await page.locator("nav.jump a").allInnerTexts();
  assert.deepEqual(groups.filter((name) => !/^[A-Z]/.test(name)), [], "groups without a name of their own");
  await page.goto(base + "/settings?find=session_start.token");
  const box = page.getByLabel(key, { exact: true });
  await box.fill("100");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByText(/next session in the project that was active last would get \d+ items?, \d+ tokens \(−/).waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("file", { exact: true }).waitFor();
  assert.equal((await w.json("config", "get", key)).value, 100);
  await page.reload();
  assert.equal(await box.inputValue(), "100");
  await page.getByRole("button", { name: "Back to default" }).click();
  await page.getByText("file", { exact: true }).waitFor({ state: "detached" });
  assert.equal((await w.json("config", "get", key)).origin, "default");
  await box.fill("many");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/not a whole number/).waitFor();

  await page.getByLabel("Project").selectOption({ label: "ledger" });
  await box.fill("60");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByText(/next session would get \d+ items?, \d+ tokens \(−/).waitFor();
  await clean({ ...seen, faults: seen.faults.filter((f) => !f.includes("400")) }); // the refusal that was asked for
});

test("a pause begins and ends, and what would be kept of a text is shown", async () => {
  const seen = await eye.enter(w), { page, base } = seen;
  await page.goto(base + "/settings");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText(/nothing is stored or injected/).first().waitFor();
  assert.equal((await w.json("status")).paused !== null, true);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("Nothing is paused.").waitFor();
  assert.equal(await page.getByRole("heading", { name: "Privacy" }).count(), 1);
  await page.getByTestId("set-privacy").getByLabel("privacy.exclude_tools", { exact: true }).waitFor();
  await page.getByLabel("Text to try").fill("we ship on Friday <private>unless it rains</private>, password=hunter2secret9");
  const kept = page.getByTestId("kept");
  await kept.getByText(/we ship on Friday/).waitFor();
  await kept.getByText(/1 private span/).waitFor();
  assert.ok(!(await kept.innerText()).includes("rains"));
  await clean(seen);
});

test("a finding of the inbox is merged, kept as it is, and taken back, by keys too", async () => {
  const first = (await w.json("add", "the ledger service rounds every tax line to whole cents before it sums them up", "-k", "fact")).id;
  const second = (await w.json("add", "the ledger service rounds every tax line to whole cents before summing them up", "-k", "fact")).id;
  const seen = await eye.enter(w), { page, base } = seen;
  await page.goto(base + "/review?rule=duplicate");
  const finding = page.getByTestId("finding").filter({ hasText: first }).filter({ hasText: second });
  await finding.getByRole("button", { name: "Merge the two" }).click();
  await finding.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  for (let tries = 0; tries < 100 && (await shown(second)).status !== "active"; tries++) await page.waitForTimeout(100);
  for (const id of [first, second]) assert.equal((await shown(id)).status, "active");
  // What was taken back is not proposed again; another pair is kept as it is.
  const third = (await w.json("add", "the payroll service sorts every wage slip by surname before it prints them all", "-k", "fact")).id;
  await w.json("add", "the payroll service sorts every wage slip by surname before printing them all", "-k", "fact");
  await page.reload();
  const other = page.getByTestId("finding").filter({ hasText: third });
  await other.getByRole("link").first().focus();
  await page.keyboard.press("x");
  await other.waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("heading", { level: 1, name: "Review" }).waitFor();
  await page.waitForFunction(() => !document.querySelector(".loading"));
  assert.equal(await finding.count(), 0);
  assert.equal(await other.count(), 0);
  await clean(seen);
});

test("files lead to what is known of them, and the state of a project to its page", async () => {
  const seen = await eye.enter(w), { page, base } = seen;
  await page.goto(base + "/files");
  await page.getByRole("link", { name: "sender.go" }).first().click();
  await page.getByRole("heading", { level: 1, name: /sender\.go$/ }).waitFor();
  await page.getByText(/back off with jitter/).first().waitFor();
  await page.getByRole("link", { name: "all files" }).click();
  await page.getByRole("button", { name: "close folder internal", exact: true }).click();
  await page.getByRole("link", { name: "sender.go" }).first().waitFor({ state: "detached" });
  await page.goto(base + "/state");
  await page.getByRole("link", { name: "ledger" }).click();
  await page.getByRole("heading", { level: 1, name: "Where work stands in ledger" }).waitFor();
  await clean(seen);
});

test("lost events are shown with what happened, why, and what to do", async () => {
  const counts = w.dir("state/remanence/spool/count");
  await mkdir(counts, { recursive: true });
  for (const [reason, of] of [["refused-stop", "x"], ["damaged", "xx"]]) await writeFile(join(counts, reason), of); // a byte for each
  const seen = await eye.enter(w), { page, base } = seen;
  const [check] = (await w.json("doctor").catch((e) => JSON.parse(e.stdout))).checks.filter((k) => k.id === "capture");
  assert.ok(check.what && check.why && check.fix.length > 0);
  await page.goto(base + "/health");
  await page.getByRole("button", { name: "Check again" }).click();
  const row = page.getByRole("table").first().getByRole("row").filter({ has: page.getByRole("cell", { name: "capture", exact: true }) });
  await row.getByText("events could not be kept REM-H014").waitFor();
  await row.getByText("why: 1 stop while the spool was full, 2 damaged in the spool").waitFor();
  for (const fix of check.fix) await row.getByText(fix).waitFor();
  await row.getByText("doctor --fix does this").waitFor();
  await w.cli("doctor", "--fix").catch(() => undefined); // other points remain
  await page.getByRole("button", { name: "Check again" }).click();
  await row.waitFor({ state: "detached" });
  await clean(seen);
});

test("health shows every check of doctor, and the log what went wrong", async () => {
  const seen = await eye.enter(w), { page, base } = seen;
  await page.goto(base + "/health");
  await page.getByRole("cell", { name: "round trip" }).waitFor();
  for (const id of ["daemon", "store", "queue", "claude.hooks"]) await page.getByRole("cell", { name: id, exact: true }).waitFor();
  const first = page.getByRole("table").first(); // what is to be done stands above what is in order
  assert.match(await first.innerText(), /^Needs you/);
  await first.getByRole("cell", { name: "claude.hooks", exact: true }).waitFor();
  await page.getByRole("img", { name: /Hook latency/ }).waitFor();
  await page.getByText("not read through").waitFor();
  await page.getByRole("button", { name: "Read all of the store too" }).click();
  await page.getByText("integrity ok").waitFor();
  await page.getByRole("button", { name: "Measure" }).click();
  await page.getByRole("cell", { name: "memories", exact: true }).waitFor();
  await chord(page, "g", "i");
  await page.getByRole("heading", { level: 1, name: "Injections" }).waitFor();
  await page.getByRole("row").nth(1).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByTestId("steps").waitFor();
  await clean(seen);
});
