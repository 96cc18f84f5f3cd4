// Every page of the viewer, for the tests that hold for all of them. at is the
// path, given what a store holds: {session, memory, receipt, file, project}, all "" where
// it is empty; a page that needs one of them is left out there.
export const pages = [
  { name: "now", at: () => "/" },
  { name: "sessions", at: () => "/sessions" },
  { name: "session", at: (s) => s.session && "/sessions/" + s.session },
  { name: "recap", at: () => "/recap?since=7d" },
  { name: "blame of no project", at: () => "/blame?path=a.go" },
  { name: "propose for no project", at: () => "/propose" },
  { name: "search", at: () => "/memories" },
  { name: "search words", at: () => "/memories?q=retry%20kind%3Adecision" },
  { name: "search nothing", at: () => "/memories?q=zebra%20kind%3Adecision" },
  { name: "memory", at: (s) => s.memory && "/m/" + s.memory },
  { name: "memory forgotten", at: (s) => s.forgotten && "/m/" + s.forgotten },
  { name: "recalls", at: () => "/injections" },
  { name: "recalls filtered", at: () => "/injections?outcome=abstained&trigger=prompt" },
  { name: "recall", at: (s) => s.receipt && "/injections/" + s.receipt },
  { name: "economy", at: () => "/usage?days=7" },
  { name: "files", at: () => "/files" },
  { name: "file", at: (s) => s.file && "/files?path=" + encodeURIComponent(s.file) },
  { name: "graph", at: () => "/map" },
  { name: "graph around", at: (s) => s.memory && "/map?depth=2&id=" + s.memory },
  { name: "state", at: () => "/state" },
  { name: "state of a project", at: (s) => s.project && "/state/" + encodeURIComponent(s.project) },
  { name: "handoff", at: () => "/handoff" },
  { name: "review", at: () => "/review" },
  { name: "health", at: () => "/health" },
  { name: "log", at: () => "/log?level=warn" },
  { name: "settings", at: () => "/settings" },
  { name: "nowhere", at: () => "/no/such/page" },
];

/** What a store holds, for the paths above. */
export async function holdings(w) {
  const found = await w.json("search", "retry", "-n", "5");
  const ids = found.results.map((r) => r.id);
  const why = await w.json("why");
  return {
    memory: ids[0] ?? "", forgotten: w.forgotten ?? "", receipt: why.receipt.id,
    project: why.receipt.project, session: why.session_short ?? why.receipt.session, file: found.results.flatMap((r) => r.files ?? [])[0] ?? "",
  };
}
