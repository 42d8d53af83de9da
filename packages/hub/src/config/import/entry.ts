/** Reads the entries of a client's file, and collects their references and notes for the person. */
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
  /** Returns a reference to an environment variable, or the default if the variable is not set. */
  variable(name: string, fallback?: string): string;
  /** Returns a reference to a secret that the person has to save; `where` describes its current place. */
  secret(name: string, where: string): string;
}

/** Returns a draft, or the reason why the entry is left out. */
export type EntryReader = (entry: Entry) => { draft: ServerDraft; signsIn?: boolean } | string;

/** Reads a table of servers. Invalid entries are left out with a reason. */
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
        notes.add(`"${name}" is not the name of a variable. Replace it in the configuration.`);
        return literal(`\${${name}}`);
      }
      const isSet = (facts.input.env[name] ?? '') !== '';
      if (isSet || fallback === undefined) return `\${${name}}`;
      notes.add(`${name} is not set here, so its default was used.`);
      return literal(fallback);
    },
    secret(wanted, where) {
      const secret = secretNameOf(facts.name, wanted);
      if (!needs.some((need) => need.secret === secret)) needs.push({ secret, where });
      return `\${secret:${secret}}`;
    },
  };
}

/** Any other name could become another kind of reference in config.json. */
const VARIABLE = /^[A-Za-z_]\w*$/;

export const joinReadings = (readings: readonly Reading[]): Reading => ({
  found: readings.flatMap(({ found }) => found),
  leftOut: readings.flatMap(({ leftOut }) => leftOut),
});

/** Escapes dollar signs, which start a reference in config.json. */
export const literal = (text: string): string => text.replaceAll('$', '$$$$');
