import type { Log } from '../core/ports.ts';
import { acceptCommand } from '../core/trust/accept-command.ts';
import type { Trust } from '../core/trust/trust.ts';

/** The log says which tools are withdrawn, and how they come back. */
export const tellHeld =
  (log: Log): Parameters<Trust['onHeld']>[0] =>
  (held) => {
    for (const { server, tool, why } of held)
      log.warn(`${server}.${tool} is withdrawn until it is accepted: ${acceptCommand(server, tool)}`, {
        why,
      });
  };
