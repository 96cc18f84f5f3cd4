// Changes: sent at once, reported in a message, undone with u.
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
let pending: Promise<unknown> = Promise.resolve(); // the newest change

export function showMessage(text: string, more: { undo?: (() => Promise<void>) | undefined; bad?: boolean } = {}): void {
  const t: Toast = { id: ++last, text, ...more };
  toasts.value = [...toasts.value.filter((x) => x.text !== t.text && (!x.undo || !t.undo)).slice(-1), t];
  setTimeout(() => dismiss(t.id), t.undo ? 30_000 : t.bad ? 12_000 : 5_000);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((t) => t.id !== id);
}

/** Undoes the newest change that can be undone. It first waits for a change that is not answered yet. */
export async function undoLast(): Promise<void> {
  await pending;
  const t = toasts.value.findLast((x) => x.undo);
  if (!t?.undo) return;
  dismiss(t.id);
  try {
    await t.undo();
    showMessage(s.undone);
  } catch (e) {
    showMessage(reason(e), { bad: true });
  }
}

/** Describes an error in a sentence. */
export function reason(e: unknown): string {
  if (e instanceof ApiError) {
    if (e.status === 0) return s.errors.unreachable.what;
    if (e.status === 401) return s.errors.loggedOut.what;
    return e.detail || s.errors.refused;
  }
  return e instanceof Error ? e.message : String(e);
}

/**
 * Sends a change and reports the result in a message, which may be made of the
 * answer and offers undo for a while if it is given. Returns false if the change failed.
 */
export function act<T>(message: string | ((answer: T) => string), order: () => Promise<T>, undo?: () => Promise<unknown>): Promise<boolean> {
  const done = carryOut(message, order, undo);
  pending = done;
  return done;
}

async function carryOut<T>(message: string | ((answer: T) => string), order: () => Promise<T>, undo?: () => Promise<unknown>): Promise<boolean> {
  let answer: T;
  try {
    answer = await order();
  } catch (e) {
    showMessage(reason(e), { bad: true });
    return false;
  }
  showMessage(typeof message === "string" ? message : message(answer), { undo: undo && (async () => void (await undo())) });
  return true;
}

type Verb = "forget" | "restore" | "pin" | "unpin";
const opposite: Record<Verb, Verb> = { forget: "restore", restore: "forget", pin: "unpin", unpin: "pin" };

/** Forgets, restores, pins or unpins memories, with undo. It calls then after each. */
export function mark(verb: Verb, ids: string[], then: () => void): Promise<boolean> {
  const order = (v: Verb) => async () => {
    await post("mark", { verb: v, ids });
    then();
  };
  return act(s.marked[verb](ids.length === 1 ? ids[0]! : s.memories(ids.length)), order(verb), order(opposite[verb]));
}
