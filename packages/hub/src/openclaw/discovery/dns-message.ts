/** As much of DNS messages (RFC 1035, RFC 6762) as it takes to ask who offers a service, and to read who answers. */

export type DnsRecord =
  | { readonly type: 'PTR'; readonly name: string; readonly target: string }
  | { readonly type: 'SRV'; readonly name: string; readonly target: string; readonly port: number }
  | { readonly type: 'TXT'; readonly name: string; readonly texts: readonly string[] }
  | { readonly type: 'A'; readonly name: string; readonly address: string };

const TYPE = { A: 1, PTR: 12, TXT: 16, SRV: 33 } as const;
const CLASS_IN = 1;
/** The bit that asks for an answer to us alone. */
const UNICAST = 0x8000;
const HEADER_BYTES = 12;
const MAX_LABEL = 63;
/** A name with more pointers leads in circles. */
const MAX_JUMPS = 16;
/** Of one answer: anybody in the network can send one. */
const MAX_RECORDS = 256;

export function encodeQuery(name: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(1, 4);
  const labels = name.split('.').map((label) => {
    const bytes = Buffer.from(label);
    if (bytes.length === 0 || bytes.length > MAX_LABEL) throw new RangeError(`${name} is no name of DNS.`);
    return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  });
  const end = Buffer.alloc(5);
  end.writeUInt16BE(TYPE.PTR, 1);
  end.writeUInt16BE(CLASS_IN | UNICAST, 3);
  return Buffer.concat([header, ...labels, end]);
}

/** Whatever cannot be read is as if it had not come. */
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
    if (at > message.length) throw new RangeError('The message ends within a record.');
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

/** Names may end with a pointer to where the rest of them stands. */
function nameAt(message: Buffer, from: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let end: number | undefined;
  let at = from;
  for (let jumps = 0; ;) {
    const length = message.readUInt8(at);
    if (length === 0) return { name: labels.join('.'), end: end ?? at + 1 };
    if (length < 0xc0) {
      if (at + 1 + length > message.length || labels.length > 127) throw new RangeError('This is no name.');
      labels.push(message.subarray(at + 1, at + 1 + length).toString());
      at += 1 + length;
      continue;
    }
    end ??= at + 2;
    at = message.readUInt16BE(at) & 0x3fff;
    if (++jumps > MAX_JUMPS) throw new RangeError('This name leads nowhere.');
  }
}
