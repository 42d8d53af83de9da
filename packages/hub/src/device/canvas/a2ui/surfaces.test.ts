import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import type { Component, Message } from './message.ts';
import { applyMessages, plain, type Surfaces } from './surfaces.ts';

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
  it('are what messages have made of them', () => {
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

  it('are bounded, and stay as they were where something is too much', () => {
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
  ])('have bounds that are settings: %j', (changed, why) => {
    const messages = [update('a', text('x'), text('y')), update('b'), data('a', '/p/q', 'k', 1)];
    expect(apply(new Map(), ...messages).size).toBe(2);
    expect(() => applyMessages(new Map(), messages, { limits: { ...limits, ...changed } })).toThrow(why);
  });
});
