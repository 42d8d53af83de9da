/** A server whose `cwd` is a folder that strangers fill, such as a repository: only what was approved runs. */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openScene, PACKAGE, VERSION, type Facts, type Scene } from '../kit/hostile-folder.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';

interface Attempt {
  what: string;
  files(scene: Scene, name: string): Record<string, string>;
  /** Defaults to `npx` with the package at its version. */
  server?(scene: Scene): object;
}

/** Ten concurrent starts of npx take a while. */
const CONNECT_MS = 60_000;

const packageJson = (more: object): string => JSON.stringify({ name: 'stranger', version: '1.0.0', ...more });
const node = (text: string): string => `#!/usr/bin/env node\n${text}`;

const NPX_BY_NAME = { command: 'npx', args: ['-y', PACKAGE] };
const python =
  (...args: string[]) =>
  ({ python: command, modules }: Scene): object => ({ command, args, env: { PYTHONPATH: modules } });

const ATTEMPTS: Record<string, Attempt> = {
  installed: {
    what: 'a package of the same name and version in node_modules',
    files: ({ mark }, name) => ({
      'package.json': packageJson({ dependencies: { [PACKAGE]: VERSION } }),
      [`node_modules/${PACKAGE}/package.json`]: JSON.stringify({
        name: PACKAGE,
        version: VERSION,
        bin: { [PACKAGE]: 'x.js' },
      }),
      [`node_modules/${PACKAGE}/x.js`]: node(mark(name).js),
      [`node_modules/.bin/${PACKAGE}`]: node(mark(name).js),
    }),
  },
  shim: {
    what: 'a program in node_modules/.bin',
    files: ({ mark }, name) => ({ [`node_modules/.bin/${PACKAGE}`]: mark(name).sh }),
    server: () => NPX_BY_NAME,
  },
  interpreter: {
    what: 'a node in node_modules/.bin, which the first line of a script would find',
    files: ({ mark }, name) => ({ 'node_modules/.bin/node': mark(name).sh, 'package.json': packageJson({}) }),
  },
  bin: {
    what: 'a program of its own package.json',
    files: ({ mark }, name) => ({
      'package.json': packageJson({ bin: { [PACKAGE]: 'x.js' } }),
      'x.js': node(mark(name).js),
    }),
    server: () => NPX_BY_NAME,
  },
  registry: {
    what: 'another registry in .npmrc',
    files: ({ evil }) => ({
      '.npmrc': `registry=${evil.url}\ncache=\${PWD}/cache\n`,
      'package.json': packageJson({}),
    }),
  },
  'script-shell': {
    what: 'a script-shell in .npmrc',
    files: ({ mark }, name) => ({
      '.npmrc': 'script-shell=./shell.sh\n',
      'shell.sh': mark(name).sh,
      'package.json': packageJson({}),
    }),
  },
  'node-options': {
    what: 'node-options in .npmrc',
    files: ({ mark }, name) => ({
      '.npmrc': 'node-options=--require ./preload.cjs\n',
      'preload.cjs': mark(name).js,
      'package.json': packageJson({}),
    }),
  },
  prefix: {
    what: 'a prefix in .npmrc, below which global programs would be',
    files: ({ mark }, name) => ({
      '.npmrc': 'prefix=./global\n',
      [`global/bin/${PACKAGE}`]: mark(name).sh,
      'package.json': packageJson({}),
    }),
    server: () => NPX_BY_NAME,
  },
  cache: {
    what: 'a cache in .npmrc, with what npx would have installed',
    files: ({ mark }, name) => {
      const digest = createHash('sha512').update(`${PACKAGE}@${VERSION}`).digest('hex').slice(0, 16);
      const at = `cache/_npx/${digest}`;
      return {
        '.npmrc': 'cache=./cache\n',
        'package.json': packageJson({}),
        [`${at}/package.json`]: JSON.stringify({ dependencies: { [PACKAGE]: VERSION } }),
        [`${at}/node_modules/${PACKAGE}/package.json`]: JSON.stringify({
          name: PACKAGE,
          version: VERSION,
          bin: { [PACKAGE]: 'x.js' },
        }),
        [`${at}/node_modules/.bin/${PACKAGE}`]: mark(name).sh,
      };
    },
  },
  'npm-exec': {
    what: 'a script-shell in .npmrc, for npm exec behind env',
    files: ({ mark }, name) => ({
      '.npmrc': 'script-shell=./shell.sh\n',
      'shell.sh': mark(name).sh,
      'package.json': packageJson({}),
    }),
    server: () => ({
      command: 'env',
      args: ['LOG_LEVEL=warn', 'npm', 'exec', '--yes', '--', `${PACKAGE}@${VERSION}`],
    }),
  },
  argparse: {
    what: 'an argparse.py, for python -m',
    files: ({ mark }, name) => ({ 'argparse.py': mark(name).py }),
    server: python('-m', 'approved_server'),
  },
  lookalike: {
    what: 'a module of the same name, for python -m',
    files: ({ mark }, name) => ({ 'approved_server.py': mark(name).py }),
    server: python('-u', '-m', 'approved_server'),
  },
  'python-package': {
    what: 'a package called json, for python -m',
    files: ({ mark }, name) => ({ 'json/__init__.py': mark(name).py }),
    server: python('-um', 'approved_server'),
  },
  sitecustomize: {
    what: 'a sitecustomize.py and a usercustomize.py, for python -c',
    files: ({ mark }, name) => ({
      'sitecustomize.py': mark(name).py,
      'usercustomize.py': mark(name).py,
      'approved_server.py': mark(name).py,
    }),
    server: python('-c', 'import approved_server'),
  },
  'path-dot': {
    what: 'a program of the same name, with PATH leading to the current folder',
    files: ({ mark }, name) => ({
      'approved-helper': mark(name).sh,
      'node_modules/.bin/approved-helper': mark(name).sh,
    }),
    server: () => ({ command: 'approved-helper' }),
  },
  'path-declared': {
    what: 'a program of the same name, with such a PATH in the configuration',
    files: ({ mark }, name) => ({ 'approved-helper': mark(name).sh, 'bin/approved-helper': mark(name).sh }),
    server: ({ bin }) => ({ command: 'approved-helper', env: { PATH: `.:bin:${bin}:$PATH` } }),
  },
};

