/** The library: what a program needs to run a hub of its own. */
export { runDaemon, type Daemon, type DaemonOptions } from './daemon.ts';
export { PincerError, type ErrorCode } from './core/errors.ts';
export { VERSION } from './version.ts';
