// What a receipt says besides the memories that it names.
import { count, many } from "./format";
import type { Receipt } from "./model";

/** How many memories were left out; a receipt names only the foremost. */
export const allLeftOut = (r: Receipt): number => Math.max(r.dropped?.length ?? 0, r.candidates - (r.items?.length ?? 0));

/** The tokens of the items of an injection, for which its budget is. */
export const itemTokens = (r: Receipt): number => (r.items ?? []).reduce((n, i) => n + i.tokens, 0);

/** The tokens of an injected text that belong to none of its items. */
export const otherTokens = (r: Receipt): number => Math.max(0, r.tokens - itemTokens(r));

/** What an injection holds and takes, as the command line says it. */
export function costOf(r: Receipt): string {
  const items = r.items ?? [], titles = items.filter((i) => i.place === "index").length;
  const held = many(items.length, "item") + (titles ? ` (${count(titles)} by title only)` : "");
  return `${held}, ${count(r.tokens)} tokens` + (itemTokens(r) ? `: ${count(itemTokens(r))} for items (budget ${count(r.budget)}), ${count(otherTokens(r))} around them` : "");
}

/** The lines of a briefing that stand for no item: the state of the work, and what sessions left open. */
export function stateLines(r: Receipt): string[] {
  const ids = new Set((r.items ?? []).map((i) => i.id));
  let of = "";
  return (r.text ?? "").split("\n").flatMap((line) => {
    of = /^--- (.*) ---$/.exec(line)?.[1] ?? of;
    const said = /^(CURRENT STATE|OPEN ITEMS)/.test(of) && /^- (.*)/.exec(line)?.[1];
    return said && !ids.has(said.split(",")[0]!) && !/^\d+ more left out/.test(said) ? [said] : [];
  });
}
