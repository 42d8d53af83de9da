import type { ProxyReport } from './app-report.ts';

/** What `GET status` of the control API answers, as far as the command line reads it. */
export interface HubStatus {
  /** Grows with every change: `GET status?since=N` answers when there is a later one. */
  readonly revision?: number | undefined;
  readonly version: string;
  readonly pid: number;
  readonly mode: 'foreground' | 'background';
  readonly attached: number;
  readonly callsInFlight: number;
  /** What is wrong with the file, while the hub goes on with the one before. */
  readonly configProblem?: string | undefined;
  readonly held?: readonly HeldTool[];
  /** Calls that wait for a person. */
  readonly approvals?: number;
  readonly servers: readonly ServerReport[];
  /** Absent: no app proxy runs. */
  readonly proxy?: ProxyReport | undefined;
}

/** A tool that waits for a person. */
export interface HeldTool {
  readonly server: string;
  readonly tool: string;
  readonly why: 'changed' | 'new';
}

export interface ServerReport {
  readonly name: string;
  readonly state: string;
  readonly transport: 'http' | 'stdio';
  readonly target: string;
  readonly tools: number;
  /** Of a running stdio server. */
  readonly pid?: number | undefined;
  /** Of a web server: the beginning of the id of the session. */
  readonly session?: string | undefined;
  /** When it last said anything, be it in answer to a heartbeat. */
  readonly lastHeardAt?: number | undefined;
  readonly era?: string | undefined;
  readonly inFlight?: number | undefined;
  /** In milliseconds since 1970, as the other times: when it came into its state. */
  readonly since?: number | undefined;
  readonly attempts?: number | undefined;
  readonly nextTryAt?: number | undefined;
  readonly lastDiscoveryAt?: number | undefined;
  /** What is listed of it is what it offered when it was last heard. */
  readonly isStale?: boolean | undefined;
  /** Calls that were sent a second time, because they had not run or could do no harm. */
  readonly repeated?: number | undefined;
  readonly stderr?: string | undefined;
  /** The file that it is configured in. */
  readonly origin?: string | undefined;
  readonly error?: ReportedError | undefined;
  /** What the names of its tools begin with, before `__`. */
  readonly prefix?: string | undefined;
  /** No call takes longer than this. */
  readonly longestCallMs?: number | undefined;
  /** The agents of OpenClaw that may use it; absent: all. */
  readonly agents?: readonly string[] | undefined;
  /** Some of its tools are asked about, or refused, before they run. */
  readonly isGuarded?: boolean | undefined;
  readonly auth?: ReportedAuth | undefined;
}

/** How the hub shows the server who it is. */
export interface ReportedAuth {
  readonly kind: 'none' | 'api-key' | 'oauth';
  /** When what is sent now ends; absent: never, or nobody has said. */
  readonly expiresAt?: number | undefined;
  /** It is renewed by itself before it ends. */
  readonly isRenewable?: boolean | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly needsSignIn?: boolean | undefined;
  /** Everyone signs in for themselves. */
  readonly isPerCaller?: boolean | undefined;
}

export interface ReportedError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}
