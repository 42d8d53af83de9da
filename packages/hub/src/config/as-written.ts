/** What stands in a configuration, whether it is valid or not: no rule is checked, no reference resolved. */
import { isRecord } from '../core/is-record.ts';
import { valueAt } from '../core/value-at.ts';

export function serversIn(config: unknown): Readonly<Record<string, unknown>> {
  const servers = valueAt(config, ['servers']);
  return isRecord(servers) ? servers : {};
}

export function portIn(config: unknown): number | undefined {
  const port = valueAt(config, ['device', 'port']);
  return typeof port === 'number' ? port : undefined;
}
