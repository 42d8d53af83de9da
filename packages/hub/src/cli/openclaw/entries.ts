/** Translates a server of Pincer's configuration into an entry of OpenClaw's own `mcp.servers`. */
import { rewriteReferences, type SecretLookup } from '../../config/references.ts';
import { isRecord } from '../../lib/record.ts';

interface OpenClawEntry {
  /** What its tools are named after, in both. */
  readonly key: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** What has no counterpart in OpenClaw. */
  readonly notes: readonly string[];
  /** Settings that hold a secret of the vault in clear text now. */
  readonly clear: readonly string[];
}

type Raw = Readonly<Record<string, unknown>>;

interface Translation {
  /** Absent: a server with a secret has no entry. */
  readonly secret?: SecretLookup | undefined;
  /** Somebody has signed in to it, whatever its settings say. */
  readonly signsIn: boolean;
}

/** OpenClaw puts in variables that are written so, and no others. */
const OPENCLAW_VARIABLE = /^[A-Z_][A-Z0-9_]*$/;
const PINCER_ONLY = ['policy', 'agents', 'trust', 'isolation', 'roots'];

/**
 * A server of Pincer's configuration as an entry of OpenClaw's own `mcp.servers`. Why a server cannot be written,
 * as the end of a sentence.
 */
export class LeftOutError extends Error {}

export function asOpenClawEntry(name: string, raw: Raw, { secret, signsIn }: Translation): OpenClawEntry {
  const clear: string[] = [];
  const at = (path: string): unknown => textsIn(raw[path], path);
  function textsIn(value: unknown, path: string): unknown {
    if (typeof value === 'string') return textIn(value, path);
    if (Array.isArray(value)) return value.map((item, index) => textsIn(item, `${path}[${index}]`));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, textsIn(item, `${path}.${key}`)]),
    );
  }
  const textIn = (text: string, path: string): string =>
    rewriteReferences(text, {
      plain: escaped,
      variable(variable) {
        if (OPENCLAW_VARIABLE.test(variable)) return `\${${variable}}`;
        throw new LeftOutError(
          `${path} refers to $${variable}, and OpenClaw knows variables in capitals only.`,
        );
      },
      secret(secretName) {
        const value = secret?.(secretName);
        if (value === undefined)
          throw new LeftOutError(
            secret === undefined
              ? `it needs the secret ${secretName} of Pincer's vault. --with-secrets writes it in clear text.`
              : `the vault has no secret ${secretName}.`,
          );
        clear.push(path);
        return escaped(value);
      },
    });

  const isStdio = typeof raw['command'] === 'string';
  const headers = { ...(at('headers') as object | undefined), ...keyHeader(at('apiKey')) };
  const isSigned = !isStdio && (signsIn || isRecord(raw['auth']));
  const scopes = isRecord(raw['auth']) && Array.isArray(raw['auth']['scopes']) ? raw['auth']['scopes'] : [];
  const entry = {
    enabled: raw['enabled'] === false ? false : undefined,
    ...(isStdio
      ? { command: at('command'), args: at('args'), env: at('env'), cwd: at('cwd') }
      : {
          url: at('url'),
          transport: 'streamable-http',
          headers: Object.keys(headers).length === 0 ? undefined : headers,
          auth: isSigned ? 'oauth' : undefined,
          oauth: isSigned && scopes.length > 0 ? { scope: scopes.join(' ') } : undefined,
        }),
    connectionTimeoutMs: raw['connectTimeoutMs'],
    requestTimeoutMs: raw['requestTimeoutMs'],
    toolFilter: raw['toolFilter'],
  };
  const prefix = raw['toolPrefix'];
  const key = typeof prefix === 'string' && prefix !== '' ? prefix : name;
  const lost = PINCER_ONLY.filter((setting) => raw[setting] !== undefined);
  return {
    key,
    entry: Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)),
    clear,
    notes: [
      ...(lost.length === 0
        ? []
        : [`OpenClaw has no ${lost.join(', ')}: what you have set there no longer holds.`]),
      ...(isSigned ? [`sign in again: openclaw mcp login ${key}`] : []),
    ],
  };
}

/** A text that OpenClaw is not to put a variable into. */
const escaped = (text: string): string => text.replaceAll('${', () => '$${');

const keyHeader = (apiKey: unknown): object =>
  typeof apiKey === 'string' ? { Authorization: `Bearer ${apiKey}` } : {};
