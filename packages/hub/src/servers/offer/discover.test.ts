import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../core/limits.ts';
import { toRawOffer, type Offer } from '../../core/catalog/offer.ts';
import type { Era } from '../../core/protocol.ts';
import { jsonBytes, toByteText } from '../../core/wire/byte-text.ts';
import { parseMessage } from '../../core/wire/message.ts';
import { discoverLists, discoverOffer, type DiscoverOptions } from './discover.ts';

interface Asked {
  readonly method: string;
  readonly params: { readonly cursor?: string; readonly _meta?: object };
}

/** A server that answers each list; other methods are unknown to it. */
class Shelf {
  era: Era = 'legacy';
  isHttp = false;
  capabilities: object = { tools: {}, prompts: {}, resources: {} };
  limits: Partial<Limits> = {};
  readonly asked: Asked[] = [];
  readonly warnings: unknown[] = [];
  readonly #answers: Record<string, (cursor: string | undefined) => string>;

  constructor(answers: Record<string, (cursor: string | undefined) => string>) {
    this.#answers = answers;
  }

  readonly ask = async (method: string, params: string): Promise<ReturnType<typeof parseMessage>> => {
    const asked = { method, params: JSON.parse(Buffer.from(params, 'latin1').toString()) } as Asked;
    this.asked.push(asked);
    const answer = this.#answers[method]?.(asked.params.cursor) ?? error(-32601, 'Method not found');
    return parseMessage(toByteText(`{"jsonrpc":"2.0","id":1,${answer}}`));
  };

  get options(): DiscoverOptions {
    const note = (message: string, fields?: object): unknown => this.warnings.push([message, fields]);
    return {
      server: 's',
      timeoutMs: 1_000,
      limits: { ...DEFAULT_LIMITS, ...this.limits },
      log: { debug: note, info: note, warn: note, error: note },
      isHttp: this.isHttp,
    };
  }

  discover(): Promise<Offer> {
    const result = jsonBytes({ capabilities: this.capabilities, instructions: 'Größe' });
    return discoverOffer(this, { result }, this.options);
  }

  async tools(): Promise<string[]> {
    return (await this.discover()).tools.map(({ name }) => name);
  }
}

const error = (code: number, message: string): string => `"error":{"code":${code},"message":"${message}"}`;
const list = (member: string, entries: readonly string[], next?: string): string =>
  `"result":{"${member}":[${entries.join(',')}]${next === undefined ? '' : `,"nextCursor":${JSON.stringify(next)}`}}`;
const tool = (name: string): string => `{"name":"${name}","inputSchema":{"type":"object"}}`;
const tools = (names: readonly string[], next?: string): string => list('tools', names.map(tool), next);
const toolsOnly = (page: (cursor: string | undefined) => string): Shelf => new Shelf({ 'tools/list': page });

const FULL = {
  'tools/list': () => tools(['t']),
  'prompts/list': () => list('prompts', ['{"name":"p"}']),
  'resources/list': () => list('resources', ['{"uri":"a:b","name":"r"}']),
  'resources/templates/list': () => list('resourceTemplates', ['{"uriTemplate":"a:{b}","name":"m"}']),
};

describe('discoverOffer', () => {
  it('reads every list, and keeps the server’s introduction', async () => {
    const shelf = new Shelf(FULL);
    expect(toRawOffer(await shelf.discover())).toEqual({
      about: jsonBytes({ era: 'legacy', capabilities: shelf.capabilities, instructions: 'Größe' }),
      tools: [tool('t')],
      prompts: ['{"name":"p"}'],
      resources: ['{"uri":"a:b","name":"r"}'],
      templates: ['{"uriTemplate":"a:{b}","name":"m"}'],
    });
  });

  it.each<Era>(['legacy', 'modern'])('marks the offer with its era (%s)', async (era) => {
    const shelf = toolsOnly(() =>
      list('tools', ['{"name":"x","inputSchema":{},"outputSchema":{"type":"array"}}']),
    );
    shelf.era = era;
    const offer = await shelf.discover();
    expect(offer.about.era).toBe(era);
    expect(offer.tools[0]!.wrapsOutput).toBe(era === 'modern');
  });

  it('always reads tools, and the other lists if they are declared', async () => {
    const shelf = new Shelf(FULL);
    shelf.capabilities = { prompts: {} };
    const offer = await shelf.discover();
    expect(shelf.asked.map(({ method }) => method)).toEqual(['tools/list', 'prompts/list']);
    expect([
      offer.tools.length,
      offer.prompts.length,
      offer.resources.length,
      offer.templates.length,
    ]).toEqual([1, 1, 0, 0]);
  });

  it('treats an unknown method as an empty list, declared or not', async () => {
    const shelf = new Shelf({});
    const { about, ...lists } = toRawOffer(await shelf.discover());
    expect(about).not.toBe('');
    expect(lists).toEqual({ tools: [], prompts: [], resources: [], templates: [] });
    expect(shelf.asked).toHaveLength(4);
  });

  it.each(Object.keys(FULL))('fails if the server refuses %s', async (method) => {
    const shelf = new Shelf({ ...FULL, [method]: () => error(-32000, 'not now') });
    await expect(shelf.discover()).rejects.toMatchObject({
      code: 'SERVER_PROTOCOL',
      message: `The server refused ${method}: not now.`,
    });
  });
});

