/**
 * Bundles what is published, with all that it needs: the command line, one chunk per command (docs/adr/0003), the
 * libraries, and what scales images. OpenClaw copies a plugin and everything that it depends on at each reload, file by
 * file (docs/adr/0030).
 */
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { licensesOf } from './licenses.mjs';

/**
 * The hub uses undici only for servers on the web, so it is a file of its own that is loaded with the first of them. Only
 * the two classes named here can be imported; the bundler refuses any other name.
 */
const UNDICI_WHEN_USED = `
import { createRequire } from 'node:module';
const load = createRequire(import.meta.url);
export function Client(...args) { return new (load('./undici.cjs').Client)(...args); }
export function Pool(...args) { return new (load('./undici.cjs').Pool)(...args); }`;
const undiciWhenUsed = {
  name: 'undici-when-used',
  resolveId: (id) => (id === 'undici' ? '\0undici-when-used' : undefined),
  load: (id) => (id === '\0undici-when-used' ? UNDICI_WHEN_USED : undefined),
};

const BUILTIN_IMPORT =
  /^import (?:(?:\* as )?(?<whole>[\w$]+)(?:, )?)?(?:\{(?<names>[^}]*)\})? from "(?<module>node:[\w/]+)";$/gm;

/**
 * `import` of a Node module reads each of its exports. Some are getters that load more: of `node:http` all of Node's own
 * fetch, of `node:fs` its promises, of `node:crypto` the Web Crypto API. `getBuiltinModule` reads only the named ones.
 */
const builtinsWhenUsed = {
  name: 'builtins-when-used',
  renderChunk: (code) =>
    code.replace(BUILTIN_IMPORT, (...match) => {
      const { whole, names, module } = match.at(-1);
      const bindings = [whole, names && `{${names.replaceAll(' as ', ': ')}}`].filter(Boolean);
      return bindings
        .map((each) => `const ${each} = globalThis.process.getBuiltinModule("${module}");`)
        .join(' ');
    }),
};

const DIR = 'packages/hub/dist/bundle';

/** Native code, and optional: it is looked for when it is needed (docs/adr/0033). */
const NATIVE = ['sharp', 'node-screenshots'];

/** The hub has files of its own, so that it shares none with commands, which load only what they need. */
const hubApart = {
  name: 'hub-apart',
  resolveId: (id) => (id.endsWith('/hub/run-hub.ts') ? { id: './run-hub.js', external: true } : undefined),
};

const commands = await build({
  input: {
    main: 'packages/hub/src/cli/main.ts',
    'hub-client': 'packages/hub/src/control/client/index.ts',
  },
  platform: 'node',
  plugins: [hubApart, undiciWhenUsed, builtinsWhenUsed],
  external: NATIVE,
  output: {
    dir: DIR,
    format: 'esm',
    chunkFileNames: '[name].js',
    entryFileNames: '[name].js',
    minify: false,
    // All that a warm `pincer call` loads is one file: 4 ms less than the dozen that sharing would make of it.
    codeSplitting: {
      groups: [{ name: 'client', test: /cli\/(context|failure|program|commands\/call)\.ts$/ }],
    },
  },
});

const hub = await build({
  input: { 'run-hub': 'packages/hub/src/cli/hub/run-hub.ts', library: 'packages/hub/src/index.ts' },
  platform: 'node',
  plugins: [undiciWhenUsed, builtinsWhenUsed],
  external: NATIVE,
  output: {
    dir: DIR,
    format: 'esm',
    chunkFileNames: 'hub-[name].js',
    entryFileNames: '[name].js',
    minify: false,
    // One file where sharing would make sixty of it, which take half a millisecond each to find and link.
    codeSplitting: { groups: [{ name: 'daemon', test: /src\/daemon(\/[\w-]+)?\.ts$/ }] },
  },
});

const undici = await build({
  input: { undici: 'undici' },
  platform: 'node',
  output: { dir: DIR, format: 'cjs', entryFileNames: '[name].cjs', minify: false },
});

/** A process or thread of its own, and so a file of its own: it starts with nothing that it does not need. */
const scaler = await build({
  input: { 'scale-child': 'packages/hub/src/agent/media/scale-child.ts' },
  platform: 'node',
  external: NATIVE,
  output: { dir: DIR, format: 'esm', entryFileNames: '[name].js', minify: false },
});

const upkeep = await build({
  input: { 'upkeep-worker': 'packages/hub/src/store/upkeep-worker.ts' },
  platform: 'node',
  output: { dir: DIR, format: 'esm', entryFileNames: '[name].js', minify: false },
});

/** For browsers, too: one file that needs nothing, neither another file nor Node. */
const app = await build({
  input: { app: 'packages/hub/src/app/index.ts' },
  platform: 'browser',
  output: { dir: DIR, format: 'esm', entryFileNames: '[name].js', minify: false },
});
const needed = app.output.flatMap(({ imports = [], dynamicImports = [] }) => [...imports, ...dynamicImports]);
if (app.output.length !== 1 || needed.length > 0) throw new Error(`app.js is not one file: ${needed.join()}`);

const output = [
  ...commands.output,
  ...hub.output,
  ...undici.output,
  ...scaler.output,
  ...upkeep.output,
  ...app.output,
];
// Of an earlier build: it would be published, too.
const made = new Set(['licenses.txt', 'errors.md', ...output.map(({ fileName }) => fileName)]);
for (const name of readdirSync(DIR)) if (!made.has(name)) rmSync(join(DIR, name), { recursive: true });
writeFileSync(join(DIR, 'licenses.txt'), licensesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)));
// For `pincer explain`.
copyFileSync('docs/errors.md', join(DIR, 'errors.md'));
