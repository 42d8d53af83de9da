import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENTRY, readHubFile } from '../kit/hub.ts';
import { openPersonHome, type PersonHome } from '../kit/person-home.ts';
import { eventually, isAlive } from '../kit/processes.ts';

/** As much of systemctl as Pincer uses. It starts what was written for systemd. */
const SYSTEMCTL = `#!/bin/sh
echo "$*" >> "$SYSTEMCTL_LOG"
unit="$HOME/.config/systemd/user/\${3}"
case "$2" in
  restart)
    sed -n 's/^Environment=//p' "$unit" | sed 's/^/export /' > "$SYSTEMCTL_LOG.sh"
    sed -n 's/^ExecStart=/exec /p' "$unit" >> "$SYSTEMCTL_LOG.sh"
    sh "$SYSTEMCTL_LOG.sh" > /dev/null 2>&1 &
    echo $! > "$SYSTEMCTL_LOG.pid" ;;
  show) echo "ActiveState=active"; echo "SubState=running"; echo "MainPID=$(cat "$SYSTEMCTL_LOG.pid")"; echo "Result=success" ;;
  disable) kill "$(cat "$SYSTEMCTL_LOG.pid")" ;;
esac
`;

function withSystemctl({ folder }: PersonHome): Record<string, string> {
  const program = join(folder, 'bin', 'systemctl');
  mkdirSync(dirname(program));
  writeFileSync(program, SYSTEMCTL);
  chmodSync(program, 0o755);
  return {
    PATH: `${dirname(program)}${delimiter}${process.env['PATH'] ?? ''}`,
    SYSTEMCTL_LOG: join(folder, 'systemctl.log'),
    OPENCLAW_MCP_PORT: '0',
  };
}

describe('service', () => {
  it('shows what it would write and run, and changes nothing', async () => {
    await using person = openPersonHome();
    const { code, stdout, stderr } = await person.run(['service', 'install', '--dry-run'], {
      env: { API_TOKEN: 's3cret' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`ExecStart="${process.execPath}" "${ENTRY}" "up"`);
    expect(stdout).toContain(`Environment="PINCER_HOME=${person.cli.path}"`);
    expect(stdout).toMatch(/^systemctl --user enable pincer-[\da-f]{8}\.service$/m);
    expect(stdout).not.toContain('s3cret');
    expect(existsSync(join(person.folder, '.config'))).toBe(false);
    expect((await person.json(['service', 'status'])).document).toMatchObject({ ok: true, installed: false });
  });

  it('reports that systemd is missing, and leaves nothing behind', async () => {
    await using person = openPersonHome();
    const env = { PATH: '/nowhere' };
    const { code, stdout, stderr } = await person.run(['service', 'install'], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('This machine has no systemd');
    expect(stderr).toContain('pincer service install --dry-run');
    expect((await person.json(['service', 'status'], { env })).document).toMatchObject({ installed: false });
    expect(await person.run(['service', 'remove'], { env })).toMatchObject({
      code: 0,
      stdout: 'The service was not installed.\n',
    });
  });

  it('is installed, runs, and is removed', async () => {
    await using person = openPersonHome();
    const env = withSystemctl(person);
    const installed = await person.run(['service', 'install'], { env });
    expect(installed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The service is running: http:/) as string,
    });
    const hub = readHubFile(person.cli.path)!;
    expect(hub['mode']).toBe('foreground');
    const { document } = await person.json(['service', 'status'], { env });
    expect(document).toMatchObject({
      ok: true,
      manager: 'systemd',
      installed: true,
      current: true,
      running: true,
      pid: hub['pid'],
      detail: 'active, running',
    });
    const { file, name } = document as { file: string; name: string };
    expect(readFileSync(env['SYSTEMCTL_LOG']!, 'utf8')).toBe(
      ['daemon-reload', `enable ${name}`, `restart ${name}`].map((line) => `--user ${line}\n`).join('') +
        `--user show ${name} --property=ActiveState,SubState,MainPID,UnitFileState,Result\n`,
    );
    expect(await person.run(['service', 'remove'], { env })).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(false);
    // This systemctl does not wait until the hub has ended.
    const isThere = (): boolean =>
      isAlive(hub['pid'] as number) && readHubFile(person.cli.path)?.['pid'] === hub['pid'];
    expect(await eventually(() => !isThere())).toBe(true);
  });

  it('is not installed while a hub runs', async () => {
    await using person = openPersonHome();
    const env = withSystemctl(person);
    const up = person.cli.start(['up', '--port', '0'], { env: person.env });
    await eventually(() => person.cli.hubPid() !== undefined);
    const { code, document } = await person.json(['service', 'install'], { env });
    expect(code).toBe(1);
    expect(document).toMatchObject({
      error: { code: 'HUB_RUNNING', hint: expect.stringContaining(`${up.child.pid}`) as string },
    });
  });
});
