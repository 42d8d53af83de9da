/** A person may have taken their time: what they have allowed must still be what would run. */
import { canonicalDefinition } from '../trust/canonical-definition.ts';
import type { Call, CallsParts } from '../call/calls.ts';
import { PincerError } from '../errors.ts';
import { findRoute, unknownTarget, type Route } from '../call/route.ts';
import { visible } from '../visible.ts';

/** Undefined: nothing has changed that matters. */
export function changedMeanwhile(parts: CallsParts, call: Call, route: Route): PincerError | undefined {
  const now = findRoute(parts, call);
  if (now === undefined) return parts.withdrawn?.(call) ?? unknownTarget(call);
  if (now.server === route.server && now.name === route.name && isSameTool(now, route)) return undefined;
  return new PincerError(
    'TOOL_WITHDRAWN',
    `${visible(`${route.server}.${route.name}`)} has changed while a person was asked about it. It was not run.`,
    { hint: 'Ask for the list of tools again, then send the call again: it needs another approval.' },
  );
}

function isSameTool({ tool: now }: Route, { tool: then }: Route): boolean {
  if (now === undefined || then === undefined) return now === then;
  if (now.definition.raw === then.definition.raw) return true;
  return canonicalDefinition(now.definition.raw) === canonicalDefinition(then.definition.raw);
}
