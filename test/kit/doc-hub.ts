/** A hub on a free port and a shell in front of it, to run the blocks of a documentation page. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocPage } from './doc-page.ts';
import { ENTRY, readHubFile } from './hub.ts';
import { eventually } from './processes.ts';
import { openShell, type Shell } from './shell.ts';

const START_MS = 30_000;
const MODULES = join(import.meta.dirname, '../../node_modules');
/** The package that `npx -y @modelcontextprotocol/server-everything` would download. */
const EVERYTHING = `node ${join(MODULES, '@modelcontextprotocol/server-everything/dist/index.js')} stdio`;

export interface DocHub extends AsyncDisposable {
  shell: Shell;
  /** The state folder. */
  home: string;
  /** Replaces a text of the page in every block, for example the address of a server. */
  replace(from: string, to: string): void;
  /** The block of a page, with the addresses of this machine. */
  block(page: DocPage, language: string, about: string): string;
  /** Runs a shell block of a page and returns what it prints. */
  run(page: DocPage, about: string): Promise<string>;
  /** The command that runs the server that the pages use as an example. */
  everything: string;
  /** Puts a program on the PATH of the shell. */
  addProgram(name: string, script: string): void;
}

export interface DocHubOptions {
  /** Node scripts by command name. */
  programs?: Record<string, string>;
  config?: object;
  env?: Record<string, string>;
}

export async function openDocHub({
  programs = {},
  config = {},
  env = {},
}: DocHubOptions = {}): Promise<DocHub> {
  const shell = openShell({ pincer: ENTRY, ...programs });
  Object.assign(shell.env, { PINCER_DEVICE: 'off', ...env });
  const home = join(shell.folder, '.openclaw/mcp');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const settings = { device: { port: 0 }, proxy: { enabled: false }, ...config };
  shell.write('.openclaw/mcp/config.json', JSON.stringify(settings));
  shell.start('pincer up');
  if (!(await eventually(() => readHubFile(home) !== undefined, START_MS)))
    throw new Error('the hub did not start');
  const { mcp } = readHubFile(home)!['endpoints'] as { mcp: string };
  const replaced = new Map([
    ['127.0.0.1:8765', new URL(mcp).host],
    ['npx pincer', 'pincer'],
    ['npx -y @modelcontextprotocol/server-everything', EVERYTHING],
  ]);
  const block: DocHub['block'] = (page, language, about) => {
    let text = page.take(language, about);
    for (const [from, to] of replaced) text = text.replaceAll(from, to);
    return text;
  };
  return {
    shell,
    home,
    everything: EVERYTHING,
    replace: (from, to) => void replaced.set(from, to),
    block,
    run: (page, about) => shell.run(block(page, 'sh', about)),
    addProgram(name, script) {
      const path = join(shell.folder, 'bin', name);
      writeFileSync(path, `#!/bin/sh\n${script}\n`);
      chmodSync(path, 0o755);
    },
    [Symbol.asyncDispose]: () => shell[Symbol.asyncDispose](),
  };
}
