// The frame of every page: navigation, project, feed, shortcuts, messages.
import { signal, useSignal } from "@preact/signals";
import { Component, type ComponentChildren, type ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, loggedOut, get, project } from "../lib/api";
import { dismiss, toasts, undoLast } from "../lib/act";
import { feedState, paused, togglePause } from "../lib/feed";
import { expectField, keys, keysOn, useKeys } from "../lib/keys";
import { go, match, path } from "../lib/router";
import { useResource } from "../lib/resource";
import { nextTheme, theme } from "../lib/theme";
import { homeOf, routes, tabsOf, type Route } from "../routes";
import { s } from "../strings";
import { count } from "../lib/format";
import type { Project, Projects } from "../lib/model";
import { Dialog } from "./dialog";
import { Palette, paletteOpen } from "./palette";
import { Command, Failure } from "./parts";

const helpOpen = signal(false);
const spent = signal(false);

/** Records that the address had an invalid login code. */
export const markCodeUsed = (): void => void (spent.value = true);

export function Shell() {
  useKeys([
    { key: "/", label: s.keys.search, run: () => {
      const box = document.querySelector<HTMLInputElement>("input[type=search]");
      if (box) return box.focus();
      expectField();
      go("/memories");
    } },
    { key: "?", label: s.keys.help, run: () => (helpOpen.value = true) },
    { key: "u", label: s.keys.undo, run: () => void undoLast() },
    { key: ".", label: s.keys.pause, run: togglePause },
    { key: "t", label: s.keys.theme, run: () => void nextTheme() },
    ...routes.flatMap((r) => (r.nav ? [{ key: "g " + r.nav.key, label: s.keys.goto(r.nav.label), run: () => go(r.path) }] : [])),
  ]);
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.querySelector<HTMLElement>("main")?.focus(); }}>{s.skip}</a>
      <Bar />
      <main id="main" tabIndex={-1}>{loggedOut.value ? <Login /> : <Page />}</main>
      <Toasts />
      {helpOpen.value && <Help />}
      {paletteOpen.value && <Palette />}
    </>
  );
}

