// Typing into a dialog or a field changes nothing but the field.
import assert from "node:assert/strict";
import { eye, test, w, withWorld } from "./rig.mjs";

withWorld();

const LETTERS = "we x p s x u y . t ? / g s [ ] j k o m a x"; // a space, and every key that is a shortcut somewhere
const QUIET = 1_500; // milliseconds after which a key is surely a new gesture
const add = async (text, ...more) => (await w.json("add", text, ...more)).id;
const shown = async (id) => (await w.json("show", id)).memories[0];
const pause = (ms) => new Promise((go) => setTimeout(go, ms));
const focused = (page) => page.evaluate(() => {
  const el = document.activeElement;
  return [el.tagName, el.firstChild?.nodeType === 3 ? el.firstChild.data : ""].join(" ").trim();
});

/** The state that typing must not change. */
async function state(page, id) {
  const { status, pinned, confidence } = await shown(id);
  return { status, pinned, confidence, path: new URL(page.url()).pathname, theme: await page.evaluate(() => document.documentElement.dataset.theme), keys: await page.evaluate(() => localStorage.getItem("keys")) };
}

/** Opens a memory's page; its shortcuts work once this returns. */
async function memory(id, more = {}) {
  const seen = await eye.enter(w, more);
  await seen.page.goto(seen.base + "/m/" + id);
  await seen.page.getByTestId("provenance").waitFor();
  return { ...seen, was: await state(seen.page, id) };
}

for (const slow of [0, 700]) {
  test(`text typed into the edit dialog lands in its field, also when the field comes ${slow} ms later`, async () => {
    const id = await add(`the ferry leaves at ${slow} past`);
    const { page, was, faults, context } = await memory(id);
    if (slow) await page.route("**/api/v1/memories/**", async (route) => { await pause(slow); await route.continue(); }, { times: 1 });
    await page.keyboard.press("e");
    await page.keyboard.type("we x");
    const text = page.getByLabel("Text");
    await text.waitFor();
    await page.keyboard.type(LETTERS);
    assert.equal(await text.inputValue(), `the ferry leaves at ${slow} past` + "we x" + LETTERS);
    assert.equal(await focused(page), "TEXTAREA");
    for (const field of [page.getByLabel("Kind"), page.getByLabel("Scope"), page.getByLabel("Why"), page.getByRole("button", { name: "Close" })]) {
      await field.focus();
      await page.keyboard.type("pxsuyx");
    }
    assert.equal(await page.getByLabel("Why").inputValue(), "pxsuyx");
    assert.equal(await page.getByRole("dialog").count(), 1);
    assert.deepEqual(await state(page, id), was);
    assert.deepEqual(faults, []);
    await context.close();
  });
}

