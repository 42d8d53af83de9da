/**
 * What a person is not shown is not sent either. Clients write into `_meta` what names one attempt of a call (Claude
 * Code `claudecode/toolUseId`, Codex `callId`, `itemId` and more): if an approval were for that as well, no call that
 * is sent again would be the one that was allowed.
 */
import type { Call } from './calls.ts';
import type { Route } from './route.ts';
import { ENVELOPE_META_KEYS } from '../protocol.ts';
import { editMembers, writeMembers } from '../wire/members.ts';

/** What the protocol itself says of a request: its progress, its era, its trace. */
const KEPT: ReadonlySet<string> = new Set([
  'progressToken',
  'traceparent',
  'tracestate',
  ...ENVELOPE_META_KEYS,
]);

interface Asked {
  readonly call: Call;
  readonly route: Route;
}

export function withoutUnseen({ call, route }: Asked): Asked {
  const meta = call.meta.filter(({ key }) => KEPT.has(key));
  if (meta.length === call.meta.length) return { call, route };
  const params = editMembers(route.params, { _meta: meta.length === 0 ? undefined : writeMembers(meta) });
  return { call: { ...call, meta }, route: { ...route, params } };
}
