/** The library: everything a program needs to run its own hub. */
export { runDaemon, type Daemon, type DaemonOptions } from './daemon.ts';
export { PincerError, type ErrorCode } from './core/errors.ts';
export {
  CommandFailure,
  defineCapability,
  type Capability,
  type CapabilityDefinition,
  type Command,
  type CommandContext,
  type FailureDetails,
  type Payload,
  type Readiness,
} from './device/registry/capability.ts';
export { VERSION } from './lib/version.ts';
