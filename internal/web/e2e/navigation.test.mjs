// Going from page to page: where the focus is, and what happens while the daemon is away.
import assert from "node:assert/strict";
import { eye, test, w, withWorld } from "./rig.mjs";

withWorld();

test("the heading of a page has the focus after navigation", async () => {
  const { page, faults, context } = await eye.enter(w);
  for (const [link, heading] of [["Sessions", "Sessions"], ["Health", "Health"], ["Settings", "Settings"]]) {
    await page.getByRole("navigation").getByRole("link", { name: link, exact: false }).click();
    await page.locator("h1:focus", { hasText: heading }).waitFor();
  }
  await page.goBack();
  await page.locator("h1:focus", { hasText: "Health" }).waitFor();
  await page.keyboard.press("/");
  await page.locator("input[type=search]:focus").waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("while the daemon is away every page opens and says so in one sentence with the command", async () => {
  const { page, context } = await eye.enter(w);
  page.lenient = true;
  await page.getByLabel("Project").selectOption({ label: "ledger" });
  await page.waitForLoadState("networkidle"); // the code of all pages is there
  await w.cli("daemon", "stop");
  await page.getByTestId("feed-state").filter({ hasText: "offline" }).waitFor();
  const parts = { Sessions: ["Recap", "Where work stands", "Handoff"], Review: ["Lines for AGENTS.md"], Health: ["Log"] };
  for (const link of ["Memories", "Injections", "Usage", "Files", "Map", "Settings", ...Object.keys(parts), "Today"]) {
    for (const name of [link, ...(parts[link] ?? [])]) {
      await page.getByRole("navigation").getByRole("link", { name: new RegExp("^" + name) }).click();
      await page.locator("h1", { hasText: name }).waitFor();
      const failure = page.locator("main .failure").first();
      await failure.waitFor();
      assert.match(await failure.innerText(), /^The daemon does not answer\.\s+remanence daemon start/, name);
    }
  }
  await w.cli("daemon", "start");
  await w.open();
  await page.locator(".failure").waitFor({ state: "detached" });
  await context.close();
});

test("a message that comes again replaces the one before it", async () => {
  const { page, context } = await eye.enter(w);
  page.lenient = true;
  await page.route("**/api/v1/pause", (route) => route.abort());
  await page.goto(new URL("/settings", page.url()).href);
  const pause = page.getByRole("button", { name: "Pause", exact: true }).first();
  for (let i = 0; i < 4; i++) await pause.click();
  await page.locator(".toast").first().waitFor();
  assert.equal(await page.locator(".toast").count(), 1);
  await context.close();
});

test("the menu of a narrow screen opens by keyboard and closes after a choice", async () => {
  const { page, faults, context } = await eye.enter(w, { width: 375, height: 700 });
  await page.getByRole("button", { name: "Menu" }).focus();
  await page.keyboard.press("Enter");
  const link = page.getByRole("navigation").getByRole("link", { name: "Review" });
  await link.waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 375, `${wide} pixels wide with the menu open`);
  const brand = await page.getByRole("link", { name: "Remanence" }).boundingBox(), box = await link.boundingBox();
  assert.ok(box.x < 20 && box.y > brand.y + brand.height, `the menu stands at ${box.x}, ${box.y}, not below the name`);
  await link.focus();
  await page.keyboard.press("Enter");
  await page.locator("h1:focus", { hasText: "Review" }).waitFor();
  assert.equal(await link.isVisible(), false);
  assert.deepEqual(faults, []);
  await context.close();
});

test("the first page says in words what the day brought, and folds small work", async () => {
  const { page, faults, context } = await eye.enter(w);
  const today = page.getByTestId("today");
  await today.waitFor();
  assert.match(await today.innerText(), /^Today your agents were given \d+ different memories and learned \d+, in \d+ sessions.*; nothing left this machine\./);
  for (const name of ["Learned", "Injected", "Used afterwards", "Needs you"]) await today.getByRole("region", { name }).waitFor();
  const { today: y } = await w.json("--project", "all");
  assert.equal(await today.getByRole("region", { name: "Learned" }).locator(".number").innerText(), String(y.kept));
  await today.getByRole("region", { name: "Learned" }).getByRole("link").first().waitFor();
  assert.equal(await page.getByTestId("briefing").isVisible(), false);
  await page.getByText("The exact text").click();
  assert.match(await page.getByTestId("briefing").innerText(), /<remanence-context/);
  await page.getByRole("link", { name: /^\d+ (commands?|changes?), \d+ (commands?|changes?)$/ }).first().waitFor();
  await today.getByRole("link", { name: `Learned: ${y.kept}` }).click(); // the figure leads to what it counts
  await page.locator(".hits li").nth(y.kept - 1).waitFor();
  assert.equal(await page.locator(".hits li").count(), y.kept);
  assert.deepEqual(faults, []);
  await context.close();
});
