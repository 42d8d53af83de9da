/** Who asks. Derived from the credential alone, never from a header or field that the caller fills in. */
export interface Caller {
  readonly id: string;
  readonly name: string;
  readonly scopes: Scopes;
  /** What a paired gateway says of this very call; never something that the caller fills in. */
  readonly openClaw?: OpenClawWord | undefined;
}

/** For whom OpenClaw asks, and whether a person has allowed it there. */
export interface OpenClawWord {
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly approved?: 'allow-once' | 'allow-always' | undefined;
}

/** The source that is OpenClaw's own agent: the name of no server. */
export const AGENT_SOURCE = 'agent';

/** The source that is this machine: the name of no server. */
export const DEVICE_SOURCE = 'device';

/** The id and the name of whoever comes with the token of the state folder: the person at this machine. */
export const LOCAL_CALLER = 'local';

export interface Scopes {
  /** Servers that may be used; absent: all. */
  readonly servers?: readonly string[] | undefined;
  /** Tools as `server.tool`, a trailing `*` matches the rest; absent: all. */
  readonly tools?: readonly string[] | undefined;
  /** Only tools whose definition says `readOnlyHint: true`. */
  readonly readOnly?: boolean | undefined;
  /** What its client says to an elicitation counts as the answer of the person who approves calls. */
  readonly approve?: boolean | undefined;
  /**
   * OpenClaw's own client: it gives a list 1.5 seconds and asks for no progress. Its lists never wait, and the hub asks for
   * progress in its place, so that a tool that reports keeps its time.
   */
  readonly openClaw?: boolean | undefined;
  /** A model that OpenClaw runs, as far as its program says so: it orders nothing from OpenClaw. */
  readonly noOrders?: boolean | undefined;
}

export interface ScopedTool {
  readonly server: string;
  readonly name: string;
  readonly readOnly: boolean;
}

/** An agent of OpenClaw's that orders something from OpenClaw would never come to an end. */
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
 * Whether a caller may use what a server has besides tools: prompts, resources and the rest. One that is confined to
 * named tools may not: nobody has said that these are meant too.
 */
export const mayUseServer = (scopes: Scopes, server: string): boolean =>
  !isOrderToItself(scopes, server) &&
  scopes.tools === undefined &&
  (scopes.servers === undefined || scopes.servers.includes(server));

/** Whether there can be anything of a server that a caller may use, whatever it offers. */
export function mayUseSomeOf(scopes: Scopes, server: string): boolean {
  const { servers, tools } = scopes;
  if (isOrderToItself(scopes, server)) return false;
  if (servers !== undefined && !servers.includes(server)) return false;
  const own = `${server}.`;
  const reaches = (pattern: string): boolean =>
    pattern.startsWith(own) || (pattern.endsWith('*') && own.startsWith(pattern.slice(0, -1)));
  return tools === undefined || tools.some(reaches);
}
