import type { AskedAhead, HubClient, HubStatus, ServerReport } from 'pincer/client';
import { describe, expect, it } from 'vitest';
import { markHeader } from '../entries/entry.ts';
import type { ApprovalRequest, HostApi, HostHooks, ToolCallRuling } from '../host.ts';
import type { Runtime } from '../hub/keeper.ts';
import { refusalOf, registerRules } from './register.ts';
import { verifies } from '../../../../test/verifies.ts';

const HOME = '/home/ada/.openclaw/mcp';
const QUESTION = { id: 'a1b2c3', server: 'files', tool: 'Write', arguments: '{"path":"/x"}', isCut: false };

interface Set {
  report?: Partial<ServerReport>;
  answer?: AskedAhead | Error;
  /** Whether the entry is per caller. */
  isPerCaller?: boolean;
  status?: 'known' | 'on request' | 'unavailable';
}

/** The hook of the host, with a fake hub. */
function bench({ report, answer = { decision: 'allow' }, isPerCaller = false, status = 'known' }: Set = {}) {
  const sent: [action: string, input: unknown][] = [];
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
      sent.push([action, input.body ?? input.query]);
      if (action !== 'POST approvals/ask') return 'null';
      if (answer instanceof Error) throw answer;
      return JSON.stringify(answer);
    },
  } as unknown as HubClient;
  const runtime: Runtime = {
    async hub() {
      if (status === 'unavailable') throw new Error('There is no hub.');
      return hub;
    },
    status: () => (status === 'known' ? hubStatus : undefined),
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
  return { sent, warnings, call };
}

const asked = async (ruling: Promise<ToolCallRuling | undefined>): Promise<ApprovalRequest> => {
  const { requireApproval } = (await ruling)!;
  return requireApproval!;
};

