import { describe, expect, it } from 'vitest';
import { createResponder } from './calls.ts';
import { MAX_JOINED_BYTES } from './wire.ts';

/** Whether a result of this many two-byte letters is sent, and the size of its frame. */
function send(letters: number): { isSent: boolean; bytes: number } {
  const sent: string[] = [];
  const bridge = {
    send: (text: string) => sent.push(text) > 0,
    close: () => {},
    check: () => {},
    ended: Promise.resolve({ code: 1000, reason: '' }),
  };
  createResponder(bridge, 's'.repeat(128)).done('r'.repeat(128), `"${'ä'.repeat(letters)}"`);
  const [frame = ''] = sent;
  return { isSent: frame.includes('"ok":true'), bytes: Buffer.byteLength(frame) };
}

describe('result', () => {
  it('fails at once if it is too large in bytes, even with few characters', () => {
    expect(send(MAX_JOINED_BYTES / 2)).toEqual({ isSent: false, bytes: expect.any(Number) as number });
  });

  it('is sent if it is just small enough, and fits with its frame', () => {
    const { isSent, bytes } = send((MAX_JOINED_BYTES - 4_098) / 2);
    expect(isSent).toBe(true);
    expect(bytes).toBeLessThanOrEqual(MAX_JOINED_BYTES);
  });
});
