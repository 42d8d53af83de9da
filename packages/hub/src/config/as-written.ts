/** What stands in a configuration, whether it is valid or not: no rule is checked, no reference resolved. */
import { isRecord, valueAt } from '../lib/record.ts';

export function serversIn(config: unknown): Readonly<Record<string, unknown>> {
  const servers = valueAt(config, ['servers']);
  return isRecord(servers) ? servers : {};
}

export function portIn(config: unknown): number | undefined {
  const port = valueAt(config, ['device', 'port']);
  return typeof port === 'number' ? port : undefined;
}

/** The apps that have a token of their own; what is no object among them is left out. */
export function appsIn(config: unknown): Readonly<Record<string, unknown>>[] {
  const apps = valueAt(config, ['proxy', 'apps']);
  return Array.isArray(apps) ? apps.filter(isRecord) : [];
}
