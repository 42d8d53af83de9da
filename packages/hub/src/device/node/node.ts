/** This machine as a node of OpenClaw: connects, retries and reports its state. */
import { messageOf, PincerError } from '../../core/errors.ts';
import type { GatewayAddress } from '../../openclaw/find.ts';
import type { ConnectAuth } from '../../openclaw/handshake.ts';
import { shownAddress } from '../../openclaw/refusal.ts';
import { chooseAuth, isGuarded, readRefused } from './auth.ts';
import { openLine, type Line } from './line.ts';
import { createPublisher } from './publisher.ts';
import type { Declared, GatewayNode, GatewayNodeParts } from './parts.ts';
import {
  createPause,
  ANSWER_MS,
  PUBLISH_AGAIN_MS,
  OFF_RETRY_MS,
  PENDING_RETRY_MS,
  retryMs,
  STABLE_MS,
} from './retry.ts';
import { CALL_COMMAND } from './declared.ts';
import type { NodeState } from '../../core/node-state.ts';

export function openGatewayNode(parts: GatewayNodeParts): GatewayNode {
  const { identity, log, clock, pendingRetryMs = PENDING_RETRY_MS, answerMs = ANSWER_MS } = parts;
  const listeners = new Set<(state: NodeState) => void>();
  const ending = new AbortController();
  const pause = createPause(ending.signal);
  let current: NodeState = { is: 'connecting', since: clock.now() };
  let line: Line | undefined;
  let attempt = 0;
  /** Incremented whenever something may have changed. */
  let changes = 0;

  function become(next: Omit<NodeState, 'since'>): void {
    if (ending.signal.aborted) return;
    current = { ...next, since: next.is === current.is ? current.since : clock.now() };
    for (const listener of listeners) listener(current);
  }

  const publisher = createPublisher({ line: () => line, tools: () => parts.tools(), become, log, answerMs });

  async function declare(): Promise<Declared> {
    const { caps, commands } = await parts.commands();
    if (!parts.publishes()) return { caps, commands };
    return { caps: [...caps, 'mcp'], commands: [...commands, CALL_COMMAND] };
  }

  /** Connects and stays until the connection is lost. Returns the delay before the next attempt. */
  async function connect(): Promise<number> {
    const seen = changes;
    const address = parts.find();
    if (!('url' in address)) return off(address.reason);
    const gateway = shownAddress(address.url);
    if (!isGuarded(address.url))
      return off(
        `The connection to ${gateway} would not be encrypted.`,
        'Use wss://, or a tunnel from this machine.',
      );
    const declared = await declare();
    become({ is: 'connecting', gateway });
    const auth = chooseAuth({ address, identity, bootstrap: parts.bootstrap });
    try {
      const opened = await openLine({
        node: parts,
        address,
        declared,
        auth,
        ending: ending.signal,
        onResolved: publisher.request,
      });
      await stay(opened, seen);
      return pause.isSkipped ? 0 : retry({ reason: 'The connection to the gateway was lost.', gateway });
    } catch (error) {
      return refused(PincerError.from(error), { address, gateway, auth });
    }
  }

  /** Resolves when the connection is lost. */
  async function stay(opened: Line, seen: number): Promise<void> {
    const openedAt = clock.elapsed();
    line = opened;
    const { deviceToken } = opened.hello.auth;
    if (deviceToken !== undefined) keepToken(opened.address.url, deviceToken);
    if (seen === changes) publisher.request();
    else reconsider();
    const publishing = setInterval(publisher.request, PUBLISH_AGAIN_MS);
    await opened.closed;
    clearInterval(publishing);
    line = undefined;
    if (clock.elapsed() - openedAt >= STABLE_MS) attempt = 0;
  }

  function off(reason: string, hint?: string): number {
    become({ is: 'off', reason, hint });
    return OFF_RETRY_MS;
  }

  function retry({ gateway, reason, hint }: Failure, waitMs = retryMs(attempt++, Math.random())): number {
    become({ is: 'backoff', gateway, reason, hint, nextTryAt: clock.now() + waitMs });
    return waitMs;
  }

  function refused(error: PincerError, { address, gateway, auth }: Attempt): number {
    const refusal = readRefused(error, auth);
    if (refusal.is === 'pending') {
      become({ ...refusal, gateway });
      return pendingRetryMs;
    }
    if (refusal.isTokenVoid === true) {
      keepToken(address.url, undefined);
      if (identity.tokenFor(address.url, 'node') === undefined) return 0;
    }
    return retry({ ...refusal, gateway }, refusal.waitMs);
  }

  /** If the token cannot be stored, the gateway issues another one next time. */
  function keepToken(url: string, token: string | undefined): void {
    try {
      identity.keepToken(url, token, 'node');
    } catch (error) {
      log.warn('cannot store the token of this device', { error: messageOf(error) });
    }
  }

  /** A node declares its commands when it connects. If they change, it reconnects. */
  async function compare(): Promise<void> {
    const now = line;
    if (now === undefined) return pause.skip();
    const [address, declared] = [parts.find(), await declare()];
    if (line !== now) return;
    const isSame =
      'url' in address &&
      JSON.stringify([address.url, address.fingerprint, declared]) ===
        JSON.stringify([now.address.url, now.address.fingerprint, now.declared]);
    if (!isSame) return reconnect();
    if (publisher.isOutdated()) publisher.request();
  }

  /** Invalid settings do not affect the connection. */
  function reconsider(): void {
    compare().catch((error: unknown) => {
      failed(error);
      publisher.request();
    });
  }

  function reconnect(): void {
    attempt = 0;
    pause.skip();
    if (line === undefined) return;
    become({ is: 'connecting', gateway: shownAddress(line.address.url) });
    line.close();
  }

  const failed = (error: unknown): void => log.error('the node of OpenClaw failed', { error });

  async function run(): Promise<void> {
    while (!ending.signal.aborted)
      await pause.wait(
        await connect().catch((error: unknown) => {
          failed(error);
          const { message, hint } = PincerError.from(error);
          return retry({ reason: message, gateway: '', hint: hint ?? 'See the log of the hub.' });
        }),
      );
  }

  const running = run();
  return {
    state: () => current,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    reconsider() {
      changes++;
      reconsider();
    },
    refresh: reconnect,
    sendAction: async (request) => (await line?.sendAction(request)) ?? false,
    async close() {
      become({ is: 'off', reason: 'Pincer is stopping.' });
      ending.abort();
      await running;
    },
  };
}

/** One attempt to connect. */
interface Attempt {
  readonly address: GatewayAddress;
  readonly gateway: string;
  readonly auth: ConnectAuth;
}

interface Failure {
  readonly reason: string;
  readonly gateway: string;
  readonly hint?: string | undefined;
}
