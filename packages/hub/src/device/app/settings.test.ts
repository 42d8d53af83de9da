import { describe, expect, it } from 'vitest';
import { CAPABILITY_SWITCHES, deviceSchema } from '../../config/device-schema.ts';
import { valueAt } from '../../lib/record.ts';
import { APP_SETTINGS, changeOf } from './settings.ts';

describe.each(APP_SETTINGS)('$name', (setting) => {
  it.each([true, 'true', ' TRUE '])('cannot be switched on with %j', (wanted) => {
    expect(changeOf(setting, false, wanted)).toMatchObject({
      kind: 'refused',
      hint: expect.stringContaining(setting.by) as string,
    });
  });

  it.each([undefined, null, 1, 0, '', 'yes', '1', 'truefalse', {}, ['true']])(
    'cannot be set to %j',
    (wanted) => {
      expect(changeOf(setting, true, wanted).kind).toBe('refused');
      expect(changeOf(setting, false, wanted).kind).toBe('refused');
    },
  );

  it('can at most be switched off', () => {
    const kind = changeOf(setting, true, 'false').kind;
    expect(kind).toBe(setting.mayBeSet === 'off' ? 'set' : 'refused');
    expect(changeOf(setting, false, false).kind).toBe('same');
  });
});

it('every switch except app has a setting, with the key of the configuration', () => {
  const defaults = { device: deviceSchema.parse({}), policy: { notify: true } };
  const keys = APP_SETTINGS.map(({ key }) => key);
  expect(keys.filter((key) => typeof valueAt(defaults, key.split('.')) !== 'boolean')).toEqual([]);
  const switches = CAPABILITY_SWITCHES.map((name) => `device.capabilities.${name}`);
  expect(switches.filter((key) => !keys.includes(key))).toEqual(['device.capabilities.app']);
});

it('the settings have the names that other nodes document, each once', () => {
  const names = APP_SETTINGS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  for (const part of ['Canvas', 'Screen', 'Camera', 'Location', 'Tts', 'SystemRun'])
    expect(names).toContain(`Node${part}Enabled`);
  expect(names).toEqual(expect.arrayContaining(['EnableNodeMode', 'EnableMcpServer', 'ShowNotifications']));
});
