import { describe, expect, it } from 'vitest';
import { defineTool, offerOf } from '../../../../../test/kit/offer.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { createCatalog } from './catalog.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { createOfferBook } from './offer-book.ts';
import { toRawOffer, type Offer } from './offer.ts';
import type { StoredCatalog } from '../ports.ts';
import { createTrust, type TrustedServer } from '../trust/trust.ts';

const offer = (...descriptions: string[]): Offer =>
  offerOf({
    tools: descriptions.map((description, index) => defineTool({ name: `t${index}`, description })),
  });
const server = (over: Partial<TrustedServer> = {}): TrustedServer => ({
  name: 's',
  origin: 'here',
  trust: 'pin',
  toolFilter: {},
  ...over,
});

function open(stored: StoredCatalog[] = []) {
  const catalog = createCatalog(sha256);
  const saved: StoredCatalog[] = [];
  const pins = {
    loadPins: () => [],
    savePins: () => undefined,
    deletePins: () => undefined,
    loadPinDoubts: () => [],
    settlePins: () => undefined,
  };
  const trust = createTrust({ store: pins, digest: sha256, now: () => 0, limits: DEFAULT_LIMITS });
  const store = { loadCatalogs: () => stored, saveCatalog: (each: StoredCatalog) => void saved.push(each) };
  const book = createOfferBook({ catalog, trust, store });
  catalog.configure([{ name: 's', prefix: 's' }]);
  book.configure([server()]);
  const shown = (): string[] =>
    catalog.list('s').map(({ definition }) => String(descriptionOf(definition.raw)));
  return { book, saved, shown, trust, catalog };
}

const descriptionOf = (raw: string): unknown => (JSON.parse(raw) as { description: unknown }).description;

describe('an offer', () => {
  it('is listed and saved once, in its original bytes', () => {
    const { book, saved, shown } = open();
    book.offered('s', offer('one'));
    book.offered('s', offer('one'));
    expect(shown()).toEqual(['one']);
    expect(saved).toEqual([{ server: 's', origin: 'here', offer: toRawOffer(offer('one')) }]);
  });

  it('of an earlier run is listed from the start and not saved again', () => {
    const { book, saved, shown } = open([{ server: 's', origin: 'here', offer: toRawOffer(offer('one')) }]);
    book.restore();
    expect(shown()).toEqual(['one']);
    book.offered('s', offer('one'));
    expect(saved).toEqual([]);
  });

  it('of an earlier run from another origin is not listed', () => {
    const { book, catalog } = open([{ server: 's', origin: 'elsewhere', offer: toRawOffer(offer('one')) }]);
    book.restore();
    expect(catalog.isKnown('s')).toBe(false);
  });

  it('with a changed tool is saved, and the tool is held until accepted', () => {
    const { book, saved, shown } = open();
    book.offered('s', offer('one', 'two'));
    book.offered('s', offer('one', 'evil'));
    expect(shown()).toEqual(['one']);
    expect(saved).toHaveLength(2);
    expect(book.accept('s')).toEqual(['t1']);
    expect(shown()).toEqual(['one', 'evil']);
  });

  it("is reviewed again when the server's settings change", () => {
    const { book, shown } = open();
    book.offered('s', offer('one', 'two'));
    book.configure([server({ toolFilter: { exclude: ['t0'] } })]);
    expect(shown()).toEqual(['two']);
    book.configure([server()]);
    expect(shown()).toEqual(['one', 'two']);
  });

  it('is dropped when the server has another origin or is removed', () => {
    const { book, catalog } = open();
    book.offered('s', offer('one'));
    book.configure([server({ origin: 'elsewhere' })]);
    expect(catalog.isKnown('s')).toBe(false);
    book.offered('s', offer('one'));
    book.configure([]);
    expect(catalog.isKnown('s')).toBe(false);
    book.offered('s', offer('one'));
    expect(catalog.isKnown('s')).toBe(false);
  });
});
