/** This machine as a node of OpenClaw's: connected as long as it can be. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, PincerError } from '../../core/errors.ts';
import type { GatewayAddress } from '../../openclaw/find.ts';
import type { ConnectAuth } from '../../openclaw/handshake.ts';
import { isTokenRefused } from '../../openclaw/refusal.ts';
import { shownAddress } from '../../openclaw/shown-address.ts';
import { chooseAuth, isGuarded } from './auth.ts';
import { openLine, type Line } from './line.ts';
import type { Declared, GatewayNode, GatewayNodeParts } from './parts.ts';
import { CALL_COMMAND } from './published.ts';
import {
  ANSWER_MS,
  LOOK_AGAIN_MS,
  OFF_RETRY_MS,
  PENDING_RETRY_MS,
  REFUSED_RETRY_MS,
  retryMs,
  STABLE_MS,
} from './retry.ts';
import type { NodeState } from '../../core/node-state.ts';

export function openGatewayNode(parts: GatewayNodeParts): GatewayNode {
  const { identity, log, clock, pendingRetryMs = PENDING_RETRY_MS, answerMs = ANSWER_MS } = parts;
  const listeners = new Set<(state: NodeState) => void>();
  const ending = new AbortController();
  let current: NodeState = { is: 'connecting', since: clock.now() };
  let line: Line | undefined;
  let attempt = 0;
  /** Grows whenever something may have changed. */
  let changes = 0;
  let isHurried = false;
  let lastPublished = '';
  let isLooking = false;
  let isDue = false;
  let waking = new AbortController();

  function become(next: Omit<NodeState, 'since'>): void {
    if (ending.signal.aborted) return;
    current = { ...next, since: next.is === current.is ? current.since : clock.now() };
    for (const listener of listeners) listener(current);
  }

  function hurry(): void {
    isHurried = true;
    waking.abort();
  }

  /** Until the time has passed, somebody is in a hurry, or the node is closed. */
  async function rest(milliseconds: number): Promise<void> {
    waking = new AbortController();
    const signal = AbortSignal.any([waking.signal, ending.signal]);
    if (!isHurried) await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
    isHurried = false;
  }

  async function declare(): Promise<Declared> {
    const { caps, commands } = await parts.commands();
    if (!parts.publishes()) return { caps, commands };
    return { caps: [...caps, 'mcp'], commands: [...commands, CALL_COMMAND] };
  }

  /** Connects, and stays until the connection is lost. Gives back how long to wait before the next time. */
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
        onResolved: () => void look(),
      });
      await stay(opened, seen);
      return isHurried ? 0 : again('The connection to the gateway was lost.', gateway);
    } catch (error) {
      return refused(PincerError.from(error), { address, gateway, auth });
    }
  }

  async function stay(opened: Line, seen: number): Promise<void> {
    const openedAt = clock.elapsed();
    line = opened;
    lastPublished = '';
    const { deviceToken } = opened.hello.auth;
    if (deviceToken !== undefined) keepToken(opened.address.url, deviceToken);
    if (seen === changes) void look();
    else compare().catch(failed);
    const looking = setInterval(() => void look(), LOOK_AGAIN_MS);
    await opened.closed;
    clearInterval(looking);
    line = undefined;
    if (clock.elapsed() - openedAt >= STABLE_MS) attempt = 0;
  }

  /** One at a time: what is asked for meanwhile is the next. */
  async function look(): Promise<void> {
    isDue = true;
    if (isLooking) return;
    isLooking = true;
    while (isDue) {
      isDue = false;
      await lookOnce();
    }
    isLooking = false;
  }

  /** What may be used now; and agents have the tools that they are to have. */
  async function lookOnce(): Promise<void> {
    const now = line;
    const tools = parts.tools();
    lastPublished = JSON.stringify(tools);
    const silence = setTimeout(() => now?.close(), answerMs);
    try {
      const usable = await now?.publish(tools);
      if (now !== undefined && usable !== undefined && line === now) tell(now, usable);
    } catch (error) {
      if (line !== now) return;
      // Whoever comes with the same key takes our place, and the gateway says nothing of that until it is asked.
      log.warn('the gateway does not take this connection for the node', { error: messageOf(error) });
      now?.close();
    } finally {
      clearTimeout(silence);
    }
  }

  function tell(now: Line, usable: readonly string[]): void {
    const { commands: declared } = now.declared;
    const commands = { declared, usable };
    if (usable.length > 0 || declared.length === 0) become({ is: 'connected', ...about(now), commands });
    else become({ is: 'paired', ...about(now), commands, hint: APPROVE });
  }

  function off(reason: string, hint?: string): number {
    become({ is: 'off', reason, hint });
    return OFF_RETRY_MS;
  }

  function again(reason: string, gateway: string, hint?: string, waitMs?: number): number {
    const ms = waitMs ?? retryMs(attempt++, Math.random());
    become({ is: 'backoff', gateway, reason, hint, nextTryAt: clock.now() + ms });
    return ms;
  }

  function refused(error: PincerError, { address, gateway, auth }: Refused): number {
    const { code, message, hint, data } = error;
    if (data?.['gatewayCode'] === 'PAIRING_REQUIRED' || data?.['gatewayCode'] === 'NOT_PAIRED') {
      const requestId = typeof data['requestId'] === 'string' ? data['requestId'] : undefined;
      become({ is: 'pending', gateway, reason: message, hint, requestId });
      return pendingRetryMs;
    }
    if (code === 'RATE_LIMITED') return again(message, gateway, hint, REFUSED_RETRY_MS);
    if (!isTokenRefused(error)) return again(message, gateway, hint);
    // One that was revoked must not stand in the way of being paired again.
    if (auth !== undefined && 'deviceToken' in auth) {
      keepToken(address.url, undefined);
      if (identity.tokenFor(address.url, 'node') === undefined) return 0;
    }
    return again(message, gateway, PAIR_AGAIN, REFUSED_RETRY_MS);
  }

  /** Where it cannot be written down, the gateway gives another the next time. */
  function keepToken(url: string, token: string | undefined): void {
    try {
      identity.keepToken(url, token, 'node');
    } catch (error) {
      log.warn('the token of this device cannot be kept', { error: messageOf(error) });
    }
  }

  /** What a node can do is said when it connects. */
  async function compare(): Promise<void> {
    const now = line;
    if (now === undefined) return hurry();
    const [address, declared] = [parts.find(), await declare()];
    if (line !== now) return;
    const isSame =
      'url' in address &&
      JSON.stringify([address.url, address.fingerprint, declared]) ===
        JSON.stringify([now.address.url, now.address.fingerprint, now.declared]);
    if (!isSame) return anew();
    if (JSON.stringify(parts.tools()) !== lastPublished) await look();
  }

  function anew(): void {
    attempt = 0;
    if (line === undefined) return hurry();
    isHurried = true;
    become({ is: 'connecting', gateway: shownAddress(line.address.url) });
    line.close();
  }

  const failed = (error: unknown): void => log.error('the node of OpenClaw failed', { error });

  async function live(): Promise<void> {
    while (!ending.signal.aborted)
      await rest(
        await visit().catch((error: unknown) => {
          failed(error);
          const { message, hint } = PincerError.from(error);
          return again(message, '', hint ?? 'Look at its log.');
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
      compare().catch(failed);
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

interface Refused {
  readonly address: GatewayAddress;
  readonly gateway: string;
  readonly auth: ConnectAuth;
}

const about = ({ hello, address }: Line): Pick<NodeState, 'gateway' | 'version'> => ({
  gateway: shownAddress(address.url),
  version: hello.server.version,
});

const PAIR_AGAIN = 'Run `pincer node pair`, with a setup code or a token file of the gateway.';

const APPROVE = "On the gateway's machine run `openclaw nodes pending`, then `openclaw nodes approve <id>`.";
