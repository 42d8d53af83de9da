/** A tool that is not there because a person has yet to accept it: those who may use it are told so. */
import { mayUse } from '../caller.ts';
import type { CatalogServer } from '../catalog/exposed-names.ts';
import { PincerError } from '../errors.ts';
import type { Addressed } from '../call/route.ts';
import { naturalName } from '../catalog/tool-name.ts';
import { visible } from '../visible.ts';
import { acceptCommand } from './accept-command.ts';
import type { HeldTool } from './trust.ts';
import { parseBytes } from '../wire/byte-text.ts';
import { findMember } from '../wire/members.ts';

export interface WithdrawnParts {
  held(): readonly Pick<HeldTool, 'server' | 'tool' | 'why'>[];
  readonly servers: () => readonly CatalogServer[];
}

/** Undefined: no such tool waits, or this caller may not use it. */
export function findWithdrawn(parts: WithdrawnParts, request: Addressed): PincerError | undefined {
  const { method, view, params, caller } = request;
  const raw = findMember(params, 'name');
  if (method !== 'tools/call' || !raw?.startsWith('"')) return undefined;
  const shown = parseBytes(raw) as string;
  const prefixes = new Map(parts.servers().map(({ name, prefix }) => [name, prefix]));
  const found = parts
    .held()
    .find(({ server, tool }) =>
      view === undefined
        ? naturalName(prefixes.get(server) ?? server, tool) === shown
        : view === server && tool === shown,
    );
  if (found === undefined) return undefined;
  const { server, tool, why } = found;
  if (!mayUse(caller.scopes, { server, name: tool, readOnly: false })) return undefined;
  const name = visible(`${server}.${tool}`);
  return new PincerError(
    'TOOL_WITHDRAWN',
    why === 'changed'
      ? `${name} has changed since it was accepted. It was not run.`
      : `${name} has not been accepted yet. It was not run.`,
    { hint: `Ask the person who runs Pincer to look at it: ${acceptCommand(server, tool)}` },
  );
}
