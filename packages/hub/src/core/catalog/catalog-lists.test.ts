/** Lists are rebuilt lazily, on the next read. Readers must not notice, however often they read. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aboutOf, defineResource, defineTool, offerOf } from '../../../../../test/kit/offer.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { createCatalog, type Catalog } from './catalog.ts';
import type { Offer } from './offer.ts';

interface Step {
  readonly server: string;
  /** Undefined: forget the server. */
  readonly offer: Offer | undefined;
}

const tools = fc
  .uniqueArray(fc.constantFrom('x', 'y', 'a__x', 'b__y'), { maxLength: 3 })
  .map((names) => names.map((name) => defineTool({ name })));
const offer = fc
  .record({
    tools,
    withheld: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, tools),
    resources: fc.subarray(['u:1', 'u:2']).map((uris) => uris.map((uri) => defineResource(uri))),
    about: fc.constantFrom(aboutOf({}), aboutOf({ resources: {} })),
  })
  .map(offerOf);
const step: fc.Arbitrary<Step> = fc.record({
  server: fc.constantFrom('a', 'b', 'c', 'unknown'),
  offer: fc.option(offer, { nil: undefined }),
});

/** The lists that clients see. */
const listed = (catalog: Catalog): string =>
  JSON.stringify([catalog.list(undefined), catalog.resources(undefined)]);
/** The other lookups. */
const answered = (catalog: Catalog): string =>
  JSON.stringify([
    catalog.ownerOf(undefined, 'u:other'),
    ['x', 'y', 'a__x'].map((name) => catalog.resolve(undefined, name)),
    ['x', 'y', 'a__x'].map((name) => catalog.withheld(undefined, name)),
  ]);

function play(steps: readonly Step[], afterEach: (catalog: Catalog, wasNotified: boolean) => void) {
  const catalog = createCatalog(sha256);
  catalog.configure([
    { name: 'a', prefix: 'a' },
    { name: 'b', prefix: 'b' },
    { name: 'c', prefix: '' },
  ]);
  const changes: string[] = [];
  catalog.onChange((kinds) => changes.push([...kinds].join()));
  for (const { server, offer } of steps) {
    const before = changes.length;
    if (offer === undefined) catalog.forget(server);
    else catalog.put(server, offer);
    afterEach(catalog, changes.length > before);
  }
  return { changes, listed: listed(catalog), answered: answered(catalog), version: catalog.version };
}

it('reading once and reading after every change give the same lists and notices', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      let last = '[[],[]]';
      const often = play(steps, (catalog, wasNotified) => {
        const now = listed(catalog);
        if (!wasNotified) expect(now).toBe(last);
        answered(catalog);
        last = now;
      });
      expect(play(steps, () => undefined)).toEqual(often);
    }),
    { numRuns: 500 },
  );
});
