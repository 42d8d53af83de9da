/** What the control API tells of apps. */

/** Of `GET status`, where the app proxy runs. */
export interface ProxyReport {
  /** `http://127.0.0.1:8000` */
  readonly address: string;
  readonly sessions: number;
  /** Sessions whose app is connected. */
  readonly bridges: number;
  /** Who needs no token. */
  readonly open: readonly ('apps' | 'openclaw')[];
  readonly apps: readonly AppStatus[];
}

export interface AppStatus {
  readonly name: string;
  readonly sessions: number;
  readonly bridges: number;
  /** Tools that callers of `/mcp` can use. */
  readonly tools: number;
}

/** Of `GET sessions`. Times are in milliseconds since 1970. */
export interface AppSessionReport {
  readonly id: string;
  readonly app: string;
  readonly deviceId?: string | undefined;
  readonly deviceName?: string | undefined;
  readonly appVersion?: string | undefined;
  readonly chatId?: string | undefined;
  /** Their names. */
  readonly tools: readonly string[];
  readonly bridge?: BridgeReport | undefined;
  /** When it was last called, or its bridge came or went. */
  readonly lastUsedAt: number;
  readonly callsInFlight: number;
  /** Calls that wait for the bridge. */
  readonly callsWaiting: number;
}

export interface BridgeReport {
  readonly connectedAt: number;
  /** When the app last said anything, be it in answer to a ping. */
  readonly lastHeardAt: number;
  /** The app has said hello. */
  readonly saysHello: boolean;
}