describe('call', () => {
  it('is ignored if it belongs to another entry', async () => {
    const { sent, call } = bench({ report: { agents: [], isGuarded: true }, status: 'unavailable' });
    for (const toolName of ['read', 'mine__write', 'filesystem__write'])
      expect(await call(toolName)).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it('to a server without rules asks nothing', async () => {
    const { sent, call } = bench();
    expect(await call()).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it('is blocked if the agent may not use the server, for any tool', async () => {
    const { sent, call } = bench({ report: { agents: ['work'], isGuarded: true } });
    expect(await call('files__resources_list')).toMatchObject({
      block: true,
      blockReason: expect.stringContaining('The agent "main" may not use the MCP server "files".'),
    });
    expect(await call('files__write', {})).toMatchObject({ block: true });
    expect(await call('files-2__write')).toMatchObject({ block: true });
    expect(await call('files__read', { agentId: 'work' })).toBeUndefined();
    expect(sent.map(([action]) => action)).toEqual(['POST approvals/ask']);
  });

  it('is checked with the status of the hub if none is known yet', async () => {
    const { call } = bench({ report: { agents: ['work'] }, status: 'on request' });
    expect(await call()).toMatchObject({ block: true });
    expect(await call('files__write', { agentId: 'work' })).toBeUndefined();
  });

  it('is blocked while the rules are unknown', async () => {
    expect(await bench({ status: 'unavailable' }).call()).toEqual({
      block: true,
      blockReason: 'The rules for this tool are not known now, so it was not run. There is no hub.',
    });
  });
});

describe('call to a guarded server', () => {
  const report = { isGuarded: true };

  it('is asked about as the request that the hub will get', async () => {
    const { sent, call } = bench({ report });
    expect(await call()).toBeUndefined();
    const params = { name: 'Write', arguments: { path: '/x' } };
    const body = { server: 'files', by: 'openclaw:files', method: 'tools/call', params, room: 512 };
    expect(sent).toEqual([['POST approvals/ask', body]]);
  });

  it('is blocked if the hub denies it, with its message and a chat command', async () => {
    const { call } = bench({
      report,
      answer: { decision: 'deny', message: 'Policy denies it.', hint: 'Stop: pincer approvals' },
    });
    expect(await call()).toEqual({ block: true, blockReason: 'Policy denies it.\nStop: /mcp approvals' });
  });

  it('is blocked if OpenClaw cannot show all of it, and stays open at the hub', async () => {
    const { sent, call } = bench({ report, answer: { ...QUESTION, decision: 'ask', isCut: true } });
    const ruling = await call();
    expect(ruling).toEqual({
      block: true,
      blockReason: expect.stringContaining('/mcp approvals show a1b2c3'),
    });
    expect(sent.map(([action]) => action)).toEqual(['POST approvals/ask']);
  });

  it.each([
    ['allow-once', 'POST approvals', { id: 'a1b2c3', decision: 'allowed' }],
    ['deny', 'POST approvals', { id: 'a1b2c3', decision: 'denied' }],
  ] as const)('is shown to the person, and %s is sent to the hub', async (decision, action, input) => {
    const { sent, call } = bench({ report, answer: { decision: 'ask', ...QUESTION } });
    const approval = await asked(call());
    expect(approval).toMatchObject({
      title: 'Run files.Write once?',
      description: 'Server: "files"\nTool: "Write"\nAgent: "main"\nArguments: {"path":"/x"}',
      allowedDecisions: ['allow-once', 'deny'],
    });
    await approval.onResolution!(decision);
    expect(sent.slice(1)).toEqual([[action, input]]);
  });

  it.each(['timeout', 'cancelled'] as const)('stays a question at the hub after %s', async (decision) => {
    const { sent, call } = bench({ report, answer: { decision: 'ask', ...QUESTION } });
    const approval = await asked(call());
    await approval.onResolution!(decision);
    expect(sent.slice(1)).toEqual([]);
    expect(approval.timeoutReason).toContain('/mcp approvals allow a1b2c3');
  });

  it('is left to the hub if OpenClaw cannot ask a person', async () => {
    const { sent, call } = bench({ report, answer: { decision: 'ask', ...QUESTION } });
    expect(
      await call('files__write', { agentId: 'main', sessionKey: 'agent:main:subagent:1' }),
    ).toBeUndefined();
    expect(sent).toEqual([]);
    await (
      await asked(call())
    ).onResolution!('cancelled');
    expect(await call()).toBeUndefined();
    expect(await call('files__write', { agentId: 'main', sessionKey: 'agent:main:b' })).toBeDefined();
  });

  it('withdraws its question when cancelled, and does not mark the conversation', async () => {
    const { sent, call } = bench({ report, answer: { decision: 'ask', ...QUESTION } });
    const run = new AbortController();
    const context = { sessionKey: 'agent:main:a', abortSignal: run.signal };
    const approval = await asked(call('files__write', context));
    run.abort();
    await approval.onResolution!('cancelled');
    expect(sent.slice(1)).toEqual([['DELETE approvals', { id: 'a1b2c3' }]]);
    expect(await call()).toBeDefined();
  });

  it('is left to the hub if it could not be asked, or does not know the tool', async () => {
    const { warnings, call } = bench({ report, answer: new Error('Too busy.') });
    expect(await call()).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('files__write before the call: Too busy.')]);
    expect(await call('files__unheard')).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });

  it('is asked about with the credential of its sender if each person signs in', async () => {
    const { sent, call } = bench({ report, isPerCaller: true });
    await call();
    expect(sent).toEqual([]);
    await call('files__write', { agentId: 'main', requester: { channel: 'telegram', senderId: '7' } });
    expect(sent).toMatchObject([['POST approvals/ask', { by: 'openclaw:files:telegram:7' }]]);
  });

  it('leaves no question behind if it is cancelled while the hub is asked', async () => {
    const { sent, call } = bench({ report, answer: { decision: 'ask', ...QUESTION } });
    expect(await call('files__write', { agentId: 'main', abortSignal: AbortSignal.abort() })).toBeUndefined();
    await expect
      .poll(() => sent.map(([action]) => action))
      .toEqual(['POST approvals/ask', 'DELETE approvals']);
  });
});

it('allows every agent without a rule, even an unknown one', () => {
  expect(refusalOf('s', undefined, 'main')).toBeUndefined();
  expect(refusalOf('s', undefined, undefined)).toBeUndefined();
});

it('allows only the named agents, and says what others can do', () => {
  verifies('004-17-per-agent');
  expect(refusalOf('s', ['main', 'Work'], 'work')).toBeUndefined();
  expect(refusalOf('s', ['main'], 'other')).toBe(
    'The agent "other" may not use the MCP server "s". The tool was not run; do not call it again. ' +
      'The owner can change "agents" of the server in Pincer\'s configuration.',
  );
});

it('allows no agent if none is named, and no unknown agent', () => {
  expect(refusalOf('s', [], 'main')).toContain('may not use');
  expect(refusalOf('s', ['main'], undefined)).toContain('does not name this agent');
});
