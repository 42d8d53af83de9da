/** What lets a gateway use commands that it blocks, as a line for its machine. */
import { valueAt } from '../../core/value-at.ts';

export const ALLOW_SETTING = 'gateway.nodes.commands.allow';

/** `config` is the gateway's openclaw.json where that is at hand: what it allows already stays. */
export function allowLine(blocked: readonly string[], config: unknown): string {
  const all = JSON.stringify([...new Set([...allowedIn(config), ...blocked])]);
  return `openclaw config set ${ALLOW_SETTING} '${all}'`;
}

/** What a gateway with this openclaw.json is to allow. */
export function allowedIn(config: unknown): string[] {
  const allowed = valueAt(config, ALLOW_SETTING.split('.'));
  return Array.isArray(allowed) ? allowed.filter((each) => typeof each === 'string') : [];
}
