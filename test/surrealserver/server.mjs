// server.mjs STORAGE: serves SurrealDB's engine on a port of loopback, as much of it as clients of its SDKs need: /health, /version,
// /sql and /rpc over WebSocket and HTTP, in CBOR. Requests and answers pass as they are. The engine in this form asks nobody who he is:
// each connection gets a session of its own, and must sign in before it is heard. SURREAL_ENGINE is where its packages are, USER and
// PASSWORD are the owner's, PORT is the port. With CERTIFICATE and KEY, files in PEM, it is served with TLS. It prints "ready PORT".
import http from "node:http";
import https from "node:https";
import { createRequire } from "node:module";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

const modules = path.join(process.env.SURREAL_ENGINE, "node_modules");
const require = createRequire(path.join(modules, "none.js"));
const { WebSocketServer } = require("ws");
const { encode, decode, Tagged } = require("@surrealdb/cbor");
const libc = existsSync(`/lib/ld-musl-${process.arch === "x64" ? "x86_64" : "aarch64"}.so.1`) ? "musl" : "gnu";
const { SurrealNodeEngine } = require(path.join(modules, `@surrealdb/node/dist/surrealdb-node.linux-${process.arch}-${libc}.node`));

const engine = await SurrealNodeEngine.connect(process.argv[2], { capabilities: true });
const { USER: user, PASSWORD: pass } = process.env;
const asIs = Object.fromEntries(Array.from({ length: 256 }, (_, tag) => [tag, (value) => value]));
const read = (bytes) => decode(new Uint8Array(bytes), { tagged: asIs });
const bytesOf = (value) => Buffer.from(encode(value));
const failed = Buffer.from("a1656572726f72", "hex"); // how a map begins that has an error alone
const isError = (bytes) => Buffer.from(bytes).subarray(0, failed.length).equals(failed);

// Client is one connection: a session of the engine.
class Client {
  constructor() {
    this.session = new Tagged(37, new Uint8Array(randomBytes(16)));
    this.known = false; // it signed in
    this.begun = this.run("attach", []);
  }

  // run sends a request of the server itself.
  async run(method, params) {
    const answer = await engine.execute(bytesOf({ method, params, session: this.session }));
    const value = read(answer);
    if (isError(answer)) throw new Error(`${method}: ${value.error.message}`);
    return value;
  }

  // answer returns the answer to a request.
  async answer(bytes) {
    await this.begun;
    const request = read(bytes);
    const id = Buffer.concat([Buffer.of(0xa2), bytesOf("id"), bytesOf(request.id ?? null)]);
    if (!this.known && !["signin", "authenticate", "use", "ping", "version"].includes(request.method)) {
      return Buffer.concat([id, bytesOf("error"), bytesOf({ code: -32002, message: "There was a problem with authentication" })]);
    }
    if (!request.session) { // one more pair in the map
      bytes = Buffer.concat([bytes, bytesOf("session"), bytesOf(this.session)]);
      bytes[0]++;
    }
    const out = Buffer.from(await engine.execute(bytes));
    if (request.method === "signin" || request.method === "authenticate") this.known = !isError(out);
    return Buffer.concat([id, ...(isError(out) ? [out.subarray(1)] : [bytesOf("result"), out])]);
  }

  close() {
    this.run("detach", []).catch(() => {});
  }
}

const owner = new Client();
await owner.begun;
const [defined] = await owner.run("query", [`DEFINE USER IF NOT EXISTS ${user} ON ROOT PASSWORD ${JSON.stringify(pass)} ROLES OWNER`]);
if (defined.status !== "OK") throw new Error(defined.result);

// answer answers one request over HTTP, which signs in by itself.
async function answer(request, response) {
  const { pathname } = new URL(request.url, "ws://server");
  if (pathname === "/health") return response.end();
  if (pathname === "/version") return response.end(await owner.run("version", []));
  if (pathname !== "/sql" && pathname !== "/rpc") return response.writeHead(404).end();
  const parts = [];
  for await (const part of request) parts.push(part);
  const sent = Buffer.concat(parts);
  const client = new Client();
  const ask = (method, params) => client.answer(bytesOf({ id: "0", method, params }));
  try {
    const head = request.headers;
    const [user, pass] = Buffer.from((head.authorization ?? "").replace("Basic ", ""), "base64").toString().split(":");
    await ask("signin", [{ user, pass: pass ?? "" }]);
    if (head["surreal-ns"]) await ask("use", [head["surreal-ns"], head["surreal-db"] ?? null]);
    if (pathname === "/rpc") return response.writeHead(200, { "content-type": "application/cbor" }).end(await client.answer(sent));
    const { result, error } = read(await ask("query", [sent.toString()]));
    const plain = JSON.stringify(result ?? error, (_, v) => (typeof v === "bigint" ? Number(v) : v));
    response.writeHead(error ? 401 : 200, { "content-type": "application/json" }).end(plain);
  } finally {
    client.close();
  }
}

const { CERTIFICATE: certificate, KEY: key } = process.env;
const [serve, options] = certificate ? [https, { cert: readFileSync(certificate), key: readFileSync(key) }] : [http, {}];
const server = serve.createServer(options, (request, response) =>
  answer(request, response).catch((error) => response.writeHead(400).end(String(error))));
const sockets = new WebSocketServer({ server, path: "/rpc", maxPayload: 1 << 28, handleProtocols: () => "cbor" });
sockets.on("connection", (socket) => {
  const client = new Client();
  socket.on("message", (bytes) => client.answer(bytes).then((out) => socket.send(out), (error) => socket.close(1011, String(error).slice(0, 99))));
  socket.on("close", () => client.close());
  socket.on("error", () => {}); // it is closed next
});
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => console.log(`ready ${server.address().port}`));
