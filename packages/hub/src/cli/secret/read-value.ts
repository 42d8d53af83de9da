/** A secret's value: typed unseen on a terminal, else all of stdin. Never from an argument, which others can see. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { PincerError } from '../../core/errors.ts';
import { note } from '../terminal/output.ts';

const MAX_SECRET_BYTES = 64 * 1024;

export async function readSecretValue(question: string): Promise<string> {
  const { stdin } = process;
  const value = stdin.isTTY ? await ask(question, stdin) : await readAll(stdin);
  if (value === '')
    throw new PincerError('USAGE', 'There is nothing to keep: the value is empty.', {
      hint: 'Type it when asked, or pipe it: pincer secret set NAME < file',
    });
  return value;
}

/** Everything but the line end that `echo` adds. */
async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > MAX_SECRET_BYTES)
      throw new PincerError('USAGE', `A secret has at most ${MAX_SECRET_BYTES / 1024} KiB.`);
  }
  return Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '');
}

function ask(question: string, input: NodeJS.ReadStream): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true, historySize: 0 });
  note(question);
  return new Promise((resolve) => {
    let value = '';
    lines.once('line', (line) => {
      value = line;
      lines.close();
    });
    lines.once('SIGINT', () => {
      lines.close();
      // As if the terminal had sent it: in raw mode it does not.
      process.kill(process.pid, 'SIGINT');
    });
    lines.once('close', () => {
      note('\n');
      resolve(value);
    });
  });
}
