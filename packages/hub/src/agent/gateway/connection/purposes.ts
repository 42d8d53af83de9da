/** What the connections to a gateway are for. */
import { OPERATOR, type Purpose } from '../../../openclaw/handshake.ts';

/**
 * What `openclaw agent` has as well. Only an administrator may say that a message is not to be read as a command, and
 * without that `/new` in a message would be one. Without the capability, nothing is told of tools.
 */
export const ORDERS: Purpose = {
  ...OPERATOR,
  scopes: ['operator.read', 'operator.write', 'operator.admin'],
  caps: ['tool-events'],
};

/**
 * To answer for a person. Whoever is no administrator is asked about runs that the same device has begun, and about no
 * others. Had the connection of orders these capabilities, OpenClaw would take it for somebody who answers for all
 * runs, those of channels included, and wait half an hour for that where it refuses at once.
 */
export const APPROVALS: Purpose = {
  ...OPERATOR,
  scopes: ['operator.approvals'],
  caps: ['exec-approvals', 'plugin-approvals'],
};
