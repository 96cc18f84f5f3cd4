// What was done, by day and project, to read and to share.
import { get, project } from "../lib/api";
import { commandHere } from "../lib/command";
import { download } from "../lib/download";
import { useRows } from "../lib/keys";
import type { Recap as Data, RecapDay, RecapFailure, RecapItem } from "../lib/model_history";
import { useResource } from "../lib/resource";
import { query, setQuery } from "../lib/router";
import { rc } from "../strings/history";
import { copy, Empty, Facet, Head, ID, Loaded, Section } from "../ui/parts";
import type { ComponentChildren } from "preact";

const shown = 10; // entries of a part
const days = 31; // days of a page

export default function Recap() {
  const since = query.value.get("since") || "yesterday";
  const until = query.value.get("until") || "";
  const params = { project: project.value, since, until };
  const recap = useResource((a) => get<Data>("recap", { ...params, limit: days }, a), [since, until], (e) => e.type === "changed");
  const rows = useRows();
  const page = async (format: "md" | "html"): Promise<string> => (await get<Data>("recap", { ...params, limit: days, format, items: shown })).text ?? "";
  return (
    <>
      <Head title={rc.title} command={commandHere("recap", "--since", since)} json="recap" params={params}>
        <Facet title={rc.period} values={Object.entries(rc.since).map(([value, label]) => ({ value, label }))} chosen={since} choose={(v) => setQuery({ since: v === "yesterday" ? "" : v, until: "" })} />
      </Head>
      <Loaded of={recap}>{(d) => !d.cut && d.days.length === 0 ? <Empty title={rc.none}><p class="muted">{rc.noneNote}</p></Empty> : (
        <div ref={rows} data-testid="recap">
          <p class="line">
            <button type="button" onClick={() => void page("md").then(copy)}>{rc.copy}</button>
            <button type="button" onClick={() => void page("html").then((text) => download(new Blob([text], { type: "text/html" }), rc.file(d.until.slice(0, 10))))}>{rc.save}</button>
          </p>
          {[...d.days].reverse().map((day) => <Day key={day.day + day.project} of={day} />)}
          {(d.cut || until) && (
            <p class="line">
              {d.cut && <button type="button" onClick={() => setQuery({ until: d.days[0]?.day ?? "" }, false)}>{rc.earlier}</button>}
              {until && <button type="button" onClick={() => setQuery({ until: "" }, false)}>{rc.newest}</button>}
            </p>
          )}
        </div>
      )}</Loaded>
    </>
  );
}

/** Whether something was kept of a day. */
const says = (d: RecapDay): boolean => [d.outcomes, d.decisions, d.open, d.failures, d.commits, d.files].some((part) => part.length > 0);

function Day({ of: d }: { of: RecapDay }) {
  const item = (x: RecapItem) => <li key={x.id + x.title} data-row><ID of={x.id} /> {x.title}{x.state && <span class="muted"> ({x.state})</span>}</li>;
  return (
    <Section title={<>{d.day} · {d.project_name}</>} aside={d.sessions > 0 && rc.sessions(d.sessions)}>
      {!says(d) && <p class="muted">{rc.nothing}</p>}
      <Part title={rc.parts.outcomes} of={d.outcomes.map(item)} />
      <Part title={rc.parts.decisions} of={d.decisions.map(item)} />
      <Part title={rc.parts.open} of={d.open.map(item)} />
      <Part title={rc.parts.failures} of={d.failures.map((f) => <li key={f.id} data-row><ID of={f.id} /> <code>{f.command}</code> {f.times > 1 && <>· {rc.times(f.times)} </>}· {became(f)}</li>)} />
      <Part title={rc.parts.commits} of={d.commits.map((c) => <li key={c.hash}><code>{c.hash}</code> {c.subject} <ID of={c.session} /></li>)} />
      <Part title={rc.parts.files} of={d.files.map((f) => <li key={f}><a href={"/files?path=" + encodeURIComponent(f)}>{f}</a></li>)} />
    </Section>
  );
}

const became = (f: RecapFailure): string => (f.fix ? rc.fixedAfter(f.fixed_after_s ?? 0, f.fix) : f.works_as ? rc.worksAs(f.works_as) : f.resolved ? rc.worksNow : rc.stillFails);

function Part({ title, of }: { title: string; of: ComponentChildren[] }) {
  if (of.length === 0) return null;
  return <><h3>{title}</h3><ul class="items">{of.slice(0, shown)}{of.length > shown && <li class="muted">{rc.more(of.length - shown)}</li>}</ul></>;
}
