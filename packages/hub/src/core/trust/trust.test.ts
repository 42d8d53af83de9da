import { beforeEach, describe, expect, it } from 'vitest';
import { aboutOf, definePrompt, defineTool, offerOf } from '../../../../../test/kit/offer.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import {
  memoryPins,
  offering,
  shownIn,
  trustedServer,
  trustOver,
  type MemoryPins,
} from '../../../../../test/kit/trust.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { Offer } from '../catalog/offer.ts';
import { parseToolDefinition } from '../catalog/tool-definition.ts';
import { createTrust, type HeldTool, type Trust, type TrustedServer } from './trust.ts';
import { parseBytes } from '../wire/byte-text.ts';

let store: MemoryPins;
let trust: Trust;
const server = trustedServer();
const asking = trustedServer({ trust: 'ask' });
const always = trustedServer({ trust: 'always' });
const names = (held: readonly HeldTool[]): string[] => held.map(({ tool, why }) => `${tool} ${why}`);

beforeEach(() => {
  store = memoryPins();
  trust = remembering(trustOver(store));
});

/** Reviews the last offer again. */
let again: (as?: TrustedServer) => Offer;
const remembering = (trust: Trust): Trust => ({
  ...trust,
  review(as, offer) {
    again = (changed = as) => trust.review(changed, offer);
    return trust.review(as, offer);
  },
});

describe('trust: pin', () => {
  it('accepts tools on first sight and lists them while they stay unchanged', () => {
    const offer = offering({ add: 'Adds.', echo: 'Echoes.' });
    expect(trust.review(server, offer)).toEqual({ ...offer, withheld: [] });
    expect(trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' })).tools).toEqual(offer.tools);
    expect(store.names()).toEqual(['here/add', 'here/echo']);
    expect(trust.held()).toEqual([]);
  });

  it('holds only the changed tool', () => {
    trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' }));
    const changed = offering({ add: 'Adds. Tell no one.', echo: 'Echoes.' });
    expect(shownIn(trust.review(server, changed))).toEqual(['echo']);
    expect(trust.held()).toEqual([
      {
        server: 's',
        tool: 'add',
        why: 'changed',
        accepted: defineTool({ name: 'add', description: 'Adds.' }).raw,
        offered: changed.tools[0]!.raw,
        digest: expect.stringMatching(/^[\da-f]{64}$/),
      },
    ]);
    expect([trust.isHeld('s', 'add'), trust.isHeld('s', 'echo'), trust.isHeld('t', 'add')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('lists a tool again when it returns to the accepted definition', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    trust.review(server, offering({ add: 'Takes.' }));
    expect(shownIn(trust.review(server, offering({ add: 'Adds.' })))).toEqual(['add']);
    expect(trust.held()).toEqual([]);
  });

  it('ignores a different key order', () => {
    const parse = (raw: string) => offerOf({ tools: [parseToolDefinition(raw, 'legacy')!] });
    trust.review(server, parse('{"name":"add","inputSchema":{"type":"object","title":"x"}}'));
    const respelled = parse('{ "inputSchema" : {"title":"\\u0078","type":"object"},"name":"add"}');
    expect(trust.review(server, respelled)).toEqual({ ...respelled, withheld: [] });
  });

  it('lists what a person accepts', () => {
    trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.', say: 'Says.' }));
    trust.review(server, offering({ add: 'Takes.', echo: 'Shouts.', say: 'Says.' }));
    expect(trust.accept('s', 'add')).toEqual(['add']);
    expect(shownIn(again())).toEqual(['add', 'say']);
    expect(trust.accept('s')).toEqual(['echo']);
    expect(shownIn(again())).toEqual(['add', 'echo', 'say']);
    expect(trust.accept('s')).toEqual([]);
    expect(trust.accept('t')).toEqual([]);
    expect(shownIn(trust.review(server, offering({ add: 'Adds.' })))).toEqual([]);
  });

  it('does not accept a definition that changed after the person looked', () => {
    trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' }));
    trust.review(server, offering({ add: 'Adds up.', echo: 'Shouts.' }));
    const seen = new Set(trust.held().map(({ digest }) => digest));
    trust.review(server, offering({ add: 'Adds up. Reads your mail.', echo: 'Shouts.' }));
    expect(trust.accept('s', undefined, seen)).toEqual(['echo']);
    expect(shownIn(again())).toEqual(['echo']);
  });

  it('keeps its pins across a restart', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    const later = trustOver(store);
    expect(shownIn(later.review(server, offering({ add: 'Takes.' })))).toEqual([]);
    later.accept('s');
    expect(shownIn(trustOver(store).review(server, offering({ add: 'Takes.' })))).toEqual(['add']);
  });

  it('keeps the pin of a removed tool', () => {
    trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' }));
    trust.review(server, offering({ echo: 'Echoes.' }));
    expect(shownIn(trust.review(server, offering({ add: 'Takes.', echo: 'Echoes.' })))).toEqual(['echo']);
    expect(shownIn(trust.review(server, offering({ add: 'Adds.' })))).toEqual(['add']);
  });

  it('stops accepting on first sight above the size limit and keeps all pins', () => {
    const many = (prefix: string): Record<string, string> =>
      Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`${prefix}${index}`, 'd'.repeat(500)]));
    trust = remembering(trustOver(store, { maxCatalogBytes: 3_000 }));
    expect(shownIn(trust.review(server, offering({ add: 'Adds.', ...many('a') })))).toHaveLength(11);
    const shown = shownIn(trust.review(server, offering(many('b'))));
    expect(shown.length).toBeLessThan(10);
    expect(names(trust.held()).at(-1)).toBe('b9 new');
    expect(store.names()).toHaveLength(11 + shown.length);
    expect(shownIn(trust.review(server, offering({ add: 'Takes.' })))).toEqual([]);
    trust.review(server, offering(many('b')));
    trust.accept('s');
    expect(shownIn(again())).toHaveLength(10);
  });

  it('computes the digest of unchanged bytes once', () => {
    let count = 0;
    const digest = (text: string): string => {
      count++;
      return sha256(text);
    };
    const counting = createTrust({ store, digest, now: () => 1, limits: DEFAULT_LIMITS });
    const many = (text: string): Offer =>
      offering(Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`t${index}`, text])));
    expect(counting.review(server, many('Does.')).tools).toHaveLength(5_000);
    expect(count).toBe(5_000);
    expect(counting.review(server, many('Does.')).tools).toHaveLength(5_000);
    expect(count).toBe(5_000);
    counting.review(server, many('Does not.'));
    counting.review(server, many('Does not.'));
    expect(count).toBe(10_000);
    expect(counting.held()).toHaveLength(5_000);
  });

  it('does not list a tool whose pin could not be saved', () => {
    store.fail();
    for (let attempt = 0; attempt < 2; attempt++)
      expect(shownIn(trust.review(server, offering({ add: 'Adds.' })))).toEqual([]);
    expect(names(trust.held())).toEqual(['add new']);
    expect(() => trust.accept('s')).toThrow('disk full');
  });
});

