import { eventually } from '../processes.ts';
import type { Host } from './host.ts';

const APPLIED_MS = 120_000;
const PAUSE_MS = 100;
/** What the gateway shows in place of a secret. */
const REDACTED = '__OPENCLAW_REDACTED__';

/** The config file as the gateway has read it, and the config that it applies. */
interface Read {
  parsed: unknown;
  configRevisionHash: string | null;
  appliedConfigHash: string | null;
}

/** Waits until the gateway applies its file. A turn or a command that begins earlier may be refused. */
export async function whenApplied({
  profile,
  gateway,
  operator: connect,
}: Pick<Host, 'profile' | 'gateway' | 'operator'>): Promise<void> {
  await using operator = await connect();
  const isApplied = async (): Promise<boolean> => {
    const read = (await operator.rpc('config.get')) as unknown as Read;
    return read.configRevisionHash === read.appliedConfigHash && isShown(profile.readConfig(), read.parsed);
  };
  if (await eventually(isApplied, APPLIED_MS, PAUSE_MS)) return;
  throw new Error(`The gateway has not applied its file:\n${gateway().log().slice(-4_000)}`);
}

/**
 * Changes the configuration through the gateway and waits until it is applied. The gateway can miss an edit of its
 * file that follows one of its own writes. null removes a member.
 */
export async function patchConfig(
  host: Pick<Host, 'profile' | 'gateway' | 'operator'>,
  patch: object,
): Promise<void> {
  await using operator = await host.operator();
  const { hash: baseHash } = await operator.rpc('config.get');
  await operator.rpc('config.patch', { raw: JSON.stringify(patch), baseHash });
  await whenApplied(host);
}

/** Compares two values, ignoring secrets. */
function isShown(value: unknown, shown: unknown): boolean {
  if (shown === REDACTED) return true;
  if (!isComposed(value) || !isComposed(shown)) return value === shown;
  const keys = Object.keys(value);
  return keys.length === Object.keys(shown).length && keys.every((key) => isShown(value[key], shown[key]));
}

const isComposed = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
