/**
 * Bundles the published files with their dependencies: the command line, one chunk per command (docs/adr/0003), the
 * libraries, and the image scaler. OpenClaw copies a plugin and all its dependencies at each reload, file by file
 * (docs/adr/0030).
 */
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { licensesOf } from './licenses.mjs';

/**
 * The hub needs undici only for servers on the web, so undici is a separate file, loaded with the first of them. Only the
 * two classes named here can be imported; the bundler rejects any other name.
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
 * `import` of a Node module reads all its exports. Some are getters that load more: `node:http` loads Node's own fetch,
 * `node:fs` its promises, `node:crypto` the Web Crypto API. `getBuiltinModule` reads only the named ones.
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

/** Optional native code, looked up when it is needed (docs/adr/0033). */
const NATIVE = ['sharp', 'node-screenshots'];

/** The hub and the commands share no files, so that commands load only what they need. */
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
    // Everything that a warm `pincer call` loads is one file: 4 ms less than the dozen files that sharing would create.
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
    // One file instead of sixty: each file takes half a millisecond to find and link.
    codeSplitting: { groups: [{ name: 'daemon', test: /src\/daemon(\/[\w-]+)?\.ts$/ }] },
  },
});

const undici = await build({
  input: { undici: 'undici' },
  platform: 'node',
  output: { dir: DIR, format: 'cjs', entryFileNames: '[name].cjs', minify: false },
});

/** Separate files for a separate process and a separate thread, so that they load nothing unnecessary. */
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

/** Also for browsers: one file without any import. */
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
// Remove files of an earlier build: they would be published too.
const made = new Set(['licenses.txt', 'errors.md', ...output.map(({ fileName }) => fileName)]);
for (const name of readdirSync(DIR)) if (!made.has(name)) rmSync(join(DIR, name), { recursive: true });
writeFileSync(join(DIR, 'licenses.txt'), licensesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)));
// For `pincer explain`.
copyFileSync('docs/errors.md', join(DIR, 'errors.md'));
