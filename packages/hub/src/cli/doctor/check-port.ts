import { createServer } from 'node:net';
import { choosePort } from '../../config/port.ts';
import { PincerError } from '../../core/errors.ts';
import { error, ok, type Finding } from './finding.ts';
import { portOwner } from './port-owner.ts';

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
