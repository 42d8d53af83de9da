/** How whoever starts the hub wants the app proxy. */
export interface ProxyOptions {
  /** Both win over the configuration. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** The folder whose `.env` is read; absent: none is. */
  readonly folder?: string | undefined;
  /** There is nothing else: no servers, no agent. */
  readonly isAlone?: boolean | undefined;
}
