// Keyboard shortcuts. They never fire in a dialog or a field, right after one has closed, or with a modifier. They can be
// switched off.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** One shortcut. The help shows its label. */
export interface Key {
  key: string; // as KeyboardEvent.key, or "g s" for one after the other
  label: string;
  run: () => void;
  repeats?: boolean; // runs again while the key is held down
}

export const keysOn = signal(localStorage.getItem("keys") !== "off");
keysOn.subscribe((on) => localStorage.setItem("keys", on ? "on" : "off"));

/** The active shortcuts; of two for one key the newer one wins. */
export const keys = signal<Key[]>([]);

/** Shortcuts that are active while the component is visible. */
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

const QUIET = 500; // milliseconds without a key after which the next one is not part of the typing before it
const EXPECTED = 10_000; // milliseconds that a field may take to appear

const FIELD = "input,textarea,select,[contenteditable]:not([contenteditable=false]),[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton]";

/** The element that receives keys now: the open dialog or the focused field; null means the page. */
function taker(e: KeyboardEvent): Element | null {
  const field = (el: unknown): Element | null => (el instanceof Element ? el.closest(FIELD) : null);
  return document.querySelector("dialog[open]") ?? field(document.activeElement) ?? field(e.target);
}

let last: Element | null = null; // the dialog or field that received the newest key
let quiet = 0; // until then, keys belong to the same typing
let began: Element | null = null; // the element that received the first press of the held key
let forPage = false; // whether the current key may be a shortcut
let ahead: { text: string; until: number } | undefined; // typed for a field that has not appeared yet

/** Keeps what is typed from now on for the field that is about to appear. */
export function expectField(): void {
  ahead = { text: "", until: performance.now() + EXPECTED };
}

/** Focuses the field that was expected, and types into it what was typed meanwhile. */
export function enterField(el: HTMLElement | null): void {
  const text = ahead?.text;
  ahead = undefined;
  el?.focus();
  if (!text || !(el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement)) return;
  el.setRangeText(text, el.selectionStart ?? el.value.length, el.selectionEnd ?? el.value.length, "end");
  el.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText", data: text }));
}

/** Reports that a dialog closes: keys that follow at once were meant for it. */
export function leaveDialog(el: Element): void {
  ahead = undefined;
  last = el;
  quiet = Math.max(quiet, performance.now() + QUIET);
}

/** Adds a key to the text typed ahead; false if it does not belong to it. */
function typeAhead(e: KeyboardEvent): boolean {
  if (!ahead || e.timeStamp > ahead.until || e.key === "Escape") {
    ahead = undefined;
    return false;
  }
  const at = e.target as Element;
  if (at.closest(FIELD) || (e.key === " " && at.closest("a,button,summary"))) return false;
  if (e.key === "Backspace") ahead.text = [...ahead.text].slice(0, -1).join("");
  else if ([...e.key].length > 1) return false; // the name of a key, such as Enter
  else ahead.text += e.key;
  return true;
}

const gone = (el: Element): boolean => !el.checkVisibility() || el.matches(":disabled");

/**
 * Decides for each key, before other handlers run, whether a dialog or a field, the page, or nothing receives it.
 * Nothing receives a key that is held down since another element had the focus, or that continues the typing in a
 * dialog or field that disappeared.
 */
function sortKey(e: KeyboardEvent): void {
  forPage = false;
  if (/^(Shift|Control|Alt|AltGraph|Meta|CapsLock|Tab|F\d+)$/.test(e.key) || e.ctrlKey || e.metaKey || e.altKey) return;
  const at = taker(e);
  if (!e.repeat) began = at;
  const after = !at && last && e.timeStamp < quiet && gone(last);
  quiet = Math.max(quiet, e.timeStamp + QUIET);
  if (began !== at || after || typeAhead(e)) {
    e.preventDefault();
    e.stopImmediatePropagation();
  } else {
    last = at;
    forPage = !at && !e.isComposing;
  }
}

let first = "";
let since = 0; // when it was pressed: a busy page handles it later

export function startKeys(): void {
  addEventListener("keydown", sortKey, { capture: true });
  addEventListener("pointerdown", () => { last = null; ahead = undefined; }, { capture: true });
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || !forPage || !keysOn.value) return;
    const at = e.target as HTMLElement;
    if ((e.key === "Enter" || e.key === " ") && at.closest("a,button,summary,[role=slider]")) return;
    const chord = first && e.timeStamp - since < 1500 ? first + " " + e.key : "";
    if (!e.repeat) first = "";
    const hit = keys.value.findLast((k) => k.key === chord) ?? keys.value.findLast((k) => k.key === e.key);
    if (hit) {
      e.preventDefault();
      if (!e.repeat || hit.repeats) hit.run();
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
    { key: "j", label: "next row", repeats: true, run: () => step(1) },
    { key: "k", label: "previous row", repeats: true, run: () => step(-1) },
    {
      key: "o", label: "open row",
      run: () => (document.activeElement?.closest("[data-row]")?.querySelector<HTMLElement>("a") ?? null)?.click(),
    },
  ]);
  return useRef((el: HTMLElement | null): void => { root.current = el; }).current;
}
