// The picture of sessions: an arc from the session that learned something to the one that used it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { eye, test, w, withWorld } from "./rig.mjs";

let memory;
withWorld(() => {});

/** One session with one turn. */
async function session(id, prompt, answer) {
  const h = (event) => w.hook({ session_id: id, prompt_id: id + "-1", ...event });
  await h({ hook_event_name: "SessionStart", source: "startup" });
  await h({ hook_event_name: "UserPromptSubmit", prompt });
  await h({ hook_event_name: "Stop", last_assistant_message: answer });
  await h({ hook_event_name: "SessionEnd", reason: "other" });
}

const until = async (ready) => {
  for (const end = Date.now() + 10_000; Date.now() < end; await new Promise((done) => setTimeout(done, 100))) {
    const got = await ready();
    if (got) return got;
  }
  throw new Error("not ready within ten seconds");
};

test("one session alone has no picture, two without a use say so", async () => {
  await session("learner", "From now on every test in this project uses the fake clock, never time.Sleep.", "Understood: the fake clock in every test.");
  memory = await until(async () => (await w.json("search", "fake clock")).results?.find((m) => m.kind === "convention"));
  const { page, faults, context } = await eye.enter(w);
  await page.getByTestId("today").waitFor();
  assert.equal(await page.getByTestId("uses").count(), 0);
  await session("reader", "what does the ledger package do?", "It keeps the accounts and posts transfers between them.");
  await page.reload();
  assert.match(await page.getByTestId("uses").innerText(), /No session has used what another one learned yet/);
  assert.deepEqual(faults, []);
  await context.close();
});

test("a use is an arc and a line of the list, and the picture is saved as SVG and as PNG", async () => {
  await session("user", "write the test of the refund", `As ${memory.id} says, the test of the refund uses the fake clock.`);
  await until(async () => (await w.json("show", memory.id)).memories[0].uses > 0);
  for (const scheme of ["light", "dark"]) {
    const { page, faults, context } = await eye.enter(w, { scheme });
    const uses = page.getByTestId("uses");
    await uses.locator("path.arc").waitFor({ state: "attached" });
    assert.equal(await uses.locator("path.arc").count(), 1);
    assert.equal(await uses.locator("circle").count(), 3);
    assert.match(await uses.getByRole("img").getAttribute("aria-label"), /^3 sessions along time.* 1 use$/);
    await uses.getByText("The same as a list").click();
    await uses.getByRole("link", { name: /fake clock, never time\.Sleep/ }).waitFor();

    const saved = async (button) => {
      const [file] = await Promise.all([page.waitForEvent("download"), uses.getByRole("button", { name: button, exact: true }).click()]);
      return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
    };
    const svg = await saved("SVG");
    assert.equal(svg.name, "remanence-sessions.svg");
    const text = svg.bytes.toString("utf8");
    assert.match(text, /What my agents’ sessions used of each other · Remanence/);
    assert.match(text, /^<svg[^>]* xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    assert.match(text, /<path[^>]* stroke="(rgb|color|oklch)\(/, "the arc has its colour without a style sheet");
    assert.doesNotMatch(text, / class="/);
    const png = await saved("PNG");
    assert.equal(png.name, "remanence-sessions.png");
    assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
    assert.ok(png.bytes.length > 2000, `${png.bytes.length} bytes`);
    const ground = await page.evaluate(async (bytes) => {
      const image = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return [...context.getImageData(9, 9, 1, 1).data];
    }, [...png.bytes]);
    assert.equal(ground[3], 255, "the picture has the ground of the page");
    assert.equal(ground[0] < 128, scheme === "dark", `the ground is ${ground}`);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test("the picture keeps its dates readable on every width", async () => {
  const { page, context } = await eye.enter(w, { width: 1440 });
  const tick = page.getByTestId("uses").locator("text.tick").first();
  await tick.waitFor();
  const height = () => tick.evaluate((el) => el.getBoundingClientRect().height);
  const wide = await height();
  for (const width of [768, 375, 320]) {
    await page.setViewportSize({ width, height: 860 });
    await page.waitForFunction((h) => Math.abs(document.querySelector("[data-testid=uses] text.tick").getBoundingClientRect().height - h) < 0.5, wide);
  }
  await context.close();
});
