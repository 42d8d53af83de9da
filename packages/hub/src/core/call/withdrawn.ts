/** A tool that is not there because a person has yet to accept it: those who may use it are told so. */
import { mayUse } from '../caller.ts';
import type { CatalogReader } from '../catalog/catalog.ts';
import { PincerError } from '../errors.ts';
import type { Addressed } from './route.ts';
import { visible } from '../visible.ts';
import { acceptCommand } from '../trust/accept-command.ts';
import type { HeldTool } from '../trust/trust.ts';
import { parseBytes } from '../wire/byte-text.ts';
import { findMember } from '../wire/members.ts';

export interface WithdrawnParts {
  readonly catalog: Pick<CatalogReader, 'withheld'>;
  held(server: string): readonly Pick<HeldTool, 'tool' | 'why'>[];
}

/** Undefined: no such tool waits, or this caller may not use it. */
export function findWithdrawn(parts: WithdrawnParts, request: Addressed): PincerError | undefined {
  const { method, view, params, caller } = request;
  const raw = findMember(params, 'name');
  if (method !== 'tools/call' || !raw?.startsWith('"')) return undefined;
  const found = parts.catalog.withheld(view, parseBytes(raw) as string);
  if (found === undefined || !mayUse(caller.scopes, { ...found, readOnly: false })) return undefined;
  const { server, name: tool } = found;
  const why = parts.held(server).find((each) => each.tool === tool)?.why;
  const name = visible(`${server}.${tool}`);
  return new PincerError(
    'TOOL_WITHDRAWN',
    why === 'changed'
      ? `${name} has changed since it was accepted. It was not run.`
      : `${name} has not been accepted yet. It was not run.`,
    { hint: `Ask the person who runs Pincer to look at it: ${acceptCommand(server, tool)}` },
  );
}
