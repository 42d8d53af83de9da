/** The servers behind hubs of different sizes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH_FOLDER, ROOT_FOLDER, temporaryFolder } from '../process/folders.ts';
import { startSyntheticServer } from './synthetic-server.ts';
import { servicesFor } from './synthetic-tools.ts';
import { realTasks, SYNTHETIC_TASKS, type Task } from './tasks.ts';

export interface OpenCatalog extends AsyncDisposable {
  readonly servers: Readonly<Record<string, object>>;
  readonly tasks: readonly Task[];
}

export interface CatalogKind {
  readonly name: string;
  open(): Promise<OpenCatalog>;
}

export const synthetic = (count: number): CatalogKind => ({
  name: `${count} synthetic tools`,
  async open() {
    const server = await startSyntheticServer(servicesFor(count));
    return {
      servers: server.servers,
      tasks: SYNTHETIC_TASKS,
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
});

/** Third-party servers from npm. */
export const real: CatalogKind = {
  name: 'real servers',
  async open() {
    const folder = join(temporaryFolder('real'), 'files');
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'notes.txt'),
      `The printer has been replaced.\n${'More on that later. '.repeat(40)}\n`,
    );
    const script = (root: string, path: string, ...args: string[]): object => ({
      command: process.execPath,
      args: [join(root, 'node_modules', path), ...args],
    });
    return {
      servers: {
        everything: script(ROOT_FOLDER, '@modelcontextprotocol/server-everything/dist/index.js'),
        filesystem: script(ROOT_FOLDER, '@modelcontextprotocol/server-filesystem/dist/index.js', folder),
        memory: {
          ...script(BENCH_FOLDER, '@modelcontextprotocol/server-memory/dist/index.js'),
          env: { MEMORY_FILE_PATH: join(folder, '..', 'memory.jsonl') },
        },
        playwright: script(BENCH_FOLDER, '@playwright/mcp/cli.js', '--headless', '--isolated'),
      },
      tasks: realTasks(folder),
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
};
