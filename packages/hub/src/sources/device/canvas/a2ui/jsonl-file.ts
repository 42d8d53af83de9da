/** Lines out of a file, which has to be below the folder for temporary files: an agent must not show other files to itself. */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { CommandFailure } from '../../registry/failure.ts';

/** `temporary` is the folder. */
export async function readJsonlFile(path: string, temporary: string, maxBytes: number): Promise<string> {
  const refuse = (cause: unknown): CommandFailure =>
    new CommandFailure('Failed to read jsonlPath', {
      notExecuted: true,
      hint: 'It must be a file below the folder for temporary files, also when links are followed.',
      cause,
    });
  let file;
  try {
    // O_NOFOLLOW: what was checked is what is opened. O_NONBLOCK: a named pipe does not block.
    const real = await realpath(path);
    if (!real.startsWith(`${await realpath(temporary)}${sep}`)) throw new Error('outside of the folder');
    file = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error('no file');
    if (stat.size > maxBytes)
      throw new CommandFailure(`jsonl exceeds maximum size of ${maxBytes} bytes`, {
        notExecuted: true,
      });
    return await file.readFile('utf8');
  } catch (error) {
    throw error instanceof CommandFailure ? error : refuse(error);
  } finally {
    await file?.close();
  }
}
