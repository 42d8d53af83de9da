/** `pincer openclaw install` from a package as npm would publish it, with an OpenClaw that records its arguments. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const HUB = join(import.meta.dirname, '..', '..', 'packages', 'hub');
const MODULES = join(HUB, '..', '..', 'node_modules');

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/** As `npm install --global ./pincer-0.1.0.tgz` leaves it, with the dependencies of the checkout. */
function installPackage(folder: string): string {
  const packed = execFileSync(
    'npm',
    ['pack', HUB, '--json', '--ignore-scripts', '--pack-destination', folder],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const [{ filename }] = JSON.parse(packed.toString()) as [{ filename: string }];
  const modules = join(folder, 'lib', 'node_modules');
  const root = join(modules, 'pincer');
  mkdirSync(root, { recursive: true });
  execFileSync('tar', ['xzf', join(folder, filename), '-C', root, '--strip-components=1']);
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Manifest;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(MODULES, name), join(modules, name));
  }
  return join(root, 'bin', 'pincer.js');
}

/** Copies the package that it should install, because Pincer removes it afterwards. */
const OPENCLAW = `#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/told"
case "$1 $2" in
  --version*) echo 'OpenClaw 2026.9.6 (abcdef0)' ;;
  'plugins install') cp "$3" "$here/installed.tgz" ;;
  'config get') echo true ;;
esac
`;

it('from a package: OpenClaw installs everything that the plugin needs', () => {
  using folder = temporaryFolder('from-package');
  const entry = installPackage(folder.path);
  const openclaw = join(folder.path, 'openclaw');
  writeFileSync(openclaw, OPENCLAW, { mode: 0o755 });
  const stdout = execFileSync(
    process.execPath,
    [entry, 'openclaw', 'install', '--yes', '--json', '--openclaw', openclaw],
    {
      cwd: folder.path,
      // No registry is asked for a package.
      env: {
        ...process.env,
        PINCER_HOME: join(folder.path, 'state'),
        npm_config_registry: 'http://127.0.0.1:9/',
      },
    },
  );
  expect(JSON.parse(stdout.toString())).toMatchObject({ ok: true, plugin: { id: 'mcp-client' } });
  expect(readFileSync(join(folder.path, 'told'), 'utf8')).toMatch(/^plugins install \S+\.tgz --force/m);

  const files = execFileSync('tar', ['tzf', join(folder.path, 'installed.tgz')])
    .toString()
    .split('\n');
  for (const name of ['openclaw.plugin.json', 'dist/index.js', 'node_modules/pincer/bin/pincer.js'])
    expect(files).toContain(`package/${name}`);
  // The unpacked plugin runs without any other package.
  const plugin = join(folder.path, 'plugin');
  mkdirSync(plugin);
  execFileSync('tar', ['xzf', join(folder.path, 'installed.tgz'), '-C', plugin, '--strip-components=1']);
  const inside = join(plugin, 'node_modules', 'pincer', 'bin', 'pincer.js');
  const { version } = JSON.parse(readFileSync(join(HUB, 'package.json'), 'utf8')) as { version: string };
  expect(execFileSync(process.execPath, [inside, '--version'], { cwd: plugin }).toString()).toContain(
    version,
  );
});
