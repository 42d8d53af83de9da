/** `subscriptions/listen` of the modern era: one long request that says what the server is to tell. */
import { RPC } from '../../../core/protocol.ts';
import { jsonBytes, parseBytes, type ByteText } from '../../../core/wire/byte-text.ts';
import { backoffMs } from '../life/backoff.ts';
import { ownParams } from '../connection/call-params.ts';
import type { Connection } from '../connection/connection.ts';

export interface Listening {
  /** The filter has changed: asks anew, and lets go of what was asked before. */
  renew(): void;
}

/** The old request ends this long after the new one was sent, so that nothing is missed in between. */
const OVERLAP_MS = 1_000;
/** Changes of this long are one request. */
const GATHER_MS = 50;
/** A stream that held this long starts its back-off anew. */
const STEADY_MS = 30_000;

/** Listens as long as the connection is open; a stream that ends is asked for again. */
export function listenOn(connection: Connection, resources: () => readonly string[]): Listening {
  let current = Symbol();
  let end: (() => void) | undefined;
  let attempts = 0;
  let isUnknown = false;

  /** Without the resources where the server does not take them: the lists are heard of all the same. */
  function begin(withResources: boolean): void {
    const token = (current = Symbol());
    const begunAt = performance.now();
    const uris = withResources ? resources() : [];
    const { answer, abandon } = connection.begun('subscriptions/listen', listenParams(uris), undefined);
    end = abandon;
    const again = (): void => {
      if (token !== current) return;
      attempts = performance.now() - begunAt >= STEADY_MS ? 0 : attempts + 1;
      setTimeout(
        () => {
          if (token === current && connection.isOpen) begin(withResources);
        },
        backoffMs(attempts, Math.random()),
      ).unref();
    };
    answer.then(({ error }) => {
      const code = error === undefined ? undefined : codeOf(error);
      if (code === RPC.methodNotFound) isUnknown = true;
      else if (code !== RPC.invalidParams) again();
      else if (uris.length > 0 && token === current) begin(false);
    }, again);
  }

  let renewal: NodeJS.Timeout | undefined;
  begin(true);
  return {
    renew() {
      renewal ??= setTimeout(() => {
        renewal = undefined;
        // A server that does not know the method is not asked again.
        if (isUnknown || !connection.isOpen) return;
        const previous = end;
        begin(true);
        if (previous !== undefined) setTimeout(previous, OVERLAP_MS).unref();
      }, GATHER_MS).unref();
    },
  };
}

const listenParams = (uris: readonly string[]): ByteText =>
  ownParams('modern', {
    notifications: jsonBytes({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    }),
  });

const codeOf = (error: ByteText): unknown => ((parseBytes(error) ?? {}) as { code?: unknown }).code;
