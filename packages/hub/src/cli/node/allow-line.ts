/** What lets a gateway use commands that it blocks, as a line for its machine. */
import { isRecord } from '../../core/is-record.ts';
import { valueAt } from '../../core/value-at.ts';

export const ALLOW_SETTING = 'gateway.nodes.commands.allow';

/** `config` is the gateway's openclaw.json where that is at hand: what it allows already stays. */
export function allowLine(blocked: readonly string[], config: unknown): string {
  const allowed = valueAt(isRecord(config) ? config : {}, ALLOW_SETTING.split('.'));
  const kept = Array.isArray(allowed) ? allowed.filter((each) => typeof each === 'string') : [];
  const all = JSON.stringify([...new Set([...kept, ...blocked])]);
  return `openclaw config set ${ALLOW_SETTING} '${all}'`;
}
