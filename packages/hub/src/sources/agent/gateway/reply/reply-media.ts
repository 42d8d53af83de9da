/** What comes with an answer, fetched from the gateway as far as it may be passed on. */
import { PincerError } from '../../../../core/errors.ts';
import { orAborted } from '../../../../core/or-aborted.ts';
import type { MediaReference } from '../../answer/turn-event.ts';
import type { MediaLimits } from '../../media/limits.ts';
import type { ReplyMedia } from '../../media/out/content-blocks.ts';
import { fetchArtifact, listArtifacts, type Artifact } from './artifacts.ts';
import type { Gateway } from '../connection/gateway.ts';
import type { RunName } from '../turn/turn-end.ts';
import { readUnsent, unsentWithoutReason, type Unsent } from './unsent.ts';

export interface Wanted {
  /** What the agent has named, as far as that was heard. */
  readonly named: readonly MediaReference[];
  readonly limits: MediaLimits;
  readonly signal: AbortSignal;
}

/** One that cannot be had is said to be missing: the rest of the answer is worth having. */
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

/** What was sent, with what was not where the agent has named more than that. */
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

/** Each in the place where it was named. What nobody gives a reason for is there, too. */
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

/** The last part of a path or an address. */
const nameIn = (address: string): string =>
  address.replace(/^(https?:[^?#]*).*$/s, '$1').replace(/^.*[\\/]/s, '');

const describe = (each: Artifact | Unsent | undefined, content: ReplyMedia['content']): ReplyMedia => ({
  mimeType: each?.mimeType ?? 'application/octet-stream',
  name: each && nameOf(each),
  content,
});

const why = (error: unknown): string =>
  PincerError.is(error) ? error.message.replace(/\.$/, '') : 'it cannot be fetched';
