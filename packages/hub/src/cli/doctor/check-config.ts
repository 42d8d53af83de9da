import { existsSync } from 'node:fs';
import { loadConfig } from '../../config/load.ts';
import { PincerError } from '../../core/errors.ts';
import { isRecord } from '../../core/is-record.ts';
import { outlineConfig, type OutlinedServer } from '../config-outline.ts';
import { plural } from '../render/plural.ts';
import { isClearSecret } from '../../config/clear-secret.ts';
import { error, ok, warn, type Finding } from './finding.ts';

export interface ConfigFindings {
  readonly findings: readonly Finding[];
  readonly outline: readonly OutlinedServer[];
  /** The port that it sets. */
  readonly port: number | undefined;
}

export function checkConfig(path: string, isHubRunning: boolean): ConfigFindings {
  const findings: Finding[] = [];
  let outline: readonly OutlinedServer[] = [];
  let port: number | undefined;
  try {
    outline = outlineConfig(path);
    port = loadConfig(path, process.env).device.port;
    const count = plural(outline.length, 'server');
    findings.push(
      ok(path, existsSync(path) ? `The configuration is valid: ${count}.` : 'There is no configuration yet.'),
    );
  } catch (failure) {
    const { code, message, hint, data } = PincerError.from(failure);
    // The hub that runs may have been given a variable that is not set here.
    const isElsewhere = isHubRunning && data?.['variable'] !== undefined;
    findings.push(isElsewhere ? warn(path, message, hint) : error(code, path, message, hint));
  }
  return { findings: [...findings, ...outline.flatMap(clearSecrets)], outline, port };
}

function clearSecrets({ name, raw }: OutlinedServer): Finding[] {
  const settings: [path: string, key: string, value: unknown][] = [
    [`servers.${name}.apiKey`, 'apiKey', raw['apiKey']],
    ...['headers', 'env'].flatMap((group) =>
      Object.entries(isRecord(raw[group]) ? raw[group] : {}).map(
        ([key, value]): [string, string, unknown] => [`servers.${name}.${group}.${key}`, key, value],
      ),
    ),
  ];
  return settings
    .filter(([, key, value]) => typeof value === 'string' && isClearSecret(key, value))
    .map(([path]) =>
      warn(
        path,
        'A secret is written out in the configuration.',
        'Put it in an environment variable and write "$NAME".',
      ),
    );
}
