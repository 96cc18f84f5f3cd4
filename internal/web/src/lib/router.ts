// The address bar as a signal, and links without a reload.
import { computed, signal } from "@preact/signals";

interface Place {
  path: string;
  query: URLSearchParams;
}

const read = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export const place = signal<Place>(read());
export const path = computed(() => place.value.path);
export const query = computed(() => place.value.query);

/** Navigates to a path of the viewer. replace adds no history entry. */
export function go(to: string, replace = false): void {
  if (to === location.pathname + location.search) return;
  stay();
  if (!replace) history.replaceState({ y: scrollY }, "");
  history[replace ? "replaceState" : "pushState"](null, "", to);
  const before = place.value.path;
  place.value = read();
  if (place.value.path !== before) window.scrollTo(0, 0);
}

let stay = (): void => undefined; // stops restoring a scroll position

/** Restores a scroll position once the page is long enough, unless the person acts first. */
function returnTo(y: number): void {
  stay();
  const end = new AbortController();
  const watch = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight < y + innerHeight) return;
    stay();
    window.scrollTo(0, y);
  });
  stay = () => { end.abort(); watch.disconnect(); };
  for (const action of ["wheel", "pointerdown", "keydown"]) addEventListener(action, stay, { signal: end.signal });
  watch.observe(document.body);
}

/** Changes parts of the query and stays on the page; "" or undefined removes one. */
export function setQuery(change: Record<string, string | undefined>, replace = true): void {
  const q = new URLSearchParams(location.search);
  for (const [k, v] of Object.entries(change)) v ? q.set(k, v) : q.delete(k);
  const s = q.toString();
  go(location.pathname + (s ? "?" + s : ""), replace);
}

/** Matches a pattern such as "/m/:id"; null if path is another. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const want = pattern.split("/"), have = path.replace(/(.)\/$/, "$1").split("/");
  if (want.length !== have.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of want.entries()) {
    const got = have[i] ?? "";
    if (part.startsWith(":")) {
      try {
        params[part.slice(1)] = decodeURIComponent(got);
      } catch {
        return null;
      }
    } else if (part !== got) return null;
  }
  return params;
}

/** Follows links of ours without a reload, from now on. */
export function followLinks(): void {
  addEventListener("popstate", (e) => {
    place.value = read();
    const y = Number((e.state as { y?: number } | null)?.y);
    y > 0 ? returnTo(y) : stay();
  });
  document.addEventListener("click", (e) => {
    if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    const a = (e.target as Element).closest?.("a");
    if (!a || a.target || a.origin !== location.origin || a.hasAttribute("download")) return;
    if (a.pathname.startsWith("/api/") || a.pathname.startsWith("/assets/")) return;
    if (a.hash && a.pathname === location.pathname) return;
    e.preventDefault();
    go(a.pathname + a.search);
  });
}
