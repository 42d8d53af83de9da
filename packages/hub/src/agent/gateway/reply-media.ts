/** Fetches the files of an answer from the gateway, within the limits. */
import { PincerError } from '../../core/errors.ts';
import { orAborted } from '../../lib/time.ts';
import { isRecord, textAt } from '../../lib/record.ts';
import type { GatewaySocket } from '../../openclaw/socket.ts';
import type { MediaReference } from '../answer/read-event.ts';
import type { ReplyMedia } from '../media/content-blocks.ts';
import type { MediaLimits } from '../media/read-attachments.ts';
import { readRun, type RunName } from './follow-run.ts';
import type { Gateway } from './gateway.ts';

interface Wanted {
  /** The files that the agent named in events. */
  readonly named: readonly MediaReference[];
  readonly limits: MediaLimits;
  readonly signal: AbortSignal;
}

/** Reports a file that cannot be fetched as missing, so that the rest of the answer is not lost. */
export async function fetchReplyMedia(
  gateway: Gateway,
  run: RunName,
  { named, limits, signal }: Wanted,
): Promise<ReplyMedia[]> {
  let all: readonly (Artifact | Unsent)[];
  try {
    all = await orAborted(list(gateway, run, named), signal);
  } catch (error) {
    return [describe(undefined, { missing: why(error) })];
  }
  let left = limits.maxShelfBytes;
  const found: ReplyMedia[] = [];
  for (const each of all) {
    const content = 'why' in each ? { missing: each.why } : await fetchOne(each);
    if ('bytes' in content) left -= content.bytes.length;
    found.push(describe(each, content));
  }
  return found;

  async function fetchOne(artifact: Artifact): Promise<ReplyMedia['content']> {
    const { sizeBytes: size = 0 } = artifact;
    if (size > left) return { size };
    return orAborted(fetchArtifact(gateway, run, artifact, { maxBytes: left, signal }), signal).then(
      (bytes) => ({ bytes }),
      (error: unknown) => ({ missing: why(error) }),
    );
  }
}

/** Lists the files that were sent, and those that the agent named but OpenClaw did not send. */
async function list(
  gateway: Gateway,
  run: RunName,
  named: readonly MediaReference[],
): Promise<readonly (Artifact | Unsent)[]> {
  const artifacts = await listArtifacts(gateway, run);
  const names = named.flatMap(({ url }) => (url === undefined ? [] : nameIn(url)));
  if (artifacts.length >= names.length) return artifacts;
  const unsent = await readUnsent(await gateway.connect(), run).catch(() => []);
  return inOrder(names, artifacts, unsent);
}

/** Sorts files by where the agent named them. Includes named files that OpenClaw gives no reason for. */
function inOrder(
  names: readonly string[],
  artifacts: readonly Artifact[],
  unsent: readonly Unsent[],
): (Artifact | Unsent)[] {
  const left = new Set<Artifact | Unsent>([...artifacts, ...unsent]);
  const known = new Set([...left].map(nameOf));
  let unknown = names.length - left.size;
  const placed = names.flatMap((name) => {
    const its = [...left].find((each) => nameOf(each) === name);
    if (its !== undefined) left.delete(its);
    else if (!known.has(name) && unknown-- > 0) return unsentWithoutReason(name);
    return its ?? [];
  });
  return [...placed, ...left];
}

const nameOf = (each: Artifact | Unsent): string => ('why' in each ? each.name : each.title);

