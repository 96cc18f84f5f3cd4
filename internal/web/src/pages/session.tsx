import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, post } from "../lib/api";
import { clock, count, exact, ms, span } from "../lib/format";
import { useKeys } from "../lib/keys";
import type { StoryEntry, Sessions, SessionStory } from "../lib/model";
import { useResource } from "../lib/resource";
import { go } from "../lib/router";
import { p } from "../strings/pages";
import { trigger } from "../strings/recalls";
import { Empty, Figures, Head, ID, Loaded, Section, Stored, Table, Tag } from "../ui/parts";
import { State } from "./sessions";
import { Lanes, EntryOverview } from "../ui/lanes";

const t = p.session;

export default function SessionPage({ id }: { id: string }) {
  const story = useResource((a) => post<SessionStory>("session", { id }, a), [id], (e) => !!e.session);
  return <Loaded of={story} title={id}>{(d) => <View of={d} />}</Loaded>;
}

function View({ of: d }: { of: SessionStory }) {
  const s = d.session, last = d.entries.length - 1;
  const at = useSignal(last);
  const beside = (earlier: boolean) => (): void => {
    const params = earlier ? { until: s.last_event, limit: 1 } : { since: s.last_event, limit: 200 };
    void get<Sessions>("sessions", { project: s.project, ...params }).then(({ sessions }) => {
      const list = sessions.filter((x) => x.short !== s.short);
      const to = earlier ? list[0] : list.at(-1);
      if (to) go("/sessions/" + to.short);
    });
  };
  useKeys([
    { key: "[", label: t.previous, run: beside(true) },
    { key: "]", label: t.next, run: beside(false) },
    { key: "Escape", label: "back", run: () => history.back() },
  ]);
  const now = d.entries[Math.min(at.value, last)];
  return (
    <>
      <Head title={<Stored of={s.result || s.first_prompt || p.sessions.untitled(s.prompts)} />} name={s.short} command={"remanence timeline " + s.short} json={"sessions/" + s.short} />
      <div class="line states"><ID of={s.short} /><State of={s} /><span>{s.project_name}</span><span class="muted">{[s.agent, s.model, ...(s.branches ?? [])].filter(Boolean).join(" · ")}</span></div>
      {s.result && s.first_prompt && <p class="asked"><span class="muted">{t.asked}</span> <q dir="auto"><Stored of={s.first_prompt} /></q></p>}
      {d.partial && <p class="warn">{t.partial}</p>}
      {d.cut ? <p class="muted">{t.cut(d.cut)}</p> : null}
      <Figures of={[
        { term: p.sessions.heads.last, value: t.from(clock(s.created), clock(s.last_event)), note: exact(s.created) + " – " + exact(s.last_event) },
        { term: p.sessions.heads.lasted, value: span(Date.parse(s.last_event) - Date.parse(s.created)) },
        { term: p.sessions.heads.prompts, value: count(s.prompts) },
        { term: t.tools, value: count(d.activity.tools), note: t.toolsNote },
        ...(d.activity.gaps ? [{ term: t.idle, value: span(d.activity.idle_s * 1000), note: t.idleNote(d.activity.gaps) }] : []),
        ...(s.notifications ? [{ term: t.notifications, value: count(s.notifications), note: s.last_notification }] : []),
        { term: p.sessions.heads.memories, value: count(s.memories) },
        { term: p.sessions.heads.files, value: count(s.files) },
        { term: p.session.injections, value: count(s.injections) },
        { term: p.session.tokens, value: count(s.tokens) },
        ...(s.compactions ? [{ term: t.lane["compaction"]!, value: count(s.compactions) }] : []),
      ]} />
      {!now ? <Empty title={t.empty} /> : (
        <>
          <Section id="lanes" title={t.lanes} aside={<><span>{t.at(at.value + 1, d.entries.length)}</span><Replay at={at.value} last={last} choose={(i) => (at.value = i)} /></>}>
            <Lanes entries={d.entries} at={at.value} choose={(i) => (at.value = i)} />
            <div class="lane-slider">
              {d.entries.length > 30 && <EntryOverview entries={d.entries} at={at.value} />}
              <input class="slider" type="range" min={0} max={last} value={at.value} aria-label={t.slider} aria-valuetext={`${t.at(at.value + 1, d.entries.length)}: ${titleOf(now)}`}
                onInput={(e) => (at.value = e.currentTarget.valueAsNumber)} />
            </div>
          </Section>
          <div class="two">
            <Section title={t.detail}><Detail of={now} /></Section>
            <Known entries={d.entries} at={at.value} />
          </div>
          <details class="section"><summary>{t.table}</summary><StoryTable of={d.entries} /></details>
        </>
      )}
    </>
  );
}

