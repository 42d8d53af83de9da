import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { contentType } from './media-types.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const box = (kind: string): Buffer => bytes(`\0\0\0\x18ftyp${kind}\0\0\0\0`);

/** The header of a tar entry; old formats have no `ustar`. */
function tar(name: string, magic = 'ustar\x0000'): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write('00000000005\0', 124);
  header.write('        ', 148);
  header.write(magic, 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, Buffer.alloc(512, 'x')]);
}

describe('contentType', () => {
  it.each([
    ['image/jpeg', bytes('\xff\xd8\xff\xe0\0\x10JFIF')],
    ['image/png', bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
    ['image/gif', bytes('GIF87a\x01\0')],
    ['image/gif', bytes('GIF89a\x01\0')],
    ['image/webp', bytes('RIFF\x1a\0\0\0WEBPVP8L')],
    ['application/pdf', bytes('%PDF-1.7\n')],
    ['application/pdf', bytes(`${'\n'.repeat(1_000)}%PDF-1.7`)],
    ['audio/mpeg', bytes('ID3\x04\0')],
    ['audio/mpeg', bytes('\xff\xfb\x90\x44')],
    ['audio/wav', bytes('RIFF\x24\0\0\0WAVEfmt ')],
    ['audio/ogg', bytes(`OggS${'\0'.repeat(24)}\x01vorbis`)],
    ['audio/opus', bytes(`OggS${'\0'.repeat(24)}OpusHead`)],
    ['audio/mp4', box('M4A ')],
    ['audio/aac', bytes('\xff\xf1\x50\x80')],
    ['audio/flac', bytes('fLaC\0\0\0\x22')],
    ['video/mp4', box('isom')],
    ['video/webm', bytes('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm')],
    ['video/x-matroska', bytes('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x88matroska')],
    ['video/quicktime', box('qt  ')],
    ['video/quicktime', bytes('\0\0\0\x08wide\0\0\0\0mdat')],
    ['video/x-msvideo', bytes('RIFF\x24\0\0\0AVI LIST')],
    ['application/zip', bytes('PK\x03\x04\x14\0')],
    ['application/zip', bytes(`PK\x05\x06${'\0'.repeat(18)}`)],
    ['application/gzip', gzipSync('x')],
    ['application/x-tar', tar('a.txt')],
    ['application/x-tar', tar('a.txt', '')],
    ['application/x-tar', tar('GIF89a')],
    ['application/x-tar', Buffer.alloc(1024)],
    ['image/heic', box('heic')],
    ['image/avif', box('avif')],
  ])('detects %s', (type, head) => expect(contentType(head)).toBe(type));

  it.each([
    '',
    'hello',
    'RIFF',
    'RIFF\x24\0\0\0CDDA',
    '\0\0\0\x18moot',
    '\xff\xff\xff',
    '\xff\xfeh\0i\0',
    '\xff',
    'a'.repeat(50),
  ])('returns undefined for %j', (text) => expect(contentType(bytes(text))).toBeUndefined());
});
