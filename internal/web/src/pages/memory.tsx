import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { get, post } from "../lib/api";
import { act, mark } from "../lib/act";
import { diff } from "../lib/diff";
import { count, exact, given } from "../lib/format";
import { useKeys } from "../lib/keys";
import { Markdown } from "../lib/markdown";
import type { Feedback, Memory, MemoryStory, InjectionRow, UseRow } from "../lib/model";
import { useResource, type Resource } from "../lib/resource";
import { p } from "../strings/pages";
import { trigger } from "../strings/recalls";
import { Confirm, Dialog } from "../ui/dialog";
import { Ago, copy, Head, ID, Kind, Loaded, Section, Stored, Table, Tag } from "../ui/parts";
import { States } from "../ui/memory";
import { Evidence } from "../ui/uses";
import { EditForm, PurgeForm } from "./memory_forms";

const t = p.memory;

export default function MemoryPage({ id }: { id: string }) {
  const story = useResource((a) => get<MemoryStory>("memories/" + encodeURIComponent(id), {}, a), [id], (e) => e.type === "changed");
  return <Loaded of={story} title={id}>{(d) => <View of={d} story={story} />}</Loaded>;
}

function View({ of: d, story }: { of: MemoryStory; story: Resource<MemoryStory> }) {
  const m = d.memory;
  const open = useSignal<"" | "edit" | "purge" | "outdated">("");
  const active = m.status === "active";
  const close = (): void => void (open.value = "");
  const pin = (): void => void mark(m.pinned ? "unpin" : "pin", [m.id], story.reload);
  const forget = (): void => void mark(active ? "forget" : "restore", [m.id], story.reload);
  const rate = (verdict: "useful" | "wrong" | "stale"): void => {
    const back = verdict === "wrong" ? () => post("mark", { verb: "restore", ids: [m.id] }).then(story.reload) : undefined;
    void act(t.rated[verdict](m.id), () => post("feedback", { ids: [m.id], verdict }).then(story.reload), back);
  };
  useKeys([
    { key: "e", label: t.actions.edit, run: () => (open.value = "edit") },
    { key: "p", label: t.actions.pin, run: pin },
    { key: "l", label: t.actions.useful, run: () => rate("useful") },
    { key: "w", label: t.actions.wrong, run: () => rate("wrong") },
    { key: "s", label: t.actions.outdated, run: () => (open.value = "outdated") },
    { key: "x", label: t.actions.forget, run: forget },
    { key: "y", label: "copy id", run: () => void copy(m.id) },
    { key: "Escape", label: "back", run: () => history.back() },
  ]);
  const body = m.body && m.body !== m.title ? m.body : "";
  return (
    <article>
      <Head title={m.title} command={"remanence show " + m.id} json={"memories/" + m.id} />
      <div class="line states"><Kind of={m.kind} /><ID of={m.id} /><Tag>{t.scopes[m.scope]}</Tag><States of={m} stale={d.stale} /></div>
      {!active && (
        <div class="tombstone" role="note">
          <p>{m.status === "forgotten" ? t.forgotten : m.status === "superseded" ? t.superseded : t.gone}</p>
          <button type="button" onClick={forget}>{t.actions.restore}</button>
          <button type="button" onClick={() => (open.value = "purge")}>{t.actions.purge}</button>
        </div>
      )}
      <Chain of={d} />
      {body && <Markdown text={body} />}
      {m.invariant && <Section title={t.invariant}><p>{m.invariant}</p></Section>}
      {(m.facts ?? []).length > 0 && <Section title={t.facts}><ul class="dots">{m.facts!.map((f) => <li key={f}>{f}</li>)}</ul></Section>}
      {active && (
        <div class="line actions" role="group" aria-label={t.about}>
          <button type="button" onClick={() => rate("useful")}>{t.actions.useful}<kbd aria-hidden="true">l</kbd></button>
          <button type="button" onClick={() => rate("wrong")}>{t.actions.wrong}<kbd aria-hidden="true">w</kbd></button>
          <button type="button" onClick={() => (open.value = "outdated")}>{t.actions.outdated}<kbd aria-hidden="true">s</kbd></button>
          <span class="gap" />
          <button type="button" onClick={() => (open.value = "edit")}>{t.actions.edit}<kbd aria-hidden="true">e</kbd></button>
          <button type="button" onClick={pin}>{m.pinned ? t.actions.unpin : t.actions.pin}<kbd aria-hidden="true">p</kbd></button>
          <button type="button" onClick={forget}>{t.actions.forget}<kbd aria-hidden="true">x</kbd></button>
          <button type="button" class="quiet" onClick={() => (open.value = "purge")}>{t.actions.purge}</button>
        </div>
      )}
      {d.uses.length > 0 && <Section title={t.uses} aside={t.times(m.uses)}><UseList of={d.uses} /></Section>}
      <Section title={t.about}><Fields of={d} /></Section>
      <Kin of={d} />
      <Section title={t.life}><Life of={m} /></Section>
      <Section title={t.injections} aside={d.injections.length ? t.times(d.injections.length) : undefined}>
        {d.injections.length === 0 ? <p class="muted">{t.injectionsNone}</p> : <Injections of={d.injections} />}
      </Section>
      {open.value === "edit" && <Dialog title={`${t.edit.title} ${m.id}`} close={close}><EditForm id={m.id} done={() => { close(); story.reload(); }} /></Dialog>}
      {open.value === "purge" && <Dialog title={t.purge.title} close={close} destroys><PurgeForm of={m} close={close} /></Dialog>}
      {open.value === "outdated" && <Confirm title={t.outdatedAsk.title} text={t.outdatedAsk.text} yes={t.outdatedAsk.yes} order={() => rate("stale")} close={close} />}
    </article>
  );
}

