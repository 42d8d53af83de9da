/** A command is a program with arguments; no shell reads them. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startHub } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';
import { serverStatus } from '../kit/status.ts';
import { verifies } from '../verifies.ts';

it('passes arguments to a server unchanged, even if a shell would interpret them', async () => {
  verifies('004-12.1-command');
  const folder = mkdtempSync(join(tmpdir(), 'pincer-no-shell-'));
  const made = join(folder, 'made');
  const args = [
    `$$(touch ${made})`,
    `\`touch ${made}\``,
    `; touch ${made}`,
    `&& touch ${made}`,
    '*',
    '~',
    '>x',
  ];
  const say =
    'console.error(`got ${JSON.stringify(process.argv.slice(1))} end`); setInterval(() => {}, 1000)';
  try {
    await using hub = await startHub({
      servers: { pipe: { command: process.execPath, args: ['-e', say, '--', ...args] } },
      ready: false,
    });
    const said = async (): Promise<string | undefined> =>
      /got (.*) end/.exec((await serverStatus(hub, 'pipe')).stderr)?.[1];
    expect(await eventually(async () => (await said()) !== undefined)).toBe(true);
    // `$$` stands for a dollar sign in a configuration.
    expect(JSON.parse((await said())!)).toEqual(args.map((arg) => arg.replace('$$', '$')));
    expect(existsSync(made)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
