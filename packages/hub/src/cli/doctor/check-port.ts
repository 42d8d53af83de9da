/** Whether a port is free, and which program has it. */
import { createServer } from 'node:net';
import { choosePort } from '../../config/port.ts';
import { PincerError } from '../../core/errors.ts';
import { error, ok, type Finding } from './finding.ts';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** Whether `pincer up` could have the port that it would take. */
export async function checkPort(configured: number | undefined): Promise<Finding> {
  let chosen: ReturnType<typeof choosePort>;
  try {
    chosen = choosePort(process.env, configured);
  } catch (failure) {
    const { code, message, hint, data } = PincerError.from(failure);
    return error(code, String(data?.['path']), message, hint);
  }
  const { port, setting: path } = chosen;
  if (port === 0) return ok(path, 'The hub will take any free port.');
  if (await isFree(port)) return ok(path, `Port ${port} is free.`);
  const owner = portOwner(port);
  return error(
    'PORT_BUSY',
    path,
    `Port ${port} is in use by ${owner ?? 'another program'}.`,
    'End that program, or set OPENCLAW_MCP_PORT or "device.port" to another port; 0 takes a free one.',
  );
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** Who listens on a port, as far as the system tells us. */
const LISTEN = '0A';

/** Such as `node server.js (process 123)`; undefined where the system keeps it to itself. */
export function portOwner(port: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const socket = socketOf(port);
  const pid = socket === undefined ? undefined : pidWith(`socket:[${socket}]`);
  if (pid === undefined) return undefined;
  return `${programOf(pid)} (process ${pid})`;
}

/** Program and script; what follows may be secret. */
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

/** Of our own processes; those of others do not show what they have open. */
function pidWith(link: string): string | undefined {
  return attempt(() => readdirSync('/proc'), []).find(
    (name) =>
      /^\d+$/.test(name) &&
      attempt(() => readdirSync(`/proc/${name}/fd`), []).some(
        (fd) => attempt(() => readlinkSync(`/proc/${name}/fd/${fd}`), '') === link,
      ),
  );
}

/** Processes come and go while we look. */
function attempt<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
