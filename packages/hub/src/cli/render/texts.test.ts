import { describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import { COLOURED, PLAIN } from '../terminal/style.ts';
import { renderFailure } from '../failure.ts';
import { indentJson, renderProgress } from '../commands/call.ts';
import { renderUp } from '../hub/run-hub.ts';

describe('renderFailure', () => {
  it('shows message, hint and explain command, but no stack', () => {
    const failure = new PincerError('PORT_BUSY', 'Port 1 is taken.', { hint: 'Set another.' });
    expect(renderFailure(failure, PLAIN)).toBe(
      'Port 1 is taken.\nhint: Set another.\nmore: pincer explain PORT_BUSY\n',
    );
    expect(renderFailure(failure, COLOURED)).toContain('\u001b[31mPort 1 is taken.\u001b[39m');
    expect(renderFailure(new PincerError('INTERNAL', 'a\u001b[2J'), PLAIN)).toBe(
      'a\\u001b[2J\nmore: pincer explain INTERNAL\n',
    );
  });
});

describe('indentJson', () => {
  it('does not round numbers', () => {
    expect(indentJson('{"a":[1.0,99999999999999999999,"x"],"b":null}')).toBe(
      '{\n  "a": [\n    1.0,\n    99999999999999999999,\n    "x"\n  ],\n  "b": null\n}',
    );
  });
});

describe('renderProgress', () => {
  it('fits on a line', () => {
    expect(renderProgress({ progress: 2, total: 8, message: 'half\nway' }, 80)).toBe(
      String.raw`2/8 25 % half\u000away`,
    );
    expect(renderProgress({ progress: 2 }, 80)).toBe('2');
    expect(renderProgress({ progress: 1, message: 'x'.repeat(100) }, 20)).toHaveLength(19);
  });
});

describe('renderUp', () => {
  const origin = 'http://127.0.0.1:8765';
  const facts = {
    version: '1.2.3',
    endpoints: { mcp: `${origin}/mcp`, control: `${origin}/control/`, health: `${origin}/health` },
    tokenFile: '/my home/mcp-token.txt',
    servers: ['a', 'b'],
    open: [],
    program: 'pincer',
  };

  it('puts what a client needs first, and fits 80 columns', () => {
    const proxy = 'http://127.0.0.1:8000';
    const all = { ...facts, endpoints: { ...facts.endpoints, device: `${origin}/`, proxy } };
    const lines = renderUp({ ...all, open: ['apps', 'openclaw'] }, { style: PLAIN, width: 80 }).split('\n');
    expect(lines).toEqual([
      'Pincer 1.2.3 is running. Press Ctrl+C to stop it.',
      '',
      '  MCP      http://127.0.0.1:8765/mcp  all servers',
      '  Token    /my home/mcp-token.txt',
      '',
      'Connect Claude Code:',
      '  claude mcp add --transport http pincer http://127.0.0.1:8765/mcp \\',
      `    --header "Authorization: Bearer $(cat '/my home/mcp-token.txt')"`,
      'Other clients: pincer connect',
      '',
      'Servers: a, b',
      '',
      '  Device   http://127.0.0.1:8765/  tools of this machine: pincer device',
      '  Apps     http://127.0.0.1:8000/v1/chat/sessions  for apps',
      '           no token is needed to register and call tools: pincer doctor',
      '  Health   http://127.0.0.1:8765/health',
      '  Metrics  http://127.0.0.1:8765/metrics',
      '',
    ]);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('names the next step if no server is configured', () => {
    expect(renderUp({ ...facts, servers: [], program: 'npx pincer' }, { style: PLAIN, width: 80 })).toContain(
      '  npx pincer add ',
    );
  });
});
