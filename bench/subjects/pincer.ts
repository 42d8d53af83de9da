import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_FOLDER } from '../process/folders.ts';
import { addToken, PINCER_PROGRAM, readToken, waitForHub, writePincerConfig } from './pincer-home.ts';
import type { Subject } from './subject.ts';

const START_TIMEOUT_MS = 30_000;

/** In its default configuration, with token, policy, audit and limits. */
export const pincer: Subject = {
  name: 'pincer',
  kind: 'pincer',
  version() {
    const file = join(ROOT_FOLDER, 'packages', 'hub', 'package.json');
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  },
  cannot: {},
  async prepare(upstream, folder) {
    writePincerConfig(folder, upstream);
    return {
      command: process.execPath,
      args: [PINCER_PROGRAM, 'up', '--port', '0'],
      env: { PINCER_HOME: folder },
      async target() {
        const hub = await waitForHub(folder, START_TIMEOUT_MS);
        return {
          variant: 'streamable',
          url: hub.endpoints.mcp,
          tool: 'bench__echo',
          headers: { authorization: `Bearer ${readToken(folder)}` },
          // The default limit is 64 concurrent calls per credential, so 128 in flight need two callers.
          otherHeaders: { authorization: `Bearer ${await addToken(hub, folder)}` },
        };
      },
    };
  },
};
