/**
 * `run/hub.json`: where the hub that owns a state folder can be reached, and which process it is. Every client command
 * starts here, so it must import little.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../lib/record.ts';
import { processStart } from './process-identity.ts';
import { runFolder, writeFileAtomically } from './state-folder.ts';

export interface HubEndpoints {
  readonly mcp: string;
  readonly control: string;
  readonly health: string;
  /** This machine as its own MCP server, if it is offered. */
  readonly device?: string;
  /** The app proxy, if it runs. */
  readonly proxy?: string;
}

export interface HubFile {
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Identity of the process (process-identity.ts): a later process with the same id has another one. */
  readonly processStart: string;
  readonly version: string;
  readonly mode: 'foreground' | 'background';
  readonly endpoints: HubEndpoints;
}

export const hubFilePath = (home: string): string => join(runFolder(home), 'hub.json');

/** The file for the calling process. */
export const describeThisHub = (facts: Pick<HubFile, 'version' | 'mode' | 'endpoints'>): HubFile => ({
  pid: process.pid,
  startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
  processStart: processStart(process.pid) ?? '',
  ...facts,
});

/** Only the holder of the lease writes and removes the file, and it removes it before it releases the lease. */
export const writeHubFile = (home: string, hubFile: HubFile): void =>
  writeFileAtomically(hubFilePath(home), `${JSON.stringify(hubFile, undefined, 2)}\n`);

export const removeHubFile = (home: string): void => rmSync(hubFilePath(home), { force: true });

// Checked by hand: a schema library costs a client command more time than everything else here together.
const isHubFile = (value: unknown): value is HubFile =>
  isRecord(value) &&
  Number.isSafeInteger(value['pid']) &&
  typeof value['startedAt'] === 'string' &&
  typeof value['processStart'] === 'string' &&
  typeof value['version'] === 'string' &&
  (value['mode'] === 'foreground' || value['mode'] === 'background') &&
  isRecord(value['endpoints']) &&
  typeof value['endpoints']['mcp'] === 'string' &&
  typeof value['endpoints']['control'] === 'string' &&
  typeof value['endpoints']['health'] === 'string';

/** Returns undefined if the file is absent or damaged. */
export function readHubFile(home: string): HubFile | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(hubFilePath(home), 'utf8'));
    return isHubFile(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote the file still runs. A later process under the same id does not count. */
export const isAlive = (hubFile: HubFile): boolean =>
  hubFile.processStart !== '' && processStart(hubFile.pid) === hubFile.processStart;

/** Finds the hub of a state folder. Undefined if none runs. Does not ask the hub whether it is well. */
export function findHub(home: string): HubFile | undefined {
  const hubFile = readHubFile(home);
  return hubFile !== undefined && isAlive(hubFile) ? hubFile : undefined;
}
