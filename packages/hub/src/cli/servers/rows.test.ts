import { describe, expect, it } from 'vitest';
import type { HubStatus } from '../../control/contract/status.ts';
import { serverRows } from './rows.ts';

const outlined = {
  enabled: true,
  transport: 'stdio',
  target: 'run $KEY',
  raw: {},
  origin: 'config.json',
} as const;
const status: HubStatus = {
  version: '1',
  pid: 1,
  mode: 'foreground',
  attached: 0,
  callsInFlight: 0,
  servers: [
    { name: 'a', state: 'ready', transport: 'stdio', target: 'run $OLD', tools: 3, pid: 7 },
    { name: 'b', state: 'backoff', transport: 'http', target: 'https://b', tools: 0 },
  ],
};

describe('serverRows', () => {
  it('shows only the configuration without a hub', () => {
    const rows = serverRows(
      [
        { ...outlined, name: 'a' },
        { ...outlined, name: 'b', enabled: false },
      ],
      undefined,
    );
    expect(rows).toMatchObject([
      { name: 'a', state: 'idle', tools: undefined },
      { name: 'b', state: 'disabled' },
    ]);
  });

  it('shows the servers of the hub, then the rest of the configuration', () => {
    const rows = serverRows(
      [
        { ...outlined, name: 'a' },
        { ...outlined, name: 'new' },
      ],
      status,
    );
    expect(rows).toMatchObject([
      { name: 'a', state: 'ready', target: 'run $OLD', tools: 3, pid: 7 },
      { name: 'b', state: 'backoff', tools: undefined },
      { name: 'new', state: 'not-loaded' },
    ]);
  });
});
