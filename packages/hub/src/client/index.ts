/** `pincer/client`: for programs that use a hub which runs on this machine, such as the plugin for OpenClaw. */
export type { OpenApproval } from '../core/approvals/approvals.ts';
export type { Clash as ResourceClash } from '../core/catalog/resource-index.ts';
export { closest } from '../core/closest.ts';
export { PincerError, type ErrorCode } from '../core/errors.ts';
export { isSecure } from '../core/loopback.ts';
export { visible, visibleBlock } from '../core/visible.ts';
export { findHub } from '../owner/attach.ts';
export { startChildHub, type ChildHub, type ChildHubOptions } from '../owner/child-hub.ts';
export type { HubFile } from '../owner/hub-file.ts';
export { resolveStateFolder } from '../owner/state-folder.ts';
export { VERSION } from '../version.ts';
export type { AskedAhead, AskedQuestion } from './asked-ahead.ts';
export { heldTools, type HeldReport } from './held-tools.ts';
export { ask, clientOf, type ControlAction, type ControlInput, type HubClient } from './hub-client.ts';
export type { OfferReport, ProbeReport } from './offer-report.ts';
export { stateWord } from './state-word.ts';
export type { HeldTool, HubStatus, ReportedAuth, ReportedError, ServerReport } from './status.ts';
export type { ToolDefinition, ToolReport } from './tool-report.ts';
