/** Exit codes of all commands. Scripts depend on them: never renumber. */
import type { ErrorCode } from '../core/errors.ts';

export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  signInNeeded: 3,
  unreachable: 4,
  toolError: 5,
  denied: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The names of the exit codes in `--json`. */
export const EXIT_TYPES: Readonly<Record<ExitCode, string>> = {
  0: 'ok',
  1: 'failure',
  2: 'usage',
  3: 'sign_in_needed',
  4: 'unreachable',
  5: 'tool_error',
  6: 'denied',
  130: 'interrupted',
};

const BY_ERROR: Readonly<Record<ErrorCode, ExitCode>> = {
  APPROVAL_DENIED: EXIT.denied,
  APPROVAL_PENDING: EXIT.denied,
  APPROVAL_TOO_LONG: EXIT.denied,
  ARGUMENT_INVALID: EXIT.usage,
  BRIDGE_LOST: EXIT.unreachable,
  BRIDGE_NOT_CONNECTED: EXIT.unreachable,
  CALL_CANCELLED: EXIT.interrupted,
  CALL_TIMEOUT: EXIT.unreachable,
  CAPABILITY_MISSING: EXIT.failure,
  CONFIG_INVALID: EXIT.failure,
  CONFIG_UNREADABLE: EXIT.failure,
  HUB_RUNNING: EXIT.failure,
  HUB_UNREACHABLE: EXIT.unreachable,
  INTERNAL: EXIT.failure,
  OPENCLAW_UNUSABLE: EXIT.failure,
  POLICY_DENIED: EXIT.denied,
  PORT_BUSY: EXIT.failure,
  PROMPT_UNKNOWN: EXIT.usage,
  RATE_LIMITED: EXIT.failure,
  RESOURCE_UNKNOWN: EXIT.usage,
  SCOPE_NEEDED: EXIT.signInNeeded,
  SECRET_UNKNOWN: EXIT.usage,
  SERVER_BUSY: EXIT.failure,
  SERVER_DISABLED: EXIT.unreachable,
  SERVER_EXISTS: EXIT.failure,
  SERVER_GONE: EXIT.unreachable,
  SERVER_PROTOCOL: EXIT.failure,
  SERVER_UNKNOWN: EXIT.usage,
  SERVER_UNREACHABLE: EXIT.unreachable,
  SESSION_UNKNOWN: EXIT.usage,
  SIGN_IN_FAILED: EXIT.signInNeeded,
  SIGN_IN_NEEDED: EXIT.signInNeeded,
  STATE_INVALID: EXIT.failure,
  STORE_DAMAGED: EXIT.failure,
  STORE_UNWRITABLE: EXIT.failure,
  TASK_UNKNOWN: EXIT.usage,
  TOKEN_INVALID: EXIT.failure,
  TOKEN_UNREADABLE: EXIT.failure,
  TOOL_ERROR: EXIT.toolError,
  TOOL_UNKNOWN: EXIT.usage,
  TOOL_WITHDRAWN: EXIT.denied,
  USAGE: EXIT.usage,
  VAULT_UNREADABLE: EXIT.failure,
};

export const exitCodeOf = (code: ErrorCode): ExitCode => BY_ERROR[code];
