/** The hub as a systemd user unit. */
import { join } from 'node:path';
import type { ServiceFacts } from './files.ts';
import type { ServiceManager } from './manager.ts';

const unitName = ({ suffix }: ServiceFacts): string => `pincer${suffix === '' ? '' : `-${suffix}`}.service`;

export function systemdUnit({ node, script, env }: ServiceFacts): string {
  const variables = Object.entries(env).map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`);
  return [
    '[Unit]',
    'Description=Pincer, the MCP hub',
    'StartLimitIntervalSec=60',
    'StartLimitBurst=5',
    '',
    '[Service]',
    'Type=exec',
    // A dollar sign is a variable in ExecStart, but not in Environment.
    `ExecStart=${[node, script, 'up'].map((word) => quote(word).replaceAll('$', '$$$$')).join(' ')}`,
    ...variables,
    'Restart=on-failure',
    'RestartSec=2',
    'TimeoutStopSec=15',
    'UMask=0077',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
}

/** `systemd.syntax(7)`: escapes as in C; a percent sign starts a specifier. */
const quote = (text: string): string =>
  `"${text
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('%', '%%')}"`;

export function systemdManager(facts: ServiceFacts): ServiceManager {
  const name = unitName(facts);
  const configHome = process.env['XDG_CONFIG_HOME'] || join(facts.userHome, '.config');
  const file = join(configHome, 'systemd', 'user', name);
  const systemctl = (...args: string[]) => ({ program: 'systemctl', args: ['--user', ...args] });
  return {
    title: 'systemd',
    name,
    files: [{ path: file, text: systemdUnit(facts) }],
    install: [systemctl('daemon-reload'), systemctl('enable', name), systemctl('restart', name)],
    remove: [systemctl('disable', '--now', name)],
    afterRemove: [systemctl('daemon-reload')],
    status: systemctl('show', name, '--property=ActiveState,SubState,MainPID,UnitFileState,Result'),
    parseStatus: parseSystemdStatus,
    log: `journalctl --user -u ${name} -n 30`,
    notes: ['It runs while you are logged in. To keep it running after you log out: loginctl enable-linger'],
    missing: 'This machine has no systemd for user services. Let its own service manager run `pincer up`.',
  };
}

export function parseSystemdStatus(text: string): ReturnType<ServiceManager['parseStatus']> {
  const facts = Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1).trim()] as const];
    }),
  );
  const pid = Number(facts['MainPID'] ?? 0);
  const isRunning = facts['ActiveState'] === 'active';
  const isWell = facts['Result'] === undefined || facts['Result'] === '' || facts['Result'] === 'success';
  return {
    isRunning,
    pid: pid > 0 ? pid : undefined,
    detail: [facts['ActiveState'], facts['SubState'], isWell ? undefined : facts['Result']]
      .filter((word) => word !== undefined && word !== '')
      .join(', '),
  };
}
