import { describe, expect, it } from 'vitest';
import type { CatalogTool } from '../../core/catalog/catalog.ts';
import { parseToolDefinition } from '../../core/catalog/tool-definition.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import { isWanted, MAX_PUBLISHED, selectPublished } from './declared.ts';

function tool(server: string, name: string, more: object = {}): CatalogTool {
  const raw = jsonBytes({ name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more });
  return {
    server,
    name,
    exposed: `${server}__${name}`,
    readOnly: false,
    definition: parseToolDefinition(raw, 'legacy')!,
  };
}

const names = (wanted: string[], catalog: CatalogTool[]): string[] =>
  selectPublished({ wanted, catalog }).tools.map(({ name }) => name);

describe('tools that agents of the gateway get', () => {
  const catalog = [
    tool('github', 'read'),
    tool('github', 'write'),
    tool('mail', 'send'),
    tool('agent', 'order_openclaw'),
  ];

  it('are those of named servers, and named tools', () => {
    expect(names([], catalog)).toEqual([]);
    expect(names(['github'], catalog)).toEqual(['github__read', 'github__write']);
    expect(names(['github.write', 'mail'], catalog)).toEqual(['github__write', 'mail__send']);
  });

  it('are never OpenClaw itself', () => {
    const { tools, left } = selectPublished({ wanted: ['agent', 'agent.order_openclaw'], catalog });
    expect(tools).toEqual([]);
    expect(left).toEqual(['OpenClaw is not offered to its own agents.']);
  });

  it.each([
    ['github', 'read', true],
    ['mail', 'send', true],
    ['mail', 'read', false],
    ['agent', 'order_openclaw', false],
    ['far', 'read', false],
  ])('are wanted: %s.%s %s', (server, name, isTaken) => {
    expect(isWanted(['github', 'mail.send', 'agent'], server, name)).toBe(isTaken);
  });

  it('exclude servers that need a known caller, with the reason', () => {
    const withheld = (server: string): string | undefined =>
      server === 'mail' ? '"mail" is for some alone.' : undefined;
    const { tools, left } = selectPublished({ wanted: ['mail', 'github'], catalog, withheld });
    expect(tools.map(({ server }) => server)).toEqual(['github', 'github']);
    expect(left).toEqual(['"mail" is for some alone.']);
  });

  it('have names that OpenClaw accepts, up to its maximum number', () => {
    const many = Array.from({ length: MAX_PUBLISHED + 2 }, (_, at) => tool('far', `t${at}`));
    const { tools, left } = selectPublished({ wanted: ['far', '7'], catalog: [...many, tool('7', 'x')] });
    expect(tools).toHaveLength(MAX_PUBLISHED);
    expect(left).toEqual([expect.stringContaining('1 tools'), expect.stringContaining('2 tools')]);
  });

  it('have a description even if their server sends none', () => {
    const odd = tool('far', 'x', { description: 7 });
    expect(selectPublished({ wanted: ['far'], catalog: [odd] }).tools).toEqual([
      { server: 'far', tool: 'x', name: 'far__x', description: 'x of far.', parameters: { type: 'object' } },
    ]);
  });
});
