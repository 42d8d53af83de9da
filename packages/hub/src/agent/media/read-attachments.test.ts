import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { FILE_TYPES, IMAGE_TYPES } from './media-types.ts';
import { readAttachments, type MediaArgument, type MediaLimits } from './read-attachments.ts';

const MiB = 1024 * 1024;
const PNG = '\x89PNG\r\n\x1a\n';
const iso = (brand: string): string => `\0\0\0\x18ftyp${brand}`;

/** The first bytes of a file of each type. */
const SAMPLES: Readonly<Record<string, string>> = {
  'image/jpeg': '\xff\xd8\xff\xe0',
  'image/png': PNG,
  'image/gif': 'GIF89a',
  'image/webp': 'RIFF\0\0\0\0WEBP',
  'application/pdf': '%PDF-1.7',
  'text/plain': 'hello',
  'text/markdown': '# hello',
  'text/html': '<p>hello',
  'text/csv': 'a,b',
  'application/json': '{"a":1}',
  'audio/mpeg': 'ID3\x04',
  'audio/wav': 'RIFF\0\0\0\0WAVE',
  'audio/ogg': 'OggS',
  'audio/mp4': iso('M4A '),
  'audio/aac': '\xff\xf1',
  'audio/flac': 'fLaC',
  'audio/opus': `OggS${'\0'.repeat(24)}OpusHead`,
  'video/mp4': iso('isom'),
  'video/webm': '\x1a\x45\xdf\xa3webm',
  'video/quicktime': iso('qt  '),
  'video/x-msvideo': 'RIFF\0\0\0\0AVI ',
  'application/zip': 'PK\x03\x04',
  'application/gzip': '\x1f\x8b',
  'application/x-tar': '\0'.repeat(512),
  'application/x-compressed-tar': '\x1f\x8b',
};

const encoded = (content: string | Buffer): string =>
  (typeof content === 'string' ? Buffer.from(content, 'latin1') : content).toString('base64');
const media = (
  mimeType: string,
  content: string | Buffer = SAMPLES[mimeType]!,
  filename?: string,
): MediaArgument => ({
  data: encoded(content),
  mimeType,
  ...(filename !== undefined && { filename }),
});
const sized = (mimeType: string, size: number): MediaArgument => {
  const content = Buffer.alloc(size, ' ');
  content.write(SAMPLES[mimeType]!, 'latin1');
  return media(mimeType, content);
};
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

interface Sent {
  images?: MediaArgument[];
  files?: MediaArgument[];
  limits?: Partial<MediaLimits>;
}
const read = ({ images = [], files = [], limits = {} }: Sent) =>
  readAttachments(images, files, { ...DEFAULT_LIMITS, ...limits });

function refusal(sent: Sent): PincerError {
  try {
    read(sent);
  } catch (error) {
    if (PincerError.is(error)) return error;
    throw error;
  }
  throw new Error('It was taken.');
}

