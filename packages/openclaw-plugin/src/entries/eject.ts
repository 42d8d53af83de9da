/** Removes all entries of a state folder from OpenClaw's file, even while a gateway runs that would write them again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf, findHub, PincerError } from 'pincer/client';
import type { HostConfigFile } from '../host.ts';
import { sharedCredentials } from './credentials.ts';
import { ownerOf } from './entries.ts';
import { ownEntriesIn } from './entry.ts';
import { writeEntries } from './write.ts';

/** Longer than a gateway needs to notice its changed file. */
const SETTLED_MS = 3_000;
const MAX_LOOKS = 5;

/**
 * `prepare` changes the file in the same write. It disables the plugin there, and the writer of a running gateway obeys
 * that at once. Resolves to the keys of the removed entries.
 */
export async function eject(
  config: HostConfigFile,
  home: string,
  prepare: (draft: Record<string, unknown>) => void,
): Promise<readonly string[]> {
  const owner = ownerOf(home);
  const removed = new Set<string>();
  const writing = {
    owner,
    isNews: true,
    prepare(draft: Record<string, unknown>) {
      for (const { key } of ownEntriesIn(draft, owner)) removed.add(key);
      prepare(draft);
    },
  };
  await writeEntries(config, [], writing);
  const keys = [...removed];
  if (findHub(home) === undefined || keys.length === 0) return keys;
  // After an update, a gateway that was not restarted still runs an older plugin, which may write the entries back.
  for (let looks = 1; ; looks++) {
    await sleep(SETTLED_MS);
    const back = (await writeEntries(config, [], writing)).changes;
    if (back.size === 0) break;
    if (looks === MAX_LOOKS) throw writtenBack([...back.keys()]);
  }
  const hubFile = findHub(home);
  // The host ends its sessions with the credentials of the entries, so they are revoked last. Without a hub they stay, unused.
  if (hubFile !== undefined)
    await sharedCredentials(home)
      .sweep(clientOf(home, hubFile), () => false)
      .catch(() => undefined);
  return keys;
}

const writtenBack = (keys: readonly string[]): PincerError =>
  new PincerError(
    'CONFIG_INVALID',
    `Another process restores these entries of mcp.servers: ${keys.join(', ')}.`,
    {
      hint: 'Run: openclaw gateway restart, then openclaw pincer eject again.',
    },
  );
