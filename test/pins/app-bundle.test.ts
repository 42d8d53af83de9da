/** What pages load as `pincer/app`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const path = join(import.meta.dirname, '../../packages/hub/dist/bundle/app.js');
const MAX_BYTES = 48 * 1024;
const MAX_SENT_BYTES = 16 * 1024;

describe('the library for apps', () => {
  const text = readFileSync(path, 'utf8');
  const code = text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');

  it('is one file that needs no other, and nothing of Node', () => {
    expect(code.match(/^\s*(?:import\b|export .* from\b).*$|\bimport\(|\brequire\(/gm)).toBeNull();
    expect(code.match(/\bnode:|\bBuffer\b|\bprocess\.|\bsetImmediate\b/g)).toBeNull();
  });

  it('is small', () => {
    expect(text.length).toBeLessThan(MAX_BYTES);
    expect(gzipSync(text).length).toBeLessThan(MAX_SENT_BYTES);
  });

  it('can be loaded as it is', async () => {
    const loaded = (await import(path)) as object;
    expect(Object.keys(loaded).toSorted()).toEqual([
      'APP_TIMES',
      'AppError',
      'audio',
      'connect',
      'image',
      'text',
      'tool',
    ]);
  });
});