describe('readAttachments', () => {
  it('accepts exactly these types', () => {
    verifies('001-image-mime-types');
    verifies('001-file-documents', '001-file-text', '001-file-data');
    verifies('001-file-audio', '001-file-video', '001-file-archives');
    expect([...IMAGE_TYPES.keys(), ...FILE_TYPES.keys()]).toEqual(Object.keys(SAMPLES));
  });

  it.each([...IMAGE_TYPES.keys()])('accepts an image of type %s, with its base64 unchanged', (mimeType) => {
    const image = media(mimeType);
    expect(read({ images: [image] })).toEqual([
      {
        kind: 'image',
        mimeType,
        name: `image-1.${IMAGE_TYPES.get(mimeType)}`,
        size: SAMPLES[mimeType]!.length,
        data: image.data,
      },
    ]);
  });

  it.each([...FILE_TYPES.keys()])('accepts a file of type %s', (mimeType) => {
    expect(read({ files: [media(mimeType)] })).toMatchObject([
      { kind: 'file', mimeType, name: `file-1.${FILE_TYPES.get(mimeType)}` },
    ]);
  });

  it('enforces the limits table to the byte', () => {
    expect(DEFAULT_LIMITS).toMatchObject({
      maxImages: 10,
      maxFiles: 5,
      maxMediaBytes: 15_728_640,
      maxMediaBytesInAll: 67_108_864,
    });
  });

  it.each([9, 10])('accepts %i images', (count) => {
    expect(read({ images: times(count, media('image/png')) })).toHaveLength(count);
  });

  it('refuses 11 images', () => {
    verifies('001-image-max-10');
    expect(refusal({ images: times(11, media('image/png')) }).message).toBe(
      'There are 11 images; the limit is 10 per message.',
    );
  });

  it.each([4, 5])('accepts %i files beside images', (count) => {
    const sent = { images: [media('image/png')], files: times(count, media('text/plain')) };
    expect(read(sent)).toHaveLength(count + 1);
  });

  it('refuses 6 files', () => {
    verifies('001-file-max-5');
    expect(refusal({ files: times(6, media('text/plain')) }).message).toBe(
      'There are 6 files; the limit is 5 per message.',
    );
  });

  it.each([
    ['images', 'image/png', 15 * MiB - 1],
    ['images', 'image/png', 15 * MiB],
    ['files', 'application/pdf', 15 * MiB - 1],
    ['files', 'application/pdf', 15 * MiB],
    ['files', 'text/plain', 15 * MiB],
  ])('accepts one of %s, %s, of %i bytes', (list, mimeType, size) => {
    expect(read({ [list]: [sized(mimeType, size)] })).toMatchObject([{ mimeType, size }]);
  });

  it.each([
    ['images', 'image/png'],
    ['files', 'application/pdf'],
  ])('refuses one of %s, %s, with a byte more', (list, mimeType) => {
    verifies('001-image-max-15mb', '001-file-max-15mb');
    expect(refusal({ [list]: [sized(mimeType, 15 * MiB + 1)] }).message).toBe(
      `${list}[0] is too large: 15.1 MB. The limit is 15 MB.`,
    );
  });

  it('accepts 64 MB in total, and not a byte more', () => {
    verifies('001-limit-request-total');
    const fifteen = sized('image/png', 15 * MiB);
    const sent = (size: number): Sent => ({
      images: times(4, fifteen),
      files: [sized('application/pdf', size)],
    });
    expect(read(sent(4 * MiB - 1))).toHaveLength(5);
    expect(read(sent(4 * MiB))).toHaveLength(5);
    expect(refusal(sent(4 * MiB + 1)).message).toBe(
      'Images and files are 64.1 MB together. The limit is 64 MB per message.',
    );
  });

  it('applies the limits of the settings', () => {
    const image = media('image/png');
    expect(refusal({ images: [image, image], limits: { maxImages: 1 } }).message).toContain(
      'the limit is 1 per message',
    );
    expect(refusal({ images: [image], limits: { maxMediaBytes: 7 } }).message).toContain(
      'The limit is 7 bytes.',
    );
    expect(read({ images: [image], limits: { maxMediaBytes: 8 } })).toHaveLength(1);
  });

  it('checks sizes before it decodes anything', () => {
    const wrong = { data: '!'.repeat(20 * MiB + 4), mimeType: 'image/png' };
    expect(refusal({ images: [{ ...wrong, data: wrong.data.slice(0, 4) }, wrong] }).message).toMatch(
      /^images\[1\] is too large/,
    );
  });
});

