/** Gateways of OpenClaw that say in the local network that they are there. Anybody there can say so: they are shown, and nothing more. */
import { createSocket } from 'node:dgram';
import { isLoopbackHost } from '../../lib/loopback.ts';
import { decodeRecords, encodeQuery, type DnsRecord } from './dns-message.ts';

export interface AnnouncedGateway {
  /** As it calls itself. */
  readonly name: string;
  readonly url: string;
}

export interface BrowseOptions {
  readonly timeoutMs?: number;
  /** Where one asks; elsewhere in tests. */
  readonly address?: string;
  readonly port?: number;
}

const SERVICE = '_openclaw-gw._tcp.local';
const GROUP = '224.0.0.251';
const PORT = 5_353;
const BROWSE_MS = 2_000;
const MAX_MESSAGES = 64;

/** Nothing where the network cannot be asked. */
export async function browseGateways(options: BrowseOptions = {}): Promise<readonly AnnouncedGateway[]> {
  const { timeoutMs = BROWSE_MS, address = GROUP, port = PORT } = options;
  const records: DnsRecord[] = [];
  const done = Promise.withResolvers<void>();
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  let messages = 0;
  socket.on('error', () => done.resolve());
  socket.on('message', (message) => {
    if (++messages <= MAX_MESSAGES) records.push(...decodeRecords(message));
  });
  socket.bind(0, () => socket.send(encodeQuery(SERVICE), port, address, (error) => error && done.resolve()));
  const timer = setTimeout(() => done.resolve(), timeoutMs);
  await done.promise;
  clearTimeout(timer);
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return gatewaysIn(records);
}

/** One for each instance of the service; its name is what stands before that of the service. */
export function gatewaysIn(records: readonly DnsRecord[]): readonly AnnouncedGateway[] {
  const instances = new Set(
    records.flatMap((each) => (each.type === 'PTR' && isSame(each.name, SERVICE) ? each.target : [])),
  );
  return [...instances].flatMap((instance) => {
    const url = urlOf(instance, records);
    return url === undefined ? [] : { name: nameOf(instance, records), url };
  });
}

function urlOf(instance: string, records: readonly DnsRecord[]): string | undefined {
  const service = records.find((each) => each.type === 'SRV' && isSame(each.name, instance));
  if (service?.type !== 'SRV' || service.port === 0) return undefined;
  const isTls = /^(?:1|true|yes)$/i.test(textOf(instance, records, 'gatewayTls') ?? '');
  const found = records.find((each) => each.type === 'A' && isSame(each.name, service.target));
  const address = found?.type === 'A' ? found.address : undefined;
  // A certificate is for a name.
  const host = isTls ? service.target : (address ?? service.target);
  const url = URL.parse(`${isTls ? 'wss' : 'ws'}://${host}:${service.port}`);
  return url === null || isLoopbackHost(url.hostname) ? undefined : url.href.replace(/\/$/, '');
}

const nameOf = (instance: string, records: readonly DnsRecord[]): string =>
  textOf(instance, records, 'displayName') ?? instance.slice(0, -SERVICE.length - 1);

function textOf(instance: string, records: readonly DnsRecord[], key: string): string | undefined {
  const texts = records.flatMap((each) =>
    each.type === 'TXT' && isSame(each.name, instance) ? each.texts : [],
  );
  return texts.find((text) => text.startsWith(`${key}=`))?.slice(key.length + 1) || undefined;
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
