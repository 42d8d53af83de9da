import type { AskedAhead, HubClient, HubStatus, ServerReport } from 'pincer/client';
import { describe, expect, it } from 'vitest';
import { markHeader } from '../entries/entry.ts';
import type { ApprovalRequest, HostApi, HostHooks, ToolCallRuling } from '../host.ts';
import type { Runtime } from '../hub/keeper.ts';
import { refusalOf, registerRules } from './register.ts';
import { verifies } from '../../../../test/verifies.ts';

const HOME = '/home/nobody/.openclaw/mcp';
const QUESTION = { id: 'a1b2c3', server: 'files', tool: 'Write', arguments: '{"path":"/x"}', isCut: false };

interface Set {
  report?: Partial<ServerReport>;
  answer?: AskedAhead | Error;
  /** Of the entry. */
  isPerCaller?: boolean;
  status?: 'told' | 'asked for' | 'not to be had';
}

/** The hook as the host has it, with a hub that answers by hand. */
function bench({ report, answer = { decision: 'allow' }, isPerCaller = false, status = 'told' }: Set = {}) {
  const told: [action: string, input: unknown][] = [];
  const warnings: string[] = [];
  const headers = markHeader({ home: HOME, made: 'nothing', isPerCaller });
  const config = {
    mcp: {
      servers: {
        files: { url: 'http://127.0.0.1:1/mcp/files', headers },
        mine: { url: 'http://127.0.0.1:1/mcp/mine' },
      },
    },
  };
  const server = { name: 'files', state: 'ready', transport: 'stdio', target: 'x', tools: 1, ...report };
  const hubStatus = { servers: [server] } as unknown as HubStatus;
  const hub = {
    async control(action: string, input: { body?: unknown; query?: unknown } = {}) {
      if (action === 'GET status') return JSON.stringify(hubStatus);
      if (action === 'GET offer') return JSON.stringify({ tools: ['Write', 'read'] });
      told.push([action, input.body ?? input.query]);
      if (action !== 'POST approvals/ask') return 'null';
      if (answer instanceof Error) throw answer;
      return JSON.stringify(answer);
    },
  } as unknown as HubClient;
  const runtime: Runtime = {
    async hub() {
      if (status === 'not to be had') throw new Error('There is no hub.');
      return hub;
    },
    status: () => (status === 'told' ? hubStatus : undefined),
    onStatus: () => () => undefined,
  };
  let hook: HostHooks['before_tool_call'] | undefined;
  const api = {
    logger: { warn: (message: string) => void warnings.push(message) },
    runtime: { config: { current: () => config } },
    on: (_name: string, registered: HostHooks['before_tool_call']) => (hook = registered),
  } as unknown as HostApi;
  registerRules(api, runtime, HOME);
  const call = (
    toolName = 'files__write',
    context: Parameters<HostHooks['before_tool_call']>[1] = { agentId: 'main', sessionKey: 'agent:main:a' },
  ): Promise<ToolCallRuling | undefined> => hook!({ toolName, params: { path: '/x' } }, context);
  return { told, warnings, call };
}

const asked = async (ruling: Promise<ToolCallRuling | undefined>): Promise<ApprovalRequest> => {
  const { requireApproval } = (await ruling)!;
  return requireApproval!;
};

describe('a call', () => {
  it('of somebody else is none of our business', async () => {
    const { told, call } = bench({ report: { agents: [], isGuarded: true }, status: 'not to be had' });
    for (const toolName of ['read', 'mine__write', 'filesystem__write'])
      expect(await call(toolName)).toBeUndefined();
    expect(told).toEqual([]);
  });

  it('to a server without rules asks nobody anything', async () => {
    const { told, call } = bench();
    expect(await call()).toBeUndefined();
    expect(told).toEqual([]);
  });

  it('of an agent that may not use the server is blocked, whatever the tool', async () => {
    const { told, call } = bench({ report: { agents: ['work'], isGuarded: true } });
    expect(await call('files__resources_list')).toMatchObject({
      block: true,
      blockReason: expect.stringContaining('The agent "main" may not use the MCP server "files".'),
    });
    expect(await call('files__write', {})).toMatchObject({ block: true });
    expect(await call('files-2__write')).toMatchObject({ block: true });
    expect(await call('files__read', { agentId: 'work' })).toBeUndefined();
    expect(told.map(([action]) => action)).toEqual(['POST approvals/ask']);
  });

  it('is judged by what the hub says when it has not told anything yet', async () => {
    const { call } = bench({ report: { agents: ['work'] }, status: 'asked for' });
    expect(await call()).toMatchObject({ block: true });
    expect(await call('files__write', { agentId: 'work' })).toBeUndefined();
  });

  it('is blocked while nobody can say what the rules are', async () => {
    expect(await bench({ status: 'not to be had' }).call()).toEqual({
      block: true,
      blockReason: 'Whether this tool may be used is not known now, so it was not run. There is no hub.',
    });
  });
});

