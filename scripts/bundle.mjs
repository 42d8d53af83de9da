/** Bundles the command line only: one small entry, one chunk per command (docs/adr/0003). */
import { build } from 'rolldown';

await build({
  input: { main: 'packages/hub/src/cli/main.ts' },
  platform: 'node',
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
