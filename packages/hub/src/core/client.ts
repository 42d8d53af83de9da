/** The program at the other end of a surface: what it can do for a server, and how to reach it outside of calls. */
import { isRecord } from '../lib/record.ts';
import type { LogLevel } from './log-level.ts';
import { TASKS_EXTENSION } from './protocol.ts';
import type { Asked, Question } from './request.ts';
import { detached, parseBytes, type ByteText } from './wire/byte-text.ts';

export interface Client {
  /** Its protocol session. Undefined for modern clients and for clients that never sent `initialize`. */
  readonly session: string | undefined;
  readonly abilities: Abilities;
  /** Its `clientInfo`, a whole JSON object. */
  readonly info: ByteText | undefined;
  /** The least severe log level it asked for; undefined if it did not ask. */
  readonly logLevel: LogLevel | undefined;
  /** It reads line by line. An answer too long for one line has to be read as a resource. */
  readonly readsLines: boolean;
  /** Sends a notification that belongs to no call. It is lost if the client is not listening. */
  notify(method: string, params: ByteText): void;
  /** Asks a question that belongs to no call. Returns undefined if the client cannot be reached now. */
  ask(question: Question): Asked | undefined;
}

/** The `capabilities` that a client declares. */
export interface Abilities {
  /** The whole object as it came. */
  readonly raw: ByteText;
  readonly sampling: boolean;
  readonly elicitation: boolean;
  readonly roots: boolean;
  /** The tasks extension of the modern era. */
  readonly tasks: boolean;
}

export const NO_ABILITIES: Abilities = {
  raw: '{}',
  sampling: false,
  elicitation: false,
  roots: false,
  tasks: false,
};

/** Longer declarations are ignored. */
const MAX_DECLARED = 64 * 1024;
const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_LENGTH = 4_096;
const remembered = new Map<ByteText, Abilities>();

/** Cached, because modern clients repeat the same declaration in every request. */
export function readAbilities(raw: ByteText | undefined): Abilities {
  if (raw === undefined || raw === '{}') return NO_ABILITIES;
  const known = remembered.get(raw);
  if (known !== undefined) return known;
  if (raw.length > MAX_DECLARED) return NO_ABILITIES;
  const value = parseBytes(raw);
  const has = (ability: string): boolean => isRecord(value) && isRecord(value[ability]);
  const kept = detached(raw);
  const abilities: Abilities = {
    raw: kept,
    sampling: has('sampling'),
    elicitation: has('elicitation'),
    roots: has('roots'),
    tasks: has('extensions') && isRecord(extensionsOf(value)[TASKS_EXTENSION]),
  };
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  if (kept.length <= MAX_REMEMBERED_LENGTH) remembered.set(kept, abilities);
  return abilities;
}

const extensionsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  (value as { extensions: Readonly<Record<string, unknown>> }).extensions;

/** The ability that a question needs. */
export const ABILITY_OF: ReadonlyMap<string, 'sampling' | 'elicitation' | 'roots'> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
] as const);

/** A client without a declaration that cannot be reached outside of its own requests. */
export const STRANGER: Client = {
  session: undefined,
  abilities: NO_ABILITIES,
  info: undefined,
  logLevel: undefined,
  readsLines: false,
  notify: () => undefined,
  ask: () => undefined,
};
