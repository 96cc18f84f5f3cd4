// What changed from one text to another, by words.

export interface Piece { text: string; how: "same" | "gone" | "new" }

const MAX = 1500; // words of each side that are compared

/** The pieces of both texts in order; equal ones stand once. */
export function diff(before: string, after: string): Piece[] {
  const a = before.match(/\s+|[^\s]+/g)?.slice(0, MAX) ?? [], b = after.match(/\s+|[^\s]+/g)?.slice(0, MAX) ?? [];
  const width = b.length + 1;
  const lcs = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lcs[i * width + j] = a[i] === b[j] ? lcs[(i + 1) * width + j + 1]! + 1 : Math.max(lcs[(i + 1) * width + j]!, lcs[i * width + j + 1]!);
    }
  }
  if (lcs[0]! * 10 < 3 * (a.length + b.length)) return [{ text: before, how: "gone" }, { text: "\n", how: "same" }, { text: after, how: "new" }]; // another text: one after the other reads better
  const out: Piece[] = [];
  const add = (text: string, how: Piece["how"]): void => {
    const last = out.at(-1);
    if (last?.how === how) last.text += text;
    else out.push({ text, how });
  };
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { add(a[i]!, "same"); i++; j++; }
    else if (j >= b.length || (i < a.length && lcs[(i + 1) * width + j]! >= lcs[i * width + j + 1]!)) add(a[i++]!, "gone");
    else add(b[j++]!, "new");
  }
  return out;
}
