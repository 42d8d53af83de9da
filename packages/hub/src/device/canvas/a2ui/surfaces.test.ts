import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import { readJsonl } from '../a2ui-commands.ts';
import type { Component, Message } from './message.ts';
import {
  applyMessages,
  plain,
  type Surfaces,
  absolutePath,
  fromEntries,
  valueAt,
  withValue,
  dumpOf,
} from './surfaces.ts';

const limits = DEFAULT_LIMITS;
const text = (id: string): Component => ({ id, type: 'Text', props: { text: id } });
const update = (surfaceId: string, ...components: Component[]): Message => ({
  kind: 'surfaceUpdate',
  surfaceId,
  components,
});
const data = (surfaceId: string, path: string, key: string, value: unknown): Message => ({
  kind: 'dataModelUpdate',
  surfaceId,
  path,
  contents: [{ key, value }],
});
const apply = (surfaces: Surfaces, ...messages: Message[]): Surfaces =>
  applyMessages(surfaces, messages, { limits });

describe('surfaces', () => {
  it('are the result of all messages', () => {
    const first = apply(new Map(), update('a', text('x'), text('y')), data('a', '/', 'k', 1), {
      kind: 'beginRendering',
      surfaceId: 'a',
      root: 'x',
      styles: { primaryColor: '#ffffff' },
    });
    const second = apply(
      first,
      update('a', { ...text('x'), props: {} }),
      data('a', '/user', 'name', 'Ada'),
      update('b', text('z')),
    );
    expect(plain(second.get('a')!)).toEqual({
      components: { x: { id: 'x', type: 'Text', props: {} }, y: text('y') },
      data: { k: 1, user: { name: 'Ada' } },
      root: 'x',
      styles: { primaryColor: '#ffffff' },
    });
    expect([...apply(second, { kind: 'deleteSurface', surfaceId: 'a' }).keys()]).toEqual(['b']);
    expect(plain(first.get('a')!)).toMatchObject({ data: { k: 1 } });
    expect(plain(apply(second, data('a', '/', 'only', 1)).get('a')!)).toMatchObject({ data: { only: 1 } });
  });

  it('belong to the session that pushed last', () => {
    const one = applyMessages(new Map(), [update('a', text('x')), update('b', text('x'))], {
      sessionKey: 's1',
      limits,
    });
    const two = applyMessages(one, [update('a', text('y'))], { sessionKey: 's2', limits });
    const three = applyMessages(two, [update('a', text('z'))], { limits });
    expect([...three.values()].map(({ sessionKey }) => sessionKey)).toEqual(['s2', 's1']);
  });

  it('are bounded, and stay unchanged if a limit is exceeded', () => {
    const names = Array.from({ length: 65 }, (_, at) => update(`s${at}`, text('x')));
    expect(apply(new Map(), ...names.slice(1)).size).toBe(64);
    expect(() => apply(new Map(), ...names)).toThrow('there would be more than 64 surfaces');
    const many = Array.from({ length: 2_001 }, (_, at) => text(`c${at}`));
    expect(apply(new Map(), update('a', ...many.slice(1))).get('a')!.components.size).toBe(2_000);
    expect(() => apply(new Map(), update('a', ...many))).toThrow('more than 2000 components');
    const long = 'x'.repeat(60_000);
    const big = Array.from({ length: 300 }, (_, at) => data('a', `/k${at}`, '.', long));
    expect(() => apply(new Map(), ...big)).toThrow('the surfaces would have more than 16777216 bytes');
    expect(() => apply(new Map(), data('a', '/x'.repeat(65), 'k', 1))).toThrow('a path is too long');
  });

  it.each([
    [{ maxA2uiSurfaces: 1 }, 'there would be more than 1 surfaces'],
    [{ maxA2uiComponents: 1 }, 'a surface would have more than 1 components'],
    [{ maxA2uiStateBytes: 100 }, 'the surfaces would have more than 100 bytes'],
    [{ maxA2uiDepth: 1 }, 'a path is too long'],
  ])('have configurable limits: %j', (changed, why) => {
    const messages = [update('a', text('x'), text('y')), update('b'), data('a', '/p/q', 'k', 1)];
    expect(apply(new Map(), ...messages).size).toBe(2);
    expect(() => applyMessages(new Map(), messages, { limits: { ...limits, ...changed } })).toThrow(why);
  });
});

const model = { user: { name: 'Ada' }, items: [{ n: 1 }, { n: 2 }] };

describe('a path', () => {
  it.each([
    ['/user/name', 'Ada'],
    ['user.name', 'Ada'],
    ['/items/1/n', 2],
    ['items[1].n', 2],
    ['/', model],
    ['/user/none', undefined],
    ['/user/name/length', undefined],
    ['/items/length', 2],
    ['/__proto__', undefined],
    ['/user/constructor', undefined],
  ])('%j leads to %j', (path, value) => {
    // `length` is an own property of a list. No other property besides the data is reachable.
    expect(valueAt(model, path)).toEqual(value);
  });

  it.each([
    ['name', '/items/0', '/items/0/name'],
    ['/name', '/items/0', '/name'],
    ['name', '/', '/name'],
    ['.', '/items/0', '/items/0/'],
  ])('%j at %j is %j', (path, at, absolute) => {
    expect(absolutePath(path, at)).toBe(absolute);
  });
});

