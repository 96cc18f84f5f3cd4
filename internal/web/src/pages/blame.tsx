// The lines of a file: which commit holds them, and which session and prompt wrote them, and why.
import { get, project } from "../lib/api";
import { commandHere } from "../lib/command";
import { clock, exact } from "../lib/format";
import { useRows } from "../lib/keys";
import type { Blame as Data, BlameRow } from "../lib/model_history";
import { useResource } from "../lib/resource";
import { query } from "../lib/router";
import { bl } from "../strings/history";
import { Empty, Head, ID, Kind, Loaded, Tag } from "../ui/parts";

const link = (path: string, from = 1): string => "/blame?path=" + encodeURIComponent(path) + (from > 1 ? "&from=" + from : "");

export default function Blame() {
  const path = query.value.get("path") ?? "";
  if (!path || !project.value) {
    return <><Head title={bl.title} /><Empty title={path ? bl.choose : bl.noFile}><p class="muted">{!path && bl.noFileNote} <a href="/files">{bl.files}</a></p></Empty></>;
  }
  return <File key={path} path={path} from={Number(query.value.get("from")) || 1} />;
}

function File({ path, from }: { path: string; from: number }) {
  const params = { project: project.value, file: path, from: from > 1 ? from : undefined };
  const lines = useResource((a) => get<Data>("blame", params, a), [path, from]);
  const rows = useRows();
  return (
    <>
      <Head title={<code>{path}</code>} name={path} command={commandHere("blame", path)} json="blame" params={params} />
      <p class="line"><a href={"/files?path=" + encodeURIComponent(path)}>{bl.file}</a> <a href="/files">{bl.files}</a></p>
      <Loaded of={lines}>{(d) => (
        <div ref={rows} data-testid="blame">
          <p class="muted">{bl.known(d.known, d.lines)} {!d.text && d.lines > 0 && bl.hidden}</p>
          {d.rows.map((r) => <Row key={r.from} of={r} text={d.text?.slice(r.from - d.from, r.to - d.from + 1) ?? []} />)}
          <p class="line">
            {d.from > 1 && <a href={link(path)}>{bl.first}</a>}
            {d.from - 1 + d.lines < d.total && <a href={link(path, d.from + d.lines)}>{bl.next(d.from + d.lines)}</a>}
          </p>
        </div>
      )}</Loaded>
    </>
  );
}

function Row({ of: r, text }: { of: BlameRow; text: string[] }) {
  const o = r.origin;
  return (
    <article class="blame" data-row>
      <div class="blame-why">
        <h2 class="sr">{bl.lines(r.from, r.to)}</h2>
        <p>
          {r.commit ? <><code title={r.commit}>{r.commit.slice(0, 8)}</code> {r.subject}</> : <Tag>{bl.uncommitted}</Tag>}
          {r.commit && <span class="muted"> · {r.author}{r.committed && <>, <time dateTime={r.committed} title={exact(r.committed)}>{clock(r.committed)}</time></>}</span>}
        </p>
        {o
          ? <p><ID of={o.session} /> <time dateTime={o.at} title={exact(o.at)}>{clock(o.at)}</time> <span class="muted">{o.agent}{o.evidence === "commit" && ", " + bl.byCommit}{o.evidence === "made" && ", " + bl.onlyMade}{o.evidence === "trailer" && ", " + bl.byTrailer}</span> {o.prompt && <q>{o.prompt}</q>}</p>
          : r.commit && <p class="muted">{bl.git}</p>}
        {o?.memory && <p><ID of={o.memory.id} /> <Kind of={o.memory.kind} /> {o.memory.title} <Tag>{o.memory.trust}</Tag></p>}
      </div>
      {text.length > 0 && <pre class="lines">{text.map((t, i) => <span key={i}><span class="no" aria-hidden="true">{r.from + i}</span>{t + "\n"}</span>)}</pre>}
    </article>
  );
}
