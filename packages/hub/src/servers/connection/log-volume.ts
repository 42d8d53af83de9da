/** Log messages on one connection: as loud as the one who wants to hear most, and everybody hears what they want. */
import type { Client } from '../../core/client.ts';
import { isLogLevel, isWanted, LOG_LEVELS, type LogLevel } from '../../core/log-level.ts';
import type { SourceRequest } from '../../core/request.ts';
import { jsonBytes, parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember } from '../../core/wire/members.ts';
import type { Message } from '../../core/wire/message.ts';

export interface LogVolume {
  /** The server takes `logging/setLevel`. */
  enable(): void;
  /** Undefined: it is loud enough for this request. Otherwise resolves when the server has been told. */
  raiseFor(request: SourceRequest): Promise<void> | undefined;
  isWantedBy(request: SourceRequest, message: Message): boolean;
  isWantedByClient(client: Client, message: Message): boolean;
}

/** What a legacy client hears that has not said how much it wants. */
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
      // A server that refuses stays as loud as it is.
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
