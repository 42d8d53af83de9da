/** The floor: the least that a hand-written program needs. All others are compared with it. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH_FOLDER } from '../process/folders.ts';
import { freePort } from '../process/ports.ts';
import type { Subject } from './subject.ts';

const FOLDER = join(BENCH_FOLDER, 'floor');

export function floorDigest(): string {
  const hash = createHash('sha256');
  for (const file of ['front.mjs', 'stdio.mjs', 'http.mjs']) hash.update(readFileSync(join(FOLDER, file)));
  return hash.digest('hex');
}

export const floor: Subject = {
  name: 'floor',
  kind: 'floor',
  version: () => floorDigest().slice(0, 12),
  cannot: {},
  async prepare(upstream) {
    const port = await freePort();
    const behind = upstream.kind === 'stdio' ? [upstream.command, ...upstream.args] : [upstream.url];
    return {
      command: process.execPath,
      args: [join(FOLDER, `${upstream.kind}.mjs`), String(port), ...behind],
      target: async () => ({
        variant: 'streamable',
        url: `http://127.0.0.1:${port}/mcp`,
        tool: 'echo',
        headers: {},
      }),
    };
  },
};
