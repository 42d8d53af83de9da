/** What npm and ClawHub would say to a package, without telling them of it. */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packPackage } from '../kit/openclaw/registry.ts';
import { installFolder } from '../kit/installation.ts';
import { installOpenClaw, OPENCLAW } from '../openclaw/install.ts';

const run = promisify(execFile);
const CLAWHUB = join(import.meta.dirname, 'node_modules/clawhub/bin/clawdhub.js');
const INSTALL_MS = 120_000;

/** ClawHub keeps where a release comes from. A dry run does not look it up. */
const SOURCE = ['--source-repo', 'example/pincer', '--source-commit', '0'.repeat(40)];

/** Nothing is asked of a registry: it would only say that nobody has logged in. */
const NPM_ALONE = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' };

const installClawHub = (): Promise<void> =>
  installFolder(import.meta.dirname, { size: '15 MB', timeoutMs: INSTALL_MS });

/** Resolves to the names of the files that npm would publish. */
export async function dryRunOfNpm(folder: string): Promise<string[]> {
  const args = ['publish', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await run('npm', args, { cwd: folder, env: { ...process.env, ...NPM_ALONE } });
  const said = JSON.parse(stdout) as Record<string, { files: { path: string }[] }>;
  return Object.values(said).flatMap(({ files }) => files.map(({ path }) => path));
}

/** A package as whoever installs it gets it. */
export async function unpackedPackage(folder: string, into: string): Promise<string> {
  const { file } = await packPackage(folder, into);
  const unpacked = join(into, 'package');
  mkdirSync(unpacked, { recursive: true });
  await run('tar', ['-xzf', file, '-C', into]);
  return unpacked;
}

interface ClawHubReport {
  status: string;
  summary: { breakageCount: number; warningCount: number; issueCount: number };
  issues: { code?: string; message?: string }[];
}

/** What ClawHub's inspector finds in a plugin, against the OpenClaw that the tests run on. */
export async function inspectPlugin(unpacked: string, into: string): Promise<ClawHubReport> {
  await Promise.all([installClawHub(), installOpenClaw()]);
  const args = ['package', 'validate', unpacked, '--json', '--openclaw', dirname(OPENCLAW), '--out', into];
  return JSON.parse(await clawHub(args, into)) as ClawHubReport;
}

/** Resolves to what ClawHub would publish; an error says what it misses. */
export async function dryRunOfClawHub(
  unpacked: string,
  into: string,
): Promise<{ name: string; family: string }> {
  await installClawHub();
  const args = ['package', 'publish', unpacked, '--dry-run', '--json', ...SOURCE];
  return JSON.parse(await clawHub(args, into)) as { name: string; family: string };
}

/** With a home of its own, so that it finds nobody's login. */
async function clawHub(args: readonly string[], home: string): Promise<string> {
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, NO_COLOR: '1' };
  const { stdout } = await run(process.execPath, [CLAWHUB, ...args], { env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
