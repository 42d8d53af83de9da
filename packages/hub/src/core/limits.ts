import { APP_LIMITS } from './app-limits.ts';
import { DEVICE_LIMITS } from './device-limits.ts';

/** Every limit in one place. A setting of the same name under `limits` in the configuration overrides it. */
export const DEFAULT_LIMITS = {
  /** Largest body or line on `/mcp*` and stdio, and largest message of an upstream. */
  maxMessageBytes: 96 * 1024 * 1024,
  /** A body must have arrived within this time. */
  bodyTimeoutMs: 30_000,
  /** Calls that may run at once on `/mcp*`, in all and per credential. */
  maxCalls: 256,
  maxCallsPerCredential: 64,
  /** The same on `/`, which is this machine alone, and its largest body. */
  maxDeviceCalls: 8,
  maxDeviceMessageBytes: 4 * 1024 * 1024,
  /** How long a request waits for a free slot before 503. */
  slotWaitMs: 50,
  /** A call that has been silent this long gets its answer as a stream, with a sign of life this often. */
  keepAliveMs: 15_000,
  /** Unsent bytes towards one slow client above which progress is dropped; answers never are. */
  maxUnsentToClientBytes: 1024 * 1024,
  /** Unread bytes in a child's pipe above which further calls wait. */
  maxUnsentToServerBytes: 16 * 1024 * 1024,
  /** Legacy sessions per credential; the one that was idle longest makes room. */
  maxSessionsPerCredential: 1_000,
  sessionTtlMs: 60 * 60_000,
  /** Connections of one server besides the shared ones: `isolation`, and clients that can be asked something. Over HTTP, eight times as many. */
  maxOwnConnections: 16,
  ownConnectionIdleMs: 5 * 60_000,
  /** Pages and entries taken from each list of one server: tools, and likewise prompts, resources and templates. */
  maxToolPages: 64,
  maxToolsPerServer: 5_000,
  /** What is kept of one server, in bytes: the definitions of all its lists, and what it says of itself. */
  maxCatalogBytes: 8 * 1024 * 1024,
  /** Entries on one page of a list that Pincer shows. */
  listPageSize: 1_000,
  /** How long a list or a call waits for a server that has never been heard. */
  listWaitMs: 5_000,
  /** Last bytes of a child's stderr that are kept for `status`. */
  stderrTailBytes: 64 * 1024,
  /** A background hub without clients or calls ends after this time. */
  idleExitMs: 5 * 60_000,
  /** Questions of servers that one client has not answered yet. */
  maxQuestions: 64,
  /** Streams that one credential may keep open at once: legacy GETs and `subscriptions/listen`. OpenClaw opens one for each of up to 256 conversations. */
  maxStreamsPerCredential: 512,
  /** What is kept of one legacy session's streams for a client that comes back with `Last-Event-ID`. */
  maxReplayEvents: 1_000,
  maxReplayBytes: 4 * 1024 * 1024,
  /** The same for all sessions together. */
  maxReplayBytesInAll: 64 * 1024 * 1024,
  /** How long a call goes on whose stream was cut off, and how long the end of a stream can be asked for again. */
  resumeWaitMs: 60_000,
  /** How long a client may think about a question of a server; the server's own deadline rests meanwhile. */
  questionTimeoutMs: 10 * 60_000,
  /** Calls of one credential that wait for a modern client to come back with answers. */
  maxParkedCalls: 64,
  /** No call takes longer at its server, however often that reports progress; `requestTimeoutMs` may be longer. */
  maxCallMs: 60 * 60_000,
  /** How often a web server is asked whether it is still there; after sleep, a dead stream is noticed this soon. */
  heartbeatMs: 30_000,
  /** How long a server that asks to be left alone (`Retry-After`) is, at most. */
  maxRetryAfterMs: 60_000,
  /** A request that it refused for no longer than this is held back and sent once more; others end with a hint. */
  retryInPlaceMs: 5_000,
  /** A server whose tools are known starts this long after the hub: who lists them then need not wait for starts. */
  knownStartMs: 1_000,
  /** A server with `start: lazy` that nobody has used for so long is stopped until it is needed again. */
  serverIdleMs: 10 * 60_000,
  /** How long calls under way may go on at a server whose configuration has changed. */
  drainMs: 30_000,
  /** How long a person may think about a call before it ends; the question stays open. */
  approvalWaitMs: 45_000,
  /** How long a decision holds for the same call. */
  approvalTtlMs: 10 * 60_000,
  /** How long a question that nobody has answered stays open. */
  approvalOpenMs: 24 * 60 * 60_000,
  /** Open questions to a person; the oldest of the caller that has most of them makes room. */
  maxApprovals: 1_000,
  /** Bytes of a call that a person can be asked about. It is shown in full; a longer one is refused. */
  maxApprovalBytes: 1024 * 1024,
  /** Bytes of all open questions; the oldest of the caller that has most of them makes room. */
  maxOpenApprovalBytes: 16 * 1024 * 1024,
  /** Bytes of a question that the client itself is asked (elicitation). A longer one can only be denied there. */
  maxApprovalFormBytes: 4 * 1024,
  /** Characters of one description that are shown to callers. */
  maxDescriptionChars: 16_384,
  /** With `toolSurface: auto`, a list of tools that is longer than so many tokens is searched instead of shown. */
  toolSurfaceTokens: 20_000,
  /** How long somebody may take to sign in before the link is worth nothing. */
  signInMs: 10 * 60_000,
  /** Of each document that is asked for while somebody signs in: how long it may take, and how large it may be. */
  signInDocumentMs: 5_000,
  maxSignInDocumentBytes: 256 * 1024,
  /** Images and files of one order to OpenClaw. Of media the bytes are counted, not their base64. */
  maxImages: 10,
  maxFiles: 5,
  /** Of each of them, of all of one order, and of all orders that are on their way at once. */
  maxMediaBytes: 15 * 1024 * 1024,
  maxMediaBytesInAll: 64 * 1024 * 1024,
  maxMediaBytesAtOnce: 128 * 1024 * 1024,
  /**
   * Of an image that has to be scaled down. A file of 38 bytes can say that it has a hundred million of them, and each takes
   * up to six bytes of memory. What cameras make of more is larger than what may be sent.
   */
  maxImagePixels: 64_000_000,
  /** How long an image may take to be scaled down. */
  maxScaleMs: 60_000,
  /** How long a gateway of OpenClaw may be away while it works on an order. */
  gatewayAwayMs: 120_000,
  /** How long an order that OpenClaw itself runs waits for another program to let go of its state. */
  openClawBusyMs: 5 * 60_000,
  /** Of each image, sound or file of OpenClaw's answer. */
  maxReplyItemBytes: 20 * 1024 * 1024,
  /** Of the answer: its text and all that comes with it. */
  maxReplyBytes: 50 * 1024 * 1024,
  /** The longest line that a client's reader takes: the official SDK's over a pipe stops here. The rest is read as resources. */
  maxReplyLineBytes: 10 * 1024 * 1024,
  /** What is kept of answers to be read as resources, and for how long. */
  maxShelfBytes: 100 * 1024 * 1024,
  shelfTtlMs: 60 * 60_000,
  /** How long a client is expected to wait: an order that takes longer goes on, for clients that can come back for it. */
  orderPatienceMs: 50_000,
  /** Orders of one caller that go on or can be fetched, and for how long one can be that has ended. */
  maxOrders: 100,
  orderTtlMs: 60 * 60_000,
  /** Of all their answers; the order that ended first makes room. The last one stays, however large its answer is. */
  maxOrderBytes: 100 * 1024 * 1024,
  /** Bytes of a call's arguments that are kept, redacted, for the log. */
  maxAuditBytes: 2_048,
  ...APP_LIMITS,
  ...DEVICE_LIMITS,
} as const;

export type Limits = { readonly [K in keyof typeof DEFAULT_LIMITS]: number };
