/**
 * Completes lock files. If a registry lacks a platform's build of an optional package, npm leaves its row out, and
 * `npm ci` then rejects the whole file on every platform. Run after `npm install`:
 *   node scripts/complete-lock.mjs package-lock.json …
 */
import { readFileSync, writeFileSync } from 'node:fs';

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32'];

/** Reads the platform from the name of a package: `binding-linux-arm64-musl`. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const os = SYSTEMS.find((system) => words.includes(system));
  const cpu = PROCESSORS.find((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc';
  return {
    ...(cpu && { cpu: [cpu] }),
    ...(os === 'linux' && { libc: [libc] }),
    ...(os && { os: [os] }),
  };
}

for (const path of process.argv.slice(2)) {
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  const { packages } = lock;
  for (const [parent, row] of Object.entries({ ...packages })) {
    for (const [name, version] of Object.entries(row.optionalDependencies ?? {})) {
      const places = [`${parent}/node_modules/${name}`, `node_modules/${name}`];
      if (places.some((place) => place in packages)) continue;
      packages[places[1]] = { version, ...(row.dev && { dev: true }), optional: true, ...platformOf(name) };
    }
  }
  const byPath = ([a], [b]) => (a < b ? -1 : 1);
  lock.packages = Object.fromEntries(Object.entries(packages).sort(byPath));
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
}
