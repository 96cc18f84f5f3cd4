// Every dialog of the viewer: accessible as it opens and once something is typed into it, and typing there changes
// nothing but its fields.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { eye, test, w, withWorld } from "./rig.mjs";
import { violations } from "./world.mjs";

withWorld();

const KEYS = "wexpsxuy.t?/gs[]jkomax"; // every key that is a shortcut somewhere; a space would press the button that has the focus
const button = (name, nth = 0) => (page) => page.getByRole("button", { name }).nth(nth).click();
const key = (k) => async (page) => { await page.locator("h1").first().waitFor(); await page.keyboard.press(k); };

/** The dialogs: from is the source that has them, at the page, open what opens one there, ready what it shows in the end. */
const dialogs = [
  { name: "palette", from: "ui/palette.tsx", at: () => "/", open: key("Control+k"), ready: "[role=option]" },
  { name: "keys", from: "ui/shell.tsx", at: () => "/", open: key("?"), ready: "dl" },
  { name: "add", from: "pages/memories.tsx", at: () => "/memories?add=1", ready: "select option:nth-child(3)" },
  { name: "erase which words", from: "pages/memories.tsx", at: () => "/memories?erase=1", ready: "input" },
  { name: "erase words", from: "pages/memories.tsx", at: () => "/memories?erase=1&q=wharf", ready: "[data-testid=extent] li" },
  { name: "erase words that nothing holds", of: "erase words", at: () => "/memories?erase=1&q=zebra", ready: "p[aria-live]" },
  { name: "forget several", from: "pages/memories.tsx", at: () => "/memories?q=wharf", open: button(/^Forget .*…/), ready: "fieldset li" },
  { name: "restore several", of: "forget several", at: () => "/memories?q=wharf+is%3Aforgotten", open: button(/^Restore .*…/), ready: "fieldset li" },
  { name: "erase several", of: "forget several", at: () => "/memories?q=wharf", open: button(/^Erase .*…/), ready: "[data-testid=extent] li" },
  { name: "edit", from: "pages/memory.tsx", at: (s) => "/m/" + s.kept, open: button("Edit"), ready: "textarea" },
  { name: "outdated", from: "pages/memory.tsx", at: (s) => "/m/" + s.kept, open: button(/^Outdated/), ready: "[data-cancel]" },
  { name: "erase one", from: "pages/memory.tsx", at: (s) => "/m/" + s.forgotten, open: button("Erase for good"), ready: "[data-testid=extent] li" },
  { name: "secret", from: "pages/review.tsx", at: () => "/review", prepare: secret, open: button("Take the secret out"), ready: "[data-cancel]" },
];

/** A finding about a secret, which no store has: they are taken out before they are stored. */
async function secret(page, has) {
  const memories = [await shown(has.kept)];
  await page.route("**/api/v1/review*", (route) => route.fulfill({ json: {
    examined: 1, counts: { secret: 1 }, items: [{ rule: "secret", text: "a secret", accept: "take it out", actions: ["accept", "reject"], memories }],
  } }));
}

const shown = async (id) => (await w.json("show", id)).memories[0];
const add = async (text) => (await w.json("add", text)).id;

async function holding() {
  const has = { kept: await add("the wharf crane lifts nine tons"), other: await add("the wharf gate opens at six"), forgotten: await add("the wharf lamp is dark") };
  await w.cli("forget", has.forgotten, "--yes");
  return has;
}

/** What typing must not change. */
const state = async (page, has) => ({
  path: page.url(), look: await page.evaluate(() => [document.documentElement.dataset.theme, localStorage.getItem("keys"), document.querySelector("[data-testid=feed-state]").textContent]),
  memories: await Promise.all(Object.values(has).map(async (id) => { const { status, pinned, confidence, title } = await shown(id); return { status, pinned, confidence, title }; })),
});

async function accessible(page, when) {
  const found = await new AxeBuilder({ page }).options({ rules: { "target-size": { enabled: true } } }).analyze();
  assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(" ")}`), [], `axe, ${when}`);
  assert.deepEqual(await violations(page), [], `policy, ${when}`);
}

for (const [look, options] of [["light", {}], ["dark", { scheme: "dark" }], ["light and narrow", { width: 320, height: 700 }], ["light, a small screen at 200 % zoom", { width: 1280, height: 720, zoom: 2 }]]) {
  test(`every dialog, ${look}: accessible, and typing changes only its fields`, async () => {
    const has = await holding();
    const { page, base, faults, context } = await eye.enter(w, options);
    for (const d of dialogs) {
      const when = `${d.name}, ${look}`;
      await d.prepare?.(page, has);
      await page.goto(base + d.at(has));
      await page.waitForFunction(() => !document.querySelector("main .loading"));
      await d.open?.(page);
      const dialog = page.getByRole("dialog");
      await dialog.locator(d.ready).first().waitFor({ state: "attached" });
      await page.waitForFunction(() => !document.querySelector("dialog .loading"));
      const wide = await page.evaluate(() => Math.max(document.documentElement.scrollWidth - innerWidth, ...[...document.querySelectorAll("dialog")].map((x) => x.scrollWidth - x.clientWidth)));
      assert.ok(wide <= 0, `${when} is ${wide} pixels too wide`);
      const box = await dialog.boundingBox(), room = page.viewportSize();
      assert.ok(box.y >= 0 && box.y + box.height <= room.height, `${when} stands from ${box.y} to ${box.y + box.height} of ${room.height}`);
      await accessible(page, when);
      const before = await state(page, has);
      await page.keyboard.type(KEYS);
      const fields = dialog.locator("textarea, input[type=text]");
      for (let i = 0; i < await fields.count(); i++) {
        await fields.nth(i).fill("");
        await fields.nth(i).pressSequentially("we x " + KEYS);
        assert.equal(await fields.nth(i).inputValue(), "we x " + KEYS, when);
      }
      const selects = dialog.locator("select");
      for (let i = 0; i < await selects.count(); i++) await selects.nth(i).press("p");
      for (const summary of await dialog.locator("summary").all()) await summary.click();
      assert.equal(await dialog.count(), 1, when);
      await accessible(page, when + ", typed into");
      assert.deepEqual(await state(page, has), before, when);
      const confirm = /^Type (\S+) to confirm/.exec(await dialog.locator("label", { hasText: "to confirm" }).first().textContent({ timeout: 50 }).catch(() => ""))?.[1];
      if (confirm) {
        await fields.last().fill(confirm); // the button that erases can be pressed now
        await dialog.locator("button[type=submit]:enabled").waitFor();
        await accessible(page, when + ", confirmed");
      }
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      assert.deepEqual((await state(page, has)).memories, before.memories, when);
      await page.unrouteAll();
    }
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("every dialog of the sources is among these", async () => {
  const src = join(import.meta.dirname, "../src");
  const there = {}, here = {};
  for (const file of (await readdir(src, { recursive: true })).filter((f) => f.endsWith(".tsx") && f !== join("ui", "dialog.tsx"))) {
    const n = (await readFile(join(src, file), "utf8")).match(/<(Dialog|Confirm|dialog)\b|showModal|popover/g)?.length;
    if (n) there[file] = n;
  }
  for (const d of dialogs) if (d.from) here[d.from] = (here[d.from] ?? 0) + 1;
  assert.deepEqual(here, there);
});
