import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { get, project } from "../lib/api";
import { mark } from "../lib/act";
import { commandHere } from "../lib/command";
import { onLive, paused } from "../lib/feed";
import { bytes, count, ms } from "../lib/format";
import { useRows } from "../lib/keys";
import type { TimelineEntry, Now as NowData, Receipt, InjectedItem } from "../lib/model";
import { useResource } from "../lib/resource";
import { p } from "../strings/pages";
import { Ago, Command, Empty, Figures, Head, ID, Kind, Loaded, Section, Tag } from "../ui/parts";

export default function Now() {
  const params = { project: project.value };
  const now = useResource((a) => get<NowData>("now", params, a), [], (e) => !paused.value && e.type !== "processing_status");
  return (
    <>
      <Head title={p.now.title} command={commandHere("next")} json="now" params={params} />
      <Loaded of={now}>
        {(d) => d.stats.memories === 0 && d.stats.events === 0 ? <Nothing /> : (
          <>
            <Strip of={d} />
            <Briefing of={d.next} where={d.next_project.name} reload={now.reload} />
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
      <p>{p.now.emptyText}</p>
      <p><Command>remanence install claude-code</Command></p>
      <p><Command>{'remanence add "tests use the fake clock"'}</Command></p>
      <p class="muted">{p.now.emptyDemo}</p>
      <p><Command>remanence demo</Command></p>
    </Empty>
  );
}

function Strip({ of: d }: { of: NowData }) {
  const f = p.now.figures, h = d.health;
  return (
    <section aria-label={p.now.today} class="strip" data-testid="strip">
      <Figures of={[
        { term: f.sessions, value: count(d.day.sessions) },
        { term: f.captured, value: count(d.day.captured) },
        { term: f.memories, value: count(d.day.memories) },
        { term: f.recalled, value: count(d.day.recalled) },
        { term: f.abstained, value: count(d.day.abstained) },
        { term: f.tokens, value: count(d.day.tokens) },
        { term: f.hook, value: h.hooks ? ms(h.hook_p95_ms) : "–", note: p.now.hookNote },
        ...(h.hook_errors ? [{ term: f.errors, value: count(h.hook_errors), tone: "bad" as const }] : []),
        ...(h.queue_depth ? [{ term: f.queue, value: count(h.queue_depth) }] : []),
        ...(d.digest ? [{ term: f.spend, value: count(d.digest.today.tokens) }] : []),
        { term: f.all, value: count(d.stats.memories) },
        { term: f.size, value: bytes(d.stats.bytes) },
      ]} />
      {(d.pauses ?? []).length > 0 && <Tag tone="warn">{p.now.paused}</Tag>}
    </section>
  );
}

function Briefing({ of: r, where, reload }: { of: Receipt; where: string; reload: () => void }) {
  const items = (r.items ?? []).filter((i) => i.id.startsWith("m_"));
  const rows = useRows();
  return (
    <Section id="next" title={p.now.next(where)} aside={r.text ? p.now.cost(r.tokens, r.budget, r.items?.length ?? 0) : undefined}>
      {!r.text ? <p>{r.outcome === "off" ? p.now.off : p.now.nothing}</p> : (
        <div class="briefing">
          <pre class="panel" tabIndex={0} role="region" aria-label={p.now.text} data-testid="briefing">{r.text}</pre>
          <ol class="items" aria-label={p.now.items} ref={rows} tabIndex={0}>
            {items.map((i) => <Item key={i.id} of={i} reload={reload} />)}
          </ol>
        </div>
      )}
    </Section>
  );
}

function Item({ of: i, reload }: { of: InjectedItem; reload: () => void }) {
  return (
    <li data-row>
      <div class="line"><Kind of={i.kind ?? ""} /><ID of={i.id} /><span class="muted">{count(i.tokens)} tok</span>
        <span class="end">
          <button type="button" class="quiet" aria-label={`${p.now.pin} ${i.id}`} onClick={() => void mark("pin", [i.id], reload)}>{p.now.pin}</button>
          <button type="button" class="quiet" aria-label={`${p.now.hide} ${i.id}`} onClick={() => void mark("forget", [i.id], reload)}>{p.now.hide}</button>
        </span>
      </div>
      <a class="plain" dir="auto" href={"/m/" + i.id}>{i.title}</a>
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
          <ul class="feed">{list.value.map((m) => <FeedRow key={keyOf(m)} of={m} />)}</ul>
        </div>
      )}
    </Section>
  );
}

function FeedRow({ of: m }: { of: TimelineEntry }) {
  const injection = m.what === "injection", ended = m.what === "session_end";
  const to = injection ? "/recalls/" + m.id : m.id.startsWith("m_") ? "/m/" + m.id : "/sessions/" + m.session;
  return (
    <li data-row class={"w-" + m.what}>
      <span class="when muted"><Ago at={m.at} /></span>
      {p.now.what[m.what] ? <span class="kind plain">{p.now.what[m.what]}</span> : <Kind of={m.what} />}
      <a class="plain title" dir="auto" href={to}>{injection ? p.now.injection(m.title, m.count ?? 0) : ended ? p.now.ended : m.title}</a>
      <span class="end muted">{m.tokens ? count(m.tokens) + " tok " : ""}{!project.value ? m.project_name : ""} {m.session && <a class="id" href={"/sessions/" + m.session}>{m.session}</a>}</span>
    </li>
  );
}
