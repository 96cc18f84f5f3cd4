// The live feed: one event stream for all tabs of a browser. The tab that holds
// the lock "remanence-feed" owns the stream and repeats it on the channel of the
// same name; the others listen. When it closes, the next one leads.
import { signal } from "@preact/signals";
import { dropAhead, loggedOut } from "./api";

/** What happened. type is the event's name, data what came with it. */
export interface Live {
  id: number;
  type: string;
  at?: string;
  project?: string;
  session?: string;
  [more: string]: unknown;
}

export type FeedState = "connecting" | "live" | "offline";

/** How the feed does. */
export const feedState = signal<FeedState>("connecting");
/** While true nothing is taken over into lists. */
export const paused = signal(false);
/** True in the tab that owns the stream. */
export const leading = signal(false);

const NAME = "remanence-feed";
const BEAT = 5_000; // ms between two signs of life of the leader
const SILENCE = 15_000; // ms without one until the feed counts as offline
const POLL = 10_000; // ms between two looks while it does

const TYPES = [
  "new_prompt", "new_observation", "new_summary", "processing_status", "session_completed", "changed", "resync",
];

type Listener = (e: Live) => void;
const listeners = new Set<Listener>();
let lastID = 0;
let heard = Date.now();
let asked = false; // for a sign of life, and there was none since

/** Calls f with every event, and with {type: "resync"} where some were missed. Returns the way out. */
export function onLive(f: Listener): () => void {
  listeners.add(f);
  return () => listeners.delete(f);
}

function give(e: Live): void {
  if (e.id) {
    if (e.id <= lastID && e.type !== "resync") return;
    lastID = e.id; // after a resync it may be lower: the clock that a worker counts from was set back
  }
  dropAhead();
  for (const f of [...listeners]) f(e);
}

const resync = (): void => give({ id: 0, type: "resync" });

/** Pauses, or goes on: then what was held back is loaded. */
export function togglePause(): void {
  paused.value = !paused.value;
  if (!paused.value) resync();
}

type Said = { event: Live } | { beat: FeedState; id: number } | { ask: true };

/** Starts the feed of this tab; it lasts as long as the tab. */
export function startFeed(): void {
  const channel = "BroadcastChannel" in window ? new BroadcastChannel(NAME) : null;
  const say = (s: Said): void => channel?.postMessage(s);
  if (!channel || !navigator.locks) {
    poll(() => true);
    return;
  }
  channel.onmessage = ({ data }: MessageEvent<Said>) => {
    if ("ask" in data) {
      if (leading.value) say({ beat: feedState.value, id: lastID });
      return;
    }
    if (leading.value) return;
    heard = Date.now();
    asked = false;
    if ("event" in data) give(data.event);
    else {
      const back = feedState.value === "offline" && data.beat === "live";
      feedState.value = data.beat;
      if (back || (lastID && data.id > lastID)) resync();
      lastID = Math.max(lastID, data.id);
    }
  };
  void navigator.locks.request(NAME, () => lead(say));
  const ask = (): boolean => {
    const before = asked;
    asked = true;
    say({ ask: true });
    return before;
  };
  // A browser lets the clock of a tab that nobody sees go slow, but not its ear: who is silent is asked first.
  poll(() => !leading.value && Date.now() - heard > SILENCE && ask());
  ask();
}

/** Holds the stream until the tab is gone. */
function lead(say: (s: Said) => void): Promise<never> {
  leading.value = true;
  let source: EventSource | null = null;
  let wait = 500;
  let lost = false;
  const state = (s: FeedState): void => {
    feedState.value = s;
    say({ beat: s, id: lastID });
  };
  const open = (): void => {
    if (loggedOut.value) {
      state("offline");
      const stop = loggedOut.subscribe((out) => {
        if (out) return;
        queueMicrotask(() => stop());
        open();
      });
      return;
    }
    source = new EventSource("/api/v1/events" + (lastID ? "?after=" + lastID : ""));
    const missed = (): void => {
      lost = false;
      resync();
      say({ event: { id: 0, type: "resync" } });
    };
    source.onopen = () => {
      wait = 500;
      state("live");
    };
    source.onerror = () => {
      source?.close();
      lost = true;
      state("offline");
      void fetch("/api/v1/status", { credentials: "same-origin" }).then(
        (r) => { if (r.status === 401) loggedOut.value = true; },
        () => undefined,
      );
      setTimeout(open, wait);
      wait = Math.min(wait * 2, 4_000);
    };
    source.addEventListener("hello", (m) => {
      const now = JSON.parse((m as MessageEvent<string>).data) as Live, id = Number(now.id) || 0;
      if (id < lastID) lastID = id; // another store, or another life of this one
      lastID ||= id;
      if (lost || Number(now["quiet_ms"]) <= performance.now()) missed(); // it changed since this page began to load
    });
    for (const type of TYPES) {
      source.addEventListener(type, (m) => {
        const { data, lastEventId } = m as MessageEvent<string>;
        const e = { ...(JSON.parse(data) as Live), type };
        e.id ||= Number(lastEventId) || 0;
        give(e);
        say({ event: e });
      });
    }
  };
  open();
  setInterval(() => say({ beat: feedState.value, id: lastID }), BEAT);
  return new Promise<never>(() => undefined);
}

/** While needed, says that something may have changed: whoever shows something loads it anew. */
function poll(needed: () => boolean): void {
  setInterval(() => {
    if (!needed()) return;
    feedState.value = "offline";
    if (!loggedOut.value) resync();
  }, POLL);
}
