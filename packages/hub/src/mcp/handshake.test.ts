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

interface Greeting {
  readonly capabilities: unknown;
  readonly instructions?: string;
}

function ask(catalog: Catalog, who: Asker, version = '2025-11-25', surface = FULL_SURFACE): Greeting {
  const handshake = createHandshake(catalog, surface);
  const text = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":${JSON.stringify(version)}}}`;
  const result =
    who.era === 'modern'
      ? handshake.discover(who)
      : handshake.initialize(parseMessage(toByteText(text)), who);
  return parseBytes(result) as Greeting;
}

describe('initialize', () => {
  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2024-11-05'],
    ['2026-07-28', '2025-11-25'],
    ['größe', '2025-11-25'],
  ])('answers %s with %s', (wanted, protocolVersion) => {
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
    plain: { about: aboutOf({}, 'Not shown.') },
    old: { about: aboutOf({ tasks: { cancel: {} } }) },
    new: { about: aboutOf({ extensions: TASKS }) },
  });

  it('promise every capability', () => {
    expect(ask(fill({ a: { about: aboutOf({}) } }), asker(undefined, 'legacy')).capabilities).toEqual(ALL);
  });

  it('have tasks in the legacy era if one server has them', () => {
    expect(ask(catalog, asker(undefined, 'legacy')).capabilities).toEqual({ ...ALL, tasks: LEGACY_TASKS });
  });

  it('have no tasks of a server that the caller may not use', () => {
    expect(ask(catalog, asker(undefined, 'legacy', { servers: ['plain'] })).capabilities).toEqual(ALL);
  });

  it('always have the tasks extension in the modern era', () => {
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
  ])('shows its own capabilities (%s)', (era, tasks) => {
    expect(ask(catalog, asker('s', era))).toMatchObject({ instructions: 'Größe ist egal.' });
    expect(ask(catalog, asker('s', era)).capabilities).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true },
      ...tasks,
    });
  });

  it('can be subscribed to if it declares that', () => {
    const able = fill({
      s: { about: aboutOf({ resources: { subscribe: true }, prompts: {}, logging: {} }) },
    });
    expect(ask(able, asker('s', 'legacy')).capabilities).toEqual({
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      logging: {},
    });
  });

  it('has tools if it lists tools without declaring them', () => {
    expect(ask(catalog, asker('silent', 'legacy')).capabilities).toEqual({ tools: { listChanged: true } });
  });

  it('that never sent its lists has only tools for OpenClaw, which would turn everything else into tools', () => {
    const unlisted = fill({ a: undefined });
    const scopes = { openClaw: true, servers: ['a'] };
    expect(ask(unlisted, asker('a', 'legacy', scopes)).capabilities).toEqual({ tools: ALL.tools });
    const known = fill({ a: { about: aboutOf({ prompts: {} }) } });
    expect(ask(known, asker('a', 'legacy', scopes)).capabilities).toEqual({ prompts: ALL.prompts });
  });

  it('that never sent its lists may have everything', () => {
    expect(ask(catalog, asker('untold', 'modern')).capabilities).toEqual(ALL);
  });

  it('tells nothing to a caller that may not use it', () => {
    const answer = ask(catalog, asker('s', 'legacy', { servers: ['untold'] }));
    expect(answer.capabilities).toEqual(ALL);
    expect(answer).not.toHaveProperty('instructions');
    expect(ask(catalog, asker('silent', 'legacy', { tools: ['silent.x'] })).capabilities).toEqual({
      tools: { listChanged: true },
    });
  });
});

describe('tools behind the search', () => {
  const catalog = fill({ s: { about: aboutOf({}, 'Of s alone.'), tools: [defineTool({ name: 'x' })] } });
  const surface = createToolSurface(catalog, () => ({ toolSurface: 'search', toolSurfaceTokens: 1 }));
  const instructionsOf = (view: string | undefined, era: Era): string | undefined =>
    ask(catalog, asker(view, era), undefined, surface).instructions;

  it.each<Era>(['legacy', 'modern'])('come with search instructions (%s)', (era) => {
    expect(instructionsOf(undefined, era)).toMatch(/find_tools.*call_tool/);
    expect(instructionsOf('s', era)).toBe('Of s alone.');
  });
});
