/** Options of the app proxy, given by the program that starts the hub. */
export interface ProxyOptions {
  /** Both win over the configuration. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** The folder whose `.env` is read. Absent: no `.env` is read. */
  readonly folder?: string | undefined;
  /** The proxy runs alone: no servers, no agent. */
  readonly isAlone?: boolean | undefined;
}
