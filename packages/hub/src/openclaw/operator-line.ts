/** Requests to the gateway as an operator. The agent keeps the connection; this machine asks over it, too. */
export interface OperatorLine {
  readonly isConnected: boolean;
  /** Of OpenClaw, once it has been heard. */
  readonly version: string | undefined;
  request<T>(method: string, params: object): Promise<T>;
}
