/** Saves the images, audio and files of a tool result. Loaded only for `--out`. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasCode, messageOf, PincerError } from '../../core/errors.ts';
import { isRecord } from '../../lib/record.ts';
import { parseBytes, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, readMembers } from '../../core/wire/members.ts';

export interface SavedFile {
  readonly path: string;
  readonly mimeType: string;
  readonly bytes: number;
}

interface Media {
  readonly data: Buffer;
  readonly mimeType: string;
  /** The URI of a resource. Untrusted: the server chooses it. */
  readonly uri: string | undefined;
}

/** `out` is a folder. It is a file if it looks like one and there is one item to save. */
export function saveMedia(result: ByteText, out: string, tool: string): SavedFile[] {
  const content = findMember(readMembers(result), 'content');
  const blocks = content === undefined ? [] : parseBytes(content);
  const media = (Array.isArray(blocks) ? blocks : []).flatMap(mediaOf);
  if (media.length === 0) return [];
  try {
    const isFile = media.length === 1 && /[^/\\]\.\w{1,5}$/.test(out) && !isFolder(out);
    const folder = isFile ? dirname(out) : out;
    mkdirSync(folder, { recursive: true });
    return media.map(({ data, mimeType, uri }) => {
      const path = writeNew(folder, isFile ? basename(out) : nameFor({ uri, mimeType, tool }), data);
      return { path, mimeType, bytes: data.length };
    });
  } catch (error) {
    throw new PincerError(
      'INTERNAL',
      `The tool has run, but its result cannot be saved: ${messageOf(error)}.`,
      {
        hint: 'Check what it did before you repeat it. --out takes a folder or file that you can write to.',
        data: { outcome: 'ok' },
        cause: error,
      },
    );
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function mediaOf(block: unknown): Media[] {
  if (!isRecord(block)) return [];
  const resource = isRecord(block['resource']) ? block['resource'] : undefined;
  const { data, mimeType } = block;
  if (typeof data === 'string')
    return [{ data: Buffer.from(data, 'base64'), mimeType: textOf(mimeType), uri: undefined }];
  if (resource === undefined) return [];
  const { blob, text, uri, mimeType: type } = resource;
  const bytes =
    typeof blob === 'string'
      ? Buffer.from(blob, 'base64')
      : typeof text === 'string'
        ? Buffer.from(text)
        : undefined;
  return bytes === undefined ? [] : [{ data: bytes, mimeType: textOf(type), uri: textOf(uri) }];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/x-wav': 'wav',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/octet-stream': 'bin',
};

/** Builds a safe file name from at most the last segment of the URI, so that a server cannot write outside the folder. */
function nameFor({
  uri,
  mimeType,
  tool,
}: {
  uri: string | undefined;
  mimeType: string;
  tool: string;
}): string {
  const last = (uri ?? '').split(/[?#]/, 1)[0]!.split('/').at(-1) ?? '';
  const safe = last
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^[._-]+/, '')
    .slice(0, 80);
  if (/\.\w+$/.test(safe)) return safe;
  const type = mimeType.split(';', 1)[0]!.trim().toLowerCase();
  const ending = ENDINGS[type] ?? /^[a-z]+\/([a-z0-9]{1,8})$/.exec(type)?.[1] ?? 'bin';
  return `${safe === '' ? tool.replaceAll(/[^\w-]+/g, '_').slice(0, 80) || 'result' : safe}.${ending}`;
}

/** Writes `name.png`, or `name-2.png` if that exists. */
function writeNew(folder: string, name: string, data: Buffer): string {
  const dot = name.lastIndexOf('.');
  for (let count = 1; ; count++) {
    const path = join(folder, count === 1 ? name : `${name.slice(0, dot)}-${count}${name.slice(dot)}`);
    try {
      writeFileSync(path, data, { flag: 'wx' });
      return path;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}
