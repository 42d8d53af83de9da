import { readFileSync } from 'node:fs';
import JSON5 from 'json5';
import type { z } from 'zod';
import { PincerError } from '../core/errors.ts';
import { resolveReferences } from './references.ts';
import { configSchema, type Config } from './schema.ts';

/** The configuration in `path`; a missing file is an empty one. */
export function loadConfig(path: string, env: Readonly<Record<string, string | undefined>>): Config {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return parseConfig({}, env);
    throw new PincerError('CONFIG_UNREADABLE', `The configuration ${path} cannot be read.`, {
      hint: 'Check that the file belongs to you.',
      cause: error,
    });
  }
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON5.parse(text);
  } catch (error) {
    throw new PincerError(
      'CONFIG_INVALID',
      `${path} is not JSON5: ${(error as Error).message.replace('JSON5: ', '')}.`,
      {
        hint: 'Correct the file at that place; nothing was started.',
        cause: error,
      },
    );
  }
  return parseConfig(value, env, path);
}

export function parseConfig(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  path = 'The configuration',
): Config {
  const parsed = configSchema.safeParse(resolveReferences(value, env));
  if (parsed.success) {
    const written = (value as { servers?: Record<string, WrittenServer> }).servers ?? {};
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

interface WrittenServer {
  readonly url?: string;
  readonly command?: string;
  readonly args?: readonly string[];
}

/** Where a server is, fit to be shown: references unresolved, and nothing of a URL that could be a secret. */
const shownTarget = ({ url, command, args = [] }: WrittenServer): string =>
  url === undefined ? [command, ...args].join(' ') : url.replace(/[?#].*$/, '').replace(/\/\/[^/]*@/, '//');