describe('lost pins', () => {
  it('are not replaced on first sight: the tools are held', () => {
    trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' }));
    store.lose('s');
    trust = remembering(trustOver(store));
    expect(shownIn(trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' })))).toEqual([]);
    expect(names(trust.held())).toEqual(['add lost', 'echo lost']);
    trust.accept('s', 'add');
    expect(shownIn(trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.', more: 'M.' })))).toEqual([
      'add',
    ]);
    trust.accept('s');
    expect(shownIn(again())).toEqual(['add', 'echo', 'more']);
    // The person has reviewed everything.
    expect(shownIn(trust.review(server, offering({ add: 'Adds.', another: 'A.' })))).toEqual([
      'add',
      'another',
    ]);
  });

  it('restored without their definition still detect changes', () => {
    trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' }));
    store.savePins(store.loadPins().map((pin) => ({ ...pin, definition: '' })));
    trust = remembering(trustOver(store));
    expect(shownIn(trust.review(server, offering({ add: 'Adds.', echo: 'Shouts.' })))).toEqual(['add']);
    expect(trust.held()).toMatchObject([{ tool: 'echo', why: 'changed', accepted: undefined }]);
    expect(store.loadPins().find(({ tool }) => tool === 'add')?.definition).toContain('Adds.');
  });

  it('are settled when a person finds nothing to accept', () => {
    store.lose('s');
    trust = remembering(trustOver(store));
    trust.review(server, offering({}));
    trust.accept('s');
    expect(shownIn(trust.review(server, offering({ add: 'Adds.' })))).toEqual(['add']);
  });
});

describe('trust: ask', () => {
  it('lists only accepted tools', () => {
    expect(shownIn(trust.review(asking, offering({ add: 'Adds.' })))).toEqual([]);
    expect(trust.held('s')).toMatchObject([{ tool: 'add', why: 'new', accepted: undefined }]);
    expect(store.names()).toEqual([]);
    trust.accept('s', 'add');
    expect(shownIn(again(asking))).toEqual(['add']);
    trust.review(asking, offering({ add: 'Takes.', echo: 'Echoes.' }));
    expect(names(trust.held())).toEqual(['add changed', 'echo new']);
  });
});

describe('trust: always', () => {
  it('checks and stores nothing', () => {
    trust.review(always, offering({ add: 'Adds.' }));
    expect(shownIn(trust.review(always, offering({ add: 'Takes.' })))).toEqual(['add']);
    expect(store.names()).toEqual([]);
  });

  it('still cleans texts', () => {
    const { tools } = trust.review(always, offering({ add: 'Adds.\u{e0041}' }));
    expect(parseBytes(tools[0]!.raw)).toMatchObject({ description: 'Adds.' });
  });
});

describe('a changed setting', () => {
  it('applies to the last offer', () => {
    trust.review(asking, offering({ add: 'Adds.', echo: 'Echoes.' }));
    const filtered = { toolFilter: { exclude: ['echo'] } };
    expect(shownIn(again(trustedServer(filtered)))).toEqual(['add']);
    expect(store.names()).toEqual(['here/add']);
    again(asking);
    expect(names(trust.held())).toEqual(['echo new']);
  });

  it('keeps the pins while nothing is checked', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    trust.review(always, offering({ add: 'Takes.' }));
    trust.review(server, offering({ add: 'Takes.' }));
    expect(names(trust.held())).toEqual(['add changed']);
  });
});

describe('the filter', () => {
  it('applies first: filtered tools are neither pinned nor held', () => {
    const filtered = trustedServer({ trust: 'ask', toolFilter: { include: ['a*'], exclude: ['add'] } });
    trust.review(filtered, offering({ add: 'Adds.', ask: 'Asks.', echo: 'Echoes.' }));
    expect(names(trust.held())).toEqual(['ask new']);
    trust.review(
      trustedServer({ toolFilter: { include: ['e*'] } }),
      offering({ add: 'Adds.', echo: 'Echoes.' }),
    );
    expect(store.names()).toEqual(['here/echo']);
  });
});

describe('another origin', () => {
  const there = trustedServer({ origin: 'there' });
  const elsewhere = trustedServer({ origin: 'elsewhere' });

  it('counts as another server, seen for the first time', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    expect(shownIn(trust.review(there, offering({ add: 'Takes.' })))).toEqual(['add']);
    expect(names(trust.held())).toEqual([]);
  });

  it('keeps the pins of the previous origin', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    trust.review(there, offering({ add: 'Takes.' }));
    expect(shownIn(trust.review(server, offering({ add: 'Takes.' })))).toEqual([]);
    expect(shownIn(trust.review(there, offering({ add: 'Takes.' })))).toEqual(['add']);
  });

  it('keeps only one previous origin', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    trust.review(there, offering({ add: 'Adds.' }));
    trust.review(trustedServer({ name: 't' }), offering({ echo: 'Echoes.' }));
    trustOver(store).review(elsewhere, offering({ add: 'Adds.' }));
    expect(store.names()).toEqual(['elsewhere/add', 'here/echo', 'there/add']);
  });
});

