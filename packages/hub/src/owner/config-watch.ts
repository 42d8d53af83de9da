/** Tells when a file may have changed. The folder is watched: editors replace a file rather than write to it. */
import { unwatchFile, watch, watchFile as pollFile, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Editors touch a file several times while they save it. */
const SETTLE_MS = 200;

export function watchFile(
  path: string,
  onChange: () => void,
  onFailed: (error: unknown) => void,
): () => void {
  const name = basename(path);
  let timer: NodeJS.Timeout | undefined;
  const settle = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS).unref();
  };
  const watcher = begin();
  watcher?.on('error', onFailed);
  return () => {
    clearTimeout(timer);
    watcher?.close();
  };

  /** Some systems allow only so many. */
  function begin(): FSWatcher | undefined {
    try {
      return watch(dirname(path), { persistent: false }, (_event, changed) => {
        if (changed === null || changed === name) settle();
      });
    } catch (error) {
      onFailed(error);
      return undefined;
    }
  }
}

const POLL_MS = 1_000;

/** The same for what is in a folder, which may not be there yet: it is looked at once a second. */
export function watchFolder(path: string, onChange: () => void): () => void {
  pollFile(path, { interval: POLL_MS, persistent: false }, onChange);
  return () => unwatchFile(path, onChange);
}
