/** The files of an answer. The gateway keeps them, and gives each of them out for a few minutes at a time. */
import { PincerError } from '../../../../core/errors.ts';
import { isRecord } from '../../../../core/is-record.ts';
import { textAt } from '../../../../core/text-at.ts';
import type { Gateway } from '../connection/gateway.ts';
import type { RunName } from '../turn/turn-end.ts';

export interface Artifact {
  readonly id: string;
  /** The name of the file. */
  readonly title: string;
  readonly mimeType: string | undefined;
  readonly sizeBytes: number | undefined;
}

export interface FetchLimits {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** An answer with more is none that anybody reads. */
const MAX_ARTIFACTS = 1_000;
const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+/;

/** They are written down one after the other when a run has told its end, and only then is it over. */
const WRITTEN_MS = 30_000;

/** Those that the agent has sent, without what its tools have looked at. */
export async function listArtifacts(
  gateway: Gateway,
  { runId, sessionKey }: RunName,
): Promise<readonly Artifact[]> {
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

export async function fetchArtifact(
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
  // What is not the gateway's own is nothing that we would fetch for it.
  if (url.origin !== base.origin || url.username !== '' || url.password !== '')
    throw notThere(artifact, 'it is kept elsewhere');
  // What is thrown there may name the address, and that has a ticket in it.
  return read(url, artifact, { maxBytes, signal }).catch((error: unknown) => {
    throw PincerError.is(error) ? error : notThere(artifact, 'the gateway does not give it out');
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
  new PincerError('TOOL_ERROR', `"${title}" of the answer cannot be had: ${why}.`);
