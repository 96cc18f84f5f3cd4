// The syntax of the search box: words, and filters such as kind:decision.

export interface Typed {
  text: string; // the words
  filters: { key: string; value: string }[]; // in order
  unknown: string[]; // looks like a filter and is none
}

const KEYS = ["kind", "file", "tag", "agent", "branch", "after", "before", "is", "project"];
const IS = ["stale", "pinned", "open", "forgotten"];

export function parse(typed: string): Typed {
  const out: Typed = { text: "", filters: [], unknown: [] };
  const words: string[] = [];
  for (const m of typed.matchAll(/([a-z]+):"([^"]*)"|(\S+)/g)) {
    const part = /^([a-z]+):(\S+)$/.exec(m[3] ?? "");
    const key = m[1] ?? part?.[1] ?? "", value = m[2] ?? part?.[2] ?? "";
    if (key && value && KEYS.includes(key) && (key !== "is" || IS.includes(value)) && (!["after", "before"].includes(key) || moment(value))) {
      out.filters.push({ key, value });
    } else {
      if (key && value && !/^https?$/.test(key) && !value.startsWith("//")) out.unknown.push(m[0]);
      words.push(m[0]);
    }
  }
  out.text = words.join(" ");
  return out;
}

/** Converts a parsed search back to text. */
export function write(t: { text: string; filters: Typed["filters"] }): string {
  return [t.text, ...t.filters.map((f) => f.key + ":" + (/\s/.test(f.value) ? `"${f.value}"` : f.value))].filter(Boolean).join(" ");
}

/** Sets a filter, or removes it with "". */
export function withFilter(typed: string, key: string, value: string): string {
  const t = parse(typed);
  const filters = t.filters.filter((f) => f.key !== key);
  return write({ text: t.text, filters: value ? [...filters, { key, value }] : filters });
}

const units: Record<string, number> = { h: 1 / 24, d: 1, w: 7, mo: 30.44, y: 365.25 };

/** A day or an age as a time; "" if it is neither. */
export function moment(s: string, now = Date.now()): string {
  const age = /^(\d{1,4})(h|d|w|mo|y)$/.exec(s);
  if (age) return new Date(Math.floor(now / 60_000) * 60_000 - Number(age[1]) * units[age[2]!]! * 86_400_000).toISOString();
  const day = /^\d{4}-\d{2}-\d{2}$/.test(s) ? new Date(s + "T00:00:00") : null;
  return day && !Number.isNaN(day.getTime()) ? day.toISOString() : "";
}

/** The search as parameters of the API. */
export function ask(t: Typed): Record<string, string | string[] | boolean> {
  const all = (key: string): string[] => t.filters.filter((f) => f.key === key).map((f) => f.value);
  const last = (key: string): string => all(key).at(-1) ?? "";
  const is = all("is");
  return {
    text: t.text, kinds: all("kind"), file: last("file"), tags: all("tag"), agent: last("agent"), branch: last("branch"),
    after: last("after") && moment(last("after")), before: last("before") && moment(last("before")),
    open: is.includes("open"), hidden: is.includes("forgotten"),
  };
}
