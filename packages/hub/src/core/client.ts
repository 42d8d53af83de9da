/** The program at the other end of a surface: what it can do for a server, and how it is reached outside of calls. */
import { isRecord } from '../lib/record.ts';
import type { LogLevel } from './log-level.ts';
import { TASKS_EXTENSION } from './protocol.ts';
import type { Asked, Question } from './request.ts';
import { detached, parseBytes, type ByteText } from './wire/byte-text.ts';

export interface Client {
  /** Its protocol session. Modern clients, and those that never said `initialize`, have none. */
  readonly session: string | undefined;
  readonly abilities: Abilities;
  /** What it says of itself, a whole JSON object. */
  readonly info: ByteText | undefined;
  /** The least severe log message that it wants; undefined: it has not said. */
  readonly logLevel: LogLevel | undefined;
  /** It reads lines: what does not fit into one of them has to be read as a resource. */
  readonly readsLines: boolean;
  /** Tells it something that belongs to no call. It may be lost when nobody listens. */
  notify(method: string, params: ByteText): void;
  /** Asks it something that belongs to no call; undefined: it cannot be reached now. */
  ask(question: Question): Asked | undefined;
}

/** What a client says that it can do: its `capabilities`. */
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

/** A client that has more to say of its capabilities has said nothing. */
const MAX_SAID = 64 * 1024;
const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_LENGTH = 4_096;
const remembered = new Map<ByteText, Abilities>();

/** Modern clients say it with every request, in the same words each time. */
export function readAbilities(raw: ByteText | undefined): Abilities {
  if (raw === undefined || raw === '{}') return NO_ABILITIES;
  const known = remembered.get(raw);
  if (known !== undefined) return known;
  if (raw.length > MAX_SAID) return NO_ABILITIES;
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

/** Which ability a question needs. */
export const ABILITY_OF: ReadonlyMap<string, 'sampling' | 'elicitation' | 'roots'> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
] as const);

/** A client that nothing is known of and that hears nothing but answers. */
export const STRANGER: Client = {
  session: undefined,
  abilities: NO_ABILITIES,
  info: undefined,
  logLevel: undefined,
  readsLines: false,
  notify: () => undefined,
  ask: () => undefined,
};
