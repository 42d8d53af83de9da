/** Notifications of a server: finds the call or client that each belongs to. */
import type { Client } from '../../core/client.ts';
import { type ByteText, jsonBytes, parseBytes } from '../../core/wire/byte-text.ts';
import { findMember, writeMembers } from '../../core/wire/members.ts';
import { plainString, type Message } from '../../core/wire/message.ts';
import { asksForProgress } from './call-params.ts';
import type { PendingCall, PendingCalls } from './pending-calls.ts';
import { isLogLevel, isWanted, LOG_LEVELS, type LogLevel } from '../../core/log-level.ts';
import type { SourceRequest } from '../../core/request.ts';

interface ServerNoticesOptions {
  readonly calls: PendingCalls;
  readonly volume: LogVolume;
  /** The client that this connection belongs to, if it belongs to one. */
  readonly owner: Client | undefined;
  /** A notification about the server's offer; `params` is a JSON object. */
  onOffer(method: string, params: ByteText): void;
}

export class ServerNotices {
  readonly #options: ServerNoticesOptions;
  #tenants = NO_TENANTS;

  constructor(options: ServerNoticesOptions) {
    this.#options = options;
  }

  /** Records that this caller uses the connection. */
  admit(caller: string): void {
    this.#tenants = admitTenant(this.#tenants, caller);
  }

  receive(method: string, message: Message, via: string | undefined): void {
    if (method === 'notifications/progress') this.#receiveProgress(message);
    else if (method === 'notifications/message') this.#receiveLog(message, via);
    else this.#receiveOther(method, message, via);
  }

  /** The call that a message belongs to, if it can be identified and accepts the message. */
  callOf(
    via: string | undefined,
    isMeant: (call: PendingCall) => boolean = () => true,
  ): PendingCall | undefined {
    const { calls } = this.#options;
    if (via === undefined)
      // A call that was not sent yet cannot be meant.
      return explainOnPipe(this.#tenants, calls, (each) => each.held === undefined && isMeant(each));
    const call = calls.get(via);
    return call !== undefined && isMeant(call) ? call : undefined;
  }

  #receiveProgress(message: Message): void {
    const { calls } = this.#options;
    const token = findMember(message.params, 'progressToken');
    const call = token?.startsWith('"') ? calls.get(plainString(token)) : undefined;
    if (call === undefined || !asksForProgress(call.request)) return;
    calls.prolong(call);
    if (call.progressToken === undefined) return;
    const params = writeMembers(message.params, { progressToken: call.progressToken });
    call.exchange.notify('notifications/progress', params);
  }

  #receiveLog(message: Message, via: string | undefined): void {
    const { volume, owner } = this.#options;
    const call = this.callOf(via, ({ request }) => volume.isWantedBy(request, message));
    const listener =
      call?.exchange ?? (owner !== undefined && volume.isWantedByClient(owner, message) ? owner : undefined);
    listener?.notify(message.method!, writeMembers(message.params));
  }

  /** Passes a message of a call to its caller; others are about the offer, or go to the connection's owner. */
  #receiveOther(method: string, message: Message, via: string | undefined): void {
    const { calls, owner, onOffer } = this.#options;
    const params = writeMembers(message.params);
    if (OFFER_NOTICE.test(method)) return onOffer(method, params);
    const call = via === undefined ? undefined : calls.get(via);
    (call?.exchange ?? owner)?.notify(method, params);
  }
}

const OFFER_NOTICE = /^notifications\/(?:(?:tools|prompts|resources)\/list_changed|resources\/updated)$/;

/** The callers that have used a connection so far. */
export type Tenants = { readonly caller: string | undefined; readonly areSeveral: boolean };

export const NO_TENANTS: Tenants = { caller: undefined, areSeveral: false };

export const admitTenant = (tenants: Tenants, caller: string): Tenants =>
  tenants.caller === caller || tenants.areSeveral
    ? tenants
    : { caller, areSeveral: tenants.caller !== undefined };

/**
 * On a pipe nothing tells which call a message belongs to. If only one caller ever used the connection, the oldest call
 * that fits gets it. With several callers it might belong to another caller's cancelled or finished call, so it is
 * dropped.
 */
export function explainOnPipe(
  tenants: Tenants,
  calls: Iterable<PendingCall>,
  isExplainedBy: (call: PendingCall) => boolean,
): PendingCall | undefined {
  if (tenants.areSeveral) return undefined;
  for (const call of calls) if (isExplainedBy(call)) return call;
  return undefined;
}

/**
 * The log level of one connection: the most verbose one that a caller wants. Each caller gets only the messages that it
 * wants.
 */
export interface LogVolume {
  /** The server supports `logging/setLevel`. */
  enable(): void;
  /** Returns undefined if the level suffices for this request. Otherwise resolves when the server was told. */
  raiseFor(request: SourceRequest): Promise<void> | undefined;
  isWantedBy(request: SourceRequest, message: Message): boolean;
  isWantedByClient(client: Client, message: Message): boolean;
}

/** The level of a legacy client that has set none. */
const USUAL: LogLevel = 'info';

export function createLogVolume(setLevel: (params: ByteText) => Promise<void>): LogVolume {
  let isEnabled = false;
  let level: LogLevel | undefined;

  return {
    enable() {
      isEnabled = true;
    },
    raiseFor({ client }) {
      const wanted = client.logLevel;
      if (!isEnabled || wanted === undefined || (level !== undefined && isWanted(wanted, level)))
        return undefined;
      level = wanted;
      // A server that refuses keeps its level.
      return setLevel(jsonBytes({ level: wanted })).catch(() => undefined);
    },
    isWantedBy: ({ client, era }, message) =>
      (era === 'legacy' || client.logLevel !== undefined) && isLoudEnough(client, message),
    isWantedByClient: isLoudEnough,
  };
}

function isLoudEnough({ logLevel }: Client, message: Message): boolean {
  const raw = findMember(message.params, 'level');
  const level = raw === undefined ? undefined : parseBytes(raw);
  return isWanted(isLogLevel(level) ? level : LOG_LEVELS.at(-1)!, logLevel ?? USUAL);
}