describe('a value', () => {
  it('is set without changing the previous model', () => {
    expect(withValue(model, '/user/name', 'Bob')).toEqual({ ...model, user: { name: 'Bob' } });
    expect(withValue(model, '/items/0/n', 7)).toMatchObject({ items: [{ n: 7 }, { n: 2 }] });
    expect(withValue(model, '/a/b/c', 1)).toMatchObject({ a: { b: { c: 1 } } });
    expect(withValue(model, '/', { x: 1 })).toEqual({ x: 1 });
    expect(model).toEqual({ user: { name: 'Ada' }, items: [{ n: 1 }, { n: 2 }] });
  });

  it('creates no holes in lists and no members of prototypes', () => {
    expect(withValue(model, '/items/9', 1)).toEqual(model);
    expect(withValue(model, '/items/x', 1)).toEqual(model);
    expect(withValue(model, '/items/2', 1)).toMatchObject({ items: [{ n: 1 }, { n: 2 }, 1] });
    const changed = withValue({}, '/__proto__/polluted', true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(JSON.stringify(changed)).toBe('{"__proto__":{"polluted":true}}');
    expect(valueAt(changed, '/__proto__/polluted')).toBe(true);
  });
});

it('entries become plain JSON, also those with JSON text', () => {
  const entries = [
    { key: 'a', value: 'x' },
    { key: 'm', entries: [{ key: '0', entries: [{ key: 'n', value: 1 }] }] },
    { key: 'list', value: '["a", {"b": 1}]' },
    { key: 'text', value: '[no list' },
    { key: 'dot.ted', value: false },
  ];
  expect(fromEntries(entries, 64)).toEqual({
    a: 'x',
    m: { 0: { n: 1 } },
    list: ['a', { b: 1 }],
    text: '[no list',
    dot: { ted: false },
  });
  expect(fromEntries([{ key: '.', value: 'whole' }], 64)).toBe('whole');
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  expect(fromEntries([{ key: '.', value: deep }], 64)).toBe(deep);
});

const SECRETS = ['hunter2', '4711-cover', 'row-secret', 'sk-0123456789abcdef', 'literal-cover', 'opensesame'];

it('a dump redacts values that look like secrets', () => {
  const field = (id: string, text: object): object => ({
    id,
    component: { TextField: { label: { literalString: 'PIN' }, text, textFieldType: 'obscured' } },
  });
  const messages = [
    {
      surfaceUpdate: {
        surfaceId: 's',
        components: [
          field('f1', { path: '/form/code' }),
          field('f2', { path: 'word' }),
          field('f3', { literalString: 'literal-cover' }),
          { id: 't', component: { Text: { text: { literalString: 'key sk-0123456789abcdef and more' } } } },
        ],
      },
    },
    {
      dataModelUpdate: {
        surfaceId: 's',
        contents: [
          {
            key: 'form',
            valueMap: [
              { key: 'code', valueString: '4711-cover' },
              { key: 'name', valueString: 'Ada' },
            ],
          },
          { key: 'rows', valueString: '[{"word":"row-secret","shown":1}]' },
          { key: 'password', valueString: 'hunter2' },
          { key: 'apiKey', valueMap: [{ key: 'value', valueString: 'opensesame' }] },
        ],
      },
    },
    { beginRendering: { surfaceId: 's', root: 't' } },
  ];
  const surfaces = applyMessages(
    new Map(),
    readJsonl(messages.map((each) => JSON.stringify(each)).join('\n'), DEFAULT_LIMITS),
    { sessionKey: 'k', limits: DEFAULT_LIMITS },
  );
  const dump = dumpOf(surfaces);
  expect(dump).toMatchObject({
    renderer: 'web',
    a2uiVersion: '0.8',
    surfaceCount: 1,
    surfaces: {
      s: {
        root: 't',
        componentCount: 4,
        components: { t: { type: 'Text', props: { text: { literalString: 'key [redacted] and more' } } } },
        dataModel: {
          form: { code: '[redacted]', name: 'Ada' },
          rows: [{ word: '[redacted]', shown: 1 }],
          password: '[redacted]',
          apiKey: { value: '[redacted]' },
        },
      },
    },
  });
  for (const secret of SECRETS) expect(JSON.stringify(dump)).not.toContain(secret);
});

it('a dump without surfaces is empty', () => {
  expect(dumpOf(new Map())).toEqual({ renderer: 'none', a2uiVersion: '0.8', surfaceCount: 0, surfaces: {} });
});
