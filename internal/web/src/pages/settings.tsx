// Every setting: what it is, where it comes from, what a change would tell.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { get, post, project } from "../lib/api";
import { act, reason, showMessage } from "../lib/act";
import { clock } from "../lib/format";
import type { Receipt } from "../lib/model";
import type { Pause, Redacted, Setting, Settings as Data } from "../lib/model_upkeep";
import { useResource } from "../lib/resource";
import { query, setQuery } from "../lib/router";
import { p } from "../strings/pages";
import { st } from "../strings/upkeep";
import { Command, Empty, Head, Loaded, Section, Tag } from "../ui/parts";

export default function Settings() {
  const data = useResource((a) => get<Data>("config", {}, a), []);
  const find = query.value.get("find") ?? "", changed = query.value.get("changed") === "1";
  const fits = (v: Setting): boolean => (!changed || v.origin !== "default") && (v.key + " " + v.doc).toLowerCase().includes(find.toLowerCase());
  return (
    <>
      <Head title={st.title} command="remanence config list --origin" json="config" />
      <Loaded of={data}>{(d) => {
        const groups = new Map<string, Setting[]>();
        for (const v of d.values.filter(fits)) {
          const g = v.key.split(".")[0]!;
          groups.set(g, [...(groups.get(g) ?? []), v]);
        }
        const rows = (list: Setting[]): ComponentChildren => list.map((v) => <Row key={v.key} of={v} set={(next) => data.set(() => next)} />);
        const privacy = groups.get("privacy") ?? [];
        groups.delete("privacy"); // stands at the end, with its tester, whatever is looked for
        return (
          <>
            <p class="muted mono">{d.file}</p>
            {d.warnings.map((w) => <p key={w} class="warn">! {w}</p>)}
            <div class="facets">
              <label class="check">{st.find} <input type="search" value={find} onInput={(e) => setQuery({ find: e.currentTarget.value })} /></label>
              <label class="check"><input type="checkbox" checked={changed} onChange={(e) => setQuery({ changed: e.currentTarget.checked ? "1" : "" })} /> {st.changed}</label>
            </div>
            <nav class="jump" aria-label={st.title}>{[...groups.keys()].map((g) => <a key={g} class="quiet" href={"#set-" + g}>{st.groups[g] ?? g}</a>)}<a class="quiet" href="#pause">{st.pauseTitle}</a><a class="quiet" href="#set-privacy">{st.groups["privacy"]}</a><a class="quiet" href="#erase">{st.eraseTitle}</a></nav>
            {groups.size + privacy.length === 0 && <Empty title={st.none} />}
            {[...groups].map(([g, list]) => (
              <Section key={g} id={"set-" + g} title={st.groups[g] ?? g}>{rows(list)}</Section>
            ))}
            <PauseBox of={d.pauses} reload={data.reload} />
            <Section title={st.groups["privacy"]} id="set-privacy">{rows(privacy)}<Tester /></Section>
          </>
        );
      }}</Loaded>
      <Section title={st.eraseTitle} id="erase"><p>{st.eraseText}</p><p><a href="/memories?erase=1">{p.search.erase}</a></p></Section>
      <Section title={st.exportTitle} id="export"><p>{st.exportText} <Command>remanence export -o remanence.html</Command></p></Section>
    </>
  );
}

const lines = (text: string): string => text.split(",").filter(Boolean).join("\n");
const commas = (text: string): string => text.split("\n").map((x) => x.trim()).filter(Boolean).join(",");

function Row({ of: v, set }: { of: Setting; set: (d: Data) => void }) {
  const text = useSignal(v.text), effect = useSignal("");
  useLayoutEffect(() => { text.value = v.text; effect.value = ""; }, [v.text]);
  const env = v.origin !== "default" && v.origin !== "file", id = "set-" + v.key;
  const dirty = text.value !== v.text;
  const order = async (ask: { value?: string; unset?: boolean }, undo: { value?: string; unset?: boolean }): Promise<void> => {
    const send = async (a: typeof ask): Promise<void> => {
      const d = await post<Data>("config_set", { key: v.key, value: "", ...a });
      set(d);
      for (const line of d.notes) showMessage(line);
    };
    await act(st.saved(v.key), () => send(ask), () => send(undo));
  };
  const before = v.origin === "file" ? { value: v.text } : { unset: true };
  const preview = async (): Promise<void> => {
    try {
      const [then, now] = await Promise.all([
        get<Receipt>("config_try", { project: project.value, key: v.key, value: text.value }),
        get<Receipt>("next", { project: project.value }),
      ]);
      effect.value = st.previewOf(then.items?.length ?? 0, then.tokens, then.tokens - now.tokens, !!project.value);
    } catch (e) {
      effect.value = reason(e);
    }
  };
  return (
    <div class="setting" data-row>
      <div>
        <label for={id}><code>{v.key}</code></label> {v.origin !== "default" && <Tag tone={env ? "warn" : "plain"}>{st.origin[v.origin] ?? v.origin}</Tag>}
        <p class="doc">{v.doc}. <span>{st.default(defaultText(v))}</span>{v.at_start ? `; ${st.atStart}` : ""}{env ? `; ${st.byEnv(v.origin)}` : ""}</p>
      </div>
      <div class="field">
        <Field id={id} of={v} text={text.value} change={(t) => (text.value = t)} />
        {dirty && <button type="button" onClick={() => void order({ value: text.value }, before)}>{st.save}</button>}
        {dirty && v.preview && <button type="button" class="quiet" onClick={() => void preview()}>{st.preview}</button>}
        {v.origin === "file" && !dirty && <button type="button" class="quiet" onClick={() => void order({ unset: true }, { value: v.text })}>{st.unset}</button>}
      </div>
      {effect.value && <p class="effect" aria-live="polite">{effect.value}</p>}
    </div>
  );
}

