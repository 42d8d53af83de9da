/** The gateway that a setting of Pincer's names, and which setting that is: a person is told which line to mend. */
export interface NamedGateway {
  readonly url: string;
  readonly setting: string;
}

/** Where orders go. */
export const agentGateway = (url: string | undefined): NamedGateway | undefined =>
  url === undefined ? undefined : { url, setting: 'agent.gatewayUrl' };

/** Whose node this machine is: one of its own, else the one that orders go to. */
export const nodeGateway = (
  device: string | undefined,
  agent: string | undefined,
): NamedGateway | undefined =>
  device === undefined ? agentGateway(agent) : { url: device, setting: 'device.gatewayUrl' };
