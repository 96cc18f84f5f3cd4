// What changed from one text to another, by words.

export interface Piece { text: string; how: "same" | "gone" | "new" }

const MAX = 1500; // words of each side, between what both begin and end with; more of them are one

/** The pieces of both texts in order; equal ones stand once. */
export function diff(before: string, after: string): Piece[] {
  let a = before.match(/\s+|[^\s]+/g) ?? [] as string[], b = after.match(/\s+|[^\s]+/g) ?? [] as string[];
  const all = a.length + b.length;
  let from = 0, till = 0;
  while (from < Math.min(a.length, b.length) && a[from] === b[from]) from++;
  while (till < Math.min(a.length, b.length) - from && a[a.length - 1 - till] === b[b.length - 1 - till]) till++;
  const head = a.slice(0, from).join(""), tail = a.slice(a.length - till).join("");
  a = a.slice(from, a.length - till);
  b = b.slice(from, b.length - till);
  if (Math.max(a.length, b.length) > MAX) [a, b] = [[a.join("")], [b.join("")]];
  const width = b.length + 1;
  const lcs = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lcs[i * width + j] = a[i] === b[j] ? lcs[(i + 1) * width + j + 1]! + 1 : Math.max(lcs[(i + 1) * width + j]!, lcs[i * width + j + 1]!);
    }
  }
  if ((from + till + lcs[0]!) * 10 < 3 * all) return [{ text: before, how: "gone" }, { text: "\n", how: "same" }, { text: after, how: "new" }]; // another text: one after the other reads better
  const out: Piece[] = [];
  const add = (text: string, how: Piece["how"]): void => {
    if (!text) return;
    const last = out.at(-1);
    if (last?.how === how) last.text += text;
    else out.push({ text, how });
  };
  add(head, "same");
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { add(a[i]!, "same"); i++; j++; }
    else if (j >= b.length || (i < a.length && lcs[(i + 1) * width + j]! >= lcs[i * width + j + 1]!)) add(a[i++]!, "gone");
    else add(b[j++]!, "new");
  }
  add(tail, "same");
  return out;
}
