import { APP_LIMITS } from './app-limits.ts';
import { DEVICE_LIMITS } from './device-limits.ts';

/** Every limit in one place. A setting of the same name under `limits` in the configuration overrides it. */
export const DEFAULT_LIMITS = {
  /** Largest body or line on `/mcp*` and stdio, and largest message from a server. */
  maxMessageBytes: 96 * 1024 * 1024,
  /** A body must have arrived within this time. */
  bodyTimeoutMs: 30_000,
  /** Calls that may run at once on `/mcp*`, in all and per credential. */
  maxCalls: 256,
  maxCallsPerCredential: 64,
  /** The same on `/`, which serves only this machine, and its largest body. */
  maxDeviceCalls: 8,
  maxDeviceMessageBytes: 4 * 1024 * 1024,
  /** How long a request waits for a free slot before 503. */
  slotWaitMs: 50,
  /** A call silent for this long gets its answer as a stream, with a keep-alive at this interval. */
  keepAliveMs: 15_000,
  /** Unsent bytes to one slow client above which progress is dropped. Answers are never dropped. */
  maxUnsentToClientBytes: 1024 * 1024,
  /** Unread bytes in a child's pipe above which further calls wait. */
  maxUnsentToServerBytes: 16 * 1024 * 1024,
  /** Legacy sessions per credential. The session idle for longest is removed to make room. */
  maxSessionsPerCredential: 1_000,
  sessionTtlMs: 60 * 60_000,
  /** Connections of one server besides the shared ones: for `isolation`, and for clients that can answer questions. Over HTTP, eight times as many. */
  maxOwnConnections: 16,
  ownConnectionIdleMs: 5 * 60_000,
  /** Pages and entries read from each list of one server: tools, prompts, resources and templates. */
  maxToolPages: 64,
  maxToolsPerServer: 5_000,
  /** Bytes kept of one server: the definitions of all its lists and its description of itself. */
  maxCatalogBytes: 8 * 1024 * 1024,
  /** Entries on one page of a list that Pincer shows. */
  listPageSize: 1_000,
  /** How long a list or a call waits for a server that has never connected. */
  listWaitMs: 5_000,
  /** Last bytes of a child's stderr, kept for `status`. */
  stderrTailBytes: 64 * 1024,
  /** A background hub without clients or calls exits after this time. */
  idleExitMs: 5 * 60_000,
  /** Unanswered questions of servers to one client. */
  maxQuestions: 64,
  /** Streams that one credential may keep open: legacy GETs and `subscriptions/listen`. OpenClaw opens one for each of up to 256 conversations. */
  maxStreamsPerCredential: 512,
  /** Events kept of one legacy session's streams for a client that reconnects with `Last-Event-ID`. */
  maxReplayEvents: 1_000,
  maxReplayBytes: 4 * 1024 * 1024,
  /** The same for all sessions together. */
  maxReplayBytesInAll: 64 * 1024 * 1024,
  /** How long a call continues after its stream was cut off, and how long the end of a stream can be requested again. */
  resumeWaitMs: 60_000,
  /** How long a client may take to answer a question of a server. The server's own deadline is paused meanwhile. */
  questionTimeoutMs: 10 * 60_000,
  /** Calls of one credential that wait for a modern client's answers. */
  maxParkedCalls: 64,
  /** The longest time for a call at its server, even if it reports progress. `requestTimeoutMs` may be longer. */
  maxCallMs: 60 * 60_000,
  /** How often a web server is pinged. After sleep, a dead stream is noticed within this time. */
  heartbeatMs: 30_000,
  /** The longest `Retry-After` of a server that is obeyed. */
  maxRetryAfterMs: 60_000,
  /** A request refused for up to this time is held and retried once. A longer refusal fails with a hint. */
  retryInPlaceMs: 5_000,
  /** A server with known tools starts this long after the hub, so that early lists do not wait for starts. */
  knownStartMs: 1_000,
  /** A server with `start: lazy` is stopped after this time without use, until it is needed again. */
  serverIdleMs: 10 * 60_000,
  /** How long running calls may continue at a server whose configuration changed. */
  drainMs: 30_000,
  /** How long a call waits for a person's approval before it ends. The question stays open. */
  approvalWaitMs: 45_000,
  /** How long a decision is valid for the same call. */
  approvalTtlMs: 10 * 60_000,
  /** How long an unanswered approval stays open. */
  approvalOpenMs: 24 * 60 * 60_000,
  /** Open approvals. The oldest one of the caller with most of them is removed to make room. */
  maxApprovals: 1_000,
  /** Size of a call that needs approval. It is shown in full, so a longer call is refused. */
  maxApprovalBytes: 1024 * 1024,
  /** Size of all open approvals. The oldest one of the caller with most of them is removed to make room. */
  maxOpenApprovalBytes: 16 * 1024 * 1024,
  /** Size of an approval question in the client itself (elicitation). A longer one can only be denied there. */
  maxApprovalFormBytes: 4 * 1024,
  /** Characters of one description shown to callers. */
  maxDescriptionChars: 16_384,
  /** With `toolSurface: auto`, a tool list longer than this many tokens is searched instead of shown. */
  toolSurfaceTokens: 20_000,
  /** How long a person may take to sign in before the link expires. */
  signInMs: 10 * 60_000,
  /** Time and size of each document fetched during a sign-in. */
  signInDocumentMs: 5_000,
  maxSignInDocumentBytes: 256 * 1024,
  /** Images and files of one order to OpenClaw. Media sizes count the bytes, not their base64. */
  maxImages: 10,
  maxFiles: 5,
  /** Size of each of them, of all in one order, and of all orders in progress. */
  maxMediaBytes: 15 * 1024 * 1024,
  maxMediaBytesInAll: 64 * 1024 * 1024,
  maxMediaBytesAtOnce: 128 * 1024 * 1024,
  /**
   * Pixels of an image that has to be scaled down. A file of 38 bytes can claim a hundred million pixels, and each
   * pixel takes up to six bytes of memory. A camera image with more pixels is too large to send anyway.
   */
  maxImagePixels: 64_000_000,
  /** How long scaling down an image may take. */
  maxScaleMs: 60_000,
  /** How long a gateway of OpenClaw may be disconnected while it works on an order. */
  gatewayAwayMs: 120_000,
  /** How long an order run by OpenClaw itself waits while another program locks OpenClaw's state. */
  openClawBusyMs: 5 * 60_000,
  /** Size of each image, sound or file in OpenClaw's answer. */
  maxReplyItemBytes: 20 * 1024 * 1024,
  /** Size of the answer: its text and everything attached. */
  maxReplyBytes: 50 * 1024 * 1024,
  /** The longest line a client can read: the official SDK's limit over a pipe. The rest is read as resources. */
  maxReplyLineBytes: 10 * 1024 * 1024,
  /** Size and lifetime of answers kept to be read as resources. */
  maxShelfBytes: 100 * 1024 * 1024,
  shelfTtlMs: 60 * 60_000,
  /** How long a client is expected to wait. An order that takes longer continues for clients that can fetch it later. */
  orderPatienceMs: 50_000,
  /** Orders of one caller that run or can be fetched, and how long an ended one can be fetched. */
  maxOrders: 100,
  orderTtlMs: 60 * 60_000,
  /** Size of all their answers. The order that ended first is removed to make room; the last one always stays. */
  maxOrderBytes: 100 * 1024 * 1024,
  /** Size of a call's arguments kept, redacted, in the log. */
  maxAuditBytes: 2_048,
  ...APP_LIMITS,
  ...DEVICE_LIMITS,
} as const;

export type Limits = { readonly [K in keyof typeof DEFAULT_LIMITS]: number };
