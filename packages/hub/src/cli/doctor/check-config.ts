import { existsSync, statSync } from 'node:fs';
import { clearSecretsIn, secretNameFor } from '../../config/secrets.ts';
import { loadConfig } from '../../config/load.ts';
import type { ConfigProblem } from '../../core/config-problem.ts';
import type { ProxyConfig } from '../../config/proxy-schema.ts';
import { readConfigFile } from '../../config/read-file.ts';
import type { SecretLookup } from '../../config/references.ts';
import type { AgentConfig, Config } from '../../config/schema.ts';
import { PincerError } from '../../core/errors.ts';
import { valueAt, isRecord } from '../../lib/record.ts';
import { outlineConfig, type OutlinedServer } from '../servers/outline.ts';
import { plural } from '../../lib/text.ts';
import { error, ok, warn, type Finding } from './finding.ts';
import { handsFolderOn } from '../../servers/stdio/plan-launch.ts';
import { isProgram } from '../find-program.ts';

interface ConfigFindings {
  readonly findings: readonly Finding[];
  readonly outline: readonly OutlinedServer[];
  readonly port: number | undefined;
  readonly agent: AgentConfig | undefined;
  readonly proxy: ProxyConfig | undefined;
  /** The usable part of the configuration; undefined if the file cannot be read. */
  readonly config: Config | undefined;
}

interface ConfigSurroundings {
  readonly isHubRunning: boolean;
  readonly secret?: SecretLookup;
}

export function checkConfig(path: string, { isHubRunning, secret }: ConfigSurroundings): ConfigFindings {
  const findings: Finding[] = [];
  let outline: readonly OutlinedServer[] = [];
  let config: Config | undefined;
  try {
    outline = outlineConfig(path);
    config = loadConfig(path, process.env, secret);
    findings.push(...(config.problems.length === 0 ? [validFinding(path, outline)] : []));
    findings.push(...config.problems.map((problem) => findingOf(problem, path, isHubRunning)));
  } catch (failure) {
    const { code, message, hint } = PincerError.from(failure);
    findings.push(error(code, path, message, hint));
  }
  return {
    findings: [
      ...findings,
      ...[...outline.flatMap(secretsOfServer), ...secretsOfProxy(path)].map(clearSecret),
    ],
    outline,
    port: config?.device.port,
    agent: config?.agent,
    proxy: config?.proxy,
    config,
  };
}

function validFinding(path: string, outline: readonly OutlinedServer[]): Finding {
  const count = plural(outline.length, 'server');
  return ok(
    path,
    existsSync(path) ? `The configuration is valid: ${count}.` : 'There is no configuration yet.',
  );
}

function findingOf(problem: ConfigProblem, path: string, isHubRunning: boolean): Finding {
  const { code, hint, effect, file = path, missing } = problem;
  const message = problem.message.replace(` of ${file}`, '');
  const text = effect === undefined ? message : `${message} ${effect}`;
  // The running hub may have a variable that is not set in this terminal.
  const isElsewhere = isHubRunning && missing?.['variable'] !== undefined;
  return isElsewhere ? warn(file, text, hint) : error(code, file, text, hint);
}

const secretsOfServer = ({ name, raw }: OutlinedServer): string[] => clearSecretsIn(raw, ['servers', name]);

/** Returns nothing for an unreadable file, which is reported elsewhere. */
function secretsOfProxy(path: string): string[] {
  try {
    return clearSecretsIn(valueAt(readConfigFile(path), ['proxy']), ['proxy']);
  } catch {
    return [];
  }
}

function clearSecret(setting: string): Finding {
  const secret = secretNameFor(setting);
  return warn(
    setting,
    'The configuration contains a secret in clear text.',
    `Save it in the vault: pincer secret set ${secret}. Then write "$secret:${secret}" in its place.`,
  );
}

/** Findings are only warnings, because the hub may run in another environment. */
export function checkLaunch({ name, enabled, transport, raw }: OutlinedServer): Finding[] {
  if (!enabled || transport !== 'stdio') return [];
  const { command, cwd } = raw;
  const findings: Finding[] = [];
  if (typeof cwd === 'string' && !cwd.includes('$') && !isFolder(cwd))
    findings.push(warn(`servers.${name}.cwd`, `There is no folder ${cwd}.`, `pincer set ${name} cwd FOLDER`));
  const env = isRecord(raw['env']) ? raw['env'] : {};
  const path = typeof env['PATH'] === 'string' ? env['PATH'] : (process.env['PATH'] ?? '');
  if (
    typeof command === 'string' &&
    !command.includes('$') &&
    !isProgram(command, { path, platform: process.platform, cwd: typeof cwd === 'string' ? cwd : undefined })
  )
    findings.push(
      warn(
        `servers.${name}.command`,
        `The program ${command} was not found.`,
        'Install it, or write its absolute path.',
      ),
    );
  const words = [command, ...(Array.isArray(raw['args']) ? raw['args'] : [])].map(String);
  const relative = words.find((word) => /^\.\.?[\\/]/.test(word));
  if (typeof cwd !== 'string' && relative !== undefined)
    findings.push(
      warn(
        `servers.${name}.cwd`,
        `${relative} is a relative path, but the server runs in an empty folder.`,
        `Set the folder that it is relative to: pincer set ${name} cwd FOLDER`,
      ),
    );
  if (typeof cwd === 'string' && !handsFolderOn(words, process.platform))
    findings.push(
      warn(
        `servers.${name}.cwd`,
        `"cwd" has no effect: ${words[0]} and the server it starts run in an empty folder, because in ${cwd} it would use settings and programs from there.`,
        'To run the server in that folder, install it and use its own program as the command.',
      ),
    );
  return findings;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
