/** Connects where that is not so, and asks servers for what they offer anew. */
import { ask, PincerError, type HubClient } from 'pincer/client';
import type { Refreshed } from './render/probes.ts';

export const refreshServers = (hub: HubClient, names: readonly string[]): Promise<Refreshed[]> =>
  Promise.all(names.map((name) => refreshServer(hub, name)));

async function refreshServer(hub: HubClient, name: string): Promise<Refreshed> {
  const before = await ask(hub, 'GET offer', { query: { server: name } }).catch(() => undefined);
  try {
    return { name, before, after: await ask(hub, 'POST probe', { body: { name } }) };
  } catch (error) {
    return { name, before, failure: PincerError.from(error) };
  }
}