/** The last segment of a path or URL. */
const nameIn = (address: string): string =>
  address.replace(/^(https?:[^?#]*).*$/s, '$1').replace(/^.*[\\/]/s, '');

const describe = (each: Artifact | Unsent | undefined, content: ReplyMedia['content']): ReplyMedia => ({
  mimeType: each?.mimeType ?? 'application/octet-stream',
  name: each && nameOf(each),
  content,
});

const why = (error: unknown): string =>
  PincerError.is(error) ? error.message.replace(/\.$/, '') : 'it cannot be fetched';

interface Unsent {
  readonly name: string;
  readonly mimeType: string | undefined;
  /** The end of a sentence. */
  readonly why: string;
}

const REASONS: Readonly<Record<string, string>> = {
  'file-not-found': 'there is no such file',
  'unsupported-format': 'OpenClaw does not send files of this kind',
};
const NO_REASON = 'OpenClaw did not send it';

/** Files that the agent named and OpenClaw did not send. Only the history has them. */
async function readUnsent(socket: GatewaySocket, run: RunName): Promise<readonly Unsent[]> {
  const rows = await readRun(socket, run);
  return rows.flatMap(({ content }) => (Array.isArray(content) ? content.flatMap(unsentIn) : []));
}

function unsentIn(block: unknown): Unsent[] {
  if (!isRecord(block) || block['type'] !== 'attachment_error' || !isRecord(block['attachment'])) return [];
  const { attachment } = block;
  const name = textAt(attachment, 'label') ?? 'a file';
  const why = REASONS[textAt(attachment, 'code') ?? ''] ?? NO_REASON;
  return [{ name, mimeType: textAt(attachment, 'mimeType'), why }];
}

const unsentWithoutReason = (name: string): Unsent => ({ name, mimeType: undefined, why: NO_REASON });

interface Artifact {
  readonly id: string;
  /** The name of the file. */
  readonly title: string;
  readonly mimeType: string | undefined;
  readonly sizeBytes: number | undefined;
}

interface FetchLimits {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Files beyond this number are ignored. */
const MAX_ARTIFACTS = 1_000;
const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+/;

/** OpenClaw stores the files after it has reported the end of a run; `agent.wait` resolves when that is done. */
const WRITTEN_MS = 30_000;

/** Lists the files that the agent sent, without those that its tools read. */
async function listArtifacts(gateway: Gateway, { runId, sessionKey }: RunName): Promise<readonly Artifact[]> {
  using _held = gateway.hold();
  const socket = await gateway.connect();
  await socket.request('agent.wait', { runId, timeoutMs: WRITTEN_MS });
  const listed = await socket.request<unknown>('artifacts.list', {
    sessionKey,
    runId,
    messageRole: 'assistant',
  });
  const artifacts = isRecord(listed) && Array.isArray(listed['artifacts']) ? listed['artifacts'] : [];
  return artifacts.slice(0, MAX_ARTIFACTS).flatMap(readArtifact);
}

function readArtifact(value: unknown): Artifact[] {
  if (!isRecord(value) || typeof value['id'] !== 'string') return [];
  const { id, sizeBytes } = value;
  return [
    {
      id,
      title: textAt(value, 'title') ?? 'a file',
      mimeType: MIME_TYPE.exec(textAt(value, 'mimeType') ?? '')?.[0],
      sizeBytes: typeof sizeBytes === 'number' ? sizeBytes : undefined,
    },
  ];
}

async function fetchArtifact(
  gateway: Gateway,
  { sessionKey }: Pick<RunName, 'sessionKey'>,
  artifact: Artifact,
  { maxBytes, signal }: FetchLimits,
): Promise<Buffer> {
  if ((artifact.sizeBytes ?? 0) > maxBytes) throw tooLarge(artifact, maxBytes);
  using _held = gateway.hold();
  const socket = await gateway.connect();
  const params = { sessionKey, artifactId: artifact.id };
  const download = await socket.request<unknown>('artifacts.download', params);
  const { data, url: address } = isRecord(download) ? download : {};
  if (typeof data === 'string') return within(Buffer.from(data, 'base64'), artifact, maxBytes);
  const base = new URL(gateway.httpUrl());
  const url = typeof address === 'string' ? URL.parse(address, base.href) : null;
  if (url === null) throw notThere(artifact, 'it has no address');
  // Never fetch from another origin on behalf of the gateway.
  if (url.origin !== base.origin || url.username !== '' || url.password !== '')
    throw notThere(artifact, 'it is on another server');
  // An error of `fetch` may contain the URL, which has a ticket in it.
  return read(url, artifact, { maxBytes, signal }).catch((error: unknown) => {
    throw PincerError.is(error) ? error : notThere(artifact, 'the gateway does not serve it');
  });
}

async function read(url: URL, artifact: Artifact, { maxBytes, signal }: FetchLimits): Promise<Buffer> {
  const response = await fetch(url, { redirect: 'error', ...(signal && { signal }) });
  if (!response.ok || response.body === null) throw notThere(artifact, `status ${response.status}`);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw tooLarge(artifact, maxBytes);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function within(bytes: Buffer, artifact: Artifact, maxBytes: number): Buffer {
  if (bytes.byteLength > maxBytes) throw tooLarge(artifact, maxBytes);
  return bytes;
}

const tooLarge = ({ title }: Artifact, maxBytes: number): PincerError =>
  new PincerError('TOOL_ERROR', `"${title}" of the answer is larger than ${maxBytes} bytes.`);

const notThere = ({ title }: Artifact, why: string): PincerError =>
  new PincerError('TOOL_ERROR', `"${title}" of the answer cannot be fetched: ${why}.`);
