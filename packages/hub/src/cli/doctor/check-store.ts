/** The files that the hub keeps its state in: whole, writable, where they should be. */
import { existsSync, statfsSync } from 'node:fs';
import type { HubStatus, StoreReport } from '../../control/contract/status.ts';
import { shellWord } from '../../lib/text.ts';
import { damagedFiles } from '../../store/damage.ts';
import { storeFiles } from '../../store/files.ts';
import { inspectStore } from '../../store/inspect.ts';
import { findCopies } from '../../store/state/copies.ts';
import { error, ok, warn, type Finding } from './finding.ts';

/** Less is not enough for a day of the record of calls. */
const FEW_BYTES = 50_000_000;

export function checkStore(home: string, status: HubStatus | undefined): Finding[] {
  if (!existsSync(home)) return [];
  const files = storeFiles(home);
  const found = status?.store === undefined ? inspected(home) : reported(status.store);
  const aside = [files.state, files.cache, files.calls].flatMap(damagedFiles);
  return [
    ...(found.length > 0 ? found : existsSync(files.state) ? [whole(home)] : []),
    ...aside.map((path) =>
      warn(
        path,
        'This is a damaged file that was put aside.',
        `Remove it when you do not need it: rm ${shellWord(path)}`,
      ),
    ),
    ...space(home),
  ];
}

const inspected = (home: string): Finding[] =>
  inspectStore(storeFiles(home)).map(({ code, file, message, hint }) => error(code, file, message, hint));

function reported({ incidents, doubted }: StoreReport): Finding[] {
  return [
    ...incidents.map(({ file, part, message, hint, isOpen }) => {
      const path = part === 'file' ? file : `${file} (${part})`;
      return isOpen ? error('STORE_UNWRITABLE', path, message, hint) : warn(path, message, hint);
    }),
    ...doubted.map((server) =>
      warn(
        `servers.${server}`,
        'What you accepted of its tools may have been lost: tools without a pin are held.',
        `Look at them, and end this: pincer accept ${shellWord(server)}`,
      ),
    ),
  ];
}

function whole(home: string): Finding {
  const { state, copies } = storeFiles(home);
  const found = findCopies(copies);
  const text =
    found.length === 0
      ? 'no daily copy yet'
      : found.length === 1
        ? 'one daily copy'
        : `${found.length} daily copies`;
  return ok(state, `The state is whole; ${text}.`);
}

function space(home: string): Finding[] {
  const { bavail, bsize } = statfsSync(home);
  if (bavail * bsize >= FEW_BYTES) return [];
  return [
    warn(
      home,
      `The disk is almost full: ${Math.floor((bavail * bsize) / 1_000_000)} MB are free.`,
      `Free some space. See how full it is: df -h ${shellWord(home)}`,
    ),
  ];
}
