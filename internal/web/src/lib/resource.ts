// Data that a page loads: loading, loaded or failed; it can be reloaded.
import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { loggedOut } from "./api";
import { onLive, type Live } from "./feed";

export interface Resource<T> {
  data: T | undefined; // the last loaded value, also while it is reloading
  error: unknown;
  loading: boolean;
  reload: () => void;
  set: (change: (old: T) => T) => void;
}

interface State<T> {
  data?: T;
  error?: unknown;
  loading: boolean;
}

/**
 * Loads when the component appears and whenever one of deps changes. With live
 * it also reloads after events that live selects and after "resync", at most
 * twice a second. A reload waits for a running load, which would otherwise
 * never finish if events are faster than answers.
 */
export function useResource<T>(
  load: (abort: AbortSignal) => Promise<T>,
  deps: readonly unknown[],
  live?: (e: Live) => boolean,
): Resource<T> {
  const state: Signal<State<T>> = useSignal<State<T>>({ loading: true });
  const turn = useRef<AbortController | null>(null);
  const latest = useRef(load);
  latest.current = load;

  const run = (): void => {
    turn.current?.abort();
    const mine = (turn.current = new AbortController());
    state.value = { ...state.peek(), loading: true };
    latest.current(mine.signal).then(
      (data) => { if (turn.current === mine) state.value = { data, loading: false }; },
      (error: unknown) => { if (turn.current === mine) state.value = { ...state.peek(), error, loading: false }; },
    );
  };
  useEffect(() => {
    run();
    return () => {
      turn.current?.abort();
      turn.current = null;
    };
  }, deps);
  useEffect(() => loggedOut.subscribe((out) => { if (!out && state.peek().error) run(); }), []);
  useEffect(() => {
    if (!live) return;
    let timer = 0;
    const later = (): void => {
      timer = window.setTimeout(() => {
        timer = 0;
        state.peek().loading ? later() : run();
      }, 500);
    };
    const stop = onLive((e) => { if (!timer && (e.type === "resync" || live(e))) later(); });
    return () => { clearTimeout(timer); stop(); };
  }, []);
  const { data, error, loading } = state.value;
  return {
    data, error, loading, reload: run,
    set: (change) => { if (state.peek().data !== undefined) state.value = { ...state.peek(), data: change(state.peek().data as T) }; },
  };
}
