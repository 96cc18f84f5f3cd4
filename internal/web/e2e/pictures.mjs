// Makes the pictures of the README from the built program: the viewer's first page as PNG (empty, after a day, after a month), and a terminal recording of
// "remanence demo" as an animated SVG. Also runs the commands in the README's console blocks again and replaces the
// output below them. Usage: node pictures.mjs DIRECTORY README
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Eye, World, program } from "./world.mjs";

const columns = 112, rows = 32; // of the terminal
const cell = { width: 7.8, height: 18 }, margin = 14, bar = 30; // pixels
const colours = { 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea", 90: "#8b949e" };

/** Takes terminal output apart into rows of spans {text, style}; a row has at most `columns` characters. */
export function screen(output) {
  const out = [];
  let style = {};
  for (const line of output.replace(/\n$/, "").split("\n")) {
    let row = [], used = 0;
    for (const part of line.split(/(\x1b\[[0-9;]*m)/)) {
      if (part.startsWith("\x1b[")) {
        style = restyled(style, part.slice(2, -1));
        continue;
      }
      for (let rest = [...part]; rest.length > 0;) {
        const piece = rest.splice(0, columns - used);
        row.push({ text: piece.join(""), style });
        used += piece.length;
        if (rest.length > 0) { // a terminal goes on in the next row
          out.push(row);
          row = [], used = 0;
        }
      }
    }
    out.push(row);
  }
  return out;
}

/** The style after the parameters of one SGR sequence. */
function restyled(style, parameters) {
  let next = { ...style };
  for (const p of (parameters || "0").split(";")) {
    if (p === "0") next = {};
    else if (p === "1") next.bold = true;
    else if (p === "2") next.dim = true;
    else if (colours[p]) next.colour = colours[p];
    else if (p === "22") next.bold = next.dim = false;
    else if (p === "39") next.colour = undefined;
  }
  return next;
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function svgRow(row, at) {
  const spans = row.map(({ text, style }) => {
    const fill = style.colour ?? (style.dim ? colours[90] : "");
    const attributes = (fill ? ` fill="${fill}"` : "") + (style.bold ? ' font-weight="bold"' : "");
    return attributes ? `<tspan${attributes}>${escaped(text)}</tspan>` : escaped(text);
  });
  const length = row.reduce((n, s) => n + [...s.text].length, 0);
  if (length === 0) return "";
  const width = Math.round(length * cell.width * 10) / 10;
  return `<text x="0" y="${at * cell.height + 13}" textLength="${width}" xml:space="preserve">${spans.join("")}</text>\n`;
}

/** Seconds that a row stays the last one: longer where a section ends. */
function pause(row, next) {
  const text = row.map((s) => s.text).join(""), after = next?.map((s) => s.text).join("") ?? "";
  if (!next) return 5;
  if (/^\d  /.test(after)) return 1.8;
  if (/^\d  |^\$ /.test(text)) return 1;
  if (/^ {3}\$ /.test(after)) return 1.2;
  return text === "" ? 0.1 : 0.22;
}

/** An SVG that plays the rows as a terminal shows them. Without animation it shows the rows from `still` on. */
export function recording(all, title, still) {
  const times = [0];
  all.forEach((row, i) => times.push(times[i] + pause(row, all[i + 1])));
  const total = times.at(-1);
  const cover = [], scroll = [];
  all.forEach((_, i) => {
    const percent = ((times[i] / total) * 100).toFixed(2) + "%";
    if (i < rows) cover.push(`${percent}{transform:translateY(${(i + 1) * cell.height}px)}`);
    else scroll.push(`${percent}{transform:translateY(${-(i + 1 - rows) * cell.height}px)}`);
  });
  const width = Math.ceil(columns * cell.width + 2 * margin), height = rows * cell.height + bar + margin;
  const last = Math.max(0, Math.min(still, all.length - rows));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>
text{font:13px ui-monospace,"SFMono-Regular",Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d7dce2;white-space:pre}
.scroll{transform:translateY(${-last * cell.height}px)}
.cover{transform:translateY(${rows * cell.height}px)}
@media (prefers-reduced-motion:no-preference){
.scroll{animation:scroll ${total.toFixed(1)}s step-end infinite}
.cover{animation:cover ${total.toFixed(1)}s step-end infinite}
}
@keyframes scroll{0%{transform:none}${scroll.join("")}}
@keyframes cover{${cover.join("")}}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#10141a"/>
<g fill="#3d444d"><circle cx="18" cy="15" r="5"/><circle cx="36" cy="15" r="5"/><circle cx="54" cy="15" r="5"/></g>
<svg x="${margin}" y="${bar}" width="${width - 2 * margin}" height="${rows * cell.height}">
<g class="scroll">
${all.map(svgRow).join("")}</g>
<rect class="cover" width="${width}" height="${rows * cell.height}" fill="#10141a"/>
</svg>
</svg>
`;
}

async function terminal(w, file) {
  const { stdout } = await promisify(execFile)(program, ["demo", "--fast", "--color", "always"], { env: { ...w.env, TERM: "xterm-256color" }, cwd: w.home });
  const all = screen("$ remanence demo\n\n" + stdout);
  const briefing = all.findIndex((row) => /^3  /.test(row.map((s) => s.text).join("")));
  await writeFile(file, recording(all, "A terminal recording of remanence demo", briefing));
}

/** Replaces the output in each console block of a page, which begins with "$ remanence …", by that of today. */
async function examples(w, file) {
  let page = await readFile(file, "utf8");
  for (const [block, command] of page.matchAll(/```console\n\$ (remanence [^\n]+)\n[^`]*(?:`[^`\n]+`[^`]*)*```/g)) {
    const output = await w.shell(`cd "${w.project}" && ${command} 2>/dev/null`);
    page = page.replace(block, () => "```console\n$ " + command + "\n" + output.trimEnd() + "\n```");
  }
  await writeFile(file, page);
}

async function viewer(w, file) {
  const eye = await Eye.make();
  try {
    const { page, context } = await eye.enter(w, { width: 1280, height: 980 });
    await page.locator("main h1, main h2").first().waitFor();
    await page.waitForTimeout(1500); // what is counted after the first paint
    await page.waitForFunction(() => !document.querySelector(".loading"));
    await page.screenshot({ path: file });
    await context.close();
  } finally {
    await eye.end();
  }
}

if (process.argv[1] === import.meta.filename) {
  const [dir, readme] = process.argv.slice(2);
  if (!readme) throw new Error("usage: node pictures.mjs DIRECTORY README");
  await mkdir(dir, { recursive: true });
  const w = await World.make(), month = await World.make(), empty = await World.make();
  try {
    month.afternoon();
    await month.month();
    await month.play("internal/cli/demo", "first", "second", "third");
    await viewer(month, join(dir, "today-month.png"));
    await viewer(empty, join(dir, "today-empty.png"));
    await terminal(w, join(dir, "demo.svg"));
    await w.play("internal/cli/demo", "first", "second", "third"); // as the demo does
    await examples(w, readme);
    await viewer(w, join(dir, "today-first-day.png"));
  } finally {
    for (const one of [w, month, empty]) await one.end();
  }
}