describe('pages', () => {
  it.each<Era>(['legacy', 'modern'])('are followed by cursors in any script (%s)', async (era) => {
    const pages: Record<string, string> = {
      undefined: tools(['a'], 'größe"1'),
      'größe"1': tools(['b'], '2'),
      '2': tools(['c']),
    };
    const shelf = toolsOnly((cursor) => pages[String(cursor)]!);
    shelf.capabilities = {};
    shelf.era = era;
    expect(await shelf.tools()).toEqual(['a', 'b', 'c']);
    expect(shelf.asked.map(({ params }) => params._meta !== undefined)).toEqual(
      Array(3).fill(era === 'modern'),
    );
  });

  it('are limited for every list', async () => {
    const endless = (cursor: string | undefined): string =>
      list('prompts', [`{"name":"p${cursor}"}`], `${cursor}x`);
    const shelf = new Shelf({
      'tools/list': (cursor) => tools([`t${cursor}`], `${cursor}x`),
      'prompts/list': endless,
    });
    shelf.limits = { maxToolPages: 3 };
    const offer = await shelf.discover();
    expect([offer.tools.length, offer.prompts.length]).toEqual([3, 3]);
  });

  it('end at the limit of entries', async () => {
    const shelf = toolsOnly(() => tools(['a', 'b', 'c'], 'more'));
    shelf.limits = { maxToolsPerServer: 5 };
    shelf.capabilities = {};
    expect(await shelf.tools()).toEqual(['a', 'b', 'c', 'a', 'b']);
    expect(shelf.asked).toHaveLength(2);
  });

  it('end at a repeated cursor', async () => {
    const shelf = toolsOnly(() => tools(['a'], 'same'));
    expect(await shelf.tools()).toEqual(['a', 'a']);
  });
});

describe('bytes', () => {
  const shelf = new Shelf(FULL);

  it('are counted over all lists together', async () => {
    const { about, ...lists } = toRawOffer(await shelf.discover());
    const size = about.length + Object.values(lists).flat().join('').length;
    shelf.limits = { maxCatalogBytes: size };
    await shelf.discover();
    shelf.limits = { maxCatalogBytes: size - 1 };
    await expect(shelf.discover()).rejects.toMatchObject({
      code: 'SERVER_PROTOCOL',
      message: `Its definitions are larger than ${size - 1} bytes together.`,
    });
  });
});

describe('a tool with wrong header annotations', () => {
  const bad = '{"name":"bad","inputSchema":{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}}';

  it.each<[boolean, Era, string[]]>([
    [true, 'modern', ['good']],
    [true, 'legacy', ['bad', 'good']],
    [false, 'modern', ['bad', 'good']],
    [false, 'legacy', ['bad', 'good']],
  ])('HTTP %s, %s era: leaves %j', async (isHttp, era, left) => {
    const shelf = toolsOnly(() => list('tools', [bad, tool('good')]));
    shelf.isHttp = isHttp;
    shelf.era = era;
    expect(await shelf.tools()).toEqual(left);
    expect(shelf.warnings).toEqual(
      left.includes('bad')
        ? []
        : [
            [
              'server "s" has a tool that cannot be used',
              { tool: 'bad', reason: expect.stringContaining('neither string, integer nor boolean') },
            ],
          ],
    );
  });
});

describe('discoverLists', () => {
  it('reads one list again and keeps the others', async () => {
    const shelf = new Shelf(FULL);
    const offer = await shelf.discover();
    shelf.asked.length = 0;
    const next = await discoverLists(shelf, ['resources'], { ...offer, prompts: [] }, shelf.options);
    expect(shelf.asked.map(({ method }) => method)).toEqual(['resources/list', 'resources/templates/list']);
    expect(next.tools).toBe(offer.tools);
    expect(next.prompts).toEqual([]);
    expect(toRawOffer(next)).toEqual({ ...toRawOffer(offer), prompts: [] });
  });

  it('counts the lists that it keeps', async () => {
    const shelf = new Shelf(FULL);
    const offer = await shelf.discover();
    shelf.limits = { maxCatalogBytes: 100 };
    await expect(discoverLists(shelf, ['prompts'], offer, shelf.options)).rejects.toMatchObject({
      code: 'SERVER_PROTOCOL',
    });
  });
});