test("keys that follow the closing of a dialog are not shortcuts, and focus returns to what opened it", async () => {
  const id = await add("the pilot boards at the outer buoy");
  const { page, was, faults, context } = await memory(id);
  const dialog = page.getByRole("dialog"), edit = page.getByRole("button", { name: "Edit" });
  const ways = {
    Escape: () => page.keyboard.press("Escape"),
    "Space on Close": async () => { await dialog.getByRole("button", { name: "Close" }).focus(); await page.keyboard.press(" "); },
    "Enter on Close": async () => { await dialog.getByRole("button", { name: "Close" }).focus(); await page.keyboard.press("Enter"); },
    "held Escape": async () => { for (let i = 0; i < 5; i++) await page.keyboard.down("Escape"); await page.keyboard.up("Escape"); },
    "Escape twice": async () => { await page.keyboard.press("Escape"); await page.keyboard.press("Escape"); },
    "held Enter on Close": async () => { await dialog.getByRole("button", { name: "Close" }).focus(); for (let i = 0; i < 5; i++) await page.keyboard.down("Enter"); await page.keyboard.up("Enter"); },
  };
  for (const [name, close] of Object.entries(ways)) {
    await edit.focus();
    await page.keyboard.press("Enter");
    await page.getByLabel("Text").waitFor();
    await close();
    await page.keyboard.type("xps x u");
    await pause(300);
    assert.equal(await dialog.count(), 0, name);
    assert.deepEqual(await state(page, id), was, name);
    assert.equal(await focused(page), "BUTTON Edit", name);
    await pause(QUIET);
  }
  await page.keyboard.press("x"); // a gesture of its own
  await page.getByText("It is not injected").waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test("a dialog that closes by itself while its person types on runs no shortcut", async () => {
  const id = await add("the anchor watch changes at four");
  const { page, faults, context } = await memory(id);
  let answer;
  await page.route("**/api/v1/edit", async (route) => {
    const done = await route.fetch();
    await new Promise((go) => (answer = go));
    await route.fulfill({ response: done });
  }, { times: 1 });
  await page.keyboard.press("e");
  await page.getByLabel("Text").fill("the anchor watch changes at eight");
  await page.getByLabel("Why").focus();
  await page.keyboard.type("because");
  await page.keyboard.press("Enter");
  while (!answer) await pause(20);
  answer();
  for (let i = 0; i < 20; i++) { // the dialog closes in the midst of this
    await page.keyboard.press(i % 2 ? "x" : "s");
    await pause(50);
  }
  assert.equal(await page.getByRole("dialog").count(), 0);
  const now = await shown(id);
  assert.deepEqual([now.status, now.title, now.feedback.map((f) => f.verdict).includes("stale")], ["active", "the anchor watch changes at eight", false]);
  assert.deepEqual(faults, []);
  await context.close();
});

test("the dialog that erases for good opens on Cancel, and typing there erases and restores nothing", async () => {
  const id = await add("the dredger works at night");
  await w.cli("forget", id, "--yes");
  const { page, was, faults, context } = await memory(id);
  const open = page.getByRole("button", { name: "Erase for good" }), dialog = page.getByRole("dialog");
  await open.click();
  await dialog.waitFor();
  assert.equal(await focused(page), "BUTTON Cancel");
  await page.keyboard.type("exps");
  assert.equal(await dialog.count(), 1);
  await page.keyboard.type("we x" + LETTERS); // its space is Cancel
  await dialog.waitFor({ state: "detached" });
  await pause(300);
  assert.deepEqual(await state(page, id), was);
  assert.equal(await focused(page), "BUTTON Erase for good");
  await pause(QUIET);
  await open.click();
  await page.getByLabel(`Type ${id} to confirm`).fill("we x");
  await page.keyboard.press("Enter");
  assert.equal(await dialog.count(), 1);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual(await state(page, id), was);
  assert.deepEqual(faults, []);
  await context.close();
});

test("typing into the list of keys changes nothing", async () => {
  const id = await add("the tide table hangs by the door");
  const { page, was, faults, context } = await memory(id);
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await dialog.waitFor();
  await page.keyboard.type(LETTERS);
  assert.equal(await dialog.count(), 1);
  assert.deepEqual(await state(page, id), was);
  await page.keyboard.press("Escape");
  await page.keyboard.type("x");
  await dialog.waitFor({ state: "detached" });
  await pause(300);
  assert.deepEqual(await state(page, id), was);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a shortcut that is held down runs once and types nothing", async () => {
  const id = await add("the lamp is trimmed at dusk");
  const { page, was, faults, context } = await memory(id);
  for (let i = 0; i < 4; i++) await page.keyboard.down("e");
  await page.getByLabel("Text").waitFor();
  for (let i = 0; i < 4; i++) await page.keyboard.down("e");
  await page.keyboard.up("e");
  await page.keyboard.type("e");
  assert.equal(await page.getByLabel("Text").inputValue(), "the lamp is trimmed at duske");
  await page.keyboard.press("Escape");
  await pause(QUIET);
  for (let i = 0; i < 5; i++) await page.keyboard.down("p");
  await page.keyboard.up("p");
  await page.getByRole("button", { name: /^Unpin/ }).waitFor();
  await pause(300);
  assert.deepEqual(await state(page, id), { ...was, pinned: true });
  assert.deepEqual(faults, []);
  await context.close();
});

test("no shortcut runs in a field, nor in one that is taken away while it is typed into", async () => {
  const id = await add("the harbour bell rings twice");
  const { page, was, faults, context } = await memory(id);
  const fields = [["input", {}], ["textarea", {}], ["select", {}], ["input", { type: "checkbox" }], ["div", { contenteditable: "plaintext-only" }], ["div", { role: "textbox", tabindex: "0" }]];
  for (const [tag, attributes] of fields) {
    const field = tag + " " + JSON.stringify(attributes);
    await page.evaluate(([name, all]) => {
      const el = document.createElement(name);
      for (const [k, v] of Object.entries({ id: "f", ...all })) el.setAttribute(k, v);
      document.querySelector("main").append(el);
      el.focus();
    }, [tag, attributes]);
    assert.equal(await page.evaluate(() => document.activeElement.id), "f", field);
    await page.keyboard.type("pxsux");
    await page.evaluate(() => document.getElementById("f").remove());
    await page.keyboard.type("xps x");
    await pause(200);
    assert.deepEqual(await state(page, id), was, field);
    await pause(QUIET);
  }
  const project = page.getByLabel("Project");
  await project.focus();
  await page.keyboard.type("xp");
  await pause(200);
  assert.deepEqual(await state(page, id), was);
  assert.deepEqual(faults, []);
  await context.close();
});

test("words typed right after / land in the search", async () => {
  const id = await add("the turbine under test");
  const { page, was, faults, context } = await memory(id);
  await page.route("**/assets/*.js", async (route) => { await pause(500); await route.continue(); });
  await page.keyboard.type("/turbine under x");
  const box = page.getByRole("searchbox");
  await box.waitFor();
  await page.keyboard.type(" test");
  assert.equal(await box.inputValue(), "turbine under x test");
  assert.deepEqual(await state(page, id), { ...was, path: "/memories" });
  assert.deepEqual(faults, []);
  await context.close();
});

test("a key that orders what cannot be taken back asks first, on Cancel", async () => {
  const id = await add("the crane lifts nine tons");
  const { page, base, was, faults, context } = await memory(id);
  const dialog = page.getByRole("dialog");
  await page.keyboard.press("s");
  await dialog.waitFor();
  assert.equal(await focused(page), "BUTTON Cancel");
  await page.keyboard.type("s x");
  await dialog.waitFor({ state: "detached" });
  await pause(300);
  assert.deepEqual(await state(page, id), was);
  await pause(QUIET);
  await page.keyboard.press("s");
  await dialog.getByRole("button", { name: "Mark as outdated" }).click();
  await page.locator(".feed li", { hasText: "stale" }).waitFor();
  assert.equal((await shown(id)).status, "active");

  await page.route("**/api/v1/review", (route) => route.fulfill({ json: { examined: 1, counts: { secret: 1 }, items: [{ rule: "secret", text: "a secret", accept: "take it out", actions: ["accept", "reject"], memories: [finding] }] } }));
  const finding = await shown(id);
  let orders = 0;
  await page.route("**/api/v1/resolve", (route) => { orders++; return route.fulfill({ json: { rule: "secret", action: "accept", memories: [] } }); });
  await page.goto(base + "/review");
  const item = page.getByTestId("finding");
  await item.getByRole("link").first().focus();
  await page.keyboard.press("a");
  await dialog.waitFor();
  assert.equal(await focused(page), "BUTTON Cancel");
  await page.keyboard.type("a x");
  await dialog.waitFor({ state: "detached" });
  await pause(300);
  assert.equal(orders, 0);
  await item.getByRole("button", { name: "Take the secret out" }).click();
  await dialog.getByRole("button", { name: "Take the secret out" }).click();
  await page.getByText("Accepted.").waitFor();
  assert.equal(orders, 1);
  assert.equal(await page.getByRole("button", { name: "Undo" }).count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});
