// What the test files share. They skip where no browser is, which in CI is a failure.
import { after, before, test as nodeTest } from "node:test";
import { browserPath, Eye, World } from "./world.mjs";

const ci = !!process.env.CI;

export const test = (name, f) => nodeTest(name, { skip: !browserPath && !ci ? "SKIPPED: no chromium here" : false, timeout: 900_000 }, f);

before(() => {
  if (!browserPath && ci) throw new Error("no chromium: apt-get install chromium");
});

/** The world and the browser of this file's tests, while they run. */
export let w, eye;

/** Makes them before the tests, and ends them afterwards. fill puts into the world what is to be seen. */
export function withWorld(fill = () => w.demo()) {
  before(async () => {
    if (!browserPath) return;
    w = await World.make();
    await fill();
    eye = await Eye.make();
  });
  after(async () => {
    await eye?.end();
    await w?.end();
  });
}
