import { describe, expect, it } from 'vitest';
import type { BackendReport } from '../../control/contract/machine.ts';
import { styleFor } from '../terminal/style.ts';
import { obstacles, renderCapabilities } from './device.ts';
import { verifies } from '../../../../../test/verifies.ts';

const PLAIN = { style: styleFor({ isTTY: false }), width: 200 };

const state = (more: Partial<BackendReport>): BackendReport => ({
  switch: 'location',
  enabled: true,
  commands: ['location.get'],
  available: true,
  backend: 'the browser',
  ...more,
});
const DOUBT = { reason: 'the browser rarely knows the position on Linux', hint: 'Set device.position.' };

function shown(category: string, more: Partial<BackendReport>): string[] {
  const text = renderCapabilities([{ category, states: [state(more)] }], PLAIN);
  return text.split('\n').slice(1);
}

describe('pincer device', () => {
  it('shows "–" as the switch of a custom capability', () => {
    const lamp = { switch: 'lamp', commands: ['lamp.set'], backend: 'built in' };
    expect(shown('lamp', lamp)[0]).toMatch(/^● +lamp +– +set +built in$/);
  });

  it('shows an available capability with its switch', () => {
    verifies('000-history-device-page');
    expect(shown('location', {})[0]).toMatch(/^● +location +on +get +the browser$/);
    expect(shown('location', { enabled: false })[0]).toMatch(/^○ +location +off +get +the browser$/);
  });

  it('warns about a backend that may not work', () => {
    const [row, , warning] = shown('location', DOUBT);
    expect(row).toMatch(/^! +location +on +get +the browser$/);
    expect(warning).toBe(
      '! location.get: the browser rarely knows the position on Linux. Set device.position.',
    );
    expect(obstacles([state({ ...DOUBT, enabled: false })])).toEqual([]);
  });
});
