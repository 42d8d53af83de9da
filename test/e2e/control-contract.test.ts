/** Validates a real hub's responses against the schemas from which its clients derive their types. */
import { expect, it } from 'vitest';
import {
  CONTRACT,
  type ControlRoute,
  FAILURE,
  type ResponseOf,
} from '../../packages/hub/src/control/contract/contract.ts';
import { startHub } from '../kit/hub.ts';
import { stdioServer } from '../kit/servers.ts';

/** A tool definition is the server's own and has members that our schemas do not know. */
const HAS_DEFINITIONS: ReadonlySet<ControlRoute> = new Set(['GET tools', 'GET tool', 'POST servers']);

it('every response matches the contract exactly', async () => {
  await using hub = await startHub({
    servers: {
      desk: stdioServer({ tools: ['echo'] }, { policy: { echo: 'ask' } }),
      fresh: stdioServer({ tools: ['echo'] }, { trust: 'ask' }),
      broken: { command: 'pincer-test-no-such-program' },
      wrong: { url: 'no address' },
    },
  });
  const asked = new Set<ControlRoute>();
  const ask = async <Route extends ControlRoute>(
    route: Route,
    search = '',
    body?: object,
  ): Promise<ResponseOf<Route>> => {
    const [method, path] = route.split(' ') as ['GET', string];
    const { status, value } = await hub.control(method, path + search, body);
    expect({ route, status, value }).toMatchObject({ status: 200 });
    const parsed = CONTRACT[route].response.safeParse(value);
    expect({ route, problems: parsed.error?.issues }).toEqual({ route, problems: undefined });
    if (!HAS_DEFINITIONS.has(route)) expect(parsed.data, route).toEqual(value);
    asked.add(route);
    return value as ResponseOf<Route>;
  };

  await ask('GET tools');
  await ask('GET tool', '?server=desk&name=echo&wait=5000');
  const { revision } = await ask('GET status');
  await ask('GET status', `?since=${revision! - 1}`);
  await ask('GET clashes');
  await ask('GET offer', '?server=desk');
  await ask('POST probe', '', { name: 'desk' });
  await ask('POST reload');
  await ask('POST check', '', { text: '{ servers: { x: { url: 1 } } }' });
  await ask('POST servers', '', { name: 'added', config: stdioServer({ tools: ['echo'] }) });
  await ask('POST servers/cancel', '', { id: 'unknown' });
  await ask('POST disconnect', '', { name: 'added' });

  const [held] = await ask('GET held', '?server=fresh');
  await ask('POST accept', '', { server: 'fresh', seen: [held!.digest] });

  await ask('POST tokens', '', { name: 'laptop', servers: ['desk'], readOnly: false });
  await ask('POST tokens/ensure', '', { name: 'openclaw:desk', servers: ['desk'], openClaw: true });
  await ask('GET tokens');
  const call = (message: string): object => ({
    server: 'desk',
    by: 'laptop',
    params: { name: 'echo', arguments: { message } },
  });
  const first = await ask('POST approvals/ask', '', call('a'));
  if (first.decision !== 'ask') throw new Error(`expected the decision "ask", got: ${first.decision}`);
  await ask('POST approvals/ask', '', call('b'));
  await ask('GET approvals');
  await ask('POST approvals', '', { id: first.id, decision: 'denied' });
  expect(await ask('POST approvals/ask', '', call('a'))).toMatchObject({ decision: 'deny' });
  await ask('DELETE approvals', `?id=${first.id}`);
  await ask('DELETE tokens', '?name=laptop');

  const unknown = await hub.control('GET', 'offer?server=unknown');
  expect(unknown.status).toBe(404);
  expect(FAILURE.parse(unknown.value)).toEqual(unknown.value);

  await ask('GET sessions');
  await ask('GET device');
  await ask('POST device/node/refresh');
  await ask('POST sign-in/wait', '', { state: 'unknown', waitMs: 0 });
  await ask('POST stop');

  // These need an app or an authorization server; their own suites cover them.
  const elsewhere: ControlRoute[] = [
    'DELETE sessions',
    'POST sign-in',
    'POST sign-in/code',
    'POST sign-in/cancel',
    'POST sign-out',
  ];
  expect([...asked, ...elsewhere].sort()).toEqual(Object.keys(CONTRACT).sort());
});