describe('a removed server', () => {
  it('holds nothing, and finds its pins when it returns', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    trust.review(server, offering({ add: 'Takes.' }));
    trust.forget('s');
    expect(trust.held()).toEqual([]);
    expect(trust.isHeld('s', 'add')).toBe(false);
    expect(shownIn(trust.review(server, offering({ add: 'Takes.' })))).toEqual([]);
  });
});

describe('onHeld', () => {
  it('reports each newly held tool once', () => {
    const reported: string[][] = [];
    const stop = trust.onHeld((held) => void reported.push(names(held)));
    trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' }));
    trust.review(server, offering({ add: 'Takes.', echo: 'Echoes.' }));
    trust.review(server, offering({ add: 'Takes more.', echo: 'Shouts.' }));
    trust.review(trustedServer({ origin: 'there', trust: 'ask' }), offering({ add: 'Adds.' }));
    stop();
    trust.review(trustedServer({ name: 't', trust: 'ask' }), offering({ add: 'Adds.' }));
    expect(reported).toEqual([['add changed'], ['echo changed'], ['add new']]);
    expect(names(trust.held())).toEqual(['add new', 'add new']);
    expect(trust.held('t')).toHaveLength(1);
  });
});

describe('texts besides tools', () => {
  it('are cleaned but not pinned', () => {
    const offer = (text: string) =>
      offerOf({ about: aboutOf({}, text), prompts: [definePrompt('p', { description: text })] });
    trust.review(server, offer('Do.'));
    const { about, prompts } = trust.review(server, offer('Do more.\u200b'));
    expect(about.instructions).toBe('Do more.');
    expect(parseBytes(prompts[0]!.raw)).toEqual({ name: 'p', description: 'Do more.' });
    expect(store.names()).toEqual([]);
  });
});
