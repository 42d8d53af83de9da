import type { Call } from './calls.ts';
import { headerValues } from './header-params.ts';
import type { SourceRequest } from '../request.ts';
import type { Route } from './route.ts';
import { editMembers, findMember, type Member } from '../wire/members.ts';

const READS: ReadonlySet<string> = new Set([
  'prompts/get',
  'resources/read',
  'completion/complete',
  'tasks/get',
]);

/** A call as its source is asked for it; `params` are those of this round. */
// oxlint-disable-next-line max-params -- one call
export function sourceRequest(
  call: Call,
  route: Route,
  params: readonly Member[],
  recheck: SourceRequest['recheck'],
): SourceRequest {
  const { method, meta, era, caller, client, view, mediaBytes } = call;
  const { name, tool } = route;
  const headers =
    tool === undefined || tool.definition.headerParams.length === 0
      ? undefined
      : Object.fromEntries(
          headerValues(tool.definition, findMember(params, 'arguments')).map(({ header, value }) => [
            header,
            value,
          ]),
        );
  const isRepeatable =
    method === 'tools/call'
      ? tool !== undefined && (tool.definition.readOnly || tool.definition.idempotent)
      : READS.has(method);
  return {
    method,
    name,
    params,
    meta,
    era,
    caller,
    client,
    view,
    mediaBytes,
    headers,
    isRepeatable,
    recheck,
  };
}

/** Without what only a round has. */
export const withoutRound = (params: readonly Member[]): readonly Member[] =>
  findMember(params, 'requestState') === undefined && findMember(params, 'inputResponses') === undefined
    ? params
    : editMembers(params, { requestState: undefined, inputResponses: undefined });
