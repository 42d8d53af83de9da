import { readFileSync } from 'node:fs';

/** Whether a pid found in a file is a process that was started on this folder, and not a stranger with the same number. */
export function belongsTo(pid: number, folder: string): boolean {
  return ['environ', 'cmdline'].some((file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });
}
