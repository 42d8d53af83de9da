// A whole conversation between an official SDK client and the device, for any version of Node. Prints the results as
// JSON.
const [library, url, token] = process.argv.slice(2);
const info = { name: 'device-client', version: '1' };
const options = { requestInit: { headers: { Authorization: `Bearer ${token}` } } };

async function connectV1() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } =
    await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const client = new Client(info);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
  return { client, server: client.getServerVersion() };
}

async function connectV2(mode) {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
  return { client, server: client.getServerVersion(), version: client.getNegotiatedProtocolVersion() };
}

const connect = {
  v1: connectV1,
  'v2-legacy': () => connectV2('legacy'),
  'v2-auto': () => connectV2('auto'),
  'v2-pinned': () => connectV2({ pin: '2026-07-28' }),
};

try {
  const { client, ...agreed } = await connect[library]();
  const { tools } = await client.listTools();
  const called = await client.callTool({ name: 'device.info', arguments: {} });
  const unknown = await client
    .callTool({ name: 'no.such', arguments: {} })
    .catch((error) => ({ thrown: String(error) }));
  await client.close();
  const seen = { ...agreed, node: process.version, tools: tools.map(({ name }) => name), called, unknown };
  process.stdout.write(JSON.stringify(seen));
} catch (error) {
  process.stdout.write(
    JSON.stringify({ node: process.version, refused: String(error) + JSON.stringify(error) }),
  );
}
