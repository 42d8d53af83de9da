import { existsSync } from 'node:fs';
import { clearSecretsIn } from '../../config/hide-secrets.ts';
import { ended } from '../../config/issue-text.ts';
import { loadConfig } from '../../config/load.ts';
import type { ProxyConfig } from '../../config/proxy-schema.ts';
import { readConfigFile } from '../../config/read-file.ts';
import type { SecretLookup } from '../../config/references.ts';
import type { AgentConfig, Config } from '../../config/schema.ts';
import { secretNameFor } from '../../config/secret-name.ts';
import { PincerError, type ErrorCode } from '../../core/errors.ts';
import { valueAt } from '../../core/value-at.ts';
import { outlineConfig, type OutlinedServer } from '../servers/outline.ts';
import { plural } from '../render/plural.ts';
import { error, ok, warn, type Finding } from './finding.ts';

export interface ConfigFindings {
  readonly findings: readonly Finding[];
  readonly outline: readonly OutlinedServer[];
  /** The port that it sets. */
  readonly port: number | undefined;
  readonly agent: AgentConfig | undefined;
  readonly proxy: ProxyConfig | undefined;
  /** All of it, where it is valid. */
  readonly config: Config | undefined;
}

export interface ConfigSurroundings {
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
    const count = plural(outline.length, 'server');
    findings.push(
      ok(path, existsSync(path) ? `The configuration is valid: ${count}.` : 'There is no configuration yet.'),
    );
  } catch (failure) {
    findings.push(...issuesOf(PincerError.from(failure), path, isHubRunning));
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

interface Issue {
  readonly path: string;
  readonly message: string;
  readonly code: ErrorCode;
  readonly place?: string;
  readonly hint?: string;
  readonly missing?: Readonly<Record<string, unknown>>;
}

/** A finding for each thing that is wrong. */
function issuesOf(
  { code, message, hint, data }: PincerError,
  path: string,
  isHubRunning: boolean,
): Finding[] {
  const issues = data?.['issues'] as readonly Issue[] | undefined;
  if (issues === undefined) return [error(code, path, message, hint)];
  return issues.map((issue) => {
    const place = issue.place === undefined ? '' : `${issue.place.replace('line', 'Line')}, `;
    const text = ended(`${place}${issue.message}`);
    const fix = issue.hint ?? 'See docs/config.md for every setting.';
    // The hub that runs may have been given a variable that is not set here.
    const isElsewhere = isHubRunning && issue.missing?.['variable'] !== undefined;
    return isElsewhere ? warn(path, text, fix) : error(issue.code, path, text, fix);
  });
}

const secretsOfServer = ({ name, raw }: OutlinedServer): string[] => clearSecretsIn(raw, ['servers', name]);

/** A file that cannot be read has been complained of. */
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
    'A secret is written out in the configuration.',
    `pincer secret set ${secret}, then write "$secret:${secret}" here.`,
  );
}
