// Parses Ruby files with Ruby's own parser: node prism.mjs DIR FILE..., where DIR holds the package @ruby/prism.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [dir, ...files] = process.argv.slice(2);
const main = createRequire(join(dir, "package.json")).resolve("@ruby/prism");
const { loadPrism } = await import(pathToFileURL(main));
const parse = await loadPrism();
for (const file of files) {
  for (const error of parse(readFileSync(file, "utf8")).errors) {
    console.log(`${file}: ${error.message}`);
    process.exitCode = 1;
  }
}
