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

test("everything about something is found, forgotten, brought back and erased", async () => {
  const ids = [];
  for (const what of ["colour", "weight", "price"]) ids.push((await w.json("add", `the zeppelin catalogue lists the ${what} of every hull`)).id);
  const { page, base, faults, context } = await eye.enter(w);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("zeppelin");
  await page.getByRole("option", { name: /^Delete everything about “zeppelin” …/ }).click();
  await page.waitForURL(base + "/memories?q=zeppelin");
  await page.getByRole("button", { name: "Forget all 3" }).click();
  await page.getByText("Nothing found.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Forget all 3" }).click();
  await page.getByRole("link", { name: "Search what was forgotten, too" }).click();
  await page.getByRole("button", { name: "Restore all 3" }).click();
  await page.getByRole("button", { name: "Forget all 3" }).waitFor();
  await page.goto(base + "/memories?q=zeppelin");
  await page.getByRole("button", { name: "Erase all 3 for good" }).click();
  const dialog = page.getByRole("dialog", { name: "Erase for good" });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Cancel");
  const order = dialog.getByRole("button", { name: "Erase for good" });
  assert.equal(await order.isDisabled(), true);
  await dialog.getByLabel("Type erase to confirm").fill("erase");
  assert.deepEqual(await axe(page), []);
  await order.click();
  await page.getByText("Nothing found.").waitFor();
  for (const id of ids) await assert.rejects(w.json("show", id));
  assert.deepEqual(faults, []);
  await context.close();
});

test("a session is titled by its result, stands along time, and is played again", async () => {
  const { page, base, faults, context } = await eye.enter(w);
  await page.clock.install();
  await page.goto(base + "/sessions");
  const row = page.locator("tbody tr").last();
  const title = await row.getByRole("link").innerText();
  await row.getByRole("link").click();
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
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
