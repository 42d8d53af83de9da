import { readFileSync } from 'node:fs';

/** Whether a pid found in a file was started on this folder. Another process may have the same number by now. */
export function belongsTo(pid: number, folder: string): boolean {
  return ['environ', 'cmdline'].some((file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });
}
