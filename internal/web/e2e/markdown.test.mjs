// What the viewer's Markdown is read with, on texts that were made to keep it busy.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import vm from "node:vm";

const source = await readFile(new URL("../src/lib/markdown.tsx", import.meta.url), "utf8");
const inline = /const INLINE = (\/.+\/g);/.exec(source)[1];
const found = (text) => vm.runInNewContext(`[...text.matchAll(${inline})].map((m) => m[0]).join("|")`, { text }, { timeout: 20_000 });

test("code, emphasis and links are found", () => {
  assert.equal(found("a `b` ``c ` d`` **e** *f* [g](https://h.example)"), "`b`|``c ` d``|**e**|*f*|[g](https://h.example)");
});

test("marks that nothing closes are no work", () => {
  for (const mark of ["`", "` ", "`` ` ", "*", "**", "* ", "[", "[a](", "~"]) assert.equal(typeof found("x" + mark.repeat(8_000)), "string", mark);
});
