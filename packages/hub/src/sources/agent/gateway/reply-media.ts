/** What comes with an answer, fetched from the gateway as far as it may be passed on. */
import { messageOf, PincerError } from '../../../core/errors.ts';
import type { MediaLimits } from '../media/limits.ts';
import type { ReplyMedia } from '../media/out/content-blocks.ts';
import { fetchArtifact, listArtifacts, type Artifact } from './artifacts.ts';
import type { Gateway } from './gateway.ts';
import type { RunName } from './turn-end.ts';

/** One that cannot be had is said to be missing: the rest of the answer is worth having. */
// oxlint-disable-next-line max-params -- one answer
export async function fetchReplyMedia(
  gateway: Gateway,
  run: RunName,
  limits: MediaLimits,
  signal: AbortSignal,
): Promise<ReplyMedia[]> {
  const found: ReplyMedia[] = [];
  let artifacts: readonly Artifact[];
  try {
    artifacts = await listArtifacts(gateway, run);
  } catch (error) {
    return [describe(undefined, { missing: why(error) })];
  }
  let left = limits.maxShelfBytes;
  for (const artifact of artifacts) {
    const { sizeBytes: size = 0 } = artifact;
    if (size > left) {
      found.push(describe(artifact, { size }));
      continue;
    }
    const content = await fetchArtifact(gateway, run, artifact, { maxBytes: left, signal }).then(
      (bytes) => ({ bytes }),
      (error: unknown) => ({ missing: why(error) }),
    );
    if ('bytes' in content) left -= content.bytes.length;
    found.push(describe(artifact, content));
  }
  return found;
}

const describe = (artifact: Artifact | undefined, content: ReplyMedia['content']): ReplyMedia => ({
  mimeType: artifact?.mimeType ?? 'application/octet-stream',
  name: artifact?.title,
  content,
});

const why = (error: unknown): string =>
  (PincerError.is(error) ? error.message : messageOf(error)).replace(/\.$/, '');