/** Where it comes from: the session, the prompt and the tool, one step after the other, and the same in a sentence. */
function Chain({ of: d }: { of: MemoryStory }) {
  const m = d.memory, sess = d.session;
  const call = m.command ? <code>{m.command}</code> : m.tool;
  const steps: [string, ComponentChildren][] = [
    [t.chain.project, d.project?.name || ""],
    [t.chain.session, sess && <ID of={sess.short} title={sess.first_prompt} />],
    [m.source.prompt ? t.chain.prompt(m.source.prompt) : t.prompt, d.prompt && <q dir="auto" title={d.prompt}><Stored of={d.prompt} /></q>],
    [t.chain.tool, call],
    [t.chain.said, t.origin[m.origin] ?? m.origin],
  ];
  return (
    <div class="provenance" data-testid="provenance">
      {sess && <ol class="chain" aria-label={t.chain.title}>{steps.filter(([, what]) => what).map(([name, what]) => <li key={name}><span class="muted">{name}</span> {what}</li>)}</ol>}
      <p class="muted">{d.provenance}</p>
    </div>
  );
}

/** The newest uses with what shows them. */
function UseList({ of }: { of: UseRow[] }) {
  return <ul class="feed">{of.map((u) => (
    <li key={u.turn}><span class="when muted"><Ago at={u.at} /></span><span><Evidence of={u} /></span><span class="title muted" dir="auto"><Stored of={u.title} /></span></li>
  ))}</ul>;
}

/** The search for all that has a value. */
const filtered = (key: string, value: string): string => "/memories?q=" + encodeURIComponent(`${key}:${/\s/.test(value) ? `"${value}"` : value}`);

function Fields({ of: d }: { of: MemoryStory }) {
  const m = d.memory, f = t.fields;
  const rows: [string, ComponentChildren][] = [
    [f.project, !d.session && (d.project?.name || m.project)],
    [f.author, !d.session && (t.origin[m.origin] ?? m.origin)],
    [f.command, m.command && <code>{m.command}{m.exit_code ? ` (exit ${m.exit_code})` : ""}</code>],
    [t.files, (m.files ?? []).length > 0 && <ul class="files">{m.files!.map((x) => {
      const a = m.anchors?.find((y) => y.file === x);
      return <li key={x}><code>{x}</code>{a?.hash && <span class="muted mono" title={f.hash}> {a.hash.slice(0, 7)}</span>}</li>;
    })}</ul>],
    [f.branch, m.branch && <a href={filtered("branch", m.branch)}><code>{m.branch}</code></a>], [f.commit, m.commit && <code>{m.commit.slice(0, 12)}</code>],
    [f.tags, (m.tags ?? []).length > 0 && <span class="line">{m.tags!.map((x) => <a key={x} href={filtered("tag", x)}>{x}</a>)}</span>],
    [f.importance, `${m.importance.toFixed(2)} · ${f.confidence.toLowerCase()} ${m.confidence.toFixed(2)}`],
    [f.used, m.uses > 0 && <>{t.times(m.uses)}{given(m.last_used) && <>, <Ago at={m.last_used} /></>}</>],
    [f.repeats, (m.repeats ?? 0) > 0 && t.times(m.repeats!)],
    [f.created, exact(m.created)], [f.updated, m.updated !== m.created && exact(m.updated)],
  ];
  return <dl class="kv">{rows.filter(([, v]) => v).map(([k, v]) => [<dt key={k}>{k}</dt>, <dd key={k + "v"}>{v}</dd>])}</dl>;
}

