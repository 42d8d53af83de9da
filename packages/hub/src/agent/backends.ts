/** Which backend runs an order: the gateway, or OpenClaw itself where none runs on this machine. */
import type { AgentConfig } from '../config/schema.ts';
import { PincerError } from '../core/errors.ts';
import { isLoopbackHost } from '../lib/loopback.ts';
import type { Log } from '../core/ports.ts';
import type { Backend } from './backend.ts';
import { orAborted } from '../lib/bounded-wait.ts';
import type { GatewayAddress } from '../openclaw/find.ts';
import type { Gateways } from './gateway/connection/gateways.ts';

export interface BackendsParts {
  readonly gateways: Pick<Gateways, 'current'>;
  readonly overGateway: Backend;
  readonly local: Backend;
  readonly log: Log;
  settings(): Pick<AgentConfig, 'backend'>;
  find(): GatewayAddress | { readonly reason: string };
}

export function createBackends(parts: BackendsParts): Backend {
  const { gateways, overGateway, local, log, settings, find } = parts;

  async function choose(signal: AbortSignal): Promise<Backend> {
    const { backend } = settings();
    if (backend !== 'auto') return backend === 'local' ? local : overGateway;
    try {
      await orAborted(gateways.current().orders.connect(), signal);
      return overGateway;
    } catch (error) {
      if (!PincerError.is(error) || error.code !== 'SERVER_UNREACHABLE' || !mayRunHere(find())) throw error;
      log.debug('no gateway answers: OpenClaw itself is run', { error: error.message });
      return local;
    }
  }

  return {
    async run(order, listener) {
      const { signal } = listener;
      let backend: Backend | undefined;
      try {
        backend = await choose(signal);
        return await backend.run(order, listener);
      } catch (error) {
        // Whatever stood in the way of an order that is no longer wanted.
        if (signal.aborted) return { kind: 'stopped', text: '', neverRan: true };
        // One has come up meanwhile, and OpenClaw has left the order to it.
        if (backend === local && settings().backend === 'auto' && isLeftToGateway(error))
          return overGateway.run(order, listener);
        throw error;
      }
    },
    reconsider: () => overGateway.reconsider?.(),
    close() {
      overGateway.close();
      local.close();
    },
  };
}

const isLeftToGateway = (error: unknown): boolean =>
  PincerError.is(error) && error.data?.['reason'] === 'gateway';

/** A gateway elsewhere has other conversations and another memory: OpenClaw on this machine does not stand in for it. */
export const mayRunHere = (found: ReturnType<BackendsParts['find']>): boolean =>
  'url' in found && !found.isNamed && isLoopbackHost(new URL(found.url).hostname);
