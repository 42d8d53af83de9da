/** Translates a server of Pincer's configuration into an entry of OpenClaw's own `mcp.servers`. */
import { rewriteReferences, type SecretLookup } from '../../config/references.ts';
import { isRecord } from '../../lib/record.ts';

interface OpenClawEntry {
  /** Prefix of its tools in both programs. */
  readonly key: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** Remarks about settings that OpenClaw lacks and sign-ins to repeat. */
  readonly notes: readonly string[];
  /** Settings that now contain a secret of the vault in clear text. */
  readonly clear: readonly string[];
}

type Raw = Readonly<Record<string, unknown>>;

interface Translation {
  /** Absent: servers with secrets are left out. */
  readonly secret?: SecretLookup | undefined;
  /** The server uses a sign-in, regardless of its settings. */
  readonly signsIn: boolean;
}

/** OpenClaw replaces only variables with such names. */
const OPENCLAW_VARIABLE = /^[A-Z_][A-Z0-9_]*$/;
const PINCER_ONLY = ['policy', 'agents', 'trust', 'isolation', 'roots'];

/** The message is a clause that completes "is left out: …". */
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
          `${path} refers to $${variable}, but OpenClaw replaces only variables in capital letters.`,
        );
      },
      secret(secretName) {
        const value = secret?.(secretName);
        if (value === undefined)
          throw new LeftOutError(
            secret === undefined
              ? `it needs the secret ${secretName} from Pincer's vault. To include it in clear text: --with-secrets`
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
        : [`OpenClaw has no ${lost.join(', ')}, so these settings of yours no longer apply.`]),
      ...(isSigned ? [`sign in again: openclaw mcp login ${key}`] : []),
    ],
  };
}

/** Escapes `${`, so that OpenClaw replaces no variable in the text. */
const escaped = (text: string): string => text.replaceAll('${', () => '$${');

const keyHeader = (apiKey: unknown): object =>
  typeof apiKey === 'string' ? { Authorization: `Bearer ${apiKey}` } : {};
