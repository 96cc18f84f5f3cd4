// The live feed: one event stream for all tabs of a browser. The tab that holds
// the lock "remanence-feed" owns the stream and repeats it on the channel of the
// same name; the others listen. When it closes, the next one leads.
import { signal } from "@preact/signals";
import { dropAhead, loggedOut } from "./api";

/** One event of the feed. */
export interface Live {
  id: number;
  type: string;
  at?: string;
  project?: string;
  session?: string;
  [more: string]: unknown;
}

export type FeedState = "connecting" | "live" | "offline";

/** The state of the feed. */
export const feedState = signal<FeedState>("connecting");
/** While true, lists are not updated. */
export const paused = signal(false);
/** True in the tab that owns the stream. */
export const leading = signal(false);

const NAME = "remanence-feed";
const HEARTBEAT = 5_000; // ms between two heartbeats of the leader
const SILENCE = 15_000; // ms without a heartbeat until the feed counts as offline
const POLL = 10_000; // ms between two reloads while it is offline

const TYPES = [
  "new_prompt", "new_observation", "new_summary", "processing_status", "session_completed", "changed", "resync",
];

type Listener = (e: Live) => void;
const listeners = new Set<Listener>();
let lastID = 0;
let lastHeartbeat = Date.now();
let pinged = false; // the leader was asked for a heartbeat and has not answered

/** Calls f with every event, and with {type: "resync"} if some were missed. Returns a function that unsubscribes. */
export function onLive(f: Listener): () => void {
  listeners.add(f);
  return () => listeners.delete(f);
}

function deliver(e: Live): void {
  if (e.id) {
    if (e.id <= lastID && e.type !== "resync") return;
    lastID = e.id; // after a resync it may be lower: the clock of the daemon was set back
  }
  dropAhead();
  for (const f of [...listeners]) f(e);
}

const resync = (): void => deliver({ id: 0, type: "resync" });

/** Pauses or resumes. Resuming loads what happened meanwhile. */
export function togglePause(): void {
  paused.value = !paused.value;
  if (!paused.value) resync();
}

type FeedMessage = { event: Live } | { beat: FeedState; id: number } | { ask: true };

/** Starts the feed of this tab; it lasts as long as the tab. */
export function startFeed(): void {
  const channel = "BroadcastChannel" in window ? new BroadcastChannel(NAME) : null;
  const send = (s: FeedMessage): void => channel?.postMessage(s);
  if (!channel || !navigator.locks) {
    poll(() => true);
    return;
  }
  channel.onmessage = ({ data }: MessageEvent<FeedMessage>) => {
    if ("ask" in data) {
      if (leading.value) send({ beat: feedState.value, id: lastID });
      return;
    }
    if (leading.value) return;
    lastHeartbeat = Date.now();
    pinged = false;
    if ("event" in data) deliver(data.event);
    else {
      const back = feedState.value === "offline" && data.beat === "live";
      feedState.value = data.beat;
      if (back || (lastID && data.id > lastID)) resync();
      lastID = Math.max(lastID, data.id);
    }
  };
  void navigator.locks.request(NAME, () => lead(send));
  const ask = (): boolean => {
    const before = pinged;
    pinged = true;
    send({ ask: true });
    return before;
  };
  // Browsers slow down timers of hidden tabs, but not messages: a silent leader is asked first.
  poll(() => !leading.value && Date.now() - lastHeartbeat > SILENCE && ask());
  ask();
}

/** Keeps the stream open until the tab closes. */
function lead(send: (s: FeedMessage) => void): Promise<never> {
  leading.value = true;
  let source: EventSource | null = null;
  let wait = 500;
  let lost = false;
  const state = (s: FeedState): void => {
    feedState.value = s;
    send({ beat: s, id: lastID });
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
      send({ event: { id: 0, type: "resync" } });
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
      if (id < lastID) lastID = id; // another store, or a restored one
      lastID ||= id;
      if (lost || Number(now["quiet_ms"]) <= performance.now()) missed(); // something changed since this page began to load
    });
    for (const type of TYPES) {
      source.addEventListener(type, (m) => {
        const { data, lastEventId } = m as MessageEvent<string>;
        const e = { ...(JSON.parse(data) as Live), type };
        e.id ||= Number(lastEventId) || 0;
        deliver(e);
        send({ event: e });
      });
    }
  };
  open();
  setInterval(() => send({ beat: feedState.value, id: lastID }), HEARTBEAT);
  return new Promise<never>(() => undefined);
}

/** While needed, reports that something may have changed, so that all resources reload. */
function poll(needed: () => boolean): void {
  setInterval(() => {
    if (!needed()) return;
    feedState.value = "offline";
    if (!loggedOut.value) resync();
  }, POLL);
}
