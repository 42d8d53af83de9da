/** The error catalog: every failure that Pincer reports has one of these codes. docs/errors.md has a heading per code. */
export const ERROR_CODES = {
  APPROVAL_DENIED: 'A person has denied this call.',
  APPROVAL_PENDING: 'The call needs the approval of a person who has not answered yet.',
  APPROVAL_TOO_LONG: 'The call is too long to show to the person who has to approve it.',
  ARGUMENT_INVALID: 'An argument is not one that the tool or the command accepts.',
  BRIDGE_LOST: 'The connection to the app was lost after the call had been sent.',
  BRIDGE_NOT_CONNECTED: 'The app of this session is not connected.',
  CALL_CANCELLED: 'The caller went away or cancelled.',
  CALL_TIMEOUT: 'The server did not answer before the deadline.',
  CAPABILITY_MISSING: 'The server needs an ability that the client has not declared.',
  CONFIG_INVALID: 'The configuration breaks a rule.',
  CONFIG_UNREADABLE: 'The configuration cannot be read or written.',
  HUB_RUNNING: 'Another hub process owns the state folder.',
  HUB_UNREACHABLE: 'No hub answers at the expected address.',
  INTERNAL: 'Pincer itself failed.',
  OPENCLAW_UNUSABLE: 'OpenClaw is not installed, is too old, or refused.',
  POLICY_DENIED: 'Policy does not let this caller use this tool.',
  PORT_BUSY: 'Another program listens on the port.',
  PROMPT_UNKNOWN: 'No prompt of that name is offered to this caller.',
  RATE_LIMITED: 'Too many requests in a short time.',
  RESOURCE_UNKNOWN: 'No server that this caller may use answers for that URI.',
  SCOPE_NEEDED: 'The server requires more rights than the sign-in granted.',
  SECRET_UNKNOWN: 'The vault has no secret of that name.',
  SERVER_BUSY: 'The server has too much unanswered work.',
  SERVER_DISABLED: 'The server is switched off in the configuration.',
  SERVER_EXISTS: 'A server of that name is configured already.',
  SERVER_GONE: 'The connection to the server was lost after the call had been sent.',
  SERVER_PROTOCOL: 'The server answered something that is not MCP.',
  SERVER_UNKNOWN: 'No server of that name is configured.',
  SERVER_UNREACHABLE: 'The server cannot be started or reached.',
  SESSION_UNKNOWN: 'No session of that id exists, or it has expired.',
  SIGN_IN_FAILED: 'The sign-in could not be completed.',
  SIGN_IN_NEEDED: 'The server requires a sign-in.',
  STATE_INVALID: 'The request state was not issued by Pincer for this request, or it has expired.',
  STORE_DAMAGED: 'A file of the state folder is damaged.',
  STORE_UNWRITABLE: 'A file of the state folder cannot be written.',
  TASK_UNKNOWN: 'No task of that id was started by this caller.',
  TOKEN_INVALID: 'The credential is missing, wrong or revoked.',
  TOKEN_UNREADABLE: 'A token file cannot be read or written.',
  TOOL_ERROR: 'The tool, or its server, answered with an error.',
  TOOL_UNKNOWN: 'No tool of that name is offered to this caller.',
  TOOL_WITHDRAWN: 'The tool has changed since it was accepted, or was never accepted.',
  USAGE: 'The command line is not valid.',
  VAULT_UNREADABLE: 'The vault, or the key that opens it, cannot be read or written.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorDetails {
  /** The next step, as a command or a setting. */
  hint?: string | undefined;
  /** Facts for programs; never a secret. */
  data?: Readonly<Record<string, unknown>> | undefined;
  /** The last line that a server wrote to stderr. For the person who runs the hub, never for callers. */
  lastWords?: string | undefined;
  /** A better hint for that person, hidden from callers. Wins over `lastWords`. */
  ownersHint?: string | undefined;
  cause?: unknown;
}

const BRAND = Symbol.for('pincer.error');
const OWNERS_HINT = Symbol.for('pincer.ownersHint');

/** A failure of Pincer itself. A tool's `isError` result is a value, not a PincerError. */
export class PincerError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'PincerError';
    this.code = code;
    this.hint = details.hint;
    this.data = details.data;
    Object.defineProperty(this, BRAND, { value: true });
    // Not enumerable, so that neither spreading nor JSON shows it to a caller.
    const { lastWords, ownersHint: own = lastWords && `Its last output on stderr: ${lastWords}` } = details;
    if (own !== undefined) Object.defineProperty(this, OWNERS_HINT, { value: own });
  }

  /** Checks the brand, not the class: the hub and a plugin may each have loaded a copy of this module. */
  static is(error: unknown): error is PincerError {
    return typeof error === 'object' && error !== null && BRAND in error;
  }

  static from(error: unknown): PincerError {
    if (PincerError.is(error)) return error;
    return new PincerError('INTERNAL', messageOf(error), { cause: error });
  }
}

/** The hint for the person who runs the hub. A server's last line on stderr helps more than general advice. */
export function ownersHint(error: PincerError): string | undefined {
  for (let each: unknown = error; PincerError.is(each); each = each.cause)
    if (OWNERS_HINT in each) return String(each[OWNERS_HINT]);
  return error.hint;
}

/** The message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether a system call failed with this code, such as `ENOENT`. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

const DOCS_BASE = 'docs/errors.md';

export const docsLink = (code: ErrorCode): string => `${DOCS_BASE}#${code.toLowerCase()}`;
