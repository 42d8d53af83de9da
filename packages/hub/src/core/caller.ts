/** The identity behind a request. Derived from the credential alone, never from a header or field the client fills in. */
export interface Caller {
  readonly id: string;
  readonly name: string;
  readonly scopes: Scopes;
  /** What a paired gateway states about this call. The client cannot set it. */
  readonly openClaw?: OpenClawWord | undefined;
}

/** The agent and session that OpenClaw calls for, and whether a person approved the call there. */
export interface OpenClawWord {
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly approved?: 'allow-once' | 'allow-always' | undefined;
}

/** The source name of OpenClaw's own agent. Reserved: no server may have it. */
export const AGENT_SOURCE = 'agent';

/** The source name of this machine. Reserved: no server may have it. */
export const DEVICE_SOURCE = 'device';

/** Id and name of the caller with the state folder's token: the person at this machine. */
export const LOCAL_CALLER = 'local';

export interface Scopes {
  /** Servers this caller may use; absent: all. */
  readonly servers?: readonly string[] | undefined;
  /** Tools as `server.tool`, a trailing `*` matches the rest; absent: all. */
  readonly tools?: readonly string[] | undefined;
  /** Only tools marked `readOnlyHint: true`. */
  readonly readOnly?: boolean | undefined;
  /** The client's answer to an elicitation counts as the person's decision on an approval. */
  readonly approve?: boolean | undefined;
  /**
   * Set for OpenClaw's own client. It allows 1.5 seconds for a list and asks for no progress. So its lists never wait,
   * and the hub asks for progress itself: a tool that reports progress does not time out.
   */
  readonly openClaw?: boolean | undefined;
  /** Set when the caller is a model run by OpenClaw, as far as its program tells. It may not use the agent source. */
  readonly noOrders?: boolean | undefined;
}

export interface ScopedTool {
  readonly server: string;
  readonly name: string;
  readonly readOnly: boolean;
}

/** Prevents a loop: an agent of OpenClaw that gives orders to OpenClaw would never finish. */
const isOrderToItself = (scopes: Scopes, server: string): boolean =>
  (scopes.openClaw === true || scopes.noOrders === true) && server === AGENT_SOURCE;

export function mayUse(scopes: Scopes, tool: ScopedTool): boolean {
  if (isOrderToItself(scopes, tool.server)) return false;
  if (scopes.servers !== undefined && !scopes.servers.includes(tool.server)) return false;
  if (scopes.readOnly === true && !tool.readOnly) return false;
  return (
    scopes.tools === undefined ||
    scopes.tools.some((pattern) => matches(pattern, `${tool.server}.${tool.name}`))
  );
}

const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/**
 * Whether a caller may use what a server has besides tools: prompts, resources and the rest. A caller limited to
 * named tools may not, because no one granted these.
 */
export const mayUseServer = (scopes: Scopes, server: string): boolean =>
  !isOrderToItself(scopes, server) &&
  scopes.tools === undefined &&
  (scopes.servers === undefined || scopes.servers.includes(server));

/** Whether a caller could use anything of a server, for any possible offer. */
export function mayUseSomeOf(scopes: Scopes, server: string): boolean {
  const { servers, tools } = scopes;
  if (isOrderToItself(scopes, server)) return false;
  if (servers !== undefined && !servers.includes(server)) return false;
  const own = `${server}.`;
  const reaches = (pattern: string): boolean =>
    pattern.startsWith(own) || (pattern.endsWith('*') && own.startsWith(pattern.slice(0, -1)));
  return tools === undefined || tools.some(reaches);
}
