// Single keys. They never fire in an input or with a modifier, and can be switched off.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** What a key does. label stands in the help; hidden ones do not. */
export interface Key {
  key: string; // as KeyboardEvent.key, or "g s" for one after the other
  label: string;
  run: () => void;
}

export const keysOn = signal(localStorage.getItem("keys") !== "off");
keysOn.subscribe((on) => localStorage.setItem("keys", on ? "on" : "off"));

/** All keys that do something now; the newest of a key wins. */
export const keys = signal<Key[]>([]);

/** Keys that work while the component is shown: from the moment that it can be seen. */
export function useKeys(list: Key[]): void {
  const latest = useRef(list);
  latest.current = list;
  const shape = list.map((k) => k.key).join();
  useLayoutEffect(() => {
    const mine = latest.current.map((k, i) => ({ ...k, run: () => latest.current[i]?.run() }));
    keys.value = [...keys.peek(), ...mine];
    return () => (keys.value = keys.peek().filter((k) => !mine.includes(k)));
  }, [shape]);
}

let first = "";
let since = 0; // when it was pressed: a busy page may hear of it later

export function startKeys(): void {
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || !keysOn.value) return;
    const at = e.target as HTMLElement;
    if (at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) return;
    if (document.querySelector("dialog[open]")) return;
    if ((e.key === "Enter" || e.key === " ") && at.closest("a,button,summary,[role=slider]")) return;
    const chord = first && e.timeStamp - since < 1500 ? first + " " + e.key : "";
    first = "";
    const hit = keys.value.findLast((k) => k.key === chord) ?? keys.value.findLast((k) => k.key === e.key);
    if (hit) {
      e.preventDefault();
      hit.run();
    } else if (keys.value.some((k) => k.key.startsWith(e.key + " "))) {
      first = e.key;
      since = e.timeStamp;
    }
  });
}

/**
 * j and k walk the rows of a list, Enter and o open the row's first link. Rows
 * are the elements with the attribute data-row below the one that gets the result as its ref.
 */
export function useRows(): (el: HTMLElement | null) => void {
  const root = useRef<HTMLElement | null>(null);
  const step = (by: number): void => {
    const rows = [...(root.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const at = rows.findIndex((r) => r.contains(document.activeElement));
    const row = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1)];
    const target = row?.matches("a,button") ? row : row?.querySelector<HTMLElement>("a,button");
    target?.focus();
    row?.scrollIntoView({ block: "nearest" });
  };
  useKeys([
    { key: "j", label: "next row", run: () => step(1) },
    { key: "k", label: "previous row", run: () => step(-1) },
    {
      key: "o", label: "open row",
      run: () => (document.activeElement?.closest("[data-row]")?.querySelector<HTMLElement>("a") ?? null)?.click(),
    },
  ]);
  return useRef((el: HTMLElement | null): void => { root.current = el; }).current;
}
