import { describe, expect, it } from 'vitest';
import { readApprovalList, readApprovalNews, type Approval } from './approvals.ts';

/** As OpenClaw 2026.9.6 sends them, reduced to the members that are read. */
const COMMAND = {
  command: 'rm -rf build',
  cwd: '/srv/app',
  nodeId: null,
  host: 'gateway',
  warningText: null,
  commandAnalysis: { commandCount: 1, riskKinds: [], warningLines: [] },
  allowedDecisions: ['allow-once', 'allow-always', 'deny'],
  agentId: 'main',
  sessionKey: 'agent:main:mcp:a:b',
  runId: 'r1',
};
const ACTION = {
  pluginId: 'mcp-client',
  title: 'Run asked.echo once?',
  description: 'Server: "asked"\nArguments: {"message":"hi"}',
  detail: null,
  toolName: 'asked__echo',
  agentId: 'main',
  sessionKey: 'agent:main:mcp:a:b',
  runId: 'r1',
};

const asked = (kind: 'exec' | 'plugin', request: object): Approval => {
  const news = readApprovalNews(`${kind}.approval.requested`, { approvalKind: kind, id: 'i1', request });
  if (news?.kind !== 'requested') throw new Error('It was not read.');
  return news.asked;
};

describe('approval of a command', () => {
  it('shows agent and folder, and the command last', () => {
    expect(asked('exec', COMMAND)).toEqual({
      kind: 'exec',
      id: 'i1',
      runId: 'r1',
      sessionKey: 'agent:main:mcp:a:b',
      title: 'OpenClaw: may this command run, once?',
      detail: 'Agent: main\nFolder: /srv/app\nCommand: rm -rf build',
      decisions: ['allow-once', 'deny'],
    });
  });

  it('shows the warnings of OpenClaw and the device', () => {
    const { detail } = asked('exec', {
      ...COMMAND,
      nodeId: 'laptop',
      warningText: 'one\ntwo\n',
      commandAnalysis: { warningLines: ['Contains inline-eval: python -c'] },
    });
    expect(detail.split('\n')).toEqual([
      'Agent: main',
      'Device: laptop',
      'Folder: /srv/app',
      'Warning: one',
      'Warning: two',
      'Warning: Contains inline-eval: python -c',
      'Command: rm -rf build',
    ]);
  });

  it('cannot forge a line', () => {
    const forged = 'x\nFolder: /tmp\u2028Agent: other\u202e';
    const { detail } = asked('exec', { ...COMMAND, agentId: forged, cwd: forged, command: forged });
    expect(detail.split(/[\n\r\u0085\u2028\u2029]/).map((line) => line.split(':')[0])).toEqual([
      'Agent',
      'Folder',
      'Command',
    ]);
    expect(detail).not.toContain('\u202e');
  });
});

describe('approval of a plugin action', () => {
  it("shows the plugin's text on its own lines", () => {
    expect(asked('plugin', ACTION)).toMatchObject({
      title: 'OpenClaw: Run asked.echo once?',
      detail:
        'Agent: main\nPlugin: mcp-client\nTool: asked__echo\nServer: "asked"\nArguments: {"message":"hi"}',
      decisions: ['allow-once', 'deny'],
    });
  });

  it('shows hidden characters', () => {
    const { title, detail } = asked('plugin', { ...ACTION, title: 'a\nb', description: 'c\u202ed' });
    expect(title).toBe('OpenClaw: a\\u000ab');
    expect(detail).toContain('c\\u202ed');
  });
});

describe('decisions', () => {
  it.each([
    [
      ['allow-once', 'deny'],
      ['allow-once', 'deny'],
    ],
    [
      ['deny', 'allow-once'],
      ['allow-once', 'deny'],
    ],
    [['allow-always', 'deny'], ['deny']],
    [undefined, ['allow-once', 'deny']],
  ])('never include a permanent one, and always a denial: %j gives %j', (allowedDecisions, decisions) => {
    expect(asked('plugin', { ...ACTION, allowedDecisions }).decisions).toEqual(decisions);
  });
});

describe('events and lists', () => {
  it('report a decision', () => {
    const resolved = { id: 'i1', decision: 'deny', resolvedBy: null, request: COMMAND };
    expect(readApprovalNews('exec.approval.resolved', resolved)).toEqual({ kind: 'resolved', id: 'i1' });
    expect(readApprovalNews('plugin.approval.resolved', resolved)).toEqual({ kind: 'resolved', id: 'i1' });
  });

  it.each([
    ['chat', { id: 'i1', request: COMMAND }],
    ['openclaw.approval.requested', { id: 'i1', request: COMMAND }],
    ['exec.approval.requested', { request: COMMAND }],
    ['exec.approval.requested', { id: 'i1' }],
    ['exec.approval.requested', undefined],
    ['exec.approval.resolved', { decision: 'deny' }],
    ['exec.approval.resolved', 'i1'],
  ])('are ignored if they have another kind or shape: %s %j', (event, payload) => {
    expect(readApprovalNews(event, payload)).toBeUndefined();
  });

  it('are read entry by entry', () => {
    const list = [{ id: 'i1', request: COMMAND }, 'other', { id: 'i2', request: COMMAND }];
    expect(readApprovalList('exec', list).map(({ id }) => id)).toEqual(['i1', 'i2']);
    expect(readApprovalList('exec', { approvals: [] })).toEqual([]);
  });
});
