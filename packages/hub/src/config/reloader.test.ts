import { describe, expect, it } from 'vitest';
import { PincerError } from '../core/errors.ts';
import { parseConfig } from './load.ts';
import { createReloader } from './reloader.ts';

const NOTHING = { added: [], removed: [], changed: [], unchanged: [] };

function open(first: object = {}) {
  let file: object | undefined = first;
  const applied: object[] = [];
  const load = () => {
    if (file === undefined) throw new PincerError('CONFIG_INVALID', 'It is broken.');
    return parseConfig(file, {});
  };
  const reloader = createReloader({
    initial: load(),
    load,
    apply(config) {
      applied.push(config);
      return NOTHING;
    },
  });
  return { reloader, applied, write: (next: object | undefined) => void (file = next) };
}

describe('a changed configuration', () => {
  it('is applied', () => {
    const { reloader, applied, write } = open();
    write({ servers: { a: { command: 'a' } } });
    expect(reloader.reload()).toEqual({ ...NOTHING, failed: [], needsRestart: [] });
    expect(applied).toMatchObject([{ servers: { a: { command: 'a' } } }]);
  });

  it('changes nothing if it is invalid, and is reported until it is corrected', () => {
    const { reloader, applied, write } = open();
    write(undefined);
    expect(() => reloader.reload()).toThrow('It is broken.');
    expect(reloader.problem).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(applied).toEqual([]);
    write({});
    reloader.reload();
    expect(reloader.problem).toBeUndefined();
  });

  it('lists settings that need a restart, as long as they differ from those at the start', () => {
    const { reloader, write } = open({ maxConcurrentServers: 3 });
    write({ maxConcurrentServers: 4, limits: { maxCalls: 7 }, policy: { default: 'deny' } });
    expect(reloader.reload().needsRestart).toEqual(['maxConcurrentServers', 'limits']);
    write({ maxConcurrentServers: 3 });
    expect(reloader.reload().needsRestart).toEqual([]);
  });

  it('applies changed apps without a restart, but not another port', () => {
    const { reloader, write } = open();
    const apps = [{ name: 'web', tokenHash: 'ab'.repeat(32) }];
    write({ proxy: { apps } });
    expect(reloader.reload().needsRestart).toEqual([]);
    write({ proxy: { apps, appToken: 'a', openclawToken: 'b' } });
    expect(reloader.reload().needsRestart).toEqual([]);
    write({ proxy: { apps, port: 8001 } });
    expect(reloader.reload().needsRestart).toEqual(['proxy']);
  });
});
