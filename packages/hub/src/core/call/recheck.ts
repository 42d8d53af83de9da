/** A call that had to wait, for a person or for its server: what would run must still be what was called. */
import { canonicalDefinition } from '../trust/canonical-definition.ts';
import type { Call, CallsParts } from './calls.ts';
import { PincerError } from '../errors.ts';
import { findRoute, unknownTarget, type Route } from './route.ts';
import { visible } from '../visible.ts';

/** Undefined: it leads where it led. */
export function lostMeanwhile(parts: CallsParts, call: Call, route: Route): PincerError | undefined {
  const now = findRoute(parts, call);
  if (now === undefined) return parts.withdrawn?.(call) ?? unknownTarget(call);
  return now.server === route.server && now.name === route.name ? undefined : changed(route);
}

/** Undefined: nothing has changed that matters to the person who allowed it. */
export function changedMeanwhile(parts: CallsParts, call: Call, route: Route): PincerError | undefined {
  const now = findRoute(parts, call);
  if (now === undefined) return parts.withdrawn?.(call) ?? unknownTarget(call);
  if (now.server === route.server && now.name === route.name && isSameTool(now, route)) return undefined;
  return changed(route);
}

const changed = ({ server, name }: Route): PincerError =>
  new PincerError(
    'TOOL_WITHDRAWN',
    `${visible(`${server}.${name}`)} has changed while the call waited. It was not run.`,
    { hint: 'Ask for the list of tools again, then send the call again.' },
  );

function isSameTool({ tool: now }: Route, { tool: then }: Route): boolean {
  if (now === undefined || then === undefined) return now === then;
  if (now.definition.raw === then.definition.raw) return true;
  return canonicalDefinition(now.definition.raw) === canonicalDefinition(then.definition.raw);
}
