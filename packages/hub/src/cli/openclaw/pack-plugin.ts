/**
 * Packs the OpenClaw plugin as one package that needs no registry: it bundles this Pincer and all its installed
 * dependencies. A running gateway installs packages itself, and this process cannot configure its registry.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PincerError } from '../../core/errors.ts';
import { lastLine, runProgram } from './run-openclaw.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The files of Pincer that OpenClaw runs. The plugin shipped with Pincer is left out, because it would be there twice. */
const PARTS_OF_PINCER = ['package.json', 'bin', 'dist/bundle'];

export interface PackedPlugin {
  readonly file: string;
  readonly version: string;
}

/** `root` is the folder of this package, `into` an empty one. */
export async function packPlugin(root: string, into: string): Promise<PackedPlugin> {
  const plugin = join(into, 'plugin');
  const built = join(root, 'dist', 'openclaw-plugin');
  if (!existsSync(join(built, 'package.json')))
    throw new PincerError('OPENCLAW_UNUSABLE', `The OpenClaw plugin is missing in ${root}.`, {
      hint: 'In a checkout, build it first: npm run build. The Pincer inside the plugin cannot install the plugin.',
    });
  cpSync(built, plugin, { recursive: true });
  const modules = join(plugin, 'node_modules');
  for (const part of PARTS_OF_PINCER)
    cpSync(join(root, part), join(modules, 'pincer', part), { recursive: true, dereference: true });
  const packages = packagesBelow(root);
  for (const [name, folder] of packages)
    cpSync(folder, join(modules, name), { recursive: true, dereference: true, filter: isOwnFile(folder) });
  for (const name of ['pincer', ...packages.keys()]) settleManifest(join(modules, name), packages);
  const manifest = readManifest(built);
  writeFileSync(
    join(plugin, 'package.json'),
    JSON.stringify({ ...manifest, devDependencies: undefined, bundleDependencies: ['pincer'] }, undefined, 2),
  );
  return { file: await pack(plugin, into), version: manifest.version };
}

async function pack(folder: string, into: string): Promise<string> {
  mkdirSync(into, { recursive: true });
  const args = ['pack', folder, '--json', '--ignore-scripts', '--pack-destination', into];
  const { code, stdout, stderr } = await runProgram('npm', args);
  if (code !== 0)
    throw new PincerError('OPENCLAW_UNUSABLE', `npm pack failed: ${lastLine(stderr)}`, {
      hint: 'npm comes with Node. Check that it works: npm --version',
    });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  return join(into, packed!.filename);
}

/** Folders of all installed dependencies of Pincer, by name. */
function packagesBelow(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const look = (folder: string): void => {
    const { dependencies = {}, optionalDependencies = {} } = readManifest(folder);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const installed = found.has(name) ? undefined : installedAt(folder, name);
      if (installed === undefined) continue;
      found.set(name, installed);
      look(installed);
    }
  };
  look(realpathSync(root));
  return found;
}

/**
 * Removes what would make npm contact a registry although all packages are bundled: dependencies that are not installed,
 * such as those for other platforms, and `bin`, for whose links npm would download the package again.
 */
function settleManifest(folder: string, packages: ReadonlyMap<string, string>): void {
  const { bin: _, ...manifest } = readManifest(folder);
  const installed = (wanted: Manifest['dependencies'] = {}): object =>
    Object.fromEntries(Object.entries(wanted).filter(([name]) => packages.has(name)));
  const { dependencies, optionalDependencies } = manifest;
  const kept = {
    ...manifest,
    dependencies: installed(dependencies),
    optionalDependencies: installed(optionalDependencies),
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(kept, undefined, 2));
}

/** Resolves a package as Node does. */
function installedAt(from: string, name: string): string | undefined {
  const folder = join(from, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return realpathSync(folder);
  return dirname(from) === from ? undefined : installedAt(dirname(from), name);
}

/** Nested packages are copied separately. */
const isOwnFile =
  (folder: string) =>
  (path: string): boolean =>
    path !== join(folder, 'node_modules');

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
