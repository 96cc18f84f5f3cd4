#!/usr/bin/env node
// Runs the program of this platform, which an optional dependency of this package carries.
"use strict";
const { spawnSync } = require("node:child_process");

const name = `remanence-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/remanence${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`remanence: the package ${name} is not installed.
  why: this platform is not supported, or npm was told to leave out optional dependencies
  fix: npm install -g remanence --include=optional`);
  process.exit(1);
}
process.on("SIGINT", () => {}); // the program gets it too and decides
const run = spawnSync(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
if (run.error) {
  console.error(`remanence: ${run.error.message}`);
}
process.exit(run.status ?? 1);
