/** Bundles the command line only: one small entry, one chunk per command (docs/adr/0003). */
import { build } from 'rolldown';

/**
 * Of undici the hub uses one class, and only for servers on the web. Its index would load fetch, WebSocket and caches,
 * too, at every start: 50 of 200 ms.
 */
const UNDICI = `exports.Pool = function (...args) {
  const Dispatcher = require('undici/lib/dispatcher/dispatcher.js');
  // As the index does it: 'request' is not among what a Pool has by itself.
  Object.assign(Dispatcher.prototype, require('undici/lib/api/index.js'));
  const Pool = require('undici/lib/dispatcher/pool.js');
  return new Pool(...args);
};`;
const undiciWhenUsed = {
  name: 'undici-when-used',
  resolveId: (id) => (id === 'undici' ? '\0undici.cjs' : undefined),
  load: (id) => (id === '\0undici.cjs' ? UNDICI : undefined),
};

await build({
  input: { main: 'packages/hub/src/cli/main.ts' },
  platform: 'node',
  plugins: [undiciWhenUsed],
  output: {
    dir: 'packages/hub/dist/bundle',
    format: 'esm',
    chunkFileNames: '[name].js',
    entryFileNames: '[name].js',
    minify: false,
    // All that a warm `pincer call` loads is one file: 4 ms less than the dozen that sharing would make of it.
    codeSplitting: { groups: [{ name: 'client', test: /cli\/(context|failure|commands\/call)\.ts$/ }] },
  },
});
