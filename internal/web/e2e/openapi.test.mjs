// The description of the API holds to the rules of a kept linter: every operation has a name, a summary, described
// parameters and errors, and every reference leads somewhere.
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { createConfig, lint } from "@redocly/openapi-core";

const rules = ["operation-summary", "operation-operationId", "operation-operationId-unique", "operation-4xx-response", "parameter-description", "no-unused-components", "operation-tag-defined", "tag-description", "path-parameters-defined"];

test("the description of the API passes the linter", async () => {
  const config = await createConfig({ extends: ["recommended"], rules: { ...Object.fromEntries(rules.map((r) => [r, "error"])), "info-license": "off" } });
  const found = await lint({ ref: resolve(import.meta.dirname, "../../../docs/openapi.json"), config });
  assert.deepEqual(found.map((p) => `${p.ruleId}: ${p.message} (${p.location.map((l) => l.pointer)})`), []);
});
