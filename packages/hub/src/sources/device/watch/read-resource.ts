import type { Outcome } from '../../../core/outcome.ts';
import { jsonBytes } from '../../../core/wire/byte-text.ts';
import type { CapabilityRegistry } from '../registry/registry.ts';
import type { ActivityLog } from './activity.ts';
import { ACTIVITY_URI, type DeviceUri } from './resources.ts';

export interface ResourceParts {
  readonly registry: Pick<CapabilityRegistry, 'readiness'>;
  readonly activity: Pick<ActivityLog, 'list'>;
}

export async function readResource({ registry, activity }: ResourceParts, uri: DeviceUri): Promise<Outcome> {
  const value =
    uri === ACTIVITY_URI ? { calls: activity.list() } : { capabilities: await registry.readiness() };
  const text = JSON.stringify(value, undefined, 2);
  const contents = [{ uri, mimeType: 'application/json', text }];
  return { kind: 'ok', result: jsonBytes({ contents }), era: 'legacy', extra: '' };
}
