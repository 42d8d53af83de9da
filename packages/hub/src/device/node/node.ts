/** This machine as a node of OpenClaw: connects, retries and reports its state. */
import { messageOf, PincerError } from '../../core/errors.ts';
import type { GatewayAddress } from '../../openclaw/find.ts';
import type { ConnectAuth } from '../../openclaw/handshake.ts';
import { shownAddress } from '../../openclaw/refusal.ts';
import { chooseAuth, isGuarded, readRefused } from './auth.ts';
import { openLine, type Line } from './line.ts';
import { createLook } from './look.ts';
import type { Declared, GatewayNode, GatewayNodeParts } from './parts.ts';
import {
  createPause,
  ANSWER_MS,
  LOOK_AGAIN_MS,
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

  const look = createLook({ line: () => line, tools: () => parts.tools(), become, log, answerMs });

  async function declare(): Promise<Declared> {
    const { caps, commands } = await parts.commands();
    if (!parts.publishes()) return { caps, commands };
    return { caps: [...caps, 'mcp'], commands: [...commands, CALL_COMMAND] };
  }

  /** Connects and stays until the connection is lost. Returns the delay before the next attempt. */
  async function visit(): Promise<number> {
    const seen = changes;
    const address = parts.find();
    if (!('url' in address)) return off(address.reason);
    const gateway = shownAddress(address.url);
    if (!isGuarded(address.url))
      return off(
        `${gateway} would be spoken to in clear text.`,
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
        onResolved: look.soon,
      });
      await stay(opened, seen);
      return pause.isHurried ? 0 : again({ reason: 'The connection to the gateway was lost.', gateway });
    } catch (error) {
      return refused(PincerError.from(error), { address, gateway, auth });
    }
  }

  async function stay(opened: Line, seen: number): Promise<void> {
    const openedAt = clock.elapsed();
    line = opened;
    const { deviceToken } = opened.hello.auth;
    if (deviceToken !== undefined) keepToken(opened.address.url, deviceToken);
    if (seen === changes) look.soon();
    else reconsider();
    const looking = setInterval(look.soon, LOOK_AGAIN_MS);
    await opened.closed;
    clearInterval(looking);
    line = undefined;
    if (clock.elapsed() - openedAt >= STABLE_MS) attempt = 0;
  }

  function off(reason: string, hint?: string): number {
    become({ is: 'off', reason, hint });
    return OFF_RETRY_MS;
  }

  function again({ gateway, reason, hint }: Failure, waitMs = retryMs(attempt++, Math.random())): number {
    become({ is: 'backoff', gateway, reason, hint, nextTryAt: clock.now() + waitMs });
    return waitMs;
  }

  function refused(error: PincerError, { address, gateway, auth }: Visit): number {
    const meant = readRefused(error, auth);
    if (meant.is === 'pending') {
      become({ ...meant, gateway });
      return pendingRetryMs;
    }
    if (meant.isTokenVoid === true) {
      keepToken(address.url, undefined);
      if (identity.tokenFor(address.url, 'node') === undefined) return 0;
    }
    return again({ ...meant, gateway }, meant.waitMs);
  }

  /** If the token cannot be stored, the gateway issues another one next time. */
  function keepToken(url: string, token: string | undefined): void {
    try {
      identity.keepToken(url, token, 'node');
    } catch (error) {
      log.warn('the token of this device cannot be kept', { error: messageOf(error) });
    }
  }

  /** A node declares its commands when it connects. If they change, it reconnects. */
  async function compare(): Promise<void> {
    const now = line;
    if (now === undefined) return pause.hurry();
    const [address, declared] = [parts.find(), await declare()];
    if (line !== now) return;
    const isSame =
      'url' in address &&
      JSON.stringify([address.url, address.fingerprint, declared]) ===
        JSON.stringify([now.address.url, now.address.fingerprint, now.declared]);
    if (!isSame) return anew();
    if (look.isOutdated()) look.soon();
  }

  /** Invalid settings do not affect the connection. */
  function reconsider(): void {
    compare().catch((error: unknown) => {
      failed(error);
      look.soon();
    });
  }

  function anew(): void {
    attempt = 0;
    pause.hurry();
    if (line === undefined) return;
    become({ is: 'connecting', gateway: shownAddress(line.address.url) });
    line.close();
  }

  const failed = (error: unknown): void => log.error('the node of OpenClaw failed', { error });

  async function live(): Promise<void> {
    while (!ending.signal.aborted)
      await pause.rest(
        await visit().catch((error: unknown) => {
          failed(error);
          const { message, hint } = PincerError.from(error);
          return again({ reason: message, gateway: '', hint: hint ?? 'Look at its log.' });
        }),
      );
  }

  const living = live();
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
    refresh: anew,
    sendAction: async (request) => (await line?.sendAction(request)) ?? false,
    async close() {
      become({ is: 'off', reason: 'Pincer is ending.' });
      ending.abort();
      await living;
    },
  };
}

/** One attempt to connect. */
interface Visit {
  readonly address: GatewayAddress;
  readonly gateway: string;
  readonly auth: ConnectAuth;
}

interface Failure {
  readonly reason: string;
  readonly gateway: string;
  readonly hint?: string | undefined;
}
