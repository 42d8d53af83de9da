/**
 * A client for the suite's client scenarios, which starts it once for each with the URL of a server: a hub in front of that
 * server, and a client of the official SDK in front of the hub.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startHub } from '../kit/hub.ts';
import { performScenario } from './client-actions.ts';
import { isSignIn, performSignIn, signInSettings } from './sign-in-leg.ts';
import { SERVER_SETTINGS } from './targets.ts';

const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const isModern = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as object;

const client = new Client(
  { name: 'client-leg', version: '1.0.0' },
  {
    capabilities: {
      elicitation: { form: { applyDefaults: true } },
      sampling: {},
      roots: { listChanged: true },
    },
    versionNegotiation: { mode: isModern ? { pin: '2026-07-28' } : 'legacy' },
  },
);
client.setRequestHandler('elicitation/create', ({ params }) => {
  const { properties = {} } = (params as { requestedSchema?: { properties?: object } }).requestedSchema ?? {};
  return { action: 'accept', content: 'confirmed' in properties ? { confirmed: true } : {} };
});

{
  const { auth, signIn } = isSignIn(scenario) ? signInSettings(scenario, context) : {};
  await using hub = await startHub({
    servers: { scenario: { url, ...SERVER_SETTINGS, ...(auth && { auth }) } },
    config: { ...(signIn && { signIn }) },
    ready: auth === undefined,
  });
  // The suite has waited long enough: the hub must not outlive us.
  process.once('SIGTERM', () => void hub.stop().finally(() => process.exit(1)));
  const transport = new StreamableHTTPClientTransport(new URL(hub.url), {
    requestInit: { headers: { authorization: `Bearer ${hub.token}` } },
  });
  try {
    await client.connect(transport);
    await (auth === undefined ? performScenario(scenario, client, context) : performSignIn(hub, client));
    await client.close();
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
}
process.exit();
