/** The home folder of a person who uses other MCP clients, with its own state folder for Pincer. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openCliHome, type CliHome, type Ran, type RunOptions } from './cli.ts';

export interface PersonHome extends AsyncDisposable {
  folder: string;
  /** A project folder in which commands run. */
  project: string;
  cli: CliHome;
  env: Record<string, string>;
  write(path: string, content: string | object, mode?: number): string;
  read(path: string): string;
  mode(path: string): number;
  run(args: string[], options?: RunOptions): Promise<Ran>;
  json(
    args: string[],
    options?: RunOptions,
  ): Promise<{ code: number | null; document: Record<string, unknown> }>;
}

/** An empty variable counts as unset, so the variables of this machine have no effect. */
const UNSET = Object.fromEntries(
  [
    'OPENCLAW_STATE_DIR',
    'OPENCLAW_CONFIG_PATH',
    'OPENCLAW_MCP_PORT',
    'CLAUDE_CONFIG_DIR',
    'CODEX_HOME',
    'XDG_CONFIG_HOME',
    'MCPORTER_CONFIG',
    'MCP_CATALOG_PATH',
    'PINCER_MASTER_KEY_FILE',
  ].map((name) => [name, '']),
);

export function openPersonHome(): PersonHome {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-person-'));
  const project = join(folder, 'project');
  mkdirSync(project);
  const cli = openCliHome();
  const env = { ...UNSET, HOME: folder };
  const options = ({ env: more, ...rest }: RunOptions = {}): RunOptions => ({
    cwd: project,
    env: { ...env, ...more },
    ...rest,
  });
  return {
    folder,
    project,
    cli,
    env,
    write(path, content, mode = 0o644) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2), {
        mode,
      });
      return file;
    },
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    mode: (path) => statSync(join(folder, path)).mode & 0o777,
    run: (args, more) => cli.run(args, options(more)),
    json: (args, more) => cli.json(args, options(more)),
    async [Symbol.asyncDispose]() {
      await cli[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
