/**
 * Finds gateways of OpenClaw that are not configured: by multicast DNS in the local network, and on this machine by the
 * page that they serve. Announcements are not authenticated, so they are only shown to a person.
 */
import { createSocket } from 'node:dgram';
import type { Environment } from '../lib/process.ts';
import { isLoopbackHost } from '../lib/loopback.ts';
import { gatewayPort } from './find.ts';

interface AnnouncedGateway {
  /** Its announced name. */
  readonly name: string;
  readonly url: string;
}

interface BrowseOptions {
  readonly timeoutMs?: number;
  /** Where the query goes; tests change it. */
  readonly address?: string;
  readonly port?: number;
}

const SERVICE = '_openclaw-gw._tcp.local';
const GROUP = '224.0.0.251';
const PORT = 5_353;
const BROWSE_MS = 2_000;
const MAX_MESSAGES = 64;

/** Returns none if the query cannot be sent. */
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

/** One gateway per service instance, named by the text before the service's name. */
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
  // A certificate is issued for a name, not for an address.
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

const TITLE = /<title>\s*OpenClaw Control\s*<\/title>/i;
const LOOK_MS = 1_000;
const MAX_CHARS = 64 * 1024;

/** Returns undefined if no gateway answers at its usual port on this machine. */
export async function findLocalGateway(env: Environment): Promise<string | undefined> {
  const found = gatewayPort(env, undefined);
  if (!('port' in found)) return undefined;
  return (await isGatewayAt(found.port)) ? `ws://127.0.0.1:${found.port}` : undefined;
}

export async function isGatewayAt(port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(LOOK_MS);
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal, redirect: 'error' });
    return response.ok && TITLE.test((await response.text()).slice(0, MAX_CHARS));
  } catch {
    return false;
  }
}

/** The records of DNS messages (RFC 1035, RFC 6762) that service discovery needs. */
type DnsRecord =
  | { readonly type: 'PTR'; readonly name: string; readonly target: string }
  | { readonly type: 'SRV'; readonly name: string; readonly target: string; readonly port: number }
  | { readonly type: 'TXT'; readonly name: string; readonly texts: readonly string[] }
  | { readonly type: 'A'; readonly name: string; readonly address: string };

const TYPE = { A: 1, PTR: 12, TXT: 16, SRV: 33 } as const;
const CLASS_IN = 1;
/** The bit that asks for a unicast response. */
const UNICAST = 0x8000;
const HEADER_BYTES = 12;
const MAX_LABEL = 63;
/** A name with more pointers is treated as a loop. */
const MAX_JUMPS = 16;
/** Per message, because any machine in the network can send one. */
const MAX_RECORDS = 256;

export function encodeQuery(name: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(1, 4);
  const labels = name.split('.').map((label) => {
    const bytes = Buffer.from(label);
    if (bytes.length === 0 || bytes.length > MAX_LABEL) throw new RangeError(`${name} is not a DNS name.`);
    return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  });
  const end = Buffer.alloc(5);
  end.writeUInt16BE(TYPE.PTR, 1);
  end.writeUInt16BE(CLASS_IN | UNICAST, 3);
  return Buffer.concat([header, ...labels, end]);
}

/** Ignores a message that cannot be read. */
export function decodeRecords(message: Buffer): readonly DnsRecord[] {
  try {
    return read(message);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function read(message: Buffer): DnsRecord[] {
  const questions = message.readUInt16BE(4);
  const count = message.readUInt16BE(6) + message.readUInt16BE(8) + message.readUInt16BE(10);
  let at = HEADER_BYTES;
  for (let each = 0; each < questions; each++) at = nameAt(message, at).end + 4;
  const records: DnsRecord[] = [];
  for (let each = 0; each < Math.min(count, MAX_RECORDS); each++) {
    const { name, end } = nameAt(message, at);
    const type = message.readUInt16BE(end);
    const start = end + 10;
    at = start + message.readUInt16BE(end + 8);
    if (at > message.length) throw new RangeError('DNS message ends within a record');
    const record = recordOf(message, { type, name, start, end: at });
    if (record !== undefined) records.push(record);
  }
  return records;
}

interface Place {
  readonly type: number;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

function recordOf(message: Buffer, { type, name, start, end }: Place): DnsRecord | undefined {
  if (type === TYPE.PTR) return { type: 'PTR', name, target: nameAt(message, start).name };
  if (type === TYPE.SRV)
    return {
      type: 'SRV',
      name,
      port: message.readUInt16BE(start + 4),
      target: nameAt(message, start + 6).name,
    };
  if (type === TYPE.TXT) return { type: 'TXT', name, texts: textsIn(message.subarray(start, end)) };
  if (type === TYPE.A && end - start === 4)
    return { type: 'A', name, address: message.subarray(start, end).join('.') };
  return undefined;
}

function textsIn(data: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < data.length; at += 1 + data[at]!)
    texts.push(data.subarray(at + 1, at + 1 + data[at]!).toString());
  return texts;
}

/** A name may end with a pointer to its rest. */
function nameAt(message: Buffer, from: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let end: number | undefined;
  let at = from;
  for (let jumps = 0; ;) {
    const length = message.readUInt8(at);
    if (length === 0) return { name: labels.join('.'), end: end ?? at + 1 };
    if (length < 0xc0) {
      if (at + 1 + length > message.length || labels.length > 127) throw new RangeError('invalid DNS name');
      labels.push(message.subarray(at + 1, at + 1 + length).toString());
      at += 1 + length;
      continue;
    }
    end ??= at + 2;
    at = message.readUInt16BE(at) & 0x3fff;
    if (++jumps > MAX_JUMPS) throw new RangeError('DNS name with too many pointers');
  }
}
