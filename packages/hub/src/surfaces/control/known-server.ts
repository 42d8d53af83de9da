import { PincerError } from '../../core/errors.ts';

export function assertServer({ has }: { has(server: string): boolean }, server: string): void {
  if (!has(server))
    throw new PincerError('SERVER_UNKNOWN', `No server "${server}" is configured.`, {
      hint: 'Run `pincer list`.',
    });
}
