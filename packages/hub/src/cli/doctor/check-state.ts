/** Checks the state folder: its permissions, tokens, secrets, sign-ins and databases. */
import { readFileSync, statSync, type Stats, existsSync, statfsSync } from 'node:fs';
import { adminTokenPath, configPath, mcpTokenPath } from '../../owner/state-folder.ts';
import { shellWord, plural } from '../../lib/text.ts';
import { error, ok, warn, type Finding } from './finding.ts';
import { PincerError } from '../../core/errors.ts';
import { findKey, findKeyLater, keySources } from '../../owner/vault-key.ts';
import { secretsFolder, grantsFolder } from '../../owner/vault-records.ts';
import { openVault, type SecretInfo } from '../../owner/vault.ts';
import { openGrantFiles } from '../../owner/grant-files.ts';
import type { GrantInfo } from '../../servers/oauth/grant.ts';
import { createGrants } from '../../servers/oauth/grants/grant-store.ts';
import type { HubStatus, StoreReport } from '../../control/contract/status.ts';
import { damagedFiles } from '../../store/damage.ts';
import { storeFiles } from '../../store/files.ts';
import { inspectStore } from '../../store/inspect.ts';
import { findCopies } from '../../store/state/copies.ts';

export function checkFolder(home: string): Finding[] {
  const stats = statOf(home);
  if (stats === undefined)
    return [ok(home, 'The state folder does not exist yet; the first command creates it.')];
  if (!stats.isDirectory())
    return [
      error('CONFIG_INVALID', home, 'The state folder is not a folder.', 'Set PINCER_HOME to a folder.'),
    ];
  return [checkMode(home, stats, 0o700, 'The state folder')];
}

export function checkTokens(home: string): Finding[] {
  return [
    checkToken(mcpTokenPath(home), 'The MCP token'),
    checkToken(adminTokenPath(home), 'The admin token'),
  ];
}

export function checkConfigMode(home: string): Finding[] {
  const path = configPath(home);
  const stats = statOf(path);
  const finding = stats === undefined ? undefined : checkMode(path, stats, 0o600, 'The configuration');
  return finding === undefined || finding.severity === 'ok' ? [] : [finding];
}

function checkToken(path: string, name: string): Finding {
  const stats = statOf(path);
  if (stats === undefined) return ok(path, `${name} does not exist yet; the hub creates it when it starts.`);
  try {
    if (readFileSync(path, 'utf8').trim() === '')
      return warn(path, `${name} is empty.`, 'Restart the hub, which creates a new one: pincer up');
  } catch {
    return error(
      'TOKEN_UNREADABLE',
      path,
      `${name} cannot be read.`,
      `Check who owns it: ls -l ${shellWord(path)}`,
    );
  }
  return checkMode(path, stats, 0o600, name);
}

function checkMode(path: string, { mode }: Stats, wanted: number, name: string): Finding {
  // Windows has no such modes.
  if (process.platform === 'win32') return ok(path, `${name} exists.`);
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  if ((mode & 0o077) === 0) return ok(path, `${name} is accessible only to you (${octal}).`);
  return warn(
    path,
    `${name} is accessible to other users of this machine (${octal}).`,
    `Restrict it: chmod ${wanted.toString(8)} ${shellWord(path)}`,
  );
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Reports where the vault's key is, and secrets that it does not decrypt. */
export function checkVault(home: string): Finding[] {
  const path = secretsFolder(home);
  try {
    const secrets = openVault(home, process.env).list();
    if (secrets.length === 0) return [];
    const place = findKey(keySources(home, process.env))?.place ?? 'no place';
    const good = secrets.filter(({ problem }) => problem === undefined).length;
    return [
      ok(path, `${plural(good, 'secret')} in the vault; its key is in ${place}.`),
      ...secrets.flatMap((secret) => problemOf(path, secret)),
    ];
  } catch (failure) {
    const { code, message, hint } = PincerError.from(failure);
    return [error(code, path, message, hint)];
  }
}

const problemOf = (path: string, { problem }: SecretInfo): Finding[] =>
  problem === undefined ? [] : [warn(path, problem.message, problem.hint)];

/** Reports where the key of sign-ins is, sign-ins that it does not decrypt, and those that have ended. */
export async function checkSignIns(home: string): Promise<Finding[]> {
  const path = grantsFolder(home);
  const files = openGrantFiles(home, process.env);
  const grants = createGrants(files);
  try {
    if (files.names().length === 0) return [];
    const place = (await findKeyLater(keySources(home, process.env)))?.place ?? 'no place';
    const good = await grants.list();
    return [
      ok(path, `${plural(good.length, 'sign-in')} saved; the key is in ${place}.`),
      ...good.flatMap((grant) => refusedFinding(path, grant)),
      ...(await grants.problems()).map(({ message, hint }) => warn(path, message, hint)),
    ];
  } catch (failure) {
    const { code, message, hint } = PincerError.from(failure);
    return [error(code, path, message, hint)];
  }
}

const refusedFinding = (path: string, { key, refused }: GrantInfo): Finding[] =>
  refused === undefined
    ? []
    : [
        warn(
          path,
          `The sign-in to "${key.server}" is no longer valid (${refused}).`,
          `Sign in again: pincer login ${key.server}`,
        ),
      ];

/** Less is not enough for one day of the call log. */
const MIN_FREE_BYTES = 50_000_000;

export function checkStore(home: string, status: HubStatus | undefined): Finding[] {
  if (!existsSync(home)) return [];
  const files = storeFiles(home);
  const found = status?.store === undefined ? inspected(home) : reported(status.store);
  const aside = [files.state, files.cache, files.calls].flatMap(damagedFiles);
  return [
    ...(found.length > 0 ? found : existsSync(files.state) ? [intact(home)] : []),
    ...aside.map((path) =>
      warn(
        path,
        'This damaged file was set aside.',
        `If you do not need it, delete it: rm ${shellWord(path)}`,
      ),
    ),
    ...space(home),
  ];
}

const inspected = (home: string): Finding[] =>
  inspectStore(storeFiles(home)).map(({ code, file, message, hint }) => error(code, file, message, hint));

function reported({ incidents, doubted }: StoreReport): Finding[] {
  return [
    ...incidents.map(({ file, part, message, hint, isOpen }) => {
      const path = part === 'file' ? file : `${file} (${part})`;
      return isOpen ? error('STORE_UNWRITABLE', path, message, hint) : warn(path, message, hint);
    }),
    ...doubted.map((server) =>
      warn(
        `servers.${server}`,
        'Some pins of its tools may have been lost, so tools without a pin are held.',
        `Review and accept them: pincer accept ${shellWord(server)}`,
      ),
    ),
  ];
}

function intact(home: string): Finding {
  const { state, copies } = storeFiles(home);
  const found = findCopies(copies);
  const text =
    found.length === 0
      ? 'no daily copy yet'
      : found.length === 1
        ? 'one daily copy'
        : `${found.length} daily copies`;
  return ok(state, `The state database is intact; ${text}.`);
}

function space(home: string): Finding[] {
  const { bavail, bsize } = statfsSync(home);
  if (bavail * bsize >= MIN_FREE_BYTES) return [];
  return [
    warn(
      home,
      `The disk is almost full: ${Math.floor((bavail * bsize) / 1_000_000)} MB are free.`,
      `Free some space. Check with: df -h ${shellWord(home)}`,
    ),
  ];
}
