// Orders: done at once, told in a line below, taken back with u.
import { signal } from "@preact/signals";
import { ApiError, post } from "./api";
import { s } from "../strings";

export interface Toast {
  id: number;
  text: string;
  undo?: (() => Promise<void>) | undefined;
  bad?: boolean;
}

export const toasts = signal<Toast[]>([]);
let last = 0;
let underway: Promise<unknown> = Promise.resolve(); // the newest order

export function tell(text: string, more: { undo?: (() => Promise<void>) | undefined; bad?: boolean } = {}): void {
  const t: Toast = { id: ++last, text, ...more };
  toasts.value = [...toasts.value.filter((x) => !x.undo || !t.undo).slice(-2), t];
  setTimeout(() => dismiss(t.id), t.undo ? 30_000 : t.bad ? 12_000 : 5_000);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((t) => t.id !== id);
}

/** Takes back the newest order that can be. One that is not answered yet is waited for: it is the one that is meant. */
export async function undoLast(): Promise<void> {
  await underway;
  const t = toasts.value.findLast((x) => x.undo);
  if (!t?.undo) return;
  dismiss(t.id);
  try {
    await t.undo();
    tell(s.undone);
  } catch (e) {
    tell(reason(e), { bad: true });
  }
}

/** What went wrong, in a sentence. */
export function reason(e: unknown): string {
  if (e instanceof ApiError) {
    if (e.status === 0) return s.errors.unreachable.what;
    if (e.status === 401) return s.errors.loggedOut.what;
    return e.detail || s.errors.refused;
  }
  return e instanceof Error ? e.message : String(e);
}

/**
 * Gives an order and says what became of it. undo, if there is one, is offered
 * for a while. False if it failed; that is told too.
 */
export function act(said: string, order: () => Promise<unknown>, undo?: () => Promise<unknown>): Promise<boolean> {
  const done = carryOut(said, order, undo);
  underway = done;
  return done;
}

async function carryOut(said: string, order: () => Promise<unknown>, undo?: () => Promise<unknown>): Promise<boolean> {
  try {
    await order();
  } catch (e) {
    tell(reason(e), { bad: true });
    return false;
  }
  tell(said, { undo: undo && (async () => void (await undo())) });
  return true;
}

type Verb = "forget" | "restore" | "pin" | "unpin";
const opposite: Record<Verb, Verb> = { forget: "restore", restore: "forget", pin: "unpin", unpin: "pin" };

/** Forgets, restores, pins or unpins memories, with undo. then is called after either. */
export function mark(verb: Verb, ids: string[], then: () => void): Promise<boolean> {
  const order = (v: Verb) => async () => {
    await post("mark", { verb: v, ids });
    then();
  };
  return act(s.marked[verb](ids.length === 1 ? ids[0]! : s.memories(ids.length)), order(verb), order(opposite[verb]));
}
