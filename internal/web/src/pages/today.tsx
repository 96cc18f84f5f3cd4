import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { get, project } from "../lib/api";
import { mark } from "../lib/act";
import { commandHere } from "../lib/command";
import { onLive, paused } from "../lib/feed";
import type { ComponentChildren } from "preact";
import { needing } from "../lib/checks";
import { age, count, given, many, words } from "../lib/format";
import { useRows } from "../lib/keys";
import type { ItemState, TimelineEntry, Now as NowData, Receipt, InjectedItem, LeftOutItem, Today } from "../lib/model";
import type { Recap } from "../lib/model_history";
import { allLeftOut, costOf, otherTokens, stateLines } from "../lib/receipt";
import type { Checkup, ReviewResponse } from "../lib/model_upkeep";
import { useResource } from "../lib/resource";
import { s } from "../strings";
import { p } from "../strings/pages";
import { v } from "../strings/places";
import { gate, trigger } from "../strings/recalls";
import { Evidence, Uses } from "../ui/uses";
import { Ago, Command, Empty, Head, ID, Kind, Loaded, Section, Stored, Tag } from "../ui/parts";

export default function Now() {
  const params = { project: project.value };
  const now = useResource((a) => get<NowData>("now", params, a), [], (e) => !paused.value && e.type !== "processing_status");
  return (
    <>
      <Head title={p.now.title} command={commandHere("next")} json="now" params={params} />
      <Loaded of={now}>
        {(d) => d.stats.memories === 0 && d.stats.events === 0 ? <Nothing /> : (
          <>
            <Day of={d} />
            <Uses />
            <Briefing of={d.next} states={d.next_items} where={d.next_project.name} reload={now.reload} />
            <Feed first={d.recent} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Nothing() {
  return (
    <Empty title={p.now.emptyTitle}>
      <p>{p.now.emptyWhat}</p>
      <p class="muted">{p.now.emptyText}</p>
      <p><Command>remanence install claude-code</Command></p>
      <p><Command>{'remanence add "tests use the fake clock"'}</Command></p>
      <p class="muted">{p.now.emptyPast}</p>
      <p><Command>remanence backfill --dry-run</Command></p>
      <p><Command>remanence import FILE --dry-run</Command></p>
      <p class="muted">{p.now.emptyDemo}</p>
      <p><Command>remanence demo</Command></p>
    </Empty>
  );
}

/** What the day brought, in words and in four cards, and what is not as it should be. */
function Day({ of: d }: { of: NowData }) {
  const t = p.now, y = d.today, h = d.health;
  return (
    <section aria-label={t.today} class="today" data-testid="today">
      <p class="lead">{t.sentence(y, project.value ? d.project.name : "", !d.digest && !d.embedding)}</p>
      <div class="cards">
        <Card title={t.cards.learned} value={y.kept} to={learned(...y.kinds.map((k) => k.value))} note={y.kinds.length ? y.kinds.map((k, i) => <>{i > 0 && " · "}<a class="plain" href={learned(k.value)}>{many(k.n, words(k.value), plural(words(k.value)))}</a></>) : t.cards.nothingLearned}>
          {y.newest.slice(0, 3).map((m) => <li key={m.id}><a class="plain" dir="auto" href={"/m/" + m.id}>{m.title}</a></li>)}
        </Card>
        <Card title={t.cards.injected} value={y.injected} to="/injections" note={t.cards.cost(y.tokens, y.abstained)}>
          {y.last && (
            <li><a class="plain" dir="auto" href={"/injections/" + y.last.id}>
              {t.cards.last}, <Ago at={y.last.at} />: {y.last.query ? <>“<Stored of={y.last.query} />”</> : trigger(y.last.trigger)}
            </a><span class="evidence">{t.cards.came(y.last.injected, y.last_used)}</span></li>
          )}
        </Card>
        <Card title={t.cards.used} value={y.used.length} to="/usage" note={t.cards.usedNote(y.used.length, y.injected)}>
          {y.used.slice(0, 3).map((u) => <li key={u.id}><a class="plain" dir="auto" href={"/m/" + u.id}>{u.title}</a>
            <span class="evidence"><Evidence of={u} /></span></li>)}
        </Card>
        <Needs of={y} />
      </div>
      <p class="alerts">
        {(d.pauses ?? []).length > 0 && <Tag tone="warn">{t.paused}</Tag>}
        {h.hook_errors > 0 && <a href="/health"><Tag tone="bad">{t.errors(h.hook_errors)}</Tag></a>}
        {h.oldest_job_s > 600 && <span class="muted">{t.queue(h.queue_depth)}</span>}
      </p>
    </section>
  );
}

/** The search for what was learned today of some kinds. */
function learned(...kinds: string[]): string {
  const d = new Date(), two = (n: number): string => String(n).padStart(2, "0");
  return "/memories?q=" + encodeURIComponent([...kinds.map((k) => "kind:" + k), `after:${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`].join(" "));
}

const NEEDS = 4; // lines of what needs the person; the note above them counts all

/** What waits for the person: findings to decide, commands that still fail, faults of the installation; then what is open. */
function Needs({ of: y }: { of: Today }) {
  const t = p.now.cards;
  const recap = useResource((a) => get<Recap>("recap", { project: project.value, since: "yesterday" }, a), [], (e) => e.type === "changed");
  const health = useResource((a) => get<Checkup>("health", {}, a), []);
  const failing = (recap.data?.days ?? []).flatMap((d) => d.failures.filter((f) => !f.resolved && !f.fix)).reverse();
  const faults = needing(health.data?.checks ?? []);
  const n = { review: y.review, failing: failing.length, faults: faults.length };
  const counted = (recap.data ?? recap.error) && (health.data ?? health.error);
  return (
    <Card title={t.needs} value={counted ? n.review + n.failing + n.faults : undefined} note={counted ? t.needsNote(n, y.open.length > 0) : t.counting}>
      {[
        y.review > 0 && <Question key="review" waiting={y.review} />,
        ...failing.slice(0, 2).map((f) => <li key={f.id}><a class="plain" dir="auto" href={"/m/" + f.id}>{t.fails} <code>{f.command}</code></a>
          <span class="evidence">{t.failsNext(f.times)}</span></li>),
        ...faults.slice(0, 2).map((k) => <li key={k.id + k.what}><a class="plain" dir="auto" href="/health#checks">{k.what}</a>
          <span class="evidence">{k.fix[0]?.startsWith("remanence") ? <code>{k.fix[0]}</code> : k.fix[0]}</span></li>),
      ].filter(Boolean).slice(0, NEEDS)}
      {y.open.length > 0 && <li><h3>{t.open}</h3><ul>{y.open.map((m) => <li key={m.id}><a class="plain" dir="auto" href={"/m/" + m.id}>{m.title}</a></li>)}</ul></li>}
    </Card>
  );
}

/** The first of the findings that wait for a decision. */
function Question({ waiting }: { waiting: number }) {
  const first = useResource((a) => get<ReviewResponse>("review", { project: project.value, limit: 1 }, a), [waiting]);
  const i = first.data?.items[0];
  return (
    <li>
      <a class="plain" dir="auto" href={"/review" + (i ? "?rule=" + i.rule : "")}>{i ? v.ask[i.rule] ?? v.rules[i.rule] ?? i.rule : p.now.cards.review}</a>
      {i && <span class="evidence" dir="auto">{i.memories[0]?.title}</span>}
    </li>
  );
}

const plural = (one: string): string => one.replace(/y$/, "ie").replace(/x$/, "xe") + "s";

/** A figure that leads to what it counts; "…" until it is known. */
function Card({ title, value, to, note, children }: { title: string; value: number | undefined; to?: string; note: ComponentChildren; children?: ComponentChildren }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p class="number">{value === undefined ? "…" : to && value > 0 ? <a class="plain" href={to} aria-label={`${title}: ${count(value)}`}>{count(value)}</a> : count(value)}</p>
      <p class="muted">{note}</p>
      <ul>{children}</ul>
    </section>
  );
}

function Briefing({ of: r, states, where, reload }: { of: Receipt; states: Record<string, ItemState>; where: string; reload: () => void }) {
  const items = r.items ?? [], rows = useRows(), state = stateLines(r), left = allLeftOut(r);
  const places = [...new Set(items.map((i) => i.place ?? ""))];
  return (
    <Section id="next" title={p.now.next(where)} aside={r.text ? costOf(r) : undefined}>
      {!r.text ? <p>{r.outcome === "off" ? p.now.off : p.now.nothing}</p> : (
        <>
          <div ref={rows} class="briefing" tabIndex={0} role="group" aria-label={p.now.items}>
            {state.length > 0 && (
              <section aria-label={p.now.places["state"]}>
                <h3>{p.now.places["state"]}</h3>
                <ol class="items" data-testid="state-lines">{state.map((line) => <li key={line} dir="auto">{line}</li>)}</ol>
              </section>
            )}
            {places.map((place) => (
              <section key={place} aria-label={p.now.places[place] ?? (words(place) || p.now.items)}>
                {place && <h3>{p.now.places[place] ?? words(place)}</h3>}
                {place === "memories" && <p class="muted">{p.now.order}</p>}
                <ol class="items">{items.filter((i) => (i.place ?? "") === place).map((i) => <Item key={i.id} of={i} state={states[i.id] ?? {}} reload={reload} />)}</ol>
              </section>
            ))}
          </div>
          <p class="muted" data-testid="sum">{p.now.sum(r.tokens - otherTokens(r), otherTokens(r), state.length > 0)}</p>
          {left > 0 && <LeftOut of={r.dropped ?? []} all={left} />}
          <details class="exact">
            <summary>{p.now.text}</summary>
            <pre class="panel" tabIndex={0} role="region" aria-label={p.now.text} data-testid="briefing">{r.text}</pre>
          </details>
        </>
      )}
    </Section>
  );
}

/** What the next briefing has no room for, or leaves out by another rule. */
function LeftOut({ of, all }: { of: LeftOutItem[]; all: number }) {
  return (
    <details class="exact" data-testid="left-out">
      <summary>{p.now.leftOut(all)}</summary>
      <ul class="items">{of.map((x) => <li key={x.id}>{x.id.startsWith("m_") ? <a class="plain" dir="auto" href={"/m/" + x.id}>{x.title || x.id}</a> : x.title || x.id}<span class="evidence">{gate(x.gate)}</span></li>)}
        {all > of.length && <li class="muted">{p.now.besides(all - of.length)}</li>}</ul>
    </details>
  );
}


/** Why an item is in the briefing, in a few words: what it was chosen for, since when, and whether it helped. */
function why(i: InjectedItem, st: ItemState): string {
  const t = p.now.why, since = given(st.created) ? s.ago(age(Date.now() - Date.parse(st.created))) : "";
  const chosen = st.pinned ? t.pinned : st.yours && i.place !== "issues" ? t.yours : t.places[i.place ?? ""] ?? t.other;
  return [chosen, since && (t.since[i.kind ?? ""] ?? t.learned)(since), st.uses && t.used(st.uses)].filter(Boolean).join(", ") || t.other;
}

function Item({ of: i, state: st, reload }: { of: InjectedItem; state: ItemState; reload: () => void }) {
  const t = p.now.tags, pin = st.pinned ? "unpin" : "pin", own = i.id.startsWith("m_");
  return (
    <li data-row>
      <div class="line"><Kind of={i.kind ?? ""} /><ID of={i.id} />
        <span class="muted" data-testid="why">{why(i, st)}</span>
        {(st.contradicts ?? []).length > 0 && <a class="plain" href="/review?rule=contradiction"><Tag tone="warn">{t.contradicts(st.contradicts!)}</Tag></a>}
        {st.dead && <a class="plain" href="/usage#dead"><Tag tone="warn">{t.dead}</Tag></a>}
        {st.stale && st.stale !== "fresh" && <Tag tone="warn">{p.memory.stale[st.stale] ?? st.stale}</Tag>}
        <span class="end"><span class="muted">{count(i.tokens)} tok</span>
          {own && <button type="button" class="quiet" aria-label={`${p.now[pin]} ${i.id}`} onClick={() => void mark(pin, [i.id], reload)}>{p.now[pin]}</button>}
          {own && <button type="button" class="quiet" aria-label={`${p.now.forget} ${i.id}`} onClick={() => void mark("forget", [i.id], reload)}>{p.now.forget}</button>}
        </span>
      </div>
      {own ? <a class="plain" dir="auto" href={"/m/" + i.id}>{i.title}</a> : <span dir="auto">{i.title}</span>}
    </li>
  );
}

interface Fold { first: TimelineEntry; more: number; counts: Map<string, number> }

/** Edits and commands of one session that follow each other are one line. */
function folded(list: TimelineEntry[]): Fold[] {
  const out: Fold[] = [];
  for (const m of list) {
    const last = out.at(-1), small = m.what === "change" || m.what === "command";
    if (last && small && last.counts.size > 0 && last.first.session === m.session) {
      last.more++;
      last.counts.set(m.what, (last.counts.get(m.what) ?? 0) + 1);
    } else out.push({ first: m, more: 0, counts: new Map(small ? [[m.what, 1]] : []) });
  }
  return out;
}

function FoldedRow({ of: f }: { of: Fold }) {
  const m = f.first;
  return (
    <li data-row class="w-folded">
      <span class="when muted"><Ago at={m.at} /></span>
      <span class="kind plain">{p.now.work}</span>
      <a class="plain title" dir="auto" href={"/sessions/" + m.session}>{[...f.counts].map(([what, n]) => many(n, words(what), plural(words(what)))).join(", ")}</a>
      <span class="end muted">{!project.value ? m.project_name : ""} <a class="id" href={"/sessions/" + m.session}>{m.session}</a></span>
    </li>
  );
}

const keyOf = (m: TimelineEntry): string => m.id + m.at + m.what;

/** The newest moments. What comes while somebody reads waits behind a button. */
function Feed({ first }: { first: TimelineEntry[] }) {
  const list = useSignal(first);
  const waiting = useSignal<TimelineEntry[]>([]);
  const box = useRef<HTMLElement | null>(null);
  const rows = useRows();
  const take = (entries: TimelineEntry[]): void => {
    const known = new Set(list.value.map(keyOf));
    const fresh = entries.filter((m) => !known.has(keyOf(m)));
    const el = box.current;
    const reading = !!el && (el.matches(":hover") || el.contains(document.activeElement) || el.getBoundingClientRect().top < 0);
    if (paused.value) return;
    if (reading && list.value.length) waiting.value = fresh;
    else {
      list.value = entries; // also what was erased is not shown any more
      waiting.value = [];
    }
  };
  useEffect(() => take(first), [first]); // events from before the page loaded are not announced
  useEffect(() => {
    let timer = 0, gone = false;
    const load = (): void => {
      timer = 0;
      void get<{ entries: TimelineEntry[] }>("feed", { project: project.value, limit: 50 }).then(({ entries }) => { if (!gone) take(entries); }, () => undefined);
    };
    const stop = onLive((e) => {
      if (paused.value || timer || e.type === "processing_status") return;
      timer = window.setTimeout(load, 150);
    });
    return () => { gone = true; clearTimeout(timer); stop(); };
  }, []);
  const show = (): void => {
    list.value = [...waiting.value, ...list.value].slice(0, 200);
    waiting.value = [];
  };
  return (
    <Section id="feed" title={p.now.feed} aside={waiting.value.length > 0 ? <button type="button" onClick={show} data-testid="news">{p.now.news(waiting.value.length)}</button> : undefined}>
      {list.value.length === 0 ? <p class="muted">{p.now.feedEmpty}</p> : (
        <div role="log" aria-live="off" aria-label={p.now.feed} tabIndex={0} ref={(el) => { box.current = el; rows(el); }}>
          <ul class="feed">{folded(list.value).map((f) => f.more ? <FoldedRow key={keyOf(f.first)} of={f} /> : <FeedRow key={keyOf(f.first)} of={f.first} />)}</ul>
        </div>
      )}
    </Section>
  );
}

function FeedRow({ of: m }: { of: TimelineEntry }) {
  const injection = m.what === "injection", ended = m.what === "session_end";
  const to = injection ? "/injections/" + m.id : m.id.startsWith("m_") ? "/m/" + m.id : "/sessions/" + m.session;
  return (
    <li data-row class={"w-" + m.what}>
      <span class="when muted"><Ago at={m.at} /></span>
      {p.now.what[m.what] ? <span class="kind plain">{p.now.what[m.what]}</span> : <Kind of={m.what} />}
      <a class="plain title" dir="auto" href={to}>{injection ? p.now.injection(trigger(m.title), m.count ?? 0) : ended ? p.now.ended : <Stored of={m.title || p.sessions.untitled(1)} />}</a>
      <span class="end muted">{m.tokens ? count(m.tokens) + " tok " : ""}{!project.value ? m.project_name : ""} {m.session && <a class="id" href={"/sessions/" + m.session}>{m.session}</a>}</span>
    </li>
  );
}
