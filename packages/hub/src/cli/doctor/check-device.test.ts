import { describe, expect, it } from 'vitest';
import type { BackendReport } from '../../control/contract/machine.ts';
import { capabilityFindings } from './check-device.ts';

const MISSING = { available: false, reason: 'nothing here knows it', hint: 'Set device.position.' };
const DOUBT = { backend: 'the browser', reason: 'it rarely knows', hint: 'Set device.position.' };

const finding = (more: Partial<BackendReport>) =>
  capabilityFindings({
    category: 'location',
    states: [{ switch: 'location', enabled: true, commands: ['location.get'], available: true, ...more }],
  })[0];

describe('capabilityFindings', () => {
  it.each([
    [{ backend: 'GeoClue' }, 'ok', 'on, using GeoClue.', undefined],
    [{ backend: 'GeoClue', enabled: false }, 'ok', 'off. It would work using GeoClue.', undefined],
    [MISSING, 'warn', 'on, but nothing here knows it.', MISSING.hint],
    [{ ...MISSING, enabled: false }, 'ok', 'off. It would not work: nothing here knows it.', MISSING.hint],
    [DOUBT, 'warn', 'on, using the browser, but it rarely knows.', DOUBT.hint],
    [{ ...DOUBT, enabled: false }, 'ok', 'off. It might not work: it rarely knows.', DOUBT.hint],
  ])('reports %j', (state, severity, message, fixHint) => {
    expect(finding(state)).toEqual({
      severity,
      path: 'device.location',
      message: `location.get: ${message}`,
      fixHint,
    });
  });
});
