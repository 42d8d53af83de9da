import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import { FIT_LIMITS, planFit, type Room } from './fit-attachments.ts';
import type { Attachment } from './read-attachments.ts';
import { verifies } from '../../../../../test/verifies.ts';

const MiB = 1024 * 1024;
/** The limits in the hello of OpenClaw. */
const ROOM: Room = {
  maxImageBytes: 6 * MiB,
  maxBytes: 19_464_192,
  maxFrameBytes: 25 * MiB,
  messageBytes: 100,
};

/** Never decoded, so it need not be base64. */
const ZEROS = 'A'.repeat(64 * MiB);
const attached = (kind: Attachment['kind'], size: number, name = `${kind}.x`): Attachment => ({
  kind,
  mimeType: kind === 'image' ? 'image/png' : 'application/pdf',
  name,
  size,
  data: ZEROS.slice(0, Math.ceil(size / 3) * 4),
});
const image = (size: number, name?: string): Attachment => attached('image', size, name);
const file = (size: number, name?: string): Attachment => attached('file', size, name);
const plan = (attachments: readonly Attachment[], room: Partial<Room> = {}) =>
  planFit(attachments, { ...ROOM, ...room }, FIT_LIMITS);

function refusal(attachments: readonly Attachment[], room: Partial<Room> = {}): PincerError {
  try {
    plan(attachments, room);
  } catch (error) {
    if (PincerError.is(error)) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('file', () => {
  const limit = ROOM.maxBytes;

  it.each([limit - 1, limit])('is accepted with %i bytes', (size) =>
    expect(plan([file(size)], { maxFrameBytes: 30 * MiB }).maxImageBytes).toBe(6 * MiB),
  );

  it('is refused by name if it is a byte too large for the gateway', () => {
    const { code, message, hint } = refusal([file(1), file(limit + 1, 'report.pdf')]);
    expect(code).toBe('ARGUMENT_INVALID');
    expect(message).toBe(
      'report.pdf is too large: 19464193 bytes. The gateway accepts files up to 19464192 bytes (18.6 MB).',
    );
    expect(hint).toContain('where the agent can read it');
  });
});

describe('image', () => {
  it("may have the smaller of the gateway's two limits", () => {
    expect(plan([image(1)])).toEqual({
      maxImageBytes: 6 * MiB,
      why: 'the gateway accepts images up to 6 MB',
    });
    expect(plan([image(1)], { maxBytes: 5 * MiB }).maxImageBytes).toBe(5 * MiB);
  });

  it('may have any size if the gateway names no limit', () => {
    const { maxImageBytes } = plan([image(15 * MiB)], { maxImageBytes: Infinity, maxBytes: Infinity });
    expect(maxImageBytes).toBe(Infinity);
  });
});

describe('all attachments together', () => {
  /** The largest file that fits into a frame, found by trying. */
  const most = (room: Room): number => {
    let [fits, not] = [0, room.maxFrameBytes];
    while (not - fits > 1) {
      const half = Math.floor((fits + not) / 2);
      if (passes([file(half)], room)) fits = half;
      else not = half;
    }
    return fits;
  };
  const passes = (attachments: readonly Attachment[], room: Room): boolean => {
    try {
      planFit(attachments, room, FIT_LIMITS);
      return true;
    } catch {
      return false;
    }
  };

  it('may fill the frame in base64', () => {
    const room = { ...ROOM, maxBytes: Infinity, maxFrameBytes: MiB, messageBytes: 1_000 };
    const size = most(room);
    const frame = JSON.stringify({
      type: 'req',
      id: '1',
      method: 'chat.send',
      params: {
        message: 'x'.repeat(1_000),
        sessionKey: 'k'.repeat(512),
        idempotencyKey: 'k'.repeat(64),
        attachments: [{ type: 'file', ...file(size), content: file(size).data, data: undefined }],
      },
    });
    expect(frame.length).toBeLessThanOrEqual(MiB);
    expect(frame.length).toBeGreaterThan(MiB - 8 * 1024);
    expect(passes([file(size + 3)], room)).toBe(false);
  });

  it('scale down the largest images first', () => {
    verifies('001-limit-gateway-total');
    const images = [image(MiB), image(5 * MiB), image(5 * MiB)];
    const { maxImageBytes, why } = plan(images, { maxFrameBytes: 10 * MiB });
    expect(why).toBe('the gateway accepts 10 MB in total');
    // The rest after the small image, split in two.
    const expected = (10 * 0.75 - 1) / 2;
    expect(maxImageBytes / MiB).toBeGreaterThan(expected - 0.01);
    expect(maxImageBytes / MiB).toBeLessThan(expected);
  });

  it('count an image with its size after scaling', () => {
    expect(plan([image(15 * MiB), image(15 * MiB), image(15 * MiB)]).maxImageBytes).toBe(6 * MiB);
    expect(plan(Array.from({ length: 4 }, () => image(15 * MiB))).maxImageBytes).toBeLessThan(6 * MiB);
  });

  it('are refused if images would become unrecognizable', () => {
    verifies('001-limit-gateway-total');
    const files = [file(8 * MiB), file(9 * MiB, 'film.mp4'), image(10 * MiB), image(MiB)];
    const room = (forImages: number): Partial<Room> => ({
      maxFrameBytes: (17 * MiB * 4) / 3 + 8_192 + (forImages * 4) / 3,
    });
    expect(plan(files, room(3 * FIT_LIMITS.minBytes)).maxImageBytes).toBeGreaterThan(FIT_LIMITS.minBytes);
    const { message, hint } = refusal(files, room(FIT_LIMITS.minBytes));
    expect(message).toContain('are 37.4 MB together when sent. The gateway accepts 22.8 MB.');
    expect(message).toContain('The largest is film.mp4 (9 MB).');
    expect(hint).toContain('same sessionKey');
  });

  it('are refused with the message named if it is the largest part', () => {
    expect(refusal([], { messageBytes: 26 * MiB }).message).toContain('the message itself (26 MB)');
    expect(refusal([image(MiB)], { messageBytes: 26 * MiB }).message).toContain('the message itself');
    expect(refusal([file(2 * MiB, 'a.pdf')], { messageBytes: MiB, maxFrameBytes: MiB }).message).toContain(
      'The largest is a.pdf (2 MB).',
    );
  });

  it('fit for any input, once each image is scaled to the planned size', () => {
    const sizes = fc.array(fc.record({ isImage: fc.boolean(), size: fc.integer({ min: 1, max: 2 * MiB }) }), {
      maxLength: 15,
    });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 0, max: MiB }), (given, messageBytes) => {
        const room = { ...ROOM, maxImageBytes: MiB, maxBytes: 2 * MiB, maxFrameBytes: 8 * MiB, messageBytes };
        const attachments = given.map(({ isImage, size }) => (isImage ? image(size) : file(size)));
        if (!passes(attachments, room)) return;
        const { maxImageBytes } = planFit(attachments, room, FIT_LIMITS);
        const frame = attachments.reduce((sum, { kind, size }) => {
          const sent = kind === 'image' ? Math.min(size, maxImageBytes) : size;
          return sum + Math.ceil(sent / 3) * 4;
        }, messageBytes);
        expect(frame).toBeLessThanOrEqual(room.maxFrameBytes);
        expect(maxImageBytes).toBeLessThanOrEqual(room.maxImageBytes);
      }),
    );
  });
});
