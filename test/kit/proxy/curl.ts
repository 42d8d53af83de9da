/** Runs curl, which the seed itself uses. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Curled {
  status: number;
  head: string;
  body: string;
}

/** Includes the response head. Throws if curl itself fails. */
export async function curl(...args: string[]): Promise<Curled> {
  const { stdout } = await run('curl', ['-sS', '-i', '--max-time', '60', '--noproxy', '*', ...args]);
  const end = stdout.indexOf('\r\n\r\n');
  const head = stdout.slice(0, end);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head, body: stdout.slice(end + 4) };
}