const STEP = 400; // milliseconds that replay stays at an event

/** Walks through the session by itself, from the beginning if it is at the end. */
function Replay({ at, last, choose }: { at: number; last: number; choose: (i: number) => void }) {
  const on = useSignal(false);
  useEffect(() => {
    if (!on.value) return undefined;
    if (at >= last) { on.value = false; return undefined; }
    const next = setTimeout(() => choose(at + 1), STEP);
    return () => clearTimeout(next);
  }, [on.value, at, last]);
  const press = (): void => {
    if (!on.value && at >= last) choose(0);
    on.value = !on.value;
  };
  return <button type="button" aria-pressed={on.value} onClick={press}>{on.value ? t.stop : t.replay}</button>;
}

/** What an entry is called; an injection by the words for its trigger. */
const titleOf = (b: StoryEntry): string => (b.lane === "injection" ? trigger(b.title.replaceAll(" ", "_")) : b.title);

const place = (b: StoryEntry): string => (b.id.startsWith("m_") ? "/m/" + b.id : b.id.startsWith("r_") ? "/injections/" + b.id : "");

function Detail({ of: b }: { of: StoryEntry }) {
  return (
    <div data-testid="beat">
      <p class="line"><span class="muted">{clock(b.at)}</span><span class={"lane-name l-" + b.lane}>{t.lane[b.lane]}</span>
        {b.failed && <Tag tone="bad">{t.failed}</Tag>}{b.took_ms ? <span class="muted">{ms(b.took_ms)}</span> : null}{place(b) && <ID of={b.id} />}</p>
      <p class="beat-title"><Stored of={titleOf(b)} /></p>
      {b.detail && <p class="muted">{b.detail}</p>}
    </div>
  );
}

/** The memories that the session had made or received up to a point. */
function Known({ entries, at }: { entries: StoryEntry[]; at: number }) {
  const known = entries.slice(0, at + 1).filter((b) => b.lane === "memory" || b.lane === "injection").reverse();
  return (
    <Section id="known" title={t.known} aside={count(known.length)}>
      {known.length === 0 ? <p class="muted">{t.knownNone}</p> : (
        <ul class="feed">{known.slice(0, 40).map((b) => <li key={b.id}><span class="when muted">{clock(b.at)}</span><a class="plain title" href={place(b)}>{b.lane === "injection" ? t.injection(titleOf(b), b.detail) : b.title}</a></li>)}</ul>
      )}
    </Section>
  );
}

function StoryTable({ of }: { of: StoryEntry[] }) {
  return <Table caption={t.lanesLabel} of={of.slice(-1000)} id={(b) => b.lane + b.id} columns={[
    { head: t.heads.at, cell: (b) => <time dateTime={b.at} title={exact(b.at)}>{clock(b.at)}</time> },
    { head: t.heads.lane, cell: (b) => t.lane[b.lane] },
    { head: t.heads.what, wide: true, cell: (b) => (place(b) ? <a class="plain" href={place(b)}>{titleOf(b)}</a> : titleOf(b)) },
    { head: t.heads.took, num: true, spare: true, cell: (b) => (b.took_ms ? ms(b.took_ms) : "") },
    { head: t.heads.tokens, num: true, spare: true, cell: (b) => (b.tokens ? count(b.tokens) : "") },
  ]} />;
}
