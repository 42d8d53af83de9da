/** Finds the clients on this machine, and which of them already have an entry for Pincer. */
import { existsSync } from 'node:fs';
import type { Place } from '../../config/import/locations.ts';
import { parseJson, parseToml } from '../../config/import/parse.ts';
import { isRecord, valueAt } from '../../lib/record.ts';
import { isOwnEntry, type Self, readClientFile } from '../clients/here.ts';
import { isProgram } from '../find-program.ts';
import { type ConnectClient, CONNECT_CLIENTS, foldersOf } from './clients.ts';

export interface FoundClient {
  readonly client: ConnectClient;
  readonly file: string;
  readonly isFound: boolean;
  /** Names of entries for Pincer; undefined if the file cannot be read. */
  readonly entries: readonly string[] | undefined;
}

export function findClients(place: Place, self: Self): FoundClient[] {
  const path = place.env['PATH'] ?? '';
  return CONNECT_CLIENTS.map((client) => {
    const file = client.file(place);
    const isFound =
      existsSync(file) ||
      foldersOf(client.id, place).some((folder) => existsSync(folder)) ||
      client.programs.some((program) => isProgram(program, { path, platform: place.platform }));
    return { client, file, isFound, entries: ownEntries(client, file, self) };
  });
}

function ownEntries({ format, path }: ConnectClient, file: string, self: Self): string[] | undefined {
  try {
    const text = readClientFile(file);
    if (text === undefined) return [];
    const value = format === 'toml' ? parseToml(text, file) : parseJson(text, file);
    const entries = valueAt(value, path);
    return Object.entries(isRecord(entries) ? entries : {})
      .filter(([name, raw]) => name === 'pincer' || (isRecord(raw) && isOwnEntry(toDraft(raw), self)))
      .map(([name]) => name);
  } catch {
    return undefined;
  }
}

function toDraft(raw: Readonly<Record<string, unknown>>): Parameters<typeof isOwnEntry>[0] {
  const { command, args } = raw;
  const url = ['url', 'serverUrl', 'baseUrl', 'httpUrl']
    .map((key) => raw[key])
    .find((each) => typeof each === 'string');
  return {
    ...(typeof command === 'string' && { command }),
    ...(Array.isArray(args) && { args: args.map(String) }),
    ...(url !== undefined && { url }),
  };
}
