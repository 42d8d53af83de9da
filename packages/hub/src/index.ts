/** The library: what a program needs to run a hub of its own. */
export { runDaemon, type Daemon, type DaemonOptions } from './daemon.ts';
export { PincerError, type ErrorCode } from './core/errors.ts';
export {
  defineCapability,
  type Capability,
  type CapabilityDefinition,
  type Command,
  type CommandContext,
  type Payload,
  type Readiness,
} from './device/registry/capability.ts';
export { CommandFailure, type FailureDetails } from './device/registry/failure.ts';
export { VERSION } from './lib/version.ts';
