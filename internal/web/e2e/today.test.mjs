// What leads a person through the viewer: tabs, the command palette, a memory added, rated, or erased with others, a
// session played again.
import assert from "node:assert/strict";
import AxeBuilder from "@axe-core/playwright";
import { eye, test, w, withWorld } from "./rig.mjs";
import { violations } from "./world.mjs";

withWorld();

const axe = async (page) => (await new AxeBuilder({ page }).analyze()).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(" ")}`);
const shown = async (id) => (await w.json("show", id)).memories[0];

test("ten pages are in the navigation, and their parts are tabs", async () => {
  const { page, base, faults, context } = await eye.enter(w);
  const labels = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").locator("span:first-child").allInnerTexts();
  assert.deepEqual(labels.map((x) => x.replace(/\s*\d+$/, "")), ["Today", "Sessions", "Memories", "Injections", "Review", "Usage", "Files", "Map", "Health", "Settings"]);
  for (const [at, tabs] of [["/sessions", ["All sessions", "Recap", "Where work stands", "Handoff"]], ["/review", ["Findings", "Lines for AGENTS.md"]], ["/health", ["Checks", "Log"]]]) {
    await page.goto(base + at);
    const parts = page.getByRole("navigation", { name: "Parts of this page" });
    await parts.waitFor();
    assert.deepEqual(await parts.getByRole("link").allInnerTexts(), tabs);
    await parts.getByRole("link").last().click();
    await parts.locator("[aria-current]").filter({ hasText: tabs.at(-1) }).waitFor();
    assert.equal(await page.getByRole("navigation", { name: "Pages" }).locator("[aria-current]").getAttribute("href"), at);
  }
  assert.deepEqual(faults, []);
  await context.close();
});

for (const scheme of ["light", "dark"]) {
  test(`the palette finds pages, actions and memories by keyboard alone, ${scheme}`, async () => {
    const { page, faults, context } = await eye.enter(w, { scheme });
    await page.getByTestId("today").waitFor();
    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog", { name: "Go to" });
    await dialog.waitFor();
    await page.keyboard.type("usag");
    await dialog.getByRole("option", { name: /^Usage/ }).waitFor();
    assert.deepEqual(await axe(page), []);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("jitter");
    const hit = dialog.getByRole("option", { name: /back off with jitter/ });
    await hit.waitFor();
    await page.keyboard.press("ArrowUp"); // from the first one to the last: the search
    assert.equal(await dialog.getByRole("option", { selected: true }).innerText(), "Search memories for “jitter”");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("a memory is added, called useful and wrong, and brought back", async () => {
  const { page, base, faults, context } = await eye.enter(w);
  await page.goto(base + "/memories");
  await page.getByRole("button", { name: "Add a memory" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a memory" });
  await page.keyboard.type("we xerox the ledger every spring"); // letters that are shortcuts elsewhere
  await dialog.getByLabel("Kind").selectOption("decision");
  await dialog.getByLabel("Where").selectOption({ label: "ledger" });
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "we xerox the ledger every spring" }).waitFor();
  const id = new URL(page.url()).pathname.slice(3);
  assert.deepEqual([(await shown(id)).kind, (await shown(id)).trust], ["decision", "L3"]);
  await page.getByRole("button", { name: /^Useful/ }).click();
  await page.getByText(`Noted that ${id} was useful.`).waitFor();
  await page.getByRole("button", { name: /^Wrong/ }).click();
  await page.getByText("It is not injected and can be restored").waitFor();
  assert.equal((await shown(id)).status, "forgotten");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: /^Wrong/ }).waitFor();
  assert.equal((await shown(id)).status, "active");
  assert.deepEqual(faults, []);
  await context.close();
});

test("memories are ticked, forgotten, brought back and erased together", async () => {
  const ids = [];
  for (const what of ["colour", "weight", "price"]) ids.push((await w.json("add", `the gondola catalogue lists the ${what} of every hull`)).id);
  const { page, base, faults, context } = await eye.enter(w);
  const dialog = page.getByRole("dialog");
  await page.goto(base + "/memories?q=gondola");
  await page.getByRole("button", { name: "Forget 3 memories …" }).click();
  assert.equal((await shown(ids[0])).status, "active"); // nothing is done before it was shown
  await dialog.getByLabel("lists the weight of every hull").uncheck();
  assert.deepEqual(await axe(page), []);
  await dialog.getByRole("button", { name: "Forget 2 memories" }).click();
  await page.getByRole("button", { name: "Forget 1 memory …" }).waitFor();
  assert.deepEqual(await Promise.all(ids.map(async (id) => (await shown(id)).status)), ["forgotten", "active", "forgotten"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Forget 3 memories …" }).click();
  await dialog.getByRole("button", { name: "Forget 3 memories" }).click();
  await page.getByRole("link", { name: "Search what was forgotten, too" }).click();
  await page.getByRole("button", { name: "Restore 3 memories …" }).click();
  await dialog.getByRole("button", { name: "Restore 3 memories" }).click();
  await page.getByRole("button", { name: "Forget 3 memories …" }).waitFor();
  await page.getByRole("button", { name: "Erase 3 memories for good …" }).click();
  await page.waitForFunction(() => document.activeElement.textContent === "Cancel");
  await dialog.getByText("Erased: 3 memories and quotes.").waitFor();
  const order = dialog.getByRole("button", { name: "Erase 3 memories for good" });
  assert.equal(await order.isDisabled(), true);
  await dialog.getByLabel("Type erase to confirm").fill("erase");
  await order.click();
  await page.getByText("Nothing found.").waitFor();
  for (const id of ids) await assert.rejects(w.json("show", id));
  assert.deepEqual(faults, []);
  await context.close();
});

test("everything that mentions something is counted and erased, also prompts and titles", async () => {
  const { id } = await w.json("add", "the Zeppelin catalogue lists the price of every hull");
  const session_id = "zeppelin-1", prompt = "what does the zeppelin cost";
  await w.hook({ session_id, hook_event_name: "SessionStart", source: "startup" });
  await w.hook({ session_id, hook_event_name: "UserPromptSubmit", prompt_id: "z1", prompt });
  await w.hook({ session_id, hook_event_name: "Stop", last_assistant_message: "Ask the works." });
  await w.hook({ session_id, hook_event_name: "UserPromptSubmit", prompt_id: "z2", prompt: "Always book the zeppelin hangar before noon." });
  await w.hook({ session_id, hook_event_name: "Stop", last_assistant_message: "I will." });
  const { page, base, faults, context } = await eye.enter(w);
  let look;
  const held = new Promise((go) => { look = go; }); // as in a store that takes its time
  await page.route("**/api/v1/purge_preview", async (route) => { await held; await route.continue(); });
  await page.goto(base + "/sessions");
  await page.getByRole("link", { name: prompt }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("zeppelin");
  await page.getByRole("option", { name: /^Erase everything that mentions “zeppelin” …/ }).click();
  await page.waitForURL(base + "/memories?q=zeppelin&erase=1");
  await page.getByTestId("looking").getByRole("progressbar").waitFor();
  assert.deepEqual(await axe(page), []);
  look();
  const dialog = page.getByRole("dialog", { name: "Erase everything that mentions “zeppelin”" });
  const extent = dialog.getByTestId("extent");
  const places = await extent.locator("strong").innerText();
  for (const place of [/memor/, /prompt/, /event/, /session title/, /receipt/]) assert.match(places, place);
  await extent.getByText("the Zeppelin catalogue lists the price of every hull").waitFor();
  const { mentions: before, erased: n } = await w.json("purge", "--text", "zeppelin", "--dry-run");
  for (const { count } of before) assert.match(places, new RegExp(`\\b${count} `), "the dialog and the command count the same");
  await dialog.getByText(/a longer word that contains “zeppelin” stays/).waitFor();
  const holding = before.filter((p) => ["memories", "conversation"].includes(p.where)).reduce((sum, p) => sum + p.count, 0);
  const many = (i, one, more = one + "s") => `${i} ${i === 1 ? one : more}`;
  assert.ok(n.memories > 1 && n.events > 0 && n.turns > 0 && n.receipts > 0, JSON.stringify(n));
  const along = n.memories > holding ? `, ${n.memories - holding} of them because they hold the same text or came from the same prompt` : "";
  await extent.getByText(`Erased: ${n.memories} memories and quotes${along}.`, { exact: true }).waitFor();
  await extent.getByText(`Emptied, so that only their time stays: ${many(n.events, "event")}, ${many(n.turns, "prompt")}.`, { exact: true }).waitFor();
  await extent.getByText(`Kept without what is erased: ${many(n.receipts, "receipt")}, ${many(n.checkpoints, "checkpoint")}.`, { exact: true }).waitFor();
  await extent.getByText("Not reached").click();
  await extent.getByText("the agent's own transcripts").waitFor();
  assert.deepEqual(await axe(page), []);
  const order = dialog.getByRole("button", { name: "Erase for good" });
  assert.equal(await order.isDisabled(), true);
  await dialog.getByLabel("Type erase to confirm").fill("erase");
  await order.click();
  await page.getByText(`Erased everything that mentions “zeppelin”: ${n.memories} memories and quotes, ${many(n.events, "event")}, ${many(n.turns, "prompt")}.`, { exact: true }).waitFor();
  await page.waitForURL(base + "/memories"); // what is done is not offered again
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.getByRole("button", { name: /mentions “zeppelin”/ }).count(), 0);
  await assert.rejects(w.json("show", id));
  await page.goto(base + "/injections");
  await page.getByRole("row", { name: /\(erased\)/ }).first().waitFor(); // the row of a receipt stays, without the words
  await page.goto(base + "/sessions");
  await page.getByRole("row", { name: /\(erased\)|\(its prompt is not kept\)/ }).first().waitFor();
  assert.equal(await page.getByText("zeppelin").count(), 0);
  assert.equal(await page.getByText("[erased]").count(), 0);
  const again = await w.json("purge", "--text", "zeppelin", "--dry-run");
  assert.deepEqual([again.mentions, again.memories], [[], []]);
  await page.goto(base + "/memories?q=zeppelin&erase=1");
  await dialog.getByText("Nothing that is stored mentions “zeppelin”.").waitFor();
  assert.equal(await order.count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test("ages are the largest whole unit, as in what is injected", async () => {
  const { created } = (await w.json("search", "jitter")).results.find((m) => /back off with jitter/.test(m.title));
  const { page, base, context } = await eye.enter(w);
  const hour = 3_600_000, day = 24 * hour;
  for (const [ms, text] of [[59_000, "now"], [61_000, "1 min"], [47 * hour, "1 d"], [13.9 * day, "13 d"], [20.9 * day, "2 wk"], [60 * day, "8 wk"], [729 * day, "23 mo"], [1000 * day, "2 yr"]]) {
    await page.clock.setFixedTime(Date.parse(created) + ms);
    await page.goto(base + "/memories?q=jitter");
    await page.locator(".hits li", { hasText: "back off with jitter" }).locator("time").getByText(text, { exact: true }).waitFor();
  }
  await page.clock.setFixedTime(Date.parse(created) + 3 * day); // times of another day are longer, and cover nothing
  await page.goto(base + "/sessions/" + (await w.json("why")).session_short);
  const row = page.locator("#known li").first(), box = (part) => row.locator(part).boundingBox();
  await row.waitFor();
  const when = await box(".when"), inner = await row.locator(".when").evaluate((el) => { const r = document.createRange(); r.selectNodeContents(el); return r.getBoundingClientRect().width; });
  assert.ok(when.x + inner <= (await box(".title")).x, `${inner} pixels of text in ${when.width}`);
  await context.close();
});

test("the words of what is to be erased are asked for, from Settings, Memories and the palette", async () => {
  const { page, base, faults, context } = await eye.enter(w);
  const ask = page.getByRole("dialog", { name: "Erase everything that mentions …" });
  const ways = {
    "/settings": () => page.getByTestId("erase").getByRole("link", { name: "Erase by words …" }).click(),
    "/memories": () => page.getByRole("button", { name: "Erase by words …" }).click(),
    "/usage": async () => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("delete"); // a person may call it something else
      await page.getByRole("option", { name: /^Erase everything that mentions …/ }).click();
    },
  };
  for (const [at, open] of Object.entries(ways)) {
    await page.goto(base + at);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await open();
    await ask.getByLabel("Words").waitFor();
    await page.waitForFunction(() => document.activeElement?.closest("dialog input"));
    assert.deepEqual(await axe(page), []);
  }
  await page.goto(base + "/memories?q=jitter%20kind%3Adecision"); // words that are searched for are those
  await page.getByRole("button", { name: "Erase everything that mentions “jitter” …" }).click();
  await page.getByRole("dialog", { name: "Erase everything that mentions “jitter”" }).getByTestId("extent").waitFor();
  await page.goto(base + "/memories?erase=1");
  await ask.getByLabel("Words").waitFor();
  await page.waitForFunction(() => document.activeElement?.closest("dialog input"));
  await page.keyboard.type("we x the hovercraft");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Erase everything that mentions “we x the hovercraft”" }).getByText("Nothing that is stored mentions").waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("what needs a person counts a command that still fails, and a briefing says why and what it leaves out", async () => {
  const session_id = "failing-1", tool_use_id = "f1", command = "make walnut";
  await w.hook({ session_id, hook_event_name: "SessionStart", source: "startup" });
  await w.hook({ session_id, hook_event_name: "UserPromptSubmit", prompt_id: "f1", prompt: "please make the walnut" });
  await w.hook({ session_id, hook_event_name: "PostToolUseFailure", tool_name: "Bash", tool_use_id, tool_input: { command }, error: "Exit code 2\nmake: *** no rule to make target walnut" });
  const { page, base, faults, context } = await eye.enter(w);
  const card = page.getByRole("region", { name: "Needs you" });
  const fails = card.getByRole("link", { name: `Still fails: ${command}` });
  await fails.waitFor();
  const faulty = (await w.json("doctor").catch((e) => JSON.parse(e.stdout))).checks.filter((k) => ["fail", "warn"].includes(k.state) || (k.state === "info" && k.required && k.fix.length > 0)).length;
  assert.ok(faulty > 0, "no agent is connected here, and nothing says so");
  const { counts } = await w.json("review");
  const findings = Object.values(counts).reduce((a, b) => a + b, 0);
  const failing = (await w.json("recap", "--project", "all")).days.flatMap((d) => d.failures).filter((f) => !f.resolved && !f.fix).length;
  await page.reload(); // the page counts when it is opened: a fault that is over since would be counted
  await card.locator(".number").filter({ hasText: String(findings + failing + faulty) }).waitFor();
  let go;
  const held = new Promise((resolve) => { go = resolve; });
  await page.route("**/api/v1/health*", async (route) => { await held; await route.continue(); });
  await page.reload();
  await card.locator(".number").filter({ hasText: "…" }).waitFor(); // part of the count is no count
  await fails.waitFor();
  assert.equal(await card.locator(".number").innerText(), "…");
  go();
  await card.locator(".number").filter({ hasText: String(findings + failing + faulty) }).waitFor();
  const next = page.locator("#next"), items = next.locator("[data-row]");
  const chosen = /^(still open|your own words|one of the newest decisions|what a recent session came to|a warning or a rule of the project|found out or fixed by an agent|one of the newest, by its title only), (noted|decided|ended|learned) (just now|\d+ \w+ ago)(, used \d+×)?$/;
  for (const why of await items.getByTestId("why").allInnerTexts()) assert.match(why, chosen);
  assert.equal(await items.getByTestId("why").count(), await items.count());
  const r = await w.json("next"), left = r.candidates - r.items.length;
  assert.equal(await items.count(), r.items.length);
  // Ages in the text change its length by the minute: the page is compared with itself, and not with a later answer.
  const numbers = async (at) => (await at.innerText()).match(/\d[\d,]*/g).map((n) => Number(n.replace(",", "")));
  const [shown, total, own, , around] = await numbers(next.getByText(/tokens: [\d,]+ for items/));
  assert.deepEqual([shown, ...(await numbers(next.getByTestId("sum")))], [r.items.length, own, around]);
  assert.equal(own + around, total);
  assert.match(r.text, /\n- last request: /);
  for (const line of await next.getByTestId("state-lines").getByRole("listitem").allInnerTexts()) assert.ok(r.text.includes("- " + line), line);
  if (left) await next.getByTestId("left-out").getByText(`${left} more left out`).click();
  assert.deepEqual(await axe(page), []);
  await fails.click();
  await page.getByRole("heading", { level: 1, name: /make walnut/ }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("a prompt without an end is worked on for half an hour at most", async () => {
  const session_id = "interrupted-1", prompt = "please count the hazelnuts";
  await w.hook({ session_id, hook_event_name: "SessionStart", source: "startup" });
  await w.hook({ session_id, hook_event_name: "UserPromptSubmit", prompt_id: "i1", prompt });
  const { page, base, context } = await eye.enter(w);
  for (const [later, state] of [[0, "working"], [31 * 60_000, "silent"]]) {
    await page.clock.setFixedTime(Date.now() + later);
    await page.goto(base + "/sessions");
    await page.getByRole("row", { name: prompt }).getByText(state, { exact: true }).waitFor();
  }
  await context.close();
});

test("a session is titled by its result, stands along time, and is played again", async () => {
  const { page, base, faults, context } = await eye.enter(w);
  await page.clock.install();
  await page.goto(base + "/sessions");
  const row = page.locator("tbody tr").last();
  await row.getByText("ended", { exact: true }).waitFor();
  const title = await row.getByRole("link").innerText();
  await row.getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
  await page.locator(".states").getByText("ended", { exact: true }).waitFor();
  const asked = await page.locator(".asked q").innerText();
  assert.notEqual(asked, title);
  await page.getByTestId("lanes").getByText(/^\d\d:\d\d/).first().waitFor();
  const slider = page.getByRole("slider", { name: "Point in the session" });
  const last = Number(await slider.getAttribute("max"));
  assert.ok(last > 4, `${last + 1} events`);
  await page.clock.pauseAt(Date.now() + 60_000); // time passes only where it is said to
  const press = (name) => page.getByRole("button", { name }).evaluate((b) => b.click()); // click() would wait for a frame
  await press("Replay");
  for (let i = 0; Number(await slider.inputValue()) < 2; i++) {
    assert.ok(i < 50, "replay stands still");
    await page.clock.runFor(100);
  }
  await press("Stop");
  await page.clock.runFor(10_000);
  assert.equal(await slider.inputValue(), "2");
  await page.clock.resume();
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(faults, []);
  await context.close();
});