const textOf = (m: Memory): string => (m.body && m.body !== m.title ? m.body : m.title);

const KEPT = 4000; // characters of the text before an edit; of a longer one the beginning, and an ellipsis

function Diff({ from, to }: { from: string; to: string }) {
  const cut = from.endsWith("…") && from.length > KEPT - 100; // spaces before the ellipsis are not kept
  const was = cut ? from.replace(/\S*…$/, "") : from;
  const all = diff(was, cut ? to.slice(0, was.length) : to), known = all.slice(0, all.findLastIndex((x) => x.how === "same") + 1);
  const pieces = cut && known.some((x) => x.how !== "same") ? known : all; // behind a change the ends of what is compared differ anyway
  return (
    <>
      <p class="sr">{t.diff}</p>
      {cut && <p class="muted">{t.diffCut}</p>}
      <p class="diff">{pieces.map((x, i) => (x.how === "same" ? <span key={i}>{x.text}</span> : x.how === "gone" ? <del key={i}>{x.text}</del> : <ins key={i}>{x.text}</ins>))}</p>
    </>
  );
}

function Kin({ of: d }: { of: MemoryStory }) {
  const pair = d.replaces ? { old: d.replaces, now: d.memory, title: t.replaces, other: d.replaces } : d.replaced_by ? { old: d.memory, now: d.replaced_by, title: t.replacedBy, other: d.replaced_by } : null;
  if (!pair) return null;
  return (
    <Section title={pair.title} aside={<ID of={pair.other.id} />}>
      <p><a class="plain" href={"/m/" + pair.other.id}>{pair.other.title}</a></p>
      <Diff from={textOf(pair.old)} to={textOf(pair.now)} />
    </Section>
  );
}

function Life({ of: m }: { of: Memory }) {
  const list = [...(m.feedback ?? [])].reverse();
  if (list.length === 0) return <p class="muted">{t.lifeNone}</p>;
  let now = textOf(m); // what an edit made of the text is what the next one found
  const edits = new Map<Feedback, { from: string; to: string }>();
  for (const f of list) if (f.was) { edits.set(f, { from: f.was, to: now }); now = f.was; }
  return <ul class="feed">{list.map((f) => (
    <li key={f.at + f.verdict}><span class="when muted"><Ago at={f.at} /></span><span>{f.verdict}</span><span>{f.note}</span><span class="end muted">{t.origin[f.by] ?? f.by}</span>
      {edits.has(f) && <Diff {...edits.get(f)!} />}</li>
  ))}</ul>;
}

function Injections({ of }: { of: InjectionRow[] }) {
  return <Table caption={t.injections} of={of} id={(x) => x.receipt} columns={[
    { head: t.heads.at, cell: (x) => <Ago at={x.at} /> },
    { head: t.heads.trigger, cell: (x) => <a href={"/injections/" + x.receipt}>{trigger(x.trigger)}</a> },
    { head: t.heads.query, wide: true, cell: (x) => x.query },
    { head: t.heads.session, spare: true, cell: (x) => <ID of={x.session} /> },
    { head: t.heads.rank, num: true, spare: true, cell: (x) => count(x.rank) },
    { head: t.heads.score, num: true, cell: (x) => (x.score > 0 ? x.score.toFixed(2) : "–") },
    { head: t.heads.tokens, num: true, spare: true, cell: (x) => count(x.tokens) },
  ]} />;
}
