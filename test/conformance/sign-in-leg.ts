/** The person in the suite's sign-in scenarios: signs in to the server behind the hub as often as the hub asks for it. */
import type { Client } from '@modelcontextprotocol/client';
import type { TestHub } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';
import { visit } from '../servers/sign-in/headless-browser.ts';

/** What the suite says to a client besides the address of its server. */
interface SuiteContext {
  client_id?: string;
  client_secret?: string;
  private_key_pem?: string;
  signing_algorithm?: string;
  valid_jwt?: string;
  idp_token_endpoint?: string;
  idp_id_token?: string;
  idp_client_id?: string;
}

export const isSignIn = (scenario: string): boolean => scenario.startsWith('auth/');

/** The address that the suite's authorization servers take for a client's document. */
const DOCUMENT = 'https://conformance-test.local/client-metadata.json';

const FLOWS: Readonly<Record<string, string>> = {
  'auth/client-credentials-basic': 'client',
  'auth/client-credentials-jwt': 'client',
  'auth/wif-jwt-bearer': 'workload',
  'auth/enterprise-managed-authorization': 'enterprise',
};

/** What a person who was told these things would have configured. */
export function signInSettings(scenario: string, context: SuiteContext): { auth: object; signIn: object } {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  const isHosted = scenario !== 'auth/pre-registration';
  const flow = FLOWS[scenario];
  return {
    auth: {
      ...(clientId !== undefined && { clientId }),
      ...(clientSecret !== undefined && { clientSecret }),
      ...(privateKey !== undefined && { privateKey }),
      ...(flow !== undefined && { flow }),
      ...(context.valid_jwt !== undefined && { workload: { token: context.valid_jwt } }),
      ...(context.idp_token_endpoint !== undefined && {
        identityProvider: {
          url: context.idp_token_endpoint,
          clientId: context.idp_client_id,
          token: context.idp_id_token,
        },
      }),
      ...(scenario.startsWith('auth/dpop') && { dpop: true }),
    },
    signIn: isHosted ? { clientMetadataUrl: DOCUMENT } : {},
  };
}

/** Far more than any scenario takes: the hub has to end it. */
const MAX_SIGN_INS = 10;
const SETTLE_MS = 30_000;

export async function performSignIn(hub: TestHub, client: Client): Promise<void> {
  for (let signIns = 0; signIns < MAX_SIGN_INS; signIns++) {
    if (await isSignInNeeded(hub)) {
      await signIn(hub);
      continue;
    }
    try {
      await client.listTools();
      await client.callTool({ name: 'test-tool', arguments: {} });
      return;
    } catch (error) {
      if (!/SIGN_IN_NEEDED|SCOPE_NEEDED/.test(JSON.stringify((error as { data?: unknown }).data ?? '')))
        throw error;
      await signIn(hub);
    }
  }
  throw new Error('the hub asks for sign-ins without end');
}

/** When the server has been heard, or has refused. */
async function isSignInNeeded(hub: TestHub): Promise<boolean> {
  let state = '';
  const isSettled = async (): Promise<boolean> => {
    const { value } = await hub.control('GET', 'status');
    state = (value as { servers: { state: string }[] }).servers[0]!.state;
    return !['idle', 'connecting'].includes(state);
  };
  await eventually(isSettled, SETTLE_MS);
  return state === 'needs-sign-in';
}

async function signIn(hub: TestHub): Promise<void> {
  const { link, state } = (await ask(hub, 'sign-in', { server: 'scenario' })) as {
    link?: string;
    state: string;
  };
  if (link !== undefined) await visit(link);
  await ask(hub, 'sign-in/wait', { state });
}

async function ask(hub: TestHub, action: string, body: object): Promise<unknown> {
  const { status, value } = await hub.control('POST', action, body);
  if (status !== 200) throw new Error(JSON.stringify(value));
  return value;
}
