import { type HubClient, probeAll, type Probed } from '../../control/client/hub-client.ts';
import type { ServerReport } from '../../control/contract/status.ts';
import { countOffer } from '../render/offer.ts';
import { renderSpan } from '../render/time.ts';
import { error, ok, type Finding } from './finding.ts';

/** Connects to every server that is switched on. */
export async function probeServers(hub: HubClient, servers: readonly ServerReport[]): Promise<Finding[]> {
  const names = servers.filter(({ state }) => state !== 'disabled').map(({ name }) => name);
  return (await probeAll(hub, names)).map(findingOf);
}

function findingOf({ name, report, failure }: Probed): Finding {
  const path = `servers.${name}`;
  if (failure !== undefined) return error(failure.code, path, failure.message, failure.hint);
  return ok(path, `Answers in ${renderSpan(report!.ms)}: ${countOffer(report!)}.`);
}
