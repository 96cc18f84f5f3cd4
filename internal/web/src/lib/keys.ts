// Single keys. They never fire in a dialog or a field, right after one has closed, or with a modifier, and can be switched off.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** What a key does. label stands in the help; hidden ones do not. */
export interface Key {
  key: string; // as KeyboardEvent.key, or "g s" for one after the other
  label: string;
  run: () => void;
  repeats?: boolean; // runs again while the key is held down
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

const QUIET = 500; // milliseconds without a key after which the next one is not part of the typing before it
const EXPECTED = 10_000; // milliseconds that a field may take to appear

const FIELD = "input,textarea,select,[contenteditable]:not([contenteditable=false]),[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton]";

/** What takes the keys for itself now: the open dialog, or the field that has the focus; null means the page. */
function taker(e: KeyboardEvent): Element | null {
  const field = (el: unknown): Element | null => (el instanceof Element ? el.closest(FIELD) : null);
  return document.querySelector("dialog[open]") ?? field(document.activeElement) ?? field(e.target);
}

let last: Element | null = null; // the dialog or field that took the newest key
let quiet = 0; // until when the keys after it still belong to the same typing
let began: Element | null = null; // what took the first press of the key that is held down
let forPage = false; // whether the key that is under way may be a shortcut
let ahead: { text: string; until: number } | undefined; // what is typed for a field that has not appeared yet

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

/** Says that a dialog closes: keys that follow at once were meant for it. */
export function leaveDialog(el: Element): void {
  ahead = undefined;
  last = el;
  quiet = Math.max(quiet, performance.now() + QUIET);
}

/** Adds a key to what is typed ahead; false if it is none of that. */
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
 * Decides for each key, before anything else hears of it, whose it is: that of a dialog or a field, of the page, or
 * nobody's. It is nobody's while it is held down since something else had the keys, and in the typing that went on
 * when its dialog or field disappeared.
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
let since = 0; // when it was pressed: a busy page may hear of it later

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
