/**
 * Reads the files that an answer names. The names come from the model, so only files in the agent's workspace and in
 * OpenClaw's media folders are read, never settings or secrets.
 */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, extname, join, resolve, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../lib/process.ts';
import type { MediaReference } from '../answer/read-event.ts';
import type { ReplyMedia } from '../media/content-blocks.ts';
import { contentType, FILE_TYPES, HEAD_BYTES, IMAGE_TYPES } from '../media/media-types.ts';
import { safeName } from '../media/name-and-size.ts';
import type { MediaLimits } from '../media/read-attachments.ts';

interface Place {
  /** The agent's working folder. */
  readonly workspace: string;
  /** OpenClaw's state folder. */
  readonly state: string;
}

export function stateFolderOf(env: Environment): string {
  if (env['OPENCLAW_STATE_DIR']) return resolve(env['OPENCLAW_STATE_DIR']);
  const profile = env['OPENCLAW_PROFILE'];
  const name = profile && profile !== 'default' ? `.openclaw-${profile}` : '.openclaw';
  return join(env['OPENCLAW_HOME'] || env['HOME'] || homedir(), name);
}

export async function readReplyFiles(
  media: readonly MediaReference[],
  place: Place,
  limits: MediaLimits,
): Promise<ReplyMedia[]> {
  let left = limits.maxShelfBytes;
  const found: ReplyMedia[] = [];
  for (const { url = '' } of media) {
    const each = await readReplyFile(url, place, left);
    if ('bytes' in each.content) left -= each.content.bytes.length;
    found.push(each);
  }
  return found;
}

async function readReplyFile(address: string, place: Place, maxBytes: number): Promise<ReplyMedia> {
  const name = safeName(address.split(/[?#]/, 1)[0]!);
  const none = (content: ReplyMedia['content']): ReplyMedia => ({ mimeType: typeOf(address), name, content });
  const path = pathOf(address, place.workspace);
  if (path === undefined) return none({ missing: `it is at ${address.slice(0, 500)}` });
  try {
    const real = await realpath(path);
    if (!(await mayBeRead(real, place))) return none({ missing: "it is outside of the agent's workspace" });
    // The path is resolved; a link that was created since is not followed. Opening a pipe must not block.
    await using file = await open(
      real,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    const stat = await file.stat();
    if (!stat.isFile()) return none({ missing: 'it is not a file' });
    if (stat.size > maxBytes) return none({ size: stat.size });
    // The file may be growing.
    const bytes = (await buffer(file.createReadStream({ end: stat.size, autoClose: false }))).subarray(
      0,
      stat.size,
    );
    const mimeType = contentType(bytes.subarray(0, HEAD_BYTES)) ?? typeOf(real);
    return { mimeType, name: safeName(basename(path)), content: { bytes } };
  } catch {
    return none({ missing: 'it does not exist or cannot be read' });
  }
}

/** Returns undefined if it is not a file on this machine. */
function pathOf(address: string, workspace: string): string | undefined {
  if (/^file:/i.test(address)) return URL.canParse(address) ? fileFrom(address) : undefined;
  if (/^[a-z][a-z0-9+.-]+:/i.test(address)) return undefined;
  return resolve(workspace, address);
}

function fileFrom(address: string): string | undefined {
  try {
    return fileURLToPath(address);
  } catch {
    return undefined;
  }
}

/** Folders of OpenClaw's state that hold media. */
const MEDIA_FOLDERS = ['media', 'canvas'];

/** The innermost folder decides: a workspace may be inside the state folder, and the state folder inside a workspace. */
async function mayBeRead(real: string, { workspace, state }: Place): Promise<boolean> {
  const rules = [
    { folder: workspace, isOpen: true },
    { folder: state, isOpen: false },
    ...MEDIA_FOLDERS.map((name) => ({ folder: join(state, name), isOpen: true })),
  ];
  const known = await Promise.all(
    rules.map(async ({ folder, isOpen }) => ({ isOpen, folder: await realpath(folder).catch(() => '') })),
  );
  const innermost = known
    .filter(({ folder }) => folder !== '' && real.startsWith(folder.endsWith(sep) ? folder : folder + sep))
    .toSorted((a, b) => b.folder.length - a.folder.length)[0];
  return innermost?.isOpen ?? false;
}

const TYPES: ReadonlyMap<string, string> = new Map(
  [...IMAGE_TYPES, ...FILE_TYPES].map(([type, ending]) => [`.${ending}`, type]),
);

const typeOf = (path: string): string => TYPES.get(extname(path).toLowerCase()) ?? 'application/octet-stream';
