import { describe, expect, it } from 'vitest';
import { realPorts } from '../../../../../test/kit/device-ports.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { CanvasAction } from './a2ui/action.ts';
import { readJsonl } from './a2ui-commands.ts';
import { createSurfaceBook, type SurfaceBook } from './surface-book.ts';

const BUTTON = { Button: { action: { name: 'go', context: [{ key: 'v', value: { path: '/v' } }] } } };

function book(): { book: SurfaceBook; told: CanvasAction[] } {
  const told: CanvasAction[] = [];
  const { log } = realPorts({});
  const clock = { now: () => 0, elapsed: () => 0 };
  const made = createSurfaceBook({
    clock,
    log,
    limits: DEFAULT_LIMITS,
    tell: (action) => void told.push(action),
  });
  const messages = [{ surfaceUpdate: { surfaceId: 's', components: [{ id: 'b', component: BUTTON }] } }];
  made.apply(readJsonl(messages.map((each) => JSON.stringify(each)).join('\n'), DEFAULT_LIMITS), 'key');
  return { book: made, told };
}
const dataOf = ({ surfaces }: SurfaceBook): unknown => surfaces.get('s')?.data;

describe('the surfaces of the canvas', () => {
  it('have what the person typed, and tell of clicks with it', () => {
    const { book: made, told } = book();
    made.onData('s', '/v', 'typed');
    made.onAction('s', 'b', '/');
    expect(told).toEqual([
      {
        id: expect.any(String) as string,
        name: 'go',
        surfaceId: 's',
        sourceComponentId: 'b',
        sessionKey: 'key',
        timestamp: '1970-01-01T00:00:00.000Z',
        context: { v: 'typed' },
      },
    ]);
  });

  it('take nothing that is too much, or of surfaces and components that are not there', () => {
    const { book: made, told } = book();
    made.onData('s', '/v', 'x'.repeat(70_000));
    made.onData('s', '/v'.repeat(70), 'x');
    made.onData('other', '/v', 'x');
    made.onAction('other', 'b', '/');
    made.onAction('s', 'none', '/');
    expect([dataOf(made), told]).toEqual([{}, []]);
  });

  it('are as they were where a push is too much, and gone when cleared', () => {
    const { book: made } = book();
    const many = Array.from({ length: 70 }, (_, at) => ({
      beginRendering: { surfaceId: `s${at}`, root: 'r' },
    }));
    const lines = many.map((each) => JSON.stringify(each)).join('\n');
    expect(() => made.apply(readJsonl(lines, DEFAULT_LIMITS), undefined)).toThrow(
      'A2UI limit reached: there would be more than 64 surfaces.',
    );
    expect([...made.surfaces.keys()]).toEqual(['s']);
    made.clear();
    expect(made.surfaces.size).toBe(0);
  });
});
