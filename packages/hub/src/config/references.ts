import { PincerError } from '../core/errors.ts';

const REFERENCE = /\$(?:\$|secret:|\{(\w+)\}|(\w+))/g;

/** Puts `$NAME` and `${NAME}` of the environment into every string; `$$` is a dollar. */
export function resolveReferences<T>(
  value: T,
  env: Readonly<Record<string, string | undefined>>,
  path = '',
): T {
  if (typeof value === 'string') return resolveText(value, env, path) as T;
  if (Array.isArray(value))
    return value.map((item, index) => resolveReferences(item, env, `${path}[${index}]`)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      resolveReferences(item, env, path === '' ? key : `${path}.${key}`),
    ]),
  ) as T;
}

function resolveText(text: string, env: Readonly<Record<string, string | undefined>>, path: string): string {
  return text.replaceAll(REFERENCE, (match, braced: string | undefined, bare: string | undefined) => {
    const name = braced ?? bare;
    if (match === '$secret:')
      throw new PincerError(
        'CONFIG_INVALID',
        `${path} refers to a secret of the vault, and there is no vault yet.`,
        {
          hint: 'Put it into the environment and refer to it as $NAME.',
          data: { path },
        },
      );
    if (name === undefined) return '$';
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined) return value;
    throw new PincerError(
      'CONFIG_INVALID',
      `${path} refers to ${match}, but ${name} is not set in the environment.`,
      {
        hint: `Set ${name} where the hub is started, or write $$ for a plain dollar.`,
        data: { path, variable: name },
      },
    );
  });
}
