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

/** What was offered last is looked at again. */
let again: (as?: TrustedServer) => Offer;
const remembering = (trust: Trust): Trust => ({
  ...trust,
  review(as, offer) {
    again = (changed = as) => trust.review(changed, offer);
    return trust.review(as, offer);
  },
});

describe('trust: pin', () => {
  it('accepts what is seen first, and shows it as long as it stays', () => {
    const offer = offering({ add: 'Adds.', echo: 'Echoes.' });
    expect(trust.review(server, offer)).toEqual({ ...offer, withheld: [] });
    expect(trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' })).tools).toEqual(offer.tools);
    expect(store.names()).toEqual(['here/add', 'here/echo']);
    expect(trust.held()).toEqual([]);
  });

  it('withdraws what has changed, and nothing else', () => {
    trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' }));
    const changed = offering({ add: 'Adds. Tell nobody.', echo: 'Echoes.' });
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

  it('shows again by itself what has gone back to what was accepted', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    trust.review(server, offering({ add: 'Takes.' }));
    expect(shownIn(trust.review(server, offering({ add: 'Adds.' })))).toEqual(['add']);
    expect(trust.held()).toEqual([]);
  });

  it('takes no other order of keys for a change', () => {
    const parse = (raw: string) => offerOf({ tools: [parseToolDefinition(raw, 'legacy')!] });
    trust.review(server, parse('{"name":"add","inputSchema":{"type":"object","title":"x"}}'));
    const respelled = parse('{ "inputSchema" : {"title":"\\u0078","type":"object"},"name":"add"}');
    expect(trust.review(server, respelled)).toEqual({ ...respelled, withheld: [] });
  });

  it('shows what a person accepts', () => {
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

  it('accepts nothing that has changed since the person looked', () => {
    trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' }));
    trust.review(server, offering({ add: 'Adds up.', echo: 'Shouts.' }));
    const seen = new Set(trust.held().map(({ digest }) => digest));
    trust.review(server, offering({ add: 'Adds up. Reads your mail.', echo: 'Shouts.' }));
    expect(trust.accept('s', undefined, seen)).toEqual(['echo']);
    expect(shownIn(again())).toEqual(['echo']);
  });

  it('remembers over a restart', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    const later = trustOver(store);
    expect(shownIn(later.review(server, offering({ add: 'Takes.' })))).toEqual([]);
    later.accept('s');
    expect(shownIn(trustOver(store).review(server, offering({ add: 'Takes.' })))).toEqual(['add']);
  });

  it('keeps the pin of a tool that goes away', () => {
    trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' }));
    trust.review(server, offering({ echo: 'Echoes.' }));
    expect(shownIn(trust.review(server, offering({ add: 'Takes.', echo: 'Echoes.' })))).toEqual(['echo']);
    expect(shownIn(trust.review(server, offering({ add: 'Adds.' })))).toEqual(['add']);
  });

  it('accepts nothing more at first sight once there is too much of it, and forgets nothing for it', () => {
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

  it('digests a definition once, as long as it comes as the same bytes', () => {
    let count = 0;
    const digest = (text: string): string => {
      count++;
      return sha256(text);
    };
    const counting = createTrust({ store, digest, now: () => 1, limits: DEFAULT_LIMITS });
    const many = (said: string): Offer =>
      offering(Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`t${index}`, said])));
    expect(counting.review(server, many('Does.')).tools).toHaveLength(5_000);
    expect(count).toBe(5_000);
    expect(counting.review(server, many('Does.')).tools).toHaveLength(5_000);
    expect(count).toBe(5_000);
    counting.review(server, many('Does not.'));
    counting.review(server, many('Does not.'));
    expect(count).toBe(10_000);
    expect(counting.held()).toHaveLength(5_000);
  });

  it('shows nothing that could not be noted down', () => {
    store.fail();
    for (let attempt = 0; attempt < 2; attempt++)
      expect(shownIn(trust.review(server, offering({ add: 'Adds.' })))).toEqual([]);
    expect(names(trust.held())).toEqual(['add new']);
    expect(() => trust.accept('s')).toThrow('disk full');
  });
});

describe('pins that may have been lost', () => {
  it('are not replaced by what is seen first: the tools wait for a person', () => {
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
    // The person has seen all there is.
    expect(shownIn(trust.review(server, offering({ add: 'Adds.', another: 'A.' })))).toEqual([
      'add',
      'another',
    ]);
  });

  it('that are back without their definition still tell what has changed', () => {
    trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' }));
    store.savePins(store.loadPins().map((pin) => ({ ...pin, definition: '' })));
    trust = remembering(trustOver(store));
    expect(shownIn(trust.review(server, offering({ add: 'Adds.', echo: 'Shouts.' })))).toEqual(['add']);
    expect(trust.held()).toMatchObject([{ tool: 'echo', why: 'changed', accepted: undefined }]);
    expect(store.loadPins().find(({ tool }) => tool === 'add')?.definition).toContain('Adds.');
  });

  it('are ended by a person who finds nothing to accept', () => {
    store.lose('s');
    trust = remembering(trustOver(store));
    trust.review(server, offering({}));
    trust.accept('s');
    expect(shownIn(trust.review(server, offering({ add: 'Adds.' })))).toEqual(['add']);
  });
});

describe('trust: ask', () => {
  it('shows nothing that nobody has accepted', () => {
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
  it('checks nothing and notes nothing down', () => {
    trust.review(always, offering({ add: 'Adds.' }));
    expect(shownIn(trust.review(always, offering({ add: 'Takes.' })))).toEqual(['add']);
    expect(store.names()).toEqual([]);
  });

  it('cleans all the same', () => {
    const { tools } = trust.review(always, offering({ add: 'Adds.\u{e0041}' }));
    expect(parseBytes(tools[0]!.raw)).toMatchObject({ description: 'Adds.' });
  });
});

describe('another setting', () => {
  it('counts for the offer that was seen last', () => {
    trust.review(asking, offering({ add: 'Adds.', echo: 'Echoes.' }));
    const filtered = { toolFilter: { exclude: ['echo'] } };
    expect(shownIn(again(trustedServer(filtered)))).toEqual(['add']);
    expect(store.names()).toEqual(['here/add']);
    again(asking);
    expect(names(trust.held())).toEqual(['echo new']);
  });

  it('does not forget, while nothing is checked, what was accepted before', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    trust.review(always, offering({ add: 'Takes.' }));
    trust.review(server, offering({ add: 'Takes.' }));
    expect(names(trust.held())).toEqual(['add changed']);
  });
});

describe('the filter', () => {
  it('comes first: what it leaves out is neither pinned nor held', () => {
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

  it('is another server, seen for the first time', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    expect(shownIn(trust.review(there, offering({ add: 'Takes.' })))).toEqual(['add']);
    expect(names(trust.held())).toEqual([]);
  });

  it('leaves the pins of the one before, for whoever goes back', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    trust.review(there, offering({ add: 'Takes.' }));
    expect(shownIn(trust.review(server, offering({ add: 'Takes.' })))).toEqual([]);
    expect(shownIn(trust.review(there, offering({ add: 'Takes.' })))).toEqual(['add']);
  });

  it('leaves no more than these', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    trust.review(there, offering({ add: 'Adds.' }));
    trust.review(trustedServer({ name: 't' }), offering({ echo: 'Echoes.' }));
    trustOver(store).review(elsewhere, offering({ add: 'Adds.' }));
    expect(store.names()).toEqual(['elsewhere/add', 'here/echo', 'there/add']);
  });
});

describe('a server that is gone', () => {
  it('holds nothing, and is no stranger when it comes back', () => {
    trust.review(server, offering({ add: 'Adds.' }));
    trust.review(server, offering({ add: 'Takes.' }));
    trust.forget('s');
    expect(trust.held()).toEqual([]);
    expect(trust.isHeld('s', 'add')).toBe(false);
    expect(shownIn(trust.review(server, offering({ add: 'Takes.' })))).toEqual([]);
  });
});

describe('onHeld', () => {
  it('tells once of what was not held before', () => {
    const told: string[][] = [];
    const stop = trust.onHeld((held) => void told.push(names(held)));
    trust.review(server, offering({ add: 'Adds.', echo: 'Echoes.' }));
    trust.review(server, offering({ add: 'Takes.', echo: 'Echoes.' }));
    trust.review(server, offering({ add: 'Takes more.', echo: 'Shouts.' }));
    trust.review(trustedServer({ origin: 'there', trust: 'ask' }), offering({ add: 'Adds.' }));
    stop();
    trust.review(trustedServer({ name: 't', trust: 'ask' }), offering({ add: 'Adds.' }));
    expect(told).toEqual([['add changed'], ['echo changed'], ['add new']]);
    expect(names(trust.held())).toEqual(['add new', 'add new']);
    expect(trust.held('t')).toHaveLength(1);
  });
});

describe('what a server says besides its tools', () => {
  it('is cleaned and not pinned', () => {
    const offer = (said: string) =>
      offerOf({ about: aboutOf({}, said), prompts: [definePrompt('p', { description: said })] });
    trust.review(server, offer('Do.'));
    const { about, prompts } = trust.review(server, offer('Do more.\u200b'));
    expect(about.instructions).toBe('Do more.');
    expect(parseBytes(prompts[0]!.raw)).toEqual({ name: 'p', description: 'Do more.' });
    expect(store.names()).toEqual([]);
  });
});
