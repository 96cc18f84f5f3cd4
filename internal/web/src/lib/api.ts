// The daemon's API. GET reads, POST changes; errors are problem documents (RFC 9457).
import { signal } from "@preact/signals";

/** True once the daemon answered that this browser is not logged in. */
export const loggedOut = signal(false);

addEventListener("storage", (e) => { if (e.key === "login") loggedOut.value = false; });

/** The project that all pages are about: its key, or "" for all of them. */
export const project = signal(localStorage.getItem("project") ?? "");
project.subscribe((p) => localStorage.setItem("project", p));

/** An error response. status 0 means that the daemon did not answer. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly name_: string,
    readonly detail: string,
  ) {
    super(detail || name_);
  }
}

export type Params = Record<string, string | number | boolean | undefined | readonly string[]>;

/** The path of a read below /api/v1/, without empty parameters. */
export function readPath(path: string, params: Params = {}): string {
  const q = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (Array.isArray(value)) for (const v of value as readonly string[]) q.append(key, v);
    else if (value !== undefined && value !== "" && value !== false) q.set(key, String(value));
  }
  const s = q.toString();
  return "/api/v1/" + path + (s ? "?" + s : "");
}

/** Reads. signal ends the request. */
export function get<T>(path: string, params: Params = {}, abort?: AbortSignal): Promise<T> {
  const at = readPath(path, params), early = ahead.get(at);
  ahead.delete(at);
  return early ? early as Promise<T> : ask<T>(at, { signal: abort });
}

/** Reads rows of a list, page after page: an answer holds no more of them than 64 KB. */
export async function getRows<T extends object>(
  path: string, key: keyof T & string, params: Params & { limit: number }, abort?: AbortSignal,
): Promise<T> {
  const rows = (d: T): unknown[] => d[key] as unknown[];
  const all = await get<T>(path, params, abort);
  for (let last = all; rows(all).length < params.limit && left(last, rows(all).length);) {
    const had = rows(all).length;
    last = await get<T>(path, { ...params, limit: params.limit - had, offset: had }, abort);
    if (rows(last).length === 0) break;
    rows(all).push(...rows(last));
    for (const by of ["stale", "marks"] as const) Object.assign((all as Beside)[by] ??= {}, (last as Beside)[by]);
  }
  return all;
}

type Beside = { total?: number; more?: boolean; next?: string; stale?: object; marks?: object };

const left = (d: Beside, had: number): boolean => !!d.next || !!d.more || (d.total ?? 0) > had;

/** Reads text that is about to be edited: invisible characters stay as they are. */
export const getAsIs = <T>(path: string, abort?: AbortSignal): Promise<T> => ask<T>(readPath(path), { signal: abort }, null);

const ahead = new Map<string, Promise<unknown>>();

/** Starts a read that a page will need, while the page's script is still loading. */
export function readAhead(path: string, params: Params = {}): void {
  const at = readPath(path, params), answer = ask(at, {});
  answer.catch(() => undefined); // get() reports the error
  ahead.set(at, answer);
  setTimeout(() => ahead.delete(at), 3_000); // unused, and outdated by now
}

/** Discards what was read ahead, because something changed. */
export const dropAhead = (): void => ahead.clear();

/** Sends a request that changes something, or a read that is too large for a query. */
export function post<T>(name: string, body: unknown = {}, abort?: AbortSignal): Promise<T> {
  return ask<T>("/api/v1/" + name, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: abort,
  });
}

const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Replaces invisible characters, which could change how the text around them is shown. */
function shown(_: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value.replace(UNSEEN, (c) => {
    const n = c.charCodeAt(0);
    return n < 0x20 ? String.fromCharCode(0x2400 + n) : "\u2426";
  });
}

/** Reads JSON; null if a text is none. */
function parsed(text: string, as: typeof shown | null): unknown {
  try {
    return JSON.parse(text, as ?? undefined);
  } catch {
    return null;
  }
}

async function ask<T>(path: string, init: RequestInit, as: typeof shown | null = shown): Promise<T> {
  let answer: Response, text: string;
  try {
    answer = await fetch(path, { ...init, credentials: "same-origin" });
    text = await answer.text(); // fails if the request is ended, or the daemon, before all of it was sent
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw new ApiError(0, "unreachable", "");
  }
  const body = parsed(text, as);
  if (answer.ok) return body as T;
  const problem = (body ?? {}) as { error?: string; detail?: string; title?: string };
  if (answer.status === 401) loggedOut.value = true;
  throw new ApiError(answer.status, problem.error ?? "", problem.detail ?? problem.title ?? answer.statusText);
}

/**
 * Exchanges the single-use code of the address for a login. The code leaves the
 * address bar first. False if there was none, or it was no longer valid.
 */
export async function login(): Promise<boolean> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (!code) return false;
  history.replaceState(null, "", location.pathname + location.search);
  try {
    await post("login", { code });
    loggedOut.value = false;
    localStorage.setItem("login", String(Date.now())); // notifies the other tabs
    return true;
  } catch {
    return false;
  }
}
