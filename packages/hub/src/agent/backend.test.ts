import { describe, expect, it } from 'vitest';
import { PincerError } from '../core/errors.ts';
import type { Backend, Order, OrderEnd, OrderListener } from './backend.ts';
import { createBackends, type BackendsParts } from './backend.ts';

const ORDER: Order = {
  message: 'x',
  sessionKey: 'mcp:a:b',
  attachments: [],
  agentId: undefined,
  commands: false,
};
const LISTENER: OrderListener = { signal: new AbortController().signal, onProgress: () => undefined };
const HERE = { url: 'ws://127.0.0.1:18789', credential: undefined, how: 'the default port' };
const away = new PincerError('SERVER_UNREACHABLE', 'Nothing answers.');

interface Scene {
  readonly backend?: 'auto' | 'gateway' | 'local';
  readonly found?: ReturnType<BackendsParts['find']>;
  readonly problem?: PincerError;
  readonly local?: () => Promise<OrderEnd>;
  readonly connecting?: Promise<never>;
  readonly signal?: AbortSignal;
}

const fail = (message: string): never => {
  throw new Error(message);
};

/** Which backend runs the order. */
async function runnerIn({ backend = 'auto', found = HERE, ...scene }: Scene): Promise<string> {
  const { problem, local, connecting, signal = LISTENER.signal } = scene;
  const ends = (name: string) => async (): Promise<OrderEnd> => ({
    kind: 'answered',
    text: name,
    media: [],
    remarks: [],
  });
  const named = (name: string, run = ends(name)): Backend => ({ run, close: () => undefined });
  const backends = createBackends({
    gateways: {
      current: () => ({
        orders: {
          connect: () => connecting ?? (problem === undefined ? Promise.resolve() : Promise.reject(problem)),
        },
      }),
    } as unknown as BackendsParts['gateways'],
    overGateway: named('gateway'),
    local: named('local', local),
    log: { debug: () => undefined, info: fail, warn: fail, error: fail },
    settings: () => ({ backend }),
    find: () => found,
  });
  const end = await backends.run(ORDER, { ...LISTENER, signal });
  return end.kind === 'answered' ? end.text : end.kind;
}

describe('createBackends', () => {
  it.each<[string, Scene, string]>([
    ['the running gateway', {}, 'gateway'],
    ['OpenClaw locally if no gateway runs here', { problem: away }, 'local'],
    ['OpenClaw locally if the setting says so', { backend: 'local' }, 'local'],
    ['the gateway if the setting says so', { backend: 'gateway', problem: away }, 'gateway'],
    [
      'the gateway if it was started meanwhile',
      {
        problem: away,
        local: () => Promise.reject(new PincerError('SERVER_BUSY', 'x', { data: { reason: 'gateway' } })),
      },
      'gateway',
    ],
  ])('uses %s', async (_name, scene, runner) => expect(await runnerIn(scene)).toBe(runner));

  it('stops an order that is cancelled while the gateway does not answer', async () => {
    const never = Promise.withResolvers<never>().promise;
    const taken = new AbortController();
    const end = runnerIn({ connecting: never, signal: taken.signal });
    taken.abort();
    expect(await end).toBe('stopped');
  });

  it.each<[string, Scene]>([
    ['a gateway on another machine', { problem: away, found: { ...HERE, url: 'wss://far.example' } }],
    ['a gateway named in the settings', { problem: away, found: { ...HERE, isNamed: true } }],
    ['a gateway that refuses the token', { problem: new PincerError('TOKEN_INVALID', 'No.') }],
  ])('does not fall back to a local run for %s', async (_name, scene) => {
    await expect(runnerIn(scene)).rejects.toBe(scene.problem);
  });
});
