// Formats of numbers and times.

const zero = "0001-01-01T00:00:00Z";

/** Whether a time is set. */
export const given = (t: string | undefined): t is string => !!t && t !== zero;

const two = (n: number): string => String(n).padStart(2, "0");
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** 14:02 today, "3 Sep 14:02" this year, else "3 Sep 2025". Local, 24 hours. */
export function clock(t: string, now = new Date()): string {
  const d = new Date(t), hm = two(d.getHours()) + ":" + two(d.getMinutes());
  if (d.toDateString() === now.toDateString()) return hm;
  const day = d.getDate() + " " + months[d.getMonth()];
  return d.getFullYear() === now.getFullYear() ? day + " " + hm : day + " " + d.getFullYear();
}

/** The whole time, local, for a title. */
export function exact(t: string): string {
  const d = new Date(t);
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

const day = 86_400, month = (365 * day) / 12;
const units = [[365 * day, 730 * day, "yr"], [month, 2 * month, "mo"], [7 * day, 14 * day, "wk"], [day, day, "d"], [3600, 3600, "h"], [60, 60, "min"]] as const;

/** 40 s, 12 min, 3 h, 5 d, 3 wk, 8 mo, 2 yr: the largest whole unit, as in what is injected. */
export function span(ms: number): string {
  if (ms < 1000) return "<1 s";
  const s = ms / 1000, [size, , name] = units.find(([, from]) => s >= from) ?? [1, 0, "s"];
  return Math.floor(s / size) + " " + name;
}

/** How long ago a time was, as a span; "now" for less than a minute. */
export const age = (ms: number): string => (ms < 60_000 ? "now" : span(ms));

/** 1,204 */
export const count = (n: number): string => Math.round(n).toLocaleString("en-US");

/** 0.4 ms, 38 ms, 1.2 s */
export function ms(n: number): string {
  if (n >= 1000) return (n / 1000).toFixed(1) + " s";
  return (n >= 10 ? Math.round(n) : Math.round(n * 10) / 10) + " ms";
}

/** 812 B, 3.4 KB, 214 MB */
export function bytes(n: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) { n /= 1000; i++; }
  return (i && n < 10 ? n.toFixed(1) : Math.round(n)) + " " + units[i];
}

/** 1 memory, 2 memories */
export function many(n: number, one: string, more = one + "s"): string {
  return count(n) + " " + (n === 1 ? one : more);
}

/** A share of 0…1 as "64 %". */
export const percent = (x: number): string => Math.round(x * 100) + " %";

/** A kind as words: error_fix is "error fix". */
export const words = (s: string): string => s.replaceAll("_", " ");
