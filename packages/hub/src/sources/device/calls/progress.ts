/** Tells a caller that asked for it how far a command is. */
import type { Exchange, SourceRequest } from '../../../core/request.ts';
import { jsonBytes } from '../../../core/wire/byte-text.ts';
import { findMember, writeMembers } from '../../../core/wire/members.ts';
import type { CommandContext } from '../registry/capability.ts';

/** Progress only grows (MCP, "Progress"): what does not is not told. */
export function progressOf(
  { meta }: Pick<SourceRequest, 'meta'>,
  exchange: Pick<Exchange, 'notify'>,
): CommandContext['progress'] {
  const progressToken = findMember(meta, 'progressToken');
  if (progressToken === undefined) return () => undefined;
  let last = -1;
  return (progress, total, message) => {
    if (!(progress > last)) return;
    last = progress;
    const said = { progress, total, message };
    exchange.notify(
      'notifications/progress',
      writeMembers([], {
        progressToken,
        ...Object.fromEntries(
          Object.entries(said).flatMap(([key, value]) =>
            value === undefined ? [] : [[key, jsonBytes(value)]],
          ),
        ),
      }),
    );
  };
}
