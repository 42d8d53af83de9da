/** A text in OpenClaw's configuration, read as OpenClaw does: `${NAME}` is a variable, `$${NAME}` is not. */
import type { Environment } from '../core/environment.ts';
import { isRecord } from '../core/is-record.ts';

/** The text, or why there is none in the words for a sentence such as "the token …". */
export type ConfiguredText = { readonly text: string } | { readonly missing: string } | undefined;

const REFERENCE = /\$(\$?)\{([A-Z_][A-Z0-9_]*)\}/g;

export function configuredText(value: unknown, env: Environment): ConfiguredText {
  if (isRecord(value)) return fromSecretRef(value, env);
  if (typeof value !== 'string' || value === '') return undefined;
  let missing: string | undefined;
  const text = value.replaceAll(REFERENCE, (_, escape: string, name: string) => {
    if (escape !== '') return `\${${name}}`;
    if (!env[name]) missing ??= name;
    return env[name] ?? '';
  });
  return missing === undefined ? { text } : { missing: `needs the variable ${missing}` };
}

/** Of the places where OpenClaw can keep a secret, the environment is the one that others can read. */
function fromSecretRef({ source, id }: Readonly<Record<string, unknown>>, env: Environment): ConfiguredText {
  if (source !== 'env' || typeof id !== 'string')
    return { missing: `is kept where only OpenClaw can read it (${String(source)})` };
  return env[id] ? { text: env[id] } : { missing: `needs the variable ${id}` };
}
