import type { Environment } from '../lib/process.ts';
import { PincerError } from '../core/errors.ts';

/** Returns a secret of the vault, or undefined if there is none of that name. */
export type SecretLookup = (name: string) => string | undefined;

/** Without `secret` there are no secrets. */
export interface ReferenceSources {
  readonly env: Environment;
  readonly secret?: SecretLookup | undefined;
}

const REFERENCE = /\$(?:\$|secret:(\w*)|\{secret:(\w*)\}|\{(\w+)\}|(\w+))/g;

/**
 * Replaces `$NAME` and `${NAME}` by variables, and `$secret:NAME` and `${secret:NAME}` by secrets of the vault; `$$` is a
 * dollar sign. `path` is the setting that contains the text.
 */
export function resolveReferences(text: string, { env, secret }: ReferenceSources, path: string): string {
  return text.replaceAll(REFERENCE, (match: string, ...groups: (string | undefined)[]) => {
    const name = groups[2] ?? groups[3];
    const secretName = groups[0] ?? groups[1];
    if (secretName !== undefined) return secret?.(secretName) ?? missingSecret(secretName, match, path);
    if (name === undefined) return '$';
    return (Object.hasOwn(env, name) ? env[name] : undefined) ?? missingVariable(name, match, path);
  });
}

export interface ReferenceWriter {
  /** Text between references. */
  plain(text: string): string;
  variable(name: string): string;
  secret(name: string): string;
}

/** Rewrites the references of a text in the syntax of another program. */
export function rewriteReferences(text: string, write: ReferenceWriter): string {
  let written = '';
  let plain = '';
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const [reference, bareSecret, secret, variable, bare] = match;
    plain += text.slice(end, match.index);
    end = match.index + reference.length;
    const [secretName, name] = [bareSecret ?? secret, variable ?? bare];
    if (secretName === undefined && name === undefined) plain += '$';
    else {
      written +=
        write.plain(plain) + (secretName === undefined ? write.variable(name!) : write.secret(secretName));
      plain = '';
    }
  }
  return written + write.plain(plain + text.slice(end));
}

function missingVariable(variable: string, reference: string, path: string): never {
  throw new PincerError(
    'CONFIG_INVALID',
    `${path} refers to ${reference}, but ${variable} is not set in the environment.`,
    {
      hint: `Save it in the vault, \`pincer secret set ${variable}\`, and write "$secret:${variable}" here. Or set ${variable} where the hub is started, then restart the hub. For a literal dollar sign, write $$.`,
      data: { path, variable },
    },
  );
}

function missingSecret(secret: string, reference: string, path: string): never {
  if (secret === '')
    throw new PincerError('CONFIG_INVALID', `${path} refers to ${reference}, which names no secret.`, {
      hint: 'Write $secret:NAME. A name has letters, digits and _.',
      data: { path },
    });
  throw new PincerError(
    'SECRET_UNKNOWN',
    `${path} refers to ${reference}, but the vault has no secret ${secret}.`,
    { hint: `Save it: pincer secret set ${secret}`, data: { path, secret } },
  );
}

export interface ReferenceUse {
  readonly kind: 'variable' | 'secret';
  readonly name: string;
  /** The setting that refers to it. */
  readonly path: string;
}

/** Lists the references of all settings. */
export function referencesIn(value: unknown, path = ''): ReferenceUse[] {
  if (typeof value === 'string')
    return [...value.matchAll(REFERENCE)].flatMap(([, bareSecret, secret, variable, bare]) => {
      const name = bareSecret ?? secret ?? variable ?? bare;
      const kind = (bareSecret ?? secret) === undefined ? 'variable' : 'secret';
      return name === undefined || name === '' ? [] : [{ kind, name, path }];
    });
  if (Array.isArray(value)) return value.flatMap((item, index) => referencesIn(item, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    referencesIn(item, path === '' ? key : `${path}.${key}`),
  );
}
