// The viewer over 100,000 memories: every page comes, the first one soon, and
// idle tabs cost the daemon little. Times are printed; the bounds are wide.
import assert from "node:assert/strict";
import { holdings, pages } from "./pages.mjs";
import { eye, test, w, withWorld } from "./rig.mjs";
import { violations } from "./world.mjs";

const MEMORIES = Number(process.env.MEMORIES ?? 100_000);
withWorld(async () => {
  await w.fill(MEMORIES);
  await w.hook({ session_id: "big-1", hook_event_name: "SessionStart", source: "startup" });
  await w.hook({ session_id: "big-1", hook_event_name: "UserPromptSubmit", prompt_id: "b1", prompt: "how does the coupon engine round?" });
});

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

test("the first page stands soon", async () => {
  const { page, base, faults, context } = await eye.enter(w);
  const times = [];
  // On a busy machine the fastest may be a late one; a page that has too much to do is slow every time.
  while (times.length < 7 || (Math.min(...times) >= 3_000 && times.length < 20)) {
    await page.goto("about:blank");
    await page.goto(base, { waitUntil: "commit" });
    // From the request for the page until the briefing can be acted on.
    times.push(await page.evaluate(() => new Promise((done) => {
      const look = () => (document.querySelector("#next button, #next p") && document.querySelector(".feed li") ? done(performance.now()) : requestAnimationFrame(look));
      look();
    })));
  }
  console.log(`# first page interactive at ${MEMORIES} memories: ${times.map(Math.round).join(", ")} ms, median ${Math.round(median(times))}`);
  assert.ok(Math.min(...times) < 3_000);
  assert.deepEqual(faults, []);
  await context.close();
});

test("every page comes, and lists are not loaded whole", async () => {
  const { page, base, faults, context } = await eye.enter(w);
  const has = await holdings(w);
  for (const p of pages) {
    const path = p.at(has);
    if (!path) continue;
    if (p.name === "health") await page.waitForTimeout(11_000); // the checks that Today asked for are reused for ten seconds
    const began = performance.now();
    await page.goto(base + path);
    await page.locator("main h1, main .failure").first().waitFor();
    await page.waitForFunction(() => !document.querySelector(".loading"));
    console.log(`# ${path}: ${Math.round(performance.now() - began)} ms`);
    const rows = await page.locator("main [data-row]").count();
    assert.ok(rows <= 250, `${path} shows ${rows} rows`);
    assert.deepEqual(await violations(page), []);
  }
  await page.goto(base + "/memories");
  await page.locator(".hits li").nth(24).waitFor();
  assert.equal(await page.locator(".hits li").count(), 25);
  const { counts } = await w.json("status", "--project", "all");
  await page.getByRole("status").filter({ hasText: `25 shown of ${counts.memories.toLocaleString("en-US")}, newest first` }).waitFor();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.locator(".hits li").nth(49).waitFor();
  await page.goto(base + "/files");
  const files = page.locator("main a[href^='/files?path=']");
  await files.nth(99).waitFor();
  assert.equal(await files.count(), 100);
  await page.getByRole("button", { name: "More files" }).click();
  await files.nth(299).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("ten idle tabs take little of the daemon's memory", async () => {
  const { page, base, context } = await eye.enter(w);
  await page.waitForTimeout(1_000);
  const before = await w.rss();
  for (let i = 0; i < 10; i++) {
    const t = await context.newPage();
    await t.goto(base + "/sessions");
    await t.getByRole("heading", { level: 1 }).waitFor();
  }
  await page.waitForTimeout(1_000);
  const grown = (await w.rss()) - before;
  console.log(`# daemon: ${before} kB with one tab, ${grown} kB more with eleven`);
  assert.ok(grown < 40_000);
  await context.close();
});