let scene: Scene;
let hub: TestHub;
const folders: Record<string, string> = {};

beforeAll(async () => {
  scene = await openScene();
  const servers = Object.entries(ATTEMPTS).map(([name, { files, server }]) => {
    folders[name] = scene.folder(name, files(scene, name));
    const started = server?.(scene) ?? { command: 'npx', args: ['-y', `${PACKAGE}@${VERSION}`] };
    return [name, { ...started, cwd: folders[name], connectTimeoutMs: CONNECT_MS }];
  });
  const PATH = `.::node_modules/.bin:${process.env['PATH']}:${scene.bin}`;
  hub = await startHub({ servers: Object.fromEntries(servers), env: { ...scene.env, PATH } });
});

afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
});

it.each(Object.entries(ATTEMPTS).map(([name, { what }]) => [name, what]))(
  '%s: %s does not run',
  async (name) => {
    let answer = await hub.call(`${name}__facts`);
    const isOver = async (): Promise<boolean> => {
      answer = await hub.call(`${name}__facts`);
      return answer.result !== undefined || scene.hasRun(name);
    };
    // The server is connected before its tools are known.
    expect(await eventually(isOver, CONNECT_MS)).toBe(true);
    expect(scene.hasRun(name)).toBe(false);
    // The approved program runs, and in the configured folder.
    const { content } = answer.result as unknown as { content: [{ text: string }] };
    const facts = JSON.parse(content[0].text) as Facts;
    expect(facts.cwd).toBe(realpathSync(folders[name]!));
    expect(facts.env['npm_config_script_shell']).toBeUndefined();
  },
);