describe('a call to a guarded server', () => {
  const report = { isGuarded: true };

  it('is asked about as the request that the hub will get', async () => {
    const { told, call } = bench({ report });
    expect(await call()).toBeUndefined();
    const params = { name: 'Write', arguments: { path: '/x' } };
    const body = { server: 'files', by: 'openclaw:files', method: 'tools/call', params, room: 512 };
    expect(told).toEqual([['POST approvals/ask', body]]);
  });

  it('is blocked where the hub says no, in its words, with the next step as a command of the chat', async () => {
    const { call } = bench({
      report,
      answer: { decision: 'deny', message: 'Policy denies it.', hint: 'Stop: pincer approvals' },
    });
    expect(await call()).toEqual({ block: true, blockReason: 'Policy denies it.\nStop: /mcp approvals' });
  });

  it('is blocked where OpenClaw cannot show all of it, and stays open at the hub', async () => {
    const { told, call } = bench({ report, answer: { ...QUESTION, decision: 'ask', isCut: true } });
    const ruling = await call();
    expect(ruling).toEqual({
      block: true,
      blockReason: expect.stringContaining('/mcp approvals show a1b2c3'),
    });
    expect(told.map(([action]) => action)).toEqual(['POST approvals/ask']);
  });

  it.each([
    ['allow-once', 'POST approvals', { id: 'a1b2c3', decision: 'allowed' }],
    ['deny', 'POST approvals', { id: 'a1b2c3', decision: 'denied' }],
  ] as const)('is put before the person; %s is told to the hub', async (decision, action, input) => {
    const { told, call } = bench({ report, answer: { decision: 'ask', ...QUESTION } });
    const approval = await asked(call());
    expect(approval).toMatchObject({
      title: 'Run files.Write once?',
      description: 'Server: "files"\nTool: "Write"\nAgent: "main"\nArguments: {"path":"/x"}',
      allowedDecisions: ['allow-once', 'deny'],
    });
    await approval.onResolution!(decision);
    expect(told.slice(1)).toEqual([[action, input]]);
  });

  it.each(['timeout', 'cancelled'] as const)('stays a question at the hub after %s', async (decision) => {
    const { told, call } = bench({ report, answer: { decision: 'ask', ...QUESTION } });
    const approval = await asked(call());
    await approval.onResolution!(decision);
    expect(told.slice(1)).toEqual([]);
    expect(approval.timeoutReason).toContain('/mcp approvals allow a1b2c3');
  });

  it('is left to the hub where OpenClaw can ask nobody', async () => {
    const { told, call } = bench({ report, answer: { decision: 'ask', ...QUESTION } });
    expect(
      await call('files__write', { agentId: 'main', sessionKey: 'agent:main:subagent:1' }),
    ).toBeUndefined();
    expect(told).toEqual([]);
    await (
      await asked(call())
    ).onResolution!('cancelled');
    expect(await call()).toBeUndefined();
    expect(await call('files__write', { agentId: 'main', sessionKey: 'agent:main:b' })).toBeDefined();
  });

  it('that was broken off takes its question back, and says nothing of who could be asked', async () => {
    const { told, call } = bench({ report, answer: { decision: 'ask', ...QUESTION } });
    const run = new AbortController();
    const context = { sessionKey: 'agent:main:a', abortSignal: run.signal };
    const approval = await asked(call('files__write', context));
    run.abort();
    await approval.onResolution!('cancelled');
    expect(told.slice(1)).toEqual([['DELETE approvals', { id: 'a1b2c3' }]]);
    expect(await call()).toBeDefined();
  });

  it('is left to the hub where that could not be asked beforehand, or does not know the tool', async () => {
    const { warnings, call } = bench({ report, answer: new Error('Too busy.') });
    expect(await call()).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('files__write beforehand: Too busy.')]);
    expect(await call('files__unheard')).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });

  it('is asked about in the name of its sender where everybody signs in for themselves', async () => {
    const { told, call } = bench({ report, isPerCaller: true });
    await call();
    expect(told).toEqual([]);
    await call('files__write', { agentId: 'main', requester: { channel: 'telegram', senderId: '7' } });
    expect(told).toMatchObject([['POST approvals/ask', { by: 'openclaw:files:telegram:7' }]]);
  });

  it('that is broken off while the hub is asked leaves no question behind', async () => {
    const { told, call } = bench({ report, answer: { decision: 'ask', ...QUESTION } });
    expect(await call('files__write', { agentId: 'main', abortSignal: AbortSignal.abort() })).toBeUndefined();
    await expect
      .poll(() => told.map(([action]) => action))
      .toEqual(['POST approvals/ask', 'DELETE approvals']);
  });
});

it('a server without a rule is for every agent, also for one that nobody knows', () => {
  expect(refusalOf('s', undefined, 'main')).toBeUndefined();
  expect(refusalOf('s', undefined, undefined)).toBeUndefined();
});

it('one with a rule is for the agents that it names, and they are told what they can do otherwise', () => {
  verifies('004-17-per-agent');
  expect(refusalOf('s', ['main', 'Work'], 'work')).toBeUndefined();
  expect(refusalOf('s', ['main'], 'other')).toBe(
    'The agent "other" may not use the MCP server "s". The tool was not run; do not call it again. ' +
      'The owner can change that: "agents" of the server, in Pincer\'s configuration.',
  );
});

it('nobody may use a server that is for no agent, and none whose name is not known', () => {
  expect(refusalOf('s', [], 'main')).toContain('may not use');
  expect(refusalOf('s', ['main'], undefined)).toContain('does not say which agent this is');
});
