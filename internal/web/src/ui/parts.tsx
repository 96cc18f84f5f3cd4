// The parts that pages are made of.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError, loggedOut, readPath, type Params } from "../lib/api";
import { reason, showMessage } from "../lib/act";
import { age, exact, given, words } from "../lib/format";
import type { Resource } from "../lib/resource";
import { signal, useSignal } from "@preact/signals";
import { s } from "../strings";

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showMessage(s.copied);
  } catch {
    showMessage(s.notCopied, { bad: true });
  }
}

/** A button that copies. */
export function Copy({ text, children, title }: { text: string; children: ComponentChildren; title?: string }) {
  return <button type="button" class="quiet" title={title ?? text} onClick={() => void copy(text)}>{children}</button>;
}

export { copy };

/** A command line that can be copied. */
export function Command({ children }: { children: string }) {
  return <span class="command"><code>{children}</code> <Copy text={children}>copy</Copy></span>;
}

interface HeadProps {
  title: ComponentChildren;
  name?: string; // for the tab, if title is no text
  command?: string; // the same on the command line
  json?: string; // path of the readPath below /api/v1/
  params?: Params;
  children?: ComponentChildren; // what belongs beside the heading
}

/** The head of a page: heading, and the ways to take the page elsewhere. */
export function Head({ title, name, command, json, params, children }: HeadProps) {
  const tab = name ?? (typeof title === "string" ? title : "");
  useEffect(() => { document.title = tab ? `${tab} · ${s.name}` : s.name; }, [tab]);
  return (
    <header class="head">
      <h1 tabIndex={-1} dir="auto">{title}</h1>
      {children}
      <span class="tools">
        <Copy text={location.href}>{s.tools.link}</Copy>
        {command && <Copy text={command}>{s.tools.command}</Copy>}
        {json && <a class="quiet" href={readPath(json, params)} target="_blank">{s.tools.json}</a>}
      </span>
    </header>
  );
}

/** A part of a page with a heading of its own. */
export function Section({ title, aside, children, id }: { title: ComponentChildren; aside?: ComponentChildren; children: ComponentChildren; id?: string }) {
  return (
    <section class="section" id={id} data-testid={id}>
      <div class="section-head"><h2>{title}</h2>{aside && <span class="aside">{aside}</span>}</div>
      {children}
    </section>
  );
}

/** Says that nothing is there, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return <div class="empty" data-testid="empty"><p>{title}</p>{children}</div>;
}

/** Says what went wrong and what helps. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const known = error instanceof ApiError ? { 0: s.errors.unreachable, 401: s.errors.loggedOut }[error.status] : undefined;
  return (
    <div class="failure" role="alert">
      <p>{error instanceof ApiError && error.status === 404 ? `${s.errors.notFound} ${error.detail}` : reason(error)}</p>
      {known && <Command>{known.fix}</Command>}
      {retry && <button type="button" onClick={retry}>{s.retry}</button>}
    </div>
  );
}

/** Shows what was loaded; before that, or where it failed, says so, below title where what is loaded has a heading of its own. */
export function Loaded<T>({ of, title, children }: { of: Resource<T>; title?: string; children: (data: T) => ComponentChildren }) {
  if (of.data !== undefined) return <>{of.error ? <Failure error={of.error} retry={of.reload} /> : null}{children(of.data)}</>;
  const head = title && <h1>{title}</h1>;
  if (of.error && !loggedOut.value) return <>{head}<Failure error={of.error} retry={of.reload} /></>;
  return <>{head}<p class="muted loading" aria-live="polite">{s.loading}</p></>;
}

const minute = signal(Date.now());
setInterval(() => (minute.value = Date.now()), 20_000);

/** How long ago something was; the whole time in its title. */
export function Ago({ at }: { at: string | undefined }) {
  if (!given(at)) return <span class="muted">–</span>;
  return <time dateTime={at} title={exact(at)}>{age(Math.max(minute.value, Date.now() - 20_000) - Date.parse(at))}</time>;
}

const ERASED = "[erased]"; // stands for each line that held erased words

