import type { z } from 'zod';
import { PincerError } from '../core/errors.ts';
import { isRecord } from '../core/is-record.ts';
import { readConfigFile } from './read-file.ts';
import { resolveReferences, type SecretLookup } from './references.ts';
import { configSchema, type Config } from './schema.ts';
import { shownTarget } from './shown-target.ts';

/** The configuration in `path`; a missing file is an empty one. */
export const loadConfig = (
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  secret?: SecretLookup,
): Config => parseConfig(readConfigFile(path), env, path, secret);

export function parseConfig(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  path = 'The configuration',
  secret?: SecretLookup,
): Config {
  const parsed = configSchema.safeParse(resolveAll(value, env, secret));
  if (parsed.success) {
    const written = (value as { servers?: Record<string, Record<string, unknown>> }).servers ?? {};
    const servers = Object.entries(parsed.data.servers).map(([name, server]) => [
      name,
      { ...server, shown: shownTarget(written[name]!) },
    ]);
    return { ...parsed.data, servers: Object.fromEntries(servers) as Config['servers'] };
  }
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || '(root)'}: ${explain(issue)}`);
  throw new PincerError('CONFIG_INVALID', `${path} is not valid: ${issues.join('; ')}.`, {
    hint: 'See docs/config.md for every setting.',
    data: { issues },
  });
}

/** A server that is switched off needs nothing: a reference in it that leads nowhere stays as it is. */
function resolveAll(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  secret: SecretLookup | undefined,
): unknown {
  if (!isRecord(value) || !isRecord(value['servers'])) return resolveReferences(value, env, secret);
  const resolved = Object.entries(value['servers']).map(([name, server]) => {
    try {
      return [name, resolveReferences(server, env, secret, `servers.${name}`)];
    } catch (error) {
      if (isRecord(server) && server['enabled'] === false) return [name, server];
      throw error;
    }
  });
  const rest = Object.entries(value).filter(([key]) => key !== 'servers');
  return {
    ...resolveReferences(Object.fromEntries(rest), env, secret),
    servers: Object.fromEntries(resolved) as unknown,
  };
}

/** What is wrong with a key, not only that something is. */
const explain = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
