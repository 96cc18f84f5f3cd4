// The command palette: pages, actions and memories by name, chosen with the keyboard.
import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, project } from "../lib/api";
import { undoLast } from "../lib/act";
import { togglePause } from "../lib/feed";
import type { SearchResponse } from "../lib/model";
import { go } from "../lib/router";
import { nextTheme } from "../lib/theme";
import { routes, homeOf } from "../routes";
import { s } from "../strings";
import { Dialog } from "./dialog";

export const paletteOpen = signal(false);

/** Opens the palette on Ctrl or Cmd and K, also from within a field. */
export function startPalette(): void {
  addEventListener("keydown", (e) => {
    if (e.key.toLowerCase() !== "k" || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey || document.querySelector("dialog[open]")) return;
    e.preventDefault();
    paletteOpen.value = true;
  });
}

interface Choice { key: string; label: string; note: string; also?: string; run: () => void } // also: words that find it

/** What can be chosen without a search. */
function fixed(): Choice[] {
  const pages = routes.filter((r) => r.nav || r.tab).map((r) => {
    const home = routes.find((x) => x.path === homeOf(r))?.nav?.label ?? "";
    return { key: r.path, label: r.nav?.label ?? r.tab!, note: r.nav ? s.palette.page : home, run: () => go(r.path) };
  });
  const does = s.palette.actions;
  return [
    ...pages,
    { key: "add", label: does.add, note: s.palette.action, run: () => go("/memories?add=1") },
    { key: "erase", label: does.erase, note: s.palette.action, also: "delete purge remove forget", run: () => go("/memories?erase=1") },
    { key: "theme", label: does.theme, note: s.palette.action, run: () => void nextTheme() },
    { key: "pause", label: does.pause, note: s.palette.action, run: togglePause },
    { key: "undo", label: does.undo, note: s.palette.action, run: () => void undoLast() },
  ];
}

/** What can be done with all that a text finds. Erasing shows first what it erases. */
function about(text: string): Choice[] {
  const at = "/memories?q=" + encodeURIComponent(text), run = (): void => go(at);
  return [{ key: "delete", label: s.palette.actions.eraseWords(text), note: s.palette.action, run: () => go(at + "&erase=1") }, { key: "search", label: s.palette.search(text), note: "", run }];
}

const FOUND = 8; // memories that are listed

export function Palette() {
  const text = useSignal(""), at = useSignal(0), found = useSignal<Choice[]>([]);
  const close = (): void => void (paletteOpen.value = false);
  const word = text.value.trim().toLowerCase();
  useEffect(() => {
    if (word.length < 2) { found.value = []; return undefined; }
    const abort = new AbortController();
    const later = setTimeout(() => void get<SearchResponse>("search", { text: word, project: project.value || "all", limit: FOUND }, abort.signal).then(
      (d) => { found.value = d.results.map((m) => ({ key: m.id, label: m.title, note: m.id, run: () => go("/m/" + m.id) })); }, () => undefined,
    ), 120);
    return () => { clearTimeout(later); abort.abort(); };
  }, [word]);
  const list = [
    ...fixed().filter((c) => !word || `${c.label} ${c.note} ${c.also ?? ""}`.toLowerCase().includes(word)), ...found.value,
    ...(word ? about(text.value.trim()) : []),
  ];
  const now = Math.min(at.value, list.length - 1);
  const choose = (c: Choice | undefined): void => { if (c) { close(); c.run(); } };
  return (
    <Dialog title={s.palette.title} close={close}>
      <form onSubmit={(e) => { e.preventDefault(); choose(list[now]); }}>
        <input type="text" class="palette-text" role="combobox" aria-expanded="true" aria-controls="palette" aria-activedescendant={list[now] ? "palette-" + now : undefined}
          aria-label={s.palette.label} placeholder={s.palette.label} autocomplete="off" spellcheck={false} value={text.value}
          onInput={(e) => { text.value = e.currentTarget.value; at.value = 0; }}
          onKeyDown={(e) => {
            const by = { ArrowDown: 1, ArrowUp: -1 }[e.key];
            if (!by || list.length === 0) return;
            e.preventDefault();
            at.value = (now + by + list.length) % list.length;
            document.getElementById("palette-" + at.value)?.scrollIntoView({ block: "nearest" });
          }} />
        <ul id="palette" role="listbox" aria-label={s.palette.title} class="palette">
          {list.map((c, i) => (
            <li key={c.key} id={"palette-" + i} role="option" aria-selected={i === now} onClick={() => choose(c)}><span dir="auto">{c.label}</span><span class="muted">{c.note}</span></li>
          ))}
        </ul>
      </form>
    </Dialog>
  );
}
