/** Lets the hub connect to servers, and ask for what they offer anew. */
import { PincerError } from '../../core/errors.ts';
import { ask, type HubClient } from './hub-client.ts';
import type { ProbeReport } from '../contract/servers.ts';

export interface Probed {
  readonly name: string;
  readonly report?: ProbeReport;
  readonly failure?: PincerError;
}

export const probeAll = (hub: HubClient, names: readonly string[]): Promise<Probed[]> =>
  Promise.all(
    names.map(async (name) => {
      try {
        return { name, report: await ask(hub, 'POST probe', { body: { name } }) };
      } catch (error) {
        return { name, failure: PincerError.from(error) };
      }
    }),
  );
