/**
 * The types of OpenClaw 2026.9.6 that this plugin uses. They are written here, because the host's package has 650 MB and
 * its types are experimental. The suite in test/openclaw runs all of them on the real host.
 */

export interface Logger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** The configuration file as an object, checked by the host. */
export type HostConfig = Readonly<Record<string, unknown>>;

export interface HostConfigFile {
  /** The configuration in force. The file may be newer. */
  current(): HostConfig;
  mutateConfigFile(change: {
    readonly afterWrite: { readonly mode: 'auto' };
    /** Without it, the host refuses a write that removes more than half of the file. */
    readonly writeOptions?: { readonly allowConfigSizeDrop: boolean };
    mutate(draft: Record<string, unknown>): void;
  }): Promise<unknown>;
}

export interface HostApi {
  /** Where the plugin is installed. The running code is a copy elsewhere. */
  readonly rootDir?: string;
  /** `full` runs services and commands; other modes only list them. */
  readonly registrationMode: string;
  readonly config: HostConfig;
  readonly pluginConfig?: Readonly<Record<string, unknown>>;
  readonly logger: Logger;
  readonly runtime: {
    readonly config: HostConfigFile;
    /** The state folder of this OpenClaw. */
    readonly state: { resolveStateDir(): string };
  };
  registerService(service: HostService): void;
  registerCommand(command: HostCommand): void;
  registerTool(create: () => HostTool, options: { readonly name: string }): void;
  registerCli(
    register: (context: CliContext) => void,
    options: { readonly descriptors: readonly CliDescriptor[] },
  ): void;
  registerMcpServerConnectionResolver(resolver: ConnectionResolver): void;
  on<Name extends keyof HostHooks>(name: Name, hook: HostHooks[Name]): void;
}

export interface HostService {
  readonly id: string;
  start(): void;
  stop(): void;
}

export interface HostCommand {
  readonly name: string;
  readonly description: string;
  readonly acceptsArgs: boolean;
  /** Required of gateway clients; on channels the sender must be an owner. Without scopes, the host does not tell whether the sender is the owner. */
  readonly requiredScopes?: readonly string[];
  handler(context: CommandContext): Promise<{ readonly text: string }>;
}

export interface CommandContext {
  readonly args?: string;
  readonly channel: string;
  readonly accountId?: string;
  readonly senderId?: string;
  readonly senderIsOwner?: boolean;
}

export interface HostTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: object;
  execute(id: string, params: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}

export interface ToolAnswer {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly details: object;
}

export interface CliContext {
  /** A `Command` of commander. */
  readonly program: CliCommand;
}

export interface CliCommand {
  command(nameAndArguments: string): CliCommand;
  description(text: string): CliCommand;
  allowUnknownOption(): CliCommand;
  allowExcessArguments(): CliCommand;
  helpOption(flags: false): CliCommand;
  action(run: (...args: unknown[]) => void | Promise<void>): CliCommand;
}

export interface CliDescriptor {
  readonly name: string;
  readonly description: string;
  readonly hasSubcommands: boolean;
  /** Whether stdout is for a program: then the host prints nothing of its own there. */
  machineOutput?(input: { readonly argv: readonly string[]; readonly stdoutIsTTY: boolean }): boolean;
}

/** Runs without a known sender get no connection at all. */
export interface ConnectionResolver {
  readonly serverName: string;
  resolve(context: {
    readonly requesterSenderId: string;
    readonly messageChannel?: string;
    readonly agentAccountId?: string;
  }): Promise<{ readonly url: string; readonly headers?: Readonly<Record<string, string>> } | null>;
}

export interface HostHooks {
  before_tool_call(
    event: { readonly toolName: string; readonly params: Readonly<Record<string, unknown>> },
    context: {
      readonly agentId?: string;
      readonly sessionKey?: string;
      readonly abortSignal?: AbortSignal;
      /** The sender of the message, if it came over a channel. */
      readonly requester?: {
        readonly channel?: string;
        readonly accountId?: string;
        readonly senderId?: string;
      };
    },
  ): Promise<ToolCallRuling | undefined>;
  /** Only with `plugins.entries.mcp-client.hooks.allowConversationAccess: true`. */
  before_prompt_build(
    event: unknown,
    context: { readonly agentId?: string },
  ): Promise<PromptAddition | undefined>;
}

export interface ToolCallRuling {
  readonly block?: boolean;
  readonly blockReason?: string;
  readonly requireApproval?: ApprovalRequest;
}

export interface ApprovalRequest {
  readonly title: string;
  readonly description: string;
  readonly severity?: 'info' | 'warning' | 'critical';
  readonly timeoutMs?: number;
  readonly timeoutReason?: string;
  readonly allowedDecisions?: readonly ('allow-once' | 'allow-always' | 'deny')[];
  onResolution?(decision: ApprovalResolution): Promise<void>;
}

export type ApprovalResolution = 'allow-once' | 'allow-always' | 'deny' | 'timeout' | 'cancelled';

export interface PromptAddition {
  /** Added after the system prompt, where providers cache it. */
  readonly appendSystemContext: string;
}
