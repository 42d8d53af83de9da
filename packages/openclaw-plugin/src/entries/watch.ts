/**
 * Tells of edits of OpenClaw's file, whoever makes them. The host tells plugins nothing of them, and its own look at the file may come
 * half a minute later (2026.9.6).
 */
import { watchFile, unwatchFile, type Stats } from 'node:fs';

const LOOK_MS = 1_000;

/** Returns what ends it. */
export function watchConfigFile(path: string, onEdit: () => void): () => void {
  const look = (now: Stats, before: Stats): void => {
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino) onEdit();
  };
  watchFile(path, { interval: LOOK_MS, persistent: false }, look);
  return () => unwatchFile(path, look);
}
