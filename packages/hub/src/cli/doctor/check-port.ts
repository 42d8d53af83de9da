/** Checks whether a port is free, and which program uses it. */
import { createServer } from 'node:net';
import { choosePort } from '../../config/port.ts';
import { PincerError } from '../../core/errors.ts';
import { error, ok, type Finding } from './finding.ts';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** Checks the port that `pincer up` would use. */
export async function checkPort(configured: number | undefined): Promise<Finding> {
  let chosen: ReturnType<typeof choosePort>;
  try {
    chosen = choosePort(process.env, configured);
  } catch (failure) {
    const { code, message, hint, data } = PincerError.from(failure);
    return error(code, String(data?.['path']), message, hint);
  }
  const { port, setting: path } = chosen;
  if (port === 0) return ok(path, 'The hub will use any free port.');
  if (await isFree(port)) return ok(path, `Port ${port} is free.`);
  const owner = portOwner(port);
  return error(
    'PORT_BUSY',
    path,
    `Port ${port} is in use by ${owner ?? 'another program'}.`,
    'Stop that program, or set OPENCLAW_MCP_PORT or "device.port" to another port; 0 picks a free one.',
  );
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** The state LISTEN in /proc/net/tcp. */
const LISTEN = '0A';

/** Returns a text such as `node server.js (process 123)`, or undefined if the system does not tell. */
export function portOwner(port: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const socket = socketOf(port);
  const pid = socket === undefined ? undefined : pidWith(`socket:[${socket}]`);
  if (pid === undefined) return undefined;
  return `${programOf(pid)} (process ${pid})`;
}

/** Only program and script: later arguments may contain secrets. */
function programOf(pid: string): string {
  const words = attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').split('\0');
  const [program = '', script = ''] = words;
  const named = script === '' || script.startsWith('-') ? [program] : [program, script];
  return named.map((word) => basename(word)).join(' ') || 'a program';
}

function socketOf(port: number): string | undefined {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of attempt(() => readFileSync(table, 'latin1'), '').split('\n')) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(suffix) === true && fields[3] === LISTEN) return fields[9];
    }
  return undefined;
}

/** Finds only processes of this user account; those of others do not show their open files. */
function pidWith(link: string): string | undefined {
  return attempt(() => readdirSync('/proc'), []).find(
    (name) =>
      /^\d+$/.test(name) &&
      attempt(() => readdirSync(`/proc/${name}/fd`), []).some(
        (fd) => attempt(() => readlinkSync(`/proc/${name}/fd/${fd}`), '') === link,
      ),
  );
}

/** A process may end while it is inspected. */
function attempt<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
