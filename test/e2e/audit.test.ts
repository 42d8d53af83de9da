/** The audit log of calls: what is stored, for how long, and that it contains no secret. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { request } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';

interface Row {
  tool: string;
  outcome: string;
  arguments: string | null;
}

function query(home: string, sql: string): Row[] {
  const db = new DatabaseSync(join(home, 'calls.sqlite'), { readOnly: true });
  try {
    return db.prepare(sql).all() as unknown as Row[];
  } finally {
    db.close();
  }
}

async function rowsOf(hub: TestHub, count: number): Promise<Row[]> {
  const read = (): Row[] => query(hub.home, 'SELECT tool, outcome, arguments FROM calls ORDER BY id');
  expect(await eventually(() => read().length >= count)).toBe(true);
  return read();
}

const servers = { pipe: stdioServer() };

it('stores arguments without values that look like secrets', async () => {
  await using hub = await startHub({ servers });
  const token = `ghp_${'a1B2c3D4'.repeat(5)}`;
  await hub.call('pipe__sink', { path: '/tmp/ö.txt', password: 'hunter2', nested: { apiKey: 'k-123' } });
  await hub.call('pipe__sink', { command: `curl -H "Authorization: Bearer ${token}" https://x.test` });
  await hub.call('pipe__fail', {});
  const [first, second, third] = await rowsOf(hub, 3);
  expect(JSON.parse(first!.arguments!)).toEqual({
    path: '/tmp/ö.txt',
    password: '[redacted]',
    nested: { apiKey: '[redacted]' },
  });
  expect(second!.arguments).toContain('curl');
  expect(third).toEqual({ tool: 'fail', outcome: 'tool_error', arguments: '{}' });
  expect(await hub.stop()).toBe(0);
  const file = readFileSync(join(hub.home, 'calls.sqlite'), 'latin1');
  for (const secret of ['hunter2', 'k-123', token]) expect(file).not.toContain(secret);
});

it('stores the first whole values of long arguments, and no part of a secret', async () => {
  await using hub = await startHub({ servers });
  const secret = 'AKIA0123456789ABCDEF';
  for (let gap = 8_100; gap < 8_200; gap += 20) {
    const args = `{"first":"kept","filler":"${'x y '.repeat(gap / 4)}","last":"${secret}","more":"${'z'.repeat(100_000)}"}`;
    await hub.call('pipe__sink', {}, { args });
  }
  const rows = await rowsOf(hub, 5);
  for (const { arguments: text } of rows) {
    expect(text).toContain('"first":"kept"');
    expect(text).toMatch(/ … 10\d{4} bytes in all$/);
    expect(text).not.toContain('AKIA');
    expect(text!.length).toBeLessThan(2_500);
  }
});

it('stores no arguments if the configuration turns that off', async () => {
  await using hub = await startHub({ servers, config: { store: { arguments: 'none' } } });
  await hub.call('pipe__sink', { data: 'abc' });
  expect(await rowsOf(hub, 1)).toEqual([{ tool: 'sink', outcome: 'ok', arguments: null }]);
});

it('keeps rows for the configured number of days', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-audit-'));
  const home = join(folder, 'home');
  try {
    const options = { home, servers, config: { store: { keepDays: 2 } } };
    {
      await using hub = await startHub(options);
      await hub.call('pipe__echo', { message: 'old' });
      await hub.call('pipe__echo', { message: 'new' });
      await rowsOf(hub, 2);
    }
    const db = new DatabaseSync(join(home, 'calls.sqlite'));
    db.exec(`UPDATE calls SET at = at - ${3 * 24 * 3_600_000} WHERE arguments LIKE '%old%'`);
    db.close();
    await using hub = await startHub(options);
    expect(await eventually(() => query(hub.home, 'SELECT * FROM calls').length === 1)).toBe(true);
    expect((await rowsOf(hub, 1))[0]?.arguments).toBe('{"message":"new"}');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('shows a URI in full in an approval, but stores its secret in no log, audit row or file', async () => {
  await using hub = await startHub({
    servers: { pipe: stdioServer({ talk: true }, { policy: { '*': 'ask' } }) },
    config: { debug: true, limits: { approvalWaitMs: 100 }, policy: { notify: false } },
  });
  const uri = 'https://user:hunter2@h/?api_key=k-4711&page=2';
  await hub.post(request('resources/read', JSON.stringify({ uri })));
  const [row] = await rowsOf(hub, 1);
  expect(row!.tool).toBe('https://[redacted]@h/?api_key=[redacted]&page=2');
  expect(hub.stderr()).toContain('a call waits for an approval');
  expect(JSON.stringify((await hub.control('GET', 'approvals')).value)).toContain(uri);
  expect(await hub.stop()).toBe(0);
  const files = ['calls.sqlite', 'state.sqlite'].map((name) => readFileSync(join(hub.home, name), 'latin1'));
  for (const text of [hub.stderr(), ...files])
    for (const secret of ['hunter2', 'k-4711']) expect(text).not.toContain(secret);
});