/** A stored text, in which what was erased is set apart from what somebody wrote. */
export function Stored({ of }: { of: string }) {
  return <>{of.split(ERASED).map((part, i) => <>{i > 0 && <em class="muted">{s.erased}</em>}{part}</>)}</>;
}

/** A kind, as a word with its mark. */
export function Kind({ of }: { of: string }) {
  return <span class={"kind k-" + of}>{words(of)}</span>;
}

/** An id that leads to its page and is easy to copy. */
export function ID({ of, title }: { of: string; title?: string }) {
  const base: Record<string, string> = { m: "/m/", s: "/sessions/", r: "/injections/" };
  const to = base[of.split("_")[0] ?? ""];
  return to ? <a class="id" href={to + of} title={title}>{of}</a> : <code class="id">{of}</code>;
}

/** A small word on how something stands. tone: ok, warn, bad, or plain. */
export function Tag({ tone = "plain", children, title }: { tone?: "ok" | "warn" | "bad" | "plain"; children: ComponentChildren; title?: string }) {
  return <span class={"tag " + tone} title={title}>{children}</span>;
}

/** A share of 0…1 as a bar. label says it in words. */
export function Bar({ share, label }: { share: number; label: string }) {
  const w = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="bar-ground" width="100" height="6" /><rect class="bar-fill" width={w} height="6" />
    </svg>
  );
}

/** Figures side by side: a term and its value each. */
export function Figures({ of }: { of: { term: string; value: ComponentChildren; note?: string | undefined; tone?: "ok" | "warn" | "bad" | undefined }[] }) {
  return (
    <dl class="figures">
      {of.map((f) => <div key={f.term} title={f.note}><dt>{f.term}</dt><dd class={f.tone}>{f.value}</dd></div>)}
    </dl>
  );
}

export interface Column<T> {
  head: ComponentChildren;
  cell: (row: T) => ComponentChildren;
  num?: boolean; // right-aligned figures
  wide?: boolean; // takes the room that is left
  spare?: boolean; // left out where the screen is narrow
}

/** A table. Rows are walked with j and k if the page calls useRows on what is around it. */
export function Table<T>({ caption, of, columns, id, shown = false }: { caption: string; of: readonly T[]; columns: Column<T>[]; id: (row: T) => string; shown?: boolean }) {
  const cls = (c: Column<T>): string => [c.num && "num", c.wide && "wide", c.spare && "spare"].filter(Boolean).join(" ");
  return (
    <table class="list">
      <caption class={shown ? "" : "sr"}>{caption}</caption>
      <thead><tr>{columns.map((c, i) => <th key={i} scope="col" class={cls(c)}>{c.head}</th>)}</tr></thead>
      <tbody>
        {of.map((row) => (
          <tr key={id(row)} data-row>{columns.map((c, i) => <td key={i} class={cls(c)}>{c.cell(row)}</td>)}</tr>
        ))}
      </tbody>
    </table>
  );
}

const facetShown = 8; // values of a choice; the others come on demand

/** A choice among values, each with how often it occurs; the chosen one is there even if it is none of them. */
export function Facet({ title, values, chosen, choose }: { title: string; values: { value: string; label?: string; n?: number }[]; chosen: string; choose: (value: string) => void }) {
  const all = useSignal(false);
  const list = chosen && !values.some((v) => v.value === chosen) ? [{ value: chosen }, ...values] : values;
  if (list.length === 0) return null;
  const more = list.length - facetShown, cut = more > 1; // one more needs no button of its own
  return (
    <fieldset class="facet">
      <legend>{title}</legend>
      {list.filter((v, i) => all.value || !cut || i < facetShown || v.value === chosen).map((v) => (
        <button type="button" key={v.value} aria-pressed={v.value === chosen} onClick={() => choose(v.value === chosen ? "" : v.value)}>
          <span>{v.label ?? v.value}</span>{v.n !== undefined && <span class="n">{v.n}</span>}
        </button>
      ))}
      {cut && <button type="button" class="quiet" aria-label={`${title}: ${all.value ? s.facet.fewer : s.facet.more(more)}`} aria-expanded={all.value} onClick={() => (all.value = !all.value)}>{all.value ? s.facet.fewer : s.facet.more(more)}</button>}
    </fieldset>
  );
}
