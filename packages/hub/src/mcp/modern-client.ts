import { readAbilities, type Abilities, type Client } from '../core/client.ts';
import { isLogLevel, type LogLevel } from '../core/log-level.ts';
import { META_KEY } from '../core/protocol.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import { findMember, isObject, type Member } from '../core/wire/members.ts';
import { plainString, type Message } from '../core/wire/message.ts';

/** The client of one modern request, as its `_meta` describes it. Values are parsed only when they are read. */
export class ModernClient implements Client {
  /** The pipe that it came through; the modern era has no sessions. */
  readonly session: string | undefined;
  readonly #meta: readonly Member[];

  /** False for clients over HTTP. */
  get readsLines(): boolean {
    return this.session !== undefined;
  }

  constructor({ meta }: Message, pipe?: string) {
    this.#meta = meta;
    this.session = pipe;
  }

  get abilities(): Abilities {
    return readAbilities(this.#objectAt(META_KEY.clientCapabilities));
  }

  get info(): ByteText | undefined {
    return this.#objectAt(META_KEY.clientInfo);
  }

  get logLevel(): LogLevel | undefined {
    const raw = findMember(this.#meta, META_KEY.logLevel);
    const level = raw?.startsWith('"') ? plainString(raw) : undefined;
    return isLogLevel(level) ? level : undefined;
  }

  /** Changes reach a modern client only through `subscriptions/listen`. */
  notify(): void {}

  /** Questions reach a modern client only in results. */
  ask(): undefined {}

  #objectAt(key: string): ByteText | undefined {
    const raw = findMember(this.#meta, key);
    return raw !== undefined && isObject(raw) ? raw : undefined;
  }
}
