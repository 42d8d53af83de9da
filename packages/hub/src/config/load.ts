import type { z } from 'zod';
import { PincerError } from '../core/errors.ts';
import { readConfigFile } from './read-file.ts';
import { resolveReferences } from './references.ts';
import { configSchema, type Config } from './schema.ts';
import { shownTarget } from './shown-target.ts';

/** The configuration in `path`; a missing file is an empty one. */
export const loadConfig = (path: string, env: Readonly<Record<string, string | undefined>>): Config =>
  parseConfig(readConfigFile(path), env, path);

export function parseConfig(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  path = 'The configuration',
): Config {
  const parsed = configSchema.safeParse(resolveReferences(value, env));
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

/** What is wrong with a key, not only that something is. */
const explain = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
