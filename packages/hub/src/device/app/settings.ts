/** Settings that `app.settings.*` reads and changes, and the gateway's configuration without secrets. */
import { CAPABILITY_SWITCHES } from '../../config/device-schema.ts';
import { redactArguments } from '../../core/redact/redact.ts';
import { jsonBytes } from '../../core/wire/byte-text.ts';
import { isRecord, valueAt } from '../../lib/record.ts';

/**
 * A setting under the name that other nodes of OpenClaw use, and what an MCP client may do with it. Clients can neither
 * approve nor configure: they may only make Pincer do less. No secret has a row.
 */
interface AppSetting {
  readonly name: string;
  /** Key in config.json. */
  readonly key: string;
  /** `off`: clients may switch it off. `nothing`: clients may only read it. */
  readonly mayBeSet: 'off' | 'nothing';
  /** How the person at this machine changes it. */
  readonly by: string;
}

/** `systemRun` becomes `NodeSystemRunEnabled`. */
const bySwitch = (capability: string): AppSetting => ({
  name: `Node${capability.charAt(0).toUpperCase()}${capability.slice(1)}Enabled`,
  key: `device.capabilities.${capability}`,
  mayBeSet: 'off',
  by: `pincer device on ${capability}`,
});

const byFile = (name: string, key: string, mayBeSet: AppSetting['mayBeSet']): AppSetting => ({
  name,
  key,
  mayBeSet,
  by: `${key} in config.json`,
});

export const APP_SETTINGS: readonly AppSetting[] = [
  byFile('EnableNodeMode', 'device.nodeMode', 'off'),
  byFile('EnableMcpServer', 'device.mcpServer', 'off'),
  ...CAPABILITY_SWITCHES.filter((name) => name !== 'app').map(bySwitch),
  // Read only: a client must not be able to hide questions from the person.
  byFile('ShowNotifications', 'policy.notify', 'nothing'),
];

/** Ignores case, as other nodes do. */
export const settingNamed = (name: string): AppSetting | undefined =>
  APP_SETTINGS.find((setting) => setting.name.toLowerCase() === name.trim().toLowerCase());

type Change =
  | { readonly kind: 'set'; readonly value: boolean }
  | { readonly kind: 'same'; readonly value: boolean }
  | { readonly kind: 'refused'; readonly text: string; readonly hint: string };

/** Result of changing `current` to `wanted`. */
export function changeOf(setting: AppSetting, current: boolean, wanted: unknown): Change {
  const { name, mayBeSet, by } = setting;
  const value = flagOf(wanted);
  if (value === undefined)
    return { kind: 'refused', text: `Setting '${name}' must be true or false`, hint: 'Nothing was changed.' };
  if (value === current) return { kind: 'same', value };
  if (mayBeSet === 'off' && !value) return { kind: 'set', value };
  const text =
    mayBeSet === 'off'
      ? `Setting '${name}' can only be switched off by a client`
      : `Setting '${name}' cannot be changed by a client`;
  return { kind: 'refused', text, hint: `The person at this machine can change it: ${by}` };
}

function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

const MAX_BYTES = 256 * 1024;

/** The configuration as written, from the answer to `config.get`. */
export function configOf(answer: unknown): unknown {
  if (!isRecord(answer)) return undefined;
  return [answer['parsed'], answer['config']].find(isRecord) ?? undefined;
}

/**
 * Returns the value at a dotted path, redacted. Names on the path count, too: nothing below `auth` is shown.
 * Returns undefined if the path does not exist.
 */
export function shownAt(config: unknown, path: string): unknown {
  const keys = path === '' ? [] : path.split('.');
  const found = valueAt(config, keys);
  if (found === undefined) return undefined;
  const nested = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), found);
  return valueOrMark(withoutSecrets(nested), keys);
}

/** Plain JSON, shortened if it is too long. */
export const withoutSecrets = (value: unknown): unknown =>
  JSON.parse(redactArguments(jsonBytes(value), MAX_BYTES));

/** Returns the redaction mark if a name on the path is that of a secret. */
function valueOrMark(shown: unknown, keys: readonly string[]): unknown {
  let inner = shown;
  for (const key of keys) {
    if (!isRecord(inner)) return inner;
    inner = inner[key];
  }
  return inner;
}
