/** The request that gives an agent a text as a person's, byte for byte. No method of the gateway does that for every text. */
export interface Attachment {
  readonly type: 'image' | 'file';
  readonly mimeType: string;
  readonly fileName: string;
  /** Base64. */
  readonly content: string;
}

export interface Order {
  readonly message: string;
  /** Of `sessionKeyFor`. */
  readonly sessionKey: string;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly agentId?: string | undefined;
  /** Whether a message such as `/status` is a command of OpenClaw's. */
  readonly commands?: boolean | undefined;
}

export interface TurnRequest {
  readonly method: 'chat.send' | 'agent';
  readonly params: object;
}

export function requestFor(order: Order, runId: string): TurnRequest {
  const { message, sessionKey, attachments = [], agentId, commands = false } = order;
  const params = {
    message,
    sessionKey,
    // Sent twice it runs once, and its name is the name of the run.
    idempotencyKey: runId,
    ...(attachments.length > 0 && { attachments }),
    ...(agentId !== undefined && { agentId }),
  };
  // What `agent` answers with has no files in it, so that it comes second.
  if (!commands && !isKeptByChat(message) && isKeptByAgent(message)) return { method: 'agent', params };
  return {
    method: 'chat.send',
    params: {
      ...params,
      ...(!commands && { suppressCommandInterpretation: true }),
      // By default it would go into a turn that somebody else has begun.
      queueMode: 'followup',
    },
  };
}

// oxlint-disable-next-line no-control-regex -- these are what OpenClaw drops
const DROPPED = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/;

/** `chat.send` brings a text into one normal form and drops control characters. */
const isKeptByChat = (message: string): boolean =>
  !DROPPED.test(message) && message.normalize('NFC') === message;

const RESET = /^\/(new|reset)(\s|$)/i;

/** `agent` drops white space around a text, and resets the conversation on two commands. */
const isKeptByAgent = (message: string): boolean => message.trim() === message && !RESET.test(message);
