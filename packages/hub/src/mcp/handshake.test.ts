import { describe, expect, it } from 'vitest';
import { FULL_SURFACE } from '../../../../test/kit/full-surface.ts';
import { aboutOf, defineTool, offerOf } from '../../../../test/kit/offer.ts';
import { sha256 } from '../../../../test/kit/sha256.ts';
import type { Scopes } from '../core/caller.ts';
import { createCatalog, type Catalog } from '../core/catalog/catalog.ts';
import type { Offer } from '../core/catalog/offer.ts';
import { META_KEY, TASKS_EXTENSION, type Era } from '../core/protocol.ts';
import { parseBytes, toByteText } from '../core/wire/byte-text.ts';
import { parseMessage } from '../core/wire/message.ts';
import { VERSION } from '../lib/version.ts';
import { type Asker, createToolSurface } from './tool-surface.ts';
import { createHandshake } from './handshake.ts';

const ALL = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};
const SERVER_INFO = { name: 'pincer', title: 'Pincer', version: VERSION };
const TASKS = { [TASKS_EXTENSION]: {} };
const LEGACY_TASKS = { cancel: {}, requests: { tools: { call: {} } } };

const fill = (offers: Record<string, Partial<Offer> | undefined>): Catalog => {
  const catalog = createCatalog(sha256);
  catalog.configure(Object.keys(offers).map((name) => ({ name, prefix: name })));
  for (const [name, offer] of Object.entries(offers))
    if (offer !== undefined) catalog.put(name, offerOf(offer));
  return catalog;
};

const asker = (view: string | undefined, era: Era, scopes: Scopes = {}): Asker => ({
  caller: { id: 'a', name: 'a', scopes },
  view,
  era,
});

interface Said {
  readonly capabilities: unknown;
  readonly instructions?: string;
}

function ask(catalog: Catalog, who: Asker, version = '2025-11-25', surface = FULL_SURFACE): Said {
  const handshake = createHandshake(catalog, surface);
  const text = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":${JSON.stringify(version)}}}`;
  const result =
    who.era === 'modern'
      ? handshake.discover(who)
      : handshake.initialize(parseMessage(toByteText(text)), who);
  return parseBytes(result) as Said;
}

describe('initialize', () => {
  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['2026-07-28', '2025-11-25'],
    ['größe', '2025-11-25'],
  ])('a client that wants %s gets %s', (wanted, protocolVersion) => {
    expect(ask(fill({}), asker(undefined, 'legacy'), wanted)).toEqual({
      protocolVersion,
      capabilities: ALL,
      serverInfo: SERVER_INFO,
    });
  });
});

describe('server/discover', () => {
  it('has the shape of the modern era', () => {
    expect(ask(fill({}), asker(undefined, 'modern'))).toEqual({
      supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
      capabilities: { ...ALL, extensions: TASKS },
      resultType: 'complete',
      ttlMs: 5_000,
      cacheScope: 'private',
      _meta: { [META_KEY.serverInfo]: SERVER_INFO },
    });
  });
});

describe('all servers together', () => {
  const catalog = fill({
    plain: { about: aboutOf({}, 'Nobody hears this.') },
    old: { about: aboutOf({ tasks: { cancel: {} } }) },
    new: { about: aboutOf({ extensions: TASKS }) },
  });

  it('can do everything, whatever they have now', () => {
    expect(ask(fill({ a: { about: aboutOf({}) } }), asker(undefined, 'legacy')).capabilities).toEqual(ALL);
  });

  it('have tasks in the legacy era where one has them', () => {
    expect(ask(catalog, asker(undefined, 'legacy')).capabilities).toEqual({ ...ALL, tasks: LEGACY_TASKS });
  });

  it('have none of a server that the caller may not use', () => {
    expect(ask(catalog, asker(undefined, 'legacy', { servers: ['plain'] })).capabilities).toEqual(ALL);
  });

  it('may have tasks in the modern era, which says nothing of them beforehand', () => {
    expect(ask(fill({}), asker(undefined, 'modern')).capabilities).toEqual({ ...ALL, extensions: TASKS });
  });

  it('have no instructions', () => {
    expect(ask(catalog, asker(undefined, 'legacy'))).not.toHaveProperty('instructions');
  });
});

describe('one server', () => {
  const about = aboutOf(
    { tools: {}, resources: {}, tasks: { list: {}, cancel: {} }, extensions: TASKS },
    'Größe ist egal.',
  );
  const catalog = fill({ s: { about }, untold: undefined, silent: { tools: [defineTool({ name: 'x' })] } });

  it.each<[Era, object]>([
    ['legacy', { tasks: LEGACY_TASKS }],
    ['modern', { extensions: TASKS }],
  ])('shows what it has (%s)', (era, tasks) => {
    expect(ask(catalog, asker('s', era))).toMatchObject({ instructions: 'Größe ist egal.' });
    expect(ask(catalog, asker('s', era)).capabilities).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true },
      ...tasks,
    });
  });

  it('can be subscribed to where it says so', () => {
    const able = fill({
      s: { about: aboutOf({ resources: { subscribe: true }, prompts: {}, logging: {} }) },
    });
    expect(ask(able, asker('s', 'legacy')).capabilities).toEqual({
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      logging: {},
    });
  });

  it('has tools that it has listed without a word', () => {
    expect(ask(catalog, asker('silent', 'legacy')).capabilities).toEqual({ tools: { listChanged: true } });
  });

  it('that has not been heard has tools alone to OpenClaw, which would make tools of everything else', () => {
    const unheard = fill({ a: undefined });
    const scopes = { openClaw: true, servers: ['a'] };
    expect(ask(unheard, asker('a', 'legacy', scopes)).capabilities).toEqual({ tools: ALL.tools });
    const heard = fill({ a: { about: aboutOf({ prompts: {} }) } });
    expect(ask(heard, asker('a', 'legacy', scopes)).capabilities).toEqual({ prompts: ALL.prompts });
  });

  it('that has not been heard may have everything', () => {
    expect(ask(catalog, asker('untold', 'modern')).capabilities).toEqual(ALL);
  });

  it('tells nothing to a caller that may not use it', () => {
    const said = ask(catalog, asker('s', 'legacy', { servers: ['untold'] }));
    expect(said.capabilities).toEqual(ALL);
    expect(said).not.toHaveProperty('instructions');
    expect(ask(catalog, asker('silent', 'legacy', { tools: ['silent.x'] })).capabilities).toEqual({
      tools: { listChanged: true },
    });
  });
});

describe('tools that are searched', () => {
  const catalog = fill({ s: { about: aboutOf({}, 'Of s alone.'), tools: [defineTool({ name: 'x' })] } });
  const surface = createToolSurface(catalog, () => ({ toolSurface: 'search', toolSurfaceTokens: 1 }));
  const said = (view: string | undefined, era: Era): string | undefined =>
    ask(catalog, asker(view, era), undefined, surface).instructions;

  it.each<Era>(['legacy', 'modern'])('are announced with how to do so (%s)', (era) => {
    expect(said(undefined, era)).toMatch(/find_tools.*call_tool/);
    expect(said('s', era)).toBe('Of s alone.');
  });
});
