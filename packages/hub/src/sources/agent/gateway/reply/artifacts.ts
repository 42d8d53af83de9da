/** The files of an answer. The gateway keeps them, and gives each of them out for a few minutes at a time. */
import { PincerError } from '../../../../core/errors.ts';
import type { Gateway } from '../connection/gateway.ts';
import type { RunName } from '../turn/turn-end.ts';

export interface Artifact {
  readonly id: string;
  readonly type: 'image' | 'audio' | 'file' | (string & {});
  /** The name of the file. */
  readonly title: string;
  readonly mimeType?: string;
  readonly sizeBytes?: number;
}

export interface FetchLimits {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

type Download = { readonly url: string } | { readonly encoding: 'base64'; readonly data: string };

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
  const { artifacts } = await socket.request<{ readonly artifacts: readonly Artifact[] }>('artifacts.list', {
    sessionKey,
    runId,
    messageRole: 'assistant',
  });
  return artifacts;
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
  const download = await socket.request<Download>('artifacts.download', params);
  if ('data' in download) return within(Buffer.from(download.data, 'base64'), artifact, maxBytes);
  const base = new URL(gateway.httpUrl());
  const url = new URL(download.url, base);
  // What is not the gateway's own is nothing that we would fetch for it.
  if (url.origin !== base.origin) throw notThere(artifact, 'it is kept elsewhere');
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