describe('mimeType', () => {
  it.each([
    ['IMAGE/PNG', 'image/png'],
    [' image/png ; a=b', 'image/png'],
  ])('may be written %j', (label, mimeType) => {
    expect(read({ images: [{ ...media('image/png'), mimeType: label }] })).toMatchObject([{ mimeType }]);
  });

  it('is refused with a suggestion or the accepted types if it is not accepted', () => {
    verifies('001-image-mime-refused', '001-file-mime-refused');
    const error = refusal({ images: [{ ...media('image/png', PNG, 'a.png'), mimeType: 'image/jpg' }] });
    expect(error.code).toBe('ARGUMENT_INVALID');
    expect(error.message).toBe('images[0] (a.png) is labelled image/jpg, which images does not accept.');
    expect(error.hint).toBe(
      'Did you mean image/jpeg? Accepted types: image/jpeg, image/png, image/gif, image/webp.',
    );
    expect(refusal({ files: [{ data: 'QQ==', mimeType: 'application/x-sh' }] }).message).toBe(
      'files[0] is labelled application/x-sh, which files does not accept.',
    );
    expect(refusal({ files: [{ data: 'QQ==', mimeType: '' }] }).message).toBe('files[0] has no mimeType.');
  });

  it('is refused with a hint if it belongs to the other list', () => {
    expect(refusal({ images: [media('application/pdf')] }).hint).toBe('Put it into files.');
    expect(refusal({ files: [media('text/plain'), media('image/png')] })).toMatchObject({
      message: 'files[1] is labelled image/png, which files does not accept.',
      hint: 'Put it into images.',
    });
  });

  it.each([
    ['images', 'image/png', SAMPLES['image/jpeg']!, 'image/jpeg'],
    ['images', 'image/jpeg', '<svg/>', 'of an unknown type'],
    ['images', 'image/webp', iso('heic'), 'image/heic'],
    ['files', 'application/pdf', 'PK\x03\x04', 'application/zip'],
    ['files', 'application/zip', gzipSync('x'), 'application/gzip'],
    ['files', 'application/x-compressed-tar', 'PK\x03\x04', 'application/zip'],
    ['files', 'audio/opus', 'OggS', 'audio/ogg'],
    ['files', 'video/mp4', iso('avif'), 'image/avif'],
    ['files', 'text/plain', PNG, 'image/png'],
    ['files', 'text/csv', 'caf\xe9', 'not text in UTF-8'],
    ['files', 'text/plain', '\xff\xfeh\0i\0', 'text in UTF-16, not in UTF-8'],
    ['files', 'text/html', 'a\0b', 'not text in UTF-8'],
    ['files', 'application/json', 'hello', 'not JSON: Unexpected token'],
    ['files', 'application/json', '{"a":1', 'not JSON: '],
  ])('is refused if the content contradicts it: %s, %s', (list, mimeType, content, found) => {
    verifies('001-media-content-matches');
    expect(refusal({ [list]: [media(mimeType, content)] }).message).toContain(
      `${list}[0] is labelled ${mimeType}, but its content is ${found}`,
    );
  });

  it.each([
    ['audio/mp4', iso('isom')],
    ['video/mp4', iso('qt  ')],
    ['video/quicktime', '\0\0\0\x08wide'],
    ['audio/ogg', SAMPLES['audio/opus']!],
    ['audio/aac', 'ID3\x04'],
    ['audio/flac', 'ID3\x04'],
    ['text/plain', '%PDF-1.7 is how it begins'],
    ['application/json', Buffer.from('\ufeff{"ä":1}')],
    ['application/json', `[${'0,'.repeat(1_100_000)}0]`],
  ])('%s is not contradicted by content that begins alike', (mimeType, content) => {
    expect(read({ files: [media(mimeType, content)] })).toHaveLength(1);
  });
});

describe('data', () => {
  it.each([
    ['data:image/png;base64,QUJD', 'The data of images[0] is a data: URL.', 'comma'],
    ['QUJD\nQUJD', 'The data of images[0] has white space in its base64.', 'one line'],
    ['QUJD QUJ', 'The data of images[0] has white space in its base64.', 'one line'],
    ['Q-_D', 'The data of images[0] is in the base64 alphabet for URLs.', 'standard'],
    ['QUJ', 'The data of images[0] is base64 of the wrong length.', 'padded'],
    ['', 'images[0] is empty.', 'leave it out'],
  ])('%j is refused with a hint', (data, message, hint) => {
    verifies('001-base64-invalid');
    const error = refusal({ images: [{ data, mimeType: 'image/png' }] });
    expect(error.message).toBe(message);
    expect(error.hint).toContain(hint);
  });
});

describe('name', () => {
  it('is the given one without folders', () => {
    const files = ['../../etc/pass\u202ewd', '..', undefined].map((name) =>
      media('text/markdown', '#', name),
    );
    expect(read({ files }).map(({ name }) => name)).toEqual(['passwd', 'file-2.md', 'file-3.md']);
  });
});
