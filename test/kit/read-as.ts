/** Reads another client's configuration file as if it were in that client's usual place. */
import type { Reader, Reading } from '../../packages/hub/src/config/import/types.ts';

export const readAs =
  (reader: Reader, file: string, project?: string) =>
  (text: string): Reading =>
    reader({ text, file, project, home: '/home/p', cwd: '/home/p/proj', env: { SET: 'yes', EMPTY: '' } });
