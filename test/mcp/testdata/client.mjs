// Plays a client by the official TypeScript SDK: greets the server, lists what it offers, keeps a statement, finds it and
// reads it again. node client.mjs DIRECTORY-OF-THE-SDK http URL TOKEN | stdio COMMAND ARGS…; prints what it saw as JSON.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [, , dir, transport, ...rest] = process.argv;
const from = createRequire(pathToFileURL(dir + '/package.json'));
const { Client } = await import(pathToFileURL(from.resolve('@modelcontextprotocol/sdk/client/index.js')));
const client = new Client({ name: 'trial', version: '1.0.0' });

if (transport === 'http') {
  const { StreamableHTTPClientTransport } = await import(pathToFileURL(from.resolve('@modelcontextprotocol/sdk/client/streamableHttp.js')));
  await client.connect(new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers: { Authorization: 'Bearer ' + rest[1] } } }));
} else {
  const { StdioClientTransport } = await import(pathToFileURL(from.resolve('@modelcontextprotocol/sdk/client/stdio.js')));
  await client.connect(new StdioClientTransport({ command: rest[0], args: rest.slice(1), env: process.env, stderr: 'inherit' }));
}

const call = async (name, args) => {
  const got = await client.callTool({ name, arguments: args });
  return { failed: got.isError === true, ...JSON.parse(got.content[0].text) };
};
const text = `the ${transport} courier rings three times before it leaves`;
const saved = await call('remember', { content: text, kind: 'fact' });
const found = await call('search', { query: `how often does the ${transport} courier ring` });
const read = await call('get', { ids: [saved.id] });
const resources = await client.listResources();
const status = await client.readResource({ uri: 'remanence://status' });
console.log(JSON.stringify({
  server: client.getServerVersion().name,
  tools: (await client.listTools()).tools.map((t) => t.name),
  resources: resources.resources.map((r) => r.uri),
  templates: (await client.listResourceTemplates()).resourceTemplates.map((r) => r.uriTemplate),
  prompts: (await client.listPrompts()).prompts.map((p) => p.name),
  prompt: (await client.getPrompt({ name: 'checkpoint' })).messages.length,
  status: JSON.parse(status.contents[0].text),
  mistake: await call('search', {}),
  saved, found, read,
}));
await client.close();
