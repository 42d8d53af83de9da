/** One entry while it is being read: what it refers to, and what a person should know about it. */
import { isRecord } from '../../lib/record.ts';
import { secretNameOf } from '../secrets.ts';
import type { FoundServer, LeftOut, Need, ReaderInput, Reading, ServerDraft } from './types.ts';

export type Raw = Readonly<Record<string, unknown>>;

export interface Entry {
  readonly name: string;
  readonly raw: Raw;
  readonly input: ReaderInput;
  readonly project: string | undefined;
  note(text: string): void;
  /** Refers to a variable of the environment; a default is taken where the variable is not set. */
  variable(name: string, fallback?: string): string;
  /** Refers to a secret that the person has to give; `where` says where its value is now. */
  secret(name: string, where: string): string;
}

/** A draft, or why there is none. */
export type EntryReader = (entry: Entry) => { draft: ServerDraft; signsIn?: boolean } | string;

/** Reads a table of servers; an entry that is none is left out, with the reason. */
export function readEntries(
  servers: unknown,
  input: ReaderInput,
  read: EntryReader,
  project = input.project,
): Reading {
  const found: FoundServer[] = [];
  const leftOut: LeftOut[] = [];
  for (const [name, raw] of Object.entries(isRecord(servers) ? servers : {})) {
    const notes = new Set<string>();
    const needs: Need[] = [];
    const result = isRecord(raw)
      ? read(openEntry({ name, raw, input, project }, notes, needs))
      : 'it is not an object.';
    if (typeof result === 'string') leftOut.push({ name, project, reason: result });
    else
      found.push({
        name,
        draft: result.draft,
        project,
        signsIn: result.signsIn ?? false,
        needs,
        notes: [...notes],
      });
  }
  return { found, leftOut };
}

function openEntry(
  facts: Pick<Entry, 'name' | 'raw' | 'input' | 'project'>,
  notes: Set<string>,
  needs: Need[],
): Entry {
  return {
    ...facts,
    note: (text) => void notes.add(text),
    variable(name, fallback) {
      if (!VARIABLE.test(name)) {
        notes.add(`"${name}" is not the name of a variable: change it in the configuration.`);
        return literal(`\${${name}}`);
      }
      const isSet = (facts.input.env[name] ?? '') !== '';
      if (isSet || fallback === undefined) return `\${${name}}`;
      notes.add(`${name} is not set here, so its default was taken.`);
      return literal(fallback);
    },
    secret(wanted, where) {
      const secret = secretNameOf(facts.name, wanted);
      if (!needs.some((need) => need.secret === secret)) needs.push({ secret, where });
      return `\${secret:${secret}}`;
    },
  };
}

/** Anything else could be a reference of another kind in our words. */
const VARIABLE = /^[A-Za-z_]\w*$/;

export const joinReadings = (readings: readonly Reading[]): Reading => ({
  found: readings.flatMap(({ found }) => found),
  leftOut: readings.flatMap(({ leftOut }) => leftOut),
});

/** In our configuration a dollar begins a reference. */
export const literal = (text: string): string => text.replaceAll('$', '$$$$');
