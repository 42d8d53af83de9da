import { describe, expect, it } from 'vitest';
import { HandWire } from '../../../../../test/kit/hand-wire.ts';
import { DEFAULT_LIMITS, type Limits } from '../../core/limits.ts';
import type { Era } from '../../core/protocol.ts';
import { Connection } from './connection.ts';
import { discoverTools } from './discover-tools.ts';

type Page = (cursor: unknown) => string;

/** Asks a server whose pages are given by the cursor. */
async function discover(page: Page, over: Partial<Limits> = {}, era: Era = 'legacy') {
  const wire = new HandWire();
  const connection = new Connection({
    server: 's',
    openWire: wire.open,
    clock: { now: () => 0, elapsed: () => 0 },
    requestTimeoutMs: 30_000,
    onToolsChanged: () => undefined,
    onClosed: () => undefined,
  });
  connection.speak(era, era === 'modern' ? '2026-07-28' : '2025-11-25');
  const send = wire.send.bind(wire);
  wire.send = (text, about) => {
    send(text, about);
    const { params } = wire.messages.at(-1)!;
    queueMicrotask(() => wire.receive(`{"jsonrpc":"2.0","id":"${about.id}",${page(params!['cursor'])}}`));
  };
  const tools = await discoverTools(connection, 1_000, { ...DEFAULT_LIMITS, ...over });
  return { names: tools.map(({ name }) => name), wire };
}

const tool = (name: string): string => `{"name":"${name}","inputSchema":{"type":"object"}}`;
const list = (names: string[], next?: string): string =>
  `"result":{"tools":[${names.map(tool).join(',')}]${next === undefined ? '' : `,"nextCursor":${JSON.stringify(next)}`}}`;

describe('discoverTools', () => {
  it('takes one page', async () => {
    const { names, wire } = await discover(() => list(['a', 'b']));
    expect(names).toEqual(['a', 'b']);
    expect(wire.messages).toMatchObject([{ method: 'tools/list', params: {} }]);
  });

  it.each<Era>(['legacy', 'modern'])('follows cursors of any script (%s)', async (era) => {
    const pages: Record<string, string> = {
      undefined: list(['a'], 'größe"1'),
      'größe"1': list(['b'], '2'),
      '2': list(['c']),
    };
    const { names, wire } = await discover((cursor) => pages[String(cursor)]!, {}, era);
    expect(names).toEqual(['a', 'b', 'c']);
    const isModern = wire.messages.map(({ params }) => params !== undefined && '_meta' in params);
    expect(isModern).toEqual(Array(3).fill(era === 'modern'));
  });

  it('stops at so many pages', async () => {
    const { names, wire } = await discover((cursor) => list([`t${String(cursor)}`], `${String(cursor)}x`), {
      maxToolPages: 3,
    });
    expect(names).toHaveLength(3);
    expect(wire.sent).toHaveLength(3);
  });

  it('stops at so many tools', async () => {
    const { names, wire } = await discover(() => list(['a', 'b', 'c'], 'more'), { maxToolsPerServer: 5 });
    expect(names).toEqual(['a', 'b', 'c', 'a', 'b']);
    expect(wire.sent).toHaveLength(2);
  });

  it('finds none where there is no such method', async () => {
    expect((await discover(() => '"error":{"code":-32601,"message":"Method not found"}')).names).toEqual([]);
  });

  it('fails where the server refuses', async () => {
    await expect(discover(() => '"error":{"code":-32000,"message":"not now"}')).rejects.toMatchObject({
      code: 'SERVER_PROTOCOL',
      message: 'The server refused tools/list: not now.',
    });
  });
});