function Bar() {
  const here = path.value;
  const open = useSignal(false);
  useEffect(() => { open.value = false; }, [here]);
  const at = routes.find((x) => match(x.path, here));
  const all = useResource((a) => get<Projects>("projects", {}, a), [], (e) => e.type === "session_completed" || e.type === "changed");
  const findings = all.data?.review[project.value] ?? 0;
  return (
    <header class="side">
      <a class="brand" href="/">{s.name}</a>
      <button type="button" class="menu quiet" aria-expanded={open.value} aria-controls="nav" onClick={() => (open.value = !open.value)}>{s.nav.menu}</button>
      <div class={"side-rest" + (open.value ? " open" : "")} id="nav">
        {!loggedOut.value && <ProjectChoice of={all.data?.projects ?? []} />}
        <nav aria-label={s.nav.label}>
          <ul>
            {routes.filter((r) => r.nav).map((r, i, all) => (
              <li key={r.path} class={i > 0 && all[i - 1]!.nav!.group !== r.nav!.group ? "apart" : ""}>
                <a href={r.path} aria-current={at && homeOf(at) === r.path ? "page" : undefined}>
                  <span>{r.nav!.label}{r.path === "/review" && findings > 0 && <span class="n" aria-label={s.nav.waiting(findings)}>{count(findings)}</span>}</span>
                  <kbd aria-hidden="true">g {r.nav!.key}</kbd>
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="side-foot">
          <FeedMark />
          <button type="button" class="quiet" onClick={() => void nextTheme()}>{s.nav.theme(theme.value)}</button>
          <button type="button" class="quiet" onClick={() => (paletteOpen.value = true)}>{s.palette.title}<kbd aria-hidden="true">Ctrl K</kbd></button>
          <button type="button" class="quiet" onClick={() => (helpOpen.value = true)}>{s.nav.keys}<kbd aria-hidden="true">?</kbd></button>
        </div>
      </div>
    </header>
  );
}

function FeedMark() {
  const state = paused.value ? "paused" : feedState.value;
  return (
    <button type="button" class={"quiet feed-mark " + state} aria-pressed={paused.value} data-testid="feed-state"
      title={state === "offline" ? s.feed.offlineNote : undefined} onClick={togglePause}>
      {s.feed[state]}
    </button>
  );
}

function ProjectChoice({ of: list }: { of: Project[] }) {
  const known = list.some((p) => p.key === project.value);
  return (
    <label class="project"><span class="sr">{s.nav.project}</span>
      <select value={project.value} onChange={(e) => (project.value = e.currentTarget.value)}>
        <option value="">{s.nav.all}</option>
        {list.map((p) => <option key={p.key} value={p.key}>{p.name || p.key}</option>)}
        {project.value && !known && <option value={project.value}>{project.value}</option>}
      </select>
    </label>
  );
}

type View = ComponentType<Record<string, string>>;
const loaded = signal<ReadonlyMap<Route, View | Error>>(new Map());

/** Loads the page of a path, if it is not there. */
export function fetchPage(at: string): void {
  const r = routes.find((x) => match(x.path, at));
  if (!r || loaded.peek().get(r) instanceof Function) return;
  const put = (v: View | Error): void => void (loaded.value = new Map(loaded.peek()).set(r, v));
  // A script fails to load only if nothing answers: its name is part of this page.
  r.load().then((m) => put(m.default as View), () => put(new ApiError(0, "unreachable", "")));
}

/** Loads the code of all other pages once the first is shown, so that none needs the daemon for its code later. */
function fetchOthers(): void {
  const later = (f: () => void): void => void ("requestIdleCallback" in window ? requestIdleCallback(f, { timeout: 2_000 }) : setTimeout(f, 500));
  later(() => routes.forEach((r) => fetchPage(r.path.replace(":id", "x"))));
}

/** Moves the focus to the heading of a page that was navigated to, once it is there, unless a person moved it. */
function focusHeading(): () => void {
  const wait = new MutationObserver(() => place());
  const place = (): boolean => {
    const at = document.activeElement, heading = document.querySelector<HTMLElement>("main h1");
    const free = !at || at === document.body || (at instanceof HTMLAnchorElement && !at.closest("main"));
    if (free && !heading) return false;
    wait.disconnect();
    if (free) heading!.focus({ preventScroll: true });
    return true;
  };
  if (!place()) wait.observe(document.querySelector("main")!, { childList: true, subtree: true });
  return () => wait.disconnect();
}

function Page() {
  const here = path.value;
  const r = routes.find((x) => match(x.path, here));
  const came = useRef(here);
  useEffect(() => fetchPage(here), [here]);
  useEffect(fetchOthers, []);
  useEffect(() => {
    if (came.current === here) return undefined;
    came.current = here;
    return focusHeading();
  }, [here]);
  if (!r) return <><h1>{s.errors.noPage}</h1><p><a href="/">{routes[0]!.nav!.label}</a></p></>;
  const View = loaded.value.get(r);
  if (!View) return <p class="muted loading">{s.loading}</p>;
  if (View instanceof Error) return <Failure error={View} retry={() => location.reload()} />;
  const params = match(r.path, here) ?? {}, tabs = tabsOf(r);
  return <>{tabs.length > 1 && (
    <nav class="tabs" aria-label={s.nav.parts}>{tabs.map((x) => <a key={x.path} href={x.path} aria-current={x === r ? "page" : undefined}>{x.tab}</a>)}</nav>
  )}<Net key={here}><View key={project.value} {...params} /></Net></>;
}

/** Keeps a page that breaks from taking the shell along. */
class Net extends Component<{ children: ComponentChildren }, { error?: Error }> {
  override componentDidCatch(error: Error): void {
    this.setState({ error });
  }
  render() {
    return this.state.error ? <Failure error={new Error(s.errors.broke + " " + this.state.error.message)} retry={() => this.setState({ error: undefined as unknown as Error })} /> : this.props.children;
  }
}

function Login() {
  useEffect(() => { document.title = s.login.title + " · " + s.name; }, []);
  return (
    <div class="login" data-testid="login">
      <h1>{s.login.title}</h1>
      {spent.value && <p class="bad">{s.login.spent}</p>}
      <p>{s.login.text}</p>
      <Command>remanence open</Command>
    </div>
  );
}

function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((t) => (
        <div key={t.id} class={"toast" + (t.bad ? " bad" : "")}>
          <span>{t.text}</span>
          {t.undo && <button type="button" onClick={() => void undoLast()}>{s.undo}<kbd aria-hidden="true">u</kbd></button>}
          <button type="button" class="quiet" aria-label={s.close} onClick={() => dismiss(t.id)}>×</button>
        </div>
      ))}
    </div>
  );
}

function Help() {
  const now = new Map(keys.value.map((k) => [k.key, k]));
  return (
    <Dialog title={s.keys.title} close={() => (helpOpen.value = false)}>
      <label class="check"><input type="checkbox" checked={keysOn.value} onChange={(e) => (keysOn.value = e.currentTarget.checked)} /> {s.keys.on}</label>
      <dl class="keys"><div><dt><kbd>Ctrl K</kbd></dt><dd>{s.palette.open}</dd></div>{[...now.values()].map((k) => <div key={k.key}><dt><kbd>{k.key}</kbd></dt><dd>{k.label}</dd></div>)}</dl>
    </Dialog>
  );
}