const defaultText = (v: Setting): string => (Array.isArray(v.default) ? v.default.join(", ") : String(v.default));

function Field({ id, of: v, text, change }: { id: string; of: Setting; text: string; change: (t: string) => void }) {
  if (v.type === "boolean") return <label class="check"><input id={id} type="checkbox" checked={text === "true"} onChange={(e) => change(String(e.currentTarget.checked))} /> <span aria-hidden="true">{st.on}</span></label>;
  if (v.choices.length > 0) return <select id={id} value={text} onChange={(e) => change(e.currentTarget.value)}>{v.choices.map((c) => <option key={c}>{c}</option>)}</select>;
  if (v.type === "list") return <textarea id={id} rows={Math.min(6, 1 + text.split(",").length)} placeholder={st.list} value={lines(text)} onInput={(e) => change(commas(e.currentTarget.value))} />;
  return <input id={id} type="text" inputMode={v.type === "integer" ? "numeric" : v.type === "number" ? "decimal" : "text"} value={text} onInput={(e) => change(e.currentTarget.value)} />;
}

const hour = 3_600_000_000_000;

function PauseBox({ of, reload }: { of: Pause[]; reload: () => void }) {
  const scope = useSignal(project.value ? "project" : "all"), length = useSignal(String(hour)), inject = useSignal(false);
  const ask = (more: object) => () => post("pause", { scope: scope.value, project: project.value, ...more }).then(reload);
  return (
    <Section title={st.pauseTitle} id="pause">
      <div class="stack">
        {of.length === 0
          ? <p class="muted">{st.notPaused}</p>
          : <ul class="bullets">{of.map((p) => <li key={p.target} class="warn">{st.pausedLine(p.target, p.inject_only, p.until ? st.untilAt(clock(p.until)) : st.until)}</li>)}</ul>}
        <p class="muted">{st.pauseText}</p>
        <p class="line">
          <select aria-label={st.pauseTitle} value={scope.value} onChange={(e) => (scope.value = e.currentTarget.value)}>
            {project.value && <option value="project">{st.scope.project}</option>}<option value="all">{st.scope.all}</option>
          </select>
          <select aria-label={st.for1h} value={length.value} onChange={(e) => (length.value = e.currentTarget.value)}>
            <option value={hour}>{st.for1h}</option><option value={8 * hour}>{st.forDay}</option><option value="0">{st.until}</option>
          </select>
          <label class="check"><input type="checkbox" checked={inject.value} onChange={(e) => (inject.value = e.currentTarget.checked)} /> {st.injectOnly}</label>
          <button type="button" onClick={() => void act(st.paused, ask({ for: Number(length.value), inject_only: inject.value }), ask({ resume: true }))}>{st.pause}</button>
          {of.length > 0 && <button type="button" onClick={() => void act(st.resumed, ask({ resume: true }))}>{st.resume}</button>}
        </p>
      </div>
    </Section>
  );
}

/** Shows what would be kept of a text. */
function Tester() {
  const text = useSignal(""), kept = useSignal<Redacted | undefined>(undefined), error = useSignal("");
  useEffect(() => {
    if (!text.value) { kept.value = undefined; return; }
    const end = new AbortController();
    const t = setTimeout(() => post<Redacted>("privacy_test", { text: text.value }, end.signal).then(
      (r) => { kept.value = r; error.value = ""; },
      (e: unknown) => { if (!end.signal.aborted) error.value = reason(e); },
    ), 250);
    return () => { clearTimeout(t); end.abort(); };
  }, [text.value]);
  const r = kept.value;
  const out = r ? [r.private ? st.spans(r.private) : "", r.injected ? st.blocks(r.injected) : "", ...r.secrets.map((s) => `${s.count} × ${s.kind}`)].filter(Boolean) : [];
  return (
    <div class="stack foot">
      <p class="muted">{st.privacyText}</p>
      <textarea aria-label={st.privacyLabel} rows={3} value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} spellcheck={false} />
      {error.value && <p class="bad">{error.value}</p>}
      {r && <div aria-live="polite" data-testid="kept">{r.text ? <pre class="panel">{r.text}</pre> : <p>{st.privacyNone}</p>}<p class="muted">{st.privacyOut}: {out.length ? out.join(", ") : st.privacyNothing}</p></div>}
    </div>
  );
}
