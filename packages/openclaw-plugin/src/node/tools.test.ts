import type { ServerReport, ToolReport } from 'pincer/client';
import { describe, expect, it } from 'vitest';
import { describeTools, MAX_TOOLS, readAnswer } from './tools.ts';

const server = (name: string, more: Partial<ServerReport> = {}): ServerReport => ({
  name,
  state: 'ready',
  transport: 'stdio',
  target: 'x',
  tools: 1,
  ...more,
});

const tool = (name: string, more: Partial<ToolReport> = {}): ToolReport => ({
  server: 'files',
  name,
  exposed: `files__${name}`,
  definition: { description: `${name}s.`, inputSchema: { type: 'object', required: ['a'] } },
  ...more,
});

describe('describeTools', () => {
  it('uses the names of the hub, and names the server and tool of a call', () => {
    expect(describeTools([server('files')], [tool('read')])).toEqual({
      tools: [
        {
          pluginId: 'node-mcp',
          name: 'files__read',
          description: 'reads.',
          parameters: { type: 'object', required: ['a'] },
          command: 'mcp.tools.call.v1',
          mcp: { server: 'files', tool: 'read' },
        },
      ],
      left: [],
    });
  });

  it('keeps all tools beside an invalid description', () => {
    const odd = tool('odd', { definition: { description: 42 as never, inputSchema: {} } });
    const { tools } = describeTools([server('files')], [odd, tool('read')]);
    expect(tools.map(({ description }) => description)).toEqual(['odd of files.', 'reads.']);
  });

  it('always has a description, within the limit of OpenClaw', () => {
    const { tools } = describeTools(
      [],
      [tool('a', { definition: {} }), tool('b', { definition: { description: 'x'.repeat(2_000) } })],
    );
    expect(tools.map(({ description }) => description)).toEqual(['a of files.', 'x'.repeat(1_024)]);
    expect(tools[0]?.parameters).toEqual({ type: 'object' });
  });

  it('publishes as many tools as OpenClaw accepts, and reports the rest', () => {
    const all = Array.from({ length: MAX_TOOLS + 2 }, (_, index) => tool(`t${index}`));
    const { tools, left } = describeTools([server('files')], all);
    expect(tools.map(({ name }) => name)).toEqual(all.slice(0, MAX_TOOLS).map(({ exposed }) => exposed));
    expect(left).toEqual([expect.stringContaining('2 tools')]);
  });

  it('leaves out invalid names, and reports that', () => {
    const { tools, left } = describeTools([], [tool('a', { exposed: '7__a' }), tool('b')]);
    expect(tools.map(({ name }) => name)).toEqual(['files__b']);
    expect(left).toEqual([expect.stringContaining('1 tools')]);
  });

  it('leaves out servers that need to know the caller', () => {
    const servers = [
      server('files', { agents: ['main'] }),
      server('mail', { auth: { kind: 'oauth', isPerCaller: true } }),
      server('docs'),
    ];
    const tools = ['files', 'mail', 'docs'].map((name) =>
      tool('read', { server: name, exposed: `${name}__read` }),
    );
    const published = describeTools(servers, tools);
    expect(published.tools.map(({ name }) => name)).toEqual(['docs__read']);
    expect(published.left).toEqual([
      expect.stringContaining('"files" is left out: it is for some agents only'),
      expect.stringContaining('"mail"'),
    ]);
  });
});

const RESULT = { content: [{ type: 'text', text: 'a' }] };
const ANSWER = JSON.stringify({ jsonrpc: '2.0', id: 1, result: RESULT });

describe('readAnswer', () => {
  it('returns the result, alone or after other events', () => {
    const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}';
    expect(readAnswer(ANSWER)).toEqual(RESULT);
    expect(readAnswer(`: hello\n\ndata: ${progress}\n\nid: 2\ndata: ${ANSWER}\n\n`)).toEqual(RESULT);
  });

  it('returns an error in a form that a model can read', () => {
    const error = { code: -32010, message: 'No. Run `pincer approvals allow 1`.' };
    expect(readAnswer(JSON.stringify({ jsonrpc: '2.0', id: 1, error }))).toEqual({
      content: [{ type: 'text', text: error.message }],
      isError: true,
    });
  });

  it('returns nothing for other text', () => {
    for (const text of ['', 'no', 'data: no', '[]', '{}']) expect(readAnswer(text)).toBeUndefined();
  });
});
