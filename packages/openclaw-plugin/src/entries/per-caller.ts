/**
 * Servers where everyone signs in individually. Their entries have no credential: the host asks for one per sender. A run
 * without a sender (`openclaw agent`, the HTTP API, schedules) does not get the server.
 */
import { createHash } from 'node:crypto';
import type { HubClient } from 'pincer/client';
import type { HostApi } from '../host.ts';
import { credentialName, sharedCredentials, type Credential } from './credentials.ts';
import { ownEntries } from './entries.ts';

/** The sender of a message, as the host knows them. */
export interface Sender {
  readonly senderId: string;
  readonly channel?: string | undefined;
  /** The account of the channel, if OpenClaw has several. */
  readonly account?: string | undefined;
}

const MAX_NAME = 64;
const THE_ONLY_ACCOUNT = 'default';

/** One credential per sender and server. The hub's log and sign-ins identify the sender by its name. */
export function credentialOfSender(server: string, sender: Sender): Credential {
  const { senderId, channel = 'openclaw', account = THE_ONLY_ACCOUNT } = sender;
  const where = account === THE_ONLY_ACCOUNT ? channel : `${channel}/${encodeURIComponent(account)}`;
  const all = credentialName(server);
  const name = `${all}:${where}:${senderId}`;
  return { name: name.length > MAX_NAME ? `${all}:${hash(`${where}:${senderId}`)}` : name, server };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** The host registers the plugin again after each change of its servers, so none is missing. */
export function registerPerCaller(
  api: Pick<HostApi, 'config' | 'registerMcpServerConnectionResolver'>,
  findHub: () => Promise<HubClient>,
  home: string,
): void {
  for (const { key, server, url, isPerCaller } of ownEntries(api.config, home))
    if (isPerCaller)
      api.registerMcpServerConnectionResolver({
        serverName: key,
        async resolve({ requesterSenderId, messageChannel, agentAccountId }) {
          const sender = { senderId: requesterSenderId, channel: messageChannel, account: agentAccountId };
          const hub = await findHub();
          const token = await sharedCredentials(home).tokenFor(hub, credentialOfSender(server, sender));
          return { url, headers: { Authorization: `Bearer ${token}` } };
        },
      });
}
