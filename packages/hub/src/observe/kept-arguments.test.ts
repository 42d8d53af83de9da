import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { keepArguments, writeArguments } from './audit.ts';

/** Returns its input. */
const show = (raw: string): string => raw;

describe('keepArguments', () => {
  it('keeps short arguments whole', () => {
    const raw = '{"a":1}';
    expect(keepArguments(raw, 100)).toEqual({ text: raw, bytes: 7 });
    expect(writeArguments(keepArguments(raw, 100), show, 100)).toBe(raw);
  });

  it('keeps at most four times what may be written', () => {
    const raw = `{"a":"${'x'.repeat(1_000_000)}"}`;
    const { text, bytes } = keepArguments(raw, 100);
    expect(text).toBe(raw.slice(0, 400));
    expect(bytes).toBe(raw.length);
  });

  it('does not keep the message alive', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const message = (): string => Array.from({ length: 500_000 }, () => 'arguments,').join('');
    const heldBy = (make: () => string): number => {
      const before = heap();
      const made = Array.from({ length: 8 }, make);
      return heap() - before + made.length;
    };
    expect(heldBy(() => message().slice(5, 1_000))).toBeGreaterThan(30_000_000);
    expect(heldBy(() => keepArguments(message().slice(5, 1_000), 2_048).text)).toBeLessThan(15_000_000);
  });
});

describe('writeArguments', () => {
  it('passes only complete values to the redactor, and states the size', () => {
    const raw = `{"path":"/x","token":"ghp_${'0123456789'.repeat(100)}"}`;
    expect(writeArguments(keepArguments(raw, 10), show, 10)).toBe(
      `{"path":"/x"} … ${raw.length} bytes in all`,
    );
  });

  it('passes on the limit', () => {
    const limits: number[] = [];
    writeArguments({ text: '{}', bytes: 2 }, (_, maxBytes) => String(limits.push(maxBytes)), 77);
    expect(limits).toEqual([77]);
  });

  it('shows nothing if the redaction fails', () => {
    const fail = (): string => {
      throw new RangeError('too deep');
    };
    expect(writeArguments({ text: '{"token":"s3"}', bytes: 14 }, fail, 100)).toBe(
      '[14 bytes that could not be redacted]',
    );
  });

  it('shows nothing of arguments that were left out', () => {
    expect(writeArguments({ text: '', bytes: 14 }, show, 100)).toBe('[14 bytes, too much queued]');
  });
});
