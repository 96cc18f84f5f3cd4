// What holds for every page, with nothing and with something in the store.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { holdings, pages } from "./pages.mjs";
import { test } from "./rig.mjs";
import { browserPath, Eye, violations, World } from "./world.mjs";

// Pictures of all pages, to be looked at, into the directory that SHOTS names. They prove nothing, and take their time.
const shots = process.env.SHOTS;
const shot = async (page, name) => { if (shots) await page.screenshot({ path: join(shots, name), fullPage: true }); };
const worlds = {};
let eye;

before(async () => {
  if (!browserPath) return;
  if (shots) await mkdir(shots, { recursive: true });
  worlds.empty = await World.make();
  worlds.demo = await World.make();
  await worlds.demo.demo();
  const far = worlds.demo.dir("a-project-with-a-name-" + "as-long-as-they-come-".repeat(8));
  await cp(join(worlds.demo.project, ".git"), join(far, ".git"), { recursive: true });
  await worlds.demo.hook({ session_id: "far", hook_event_name: "UserPromptSubmit", prompt_id: "f1", prompt: "is anybody here?", cwd: far });
  await worlds.demo.hostile();
  const gone = await worlds.demo.json("add", "the old gateway speaks SOAP");
  worlds.demo.forgotten = gone.id;
  await worlds.demo.cli("forget", gone.id, "--yes");
  eye = await Eye.make();
});

after(async () => {
  await eye?.end();
  for (const w of Object.values(worlds)) await w.end();
});

/** Waits until a page has loaded what it shows. */
async function settled(page) {
  await page.waitForLoadState("load");
  await page.locator("main h1, main .failure, main .empty").first().waitFor();
  await page.waitForFunction(() => !document.querySelector(".loading"));
}

// More contrast means 7:1, which axe calls enhanced. With forced colours the system's replace those of the page.
const looks = [
  ["empty", "light", {}], ["empty", "dark", { scheme: "dark" }],
  ["demo", "light", {}], ["demo", "dark", { scheme: "dark" }],
  ["demo", "light with more contrast", { contrast: "more" }], ["demo", "dark with more contrast", { scheme: "dark", contrast: "more" }],
  ["demo", "forced colours", { forcedColors: "active" }],
];
for (const [name, look, options] of looks) {
  test(`every page, ${name}, ${look}: accessible, quiet, nothing refused by the policy`, async () => {
    const w = worlds[name];
    const { page, base, faults, context } = await eye.enter(w, options);
    const rules = { "target-size": { enabled: true }, "color-contrast-enhanced": { enabled: options.contrast === "more" } };
    const has = name === "demo" ? await holdings(w) : { session: "", memory: "", receipt: "", file: "", project: "" };
    for (const p of pages) {
      const path = p.at(has);
      if (!path) continue;
      await page.goto(base + path);
      await settled(page);
      const found = await new AxeBuilder({ page }).options({ rules }).analyze();
      assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(" ")}`), [], `axe on ${path}`);
      assert.deepEqual(await violations(page), [], `policy on ${path}`);
      await shot(page, `${p.name.replaceAll(" ", "-")}-${name}-${look.replaceAll(" ", "-")}.png`);
    }
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("with forced colours the page that is open stays marked", async () => {
  const { page, context } = await eye.enter(worlds.demo, { forcedColors: "active" });
  const edge = (which) => page.locator(`.side nav a${which}`).first().evaluate((a) => getComputedStyle(a).borderLeftColor);
  assert.notEqual(await edge("[aria-current]"), await edge(":not([aria-current])"));
  await context.close();
});

// 720 pixels are 1440 at 200 % zoom.
const widths = [1440, 1024, 768, 720, 600, 375, 320];

test(`every page fits ${widths.join(", ")} pixels without scrolling sideways`, async () => {
  const { page, base, faults, context } = await eye.enter(worlds.demo, { width: 390, height: 844 });
  const has = await holdings(worlds.demo);
  await page.goto(base + "/injections?trigger=session_start");
  const briefing = await page.locator('tbody tr a[href*="/r_"]').last().getAttribute("href");
  const early = { name: "early briefing", at: () => briefing }; // there is more to tell now
  for (const p of [...pages, early]) {
    const path = p.at(has);
    if (!path) continue;
    await page.goto(base + path);
    await settled(page);
    if (p === early) await page.getByTestId("whatif").first().waitFor(); // the section, then what is in it
    for (const width of widths) {
      await page.setViewportSize({ width, height: 844 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${path} is ${wide} pixels wide at ${width}`);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await shot(page, `${p.name.replaceAll(" ", "-")}-390.png`);
  }
  assert.deepEqual(faults, []);
  await context.close();
});

test("every route of the viewer is among these pages", async () => {
  const source = await readFile(join(import.meta.dirname, "../src/routes.ts"), "utf8");
  const has = { session: "s", memory: "m", receipt: "r", file: "f", project: "p" };
  const visited = pages.map((p) => new URL(p.at(has) || "/", "http://viewer").pathname);
  for (const [, path] of source.matchAll(/\{ path: "([^"]+)"/g)) {
    const at = new RegExp("^" + path.replace(/:\w+/g, "[^/]+") + "$");
    assert.ok(visited.some((v) => at.test(v)), `${path} is not visited`);
  }
});

test("axe is not blind here: seeded faults are found under the policy", async () => {
  const { page, context } = await eye.enter(worlds.empty);
  await page.evaluate(() => document.querySelector("main").append(document.createElement("img"), document.createElement("button")));
  const found = (await new AxeBuilder({ page }).analyze()).violations.map((v) => v.id);
  assert.ok(found.includes("image-alt") && found.includes("button-name"), `found ${found}`);
  await context.close();
});
