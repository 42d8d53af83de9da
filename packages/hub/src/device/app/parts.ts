/** What `app.*` is told by the rest of Pincer. */
export interface AppParts {
  /** Undefined: no gateway is configured. Looked at before each call. */
  gateway(): AppGateway | undefined;
  readonly settings: AppSettings;
}

export interface AppGateway {
  state(): GatewayState;
  /** Rejects where the gateway cannot be reached, or refuses. */
  request<T>(method: string, params: object): Promise<T>;
}

export interface GatewayState {
  readonly connectionStatus: 'Connected' | 'Disconnected';
  readonly nodeConnected: boolean;
  readonly nodePaired: boolean;
  readonly nodePendingApproval: boolean;
  readonly gatewayVersion?: string | undefined;
}

/** Settings by their keys in config.json: `device.capabilities.screen`. */
export interface AppSettings {
  get(key: string): unknown;
  /** On disk, and in force, when it resolves. */
  set(key: string, value: boolean): Promise<void>;
}
