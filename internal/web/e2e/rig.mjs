// Skips where no browser is, which in CI is a failure.
import { before, test as nodeTest } from "node:test";
import { browserPath } from "./world.mjs";

const ci = !!process.env.CI;

export const test = (name, f) => nodeTest(name, { skip: !browserPath && !ci ? "SKIPPED: no chromium here" : false, timeout: 900_000 }, f);

before(() => {
  if (!browserPath && ci) throw new Error("no chromium: apt-get install chromium");
});
