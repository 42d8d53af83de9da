import type { HubFile } from '../../owner/hub-file.ts';

/** For `--json`. */
export const describeHub = ({ pid, version, mode, endpoints }: HubFile): object => ({
  pid,
  version,
  mode,
  endpoints,
});
