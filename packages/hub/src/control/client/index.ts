/** `pincer/client`: for programs that use a hub on this machine, such as the plugin for OpenClaw. */
export { spellName } from '../../core/approvals/spell-string.ts';
export { inChatTerms } from '../../core/chat-terms.ts';
export { closest } from '../../lib/text.ts';
export { PincerError, type ErrorCode } from '../../core/errors.ts';
export { isSecure } from '../../lib/loopback.ts';
export { visible, visibleBlock } from '../../core/visible.ts';
export type { DeviceIdentity } from '../../core/ports.ts';
export { findHub } from '../../owner/hub-file.ts';
export { startChildHub, type ChildHub, type ChildHubOptions } from '../../owner/child-hub.ts';
export { openIdentity } from '../../owner/device-identity.ts';
export type { HubFile } from '../../owner/hub-file.ts';
export { resolveStateFolder } from '../../owner/state-folder.ts';
export type { Credential } from '../../openclaw/find.ts';
export type { Purpose } from '../../openclaw/handshake.ts';
export type { GatewaySocket } from '../../openclaw/socket.ts';
export { VERSION } from '../../lib/version.ts';
export type { ControlRoute } from '../contract/contract.ts';
export type { AskedAhead, AskedQuestion, OpenApproval, TokenReport } from '../contract/people.ts';
export type {
  HeldReport,
  OfferReport,
  ProbeReport,
  ResourceClash,
  ToolDefinition,
  ToolReport,
} from '../contract/servers.ts';
export type { HeldTool, HubStatus, ReportedAuth, ReportedError, ServerReport } from '../contract/status.ts';
export { openGatewaySocket } from './gateway-socket.ts';
export { ask, clientOf, type ControlInput, type HubClient } from './hub-client.ts';
export { heldReason, stateWord } from './state-word.ts';
