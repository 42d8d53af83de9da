import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import sharp, { type Sharp as Image } from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import { fitAttachments, type FitParts } from './fit-attachments.ts';
import type { Room } from './fit-attachments.ts';
import type { Attachment } from './read-attachments.ts';

const MiB = 1024 * 1024;
const ROOM: Room = {
  maxImageBytes: 6 * MiB,
  maxBytes: 19_464_192,
  maxFrameBytes: 25 * MiB,
  messageBytes: 100,
};
const NEVER_ABORTED = new AbortController().signal;

const attached = (mimeType: string, bytes: Buffer, name: string): Attachment => ({
  kind: mimeType.startsWith('image/') ? 'image' : 'file',
  mimeType,
  name,
  size: bytes.length,
  data: bytes.toString('base64'),
});
/** An image that cannot be compressed. */
const noise = (width: number, height: number, channels: 3 | 4 = 3): Image =>
  sharp(randomBytes(width * height * channels), { raw: { width, height, channels } });

const fit = (attachments: readonly Attachment[], room: Partial<Room> = {}, parts: FitParts = {}) =>
  fitAttachments(attachments, { ...ROOM, ...room }, NEVER_ABORTED, parts);

/** The one attachment after fitting. */
async function fitOne(attachment: Attachment, room: Partial<Room> = {}, parts: FitParts = {}) {
  const { attachments, remarks } = await fit([attachment], room, parts);
  const [made] = attachments;
  const bytes = Buffer.from(made!.data, 'base64');
  expect(attachments).toHaveLength(1);
  expect(bytes.length).toBe(made!.size);
  return { made: made!, remarks, bytes, head: await sharp(bytes).metadata() };
}

async function refusal(attachments: readonly Attachment[], room: Partial<Room> = {}, parts: FitParts = {}) {
  const error: unknown = await fit(attachments, room, parts).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!PincerError.is(error)) throw new Error('it was not refused');
  expect(error.code).toBe('ARGUMENT_INVALID');
  return error;
}

/** Code that runs first in the child process. */
const first = (code: string): string[] => ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
const WITHOUT_SHARP = first(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      return next(name === 'sharp' ? 'missing-sharp' : name, context);
    },
  });`);
const CRASHES = first(`process.kill(process.pid, 'SIGSEGV');`);
/** Like running out of memory in the middle of the output. */
const DIES_WRITING = first(`
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (chunk) =>
    typeof chunk === 'string'
      ? write(chunk)
      : write(chunk.subarray(0, -100), () => process.kill(process.pid, 'SIGKILL'));`);
const NEVER_BEGINS = first(`setInterval(() => {}, 1_000); await new Promise(() => {});`);

describe('attachment that fits', () => {
  it.each([ROOM.maxImageBytes - 1, ROOM.maxImageBytes])(
    'stays unchanged and is not decoded: %i bytes',
    async (size) => {
      // Not an image, which stays unnoticed.
      const given = [
        attached('image/png', Buffer.alloc(size), 'a.png'),
        attached('application/pdf', Buffer.alloc(10), 'b.pdf'),
      ];
      const { attachments, remarks } = await fit(given);
      expect(attachments).toEqual(given);
      expect(attachments[0]).toBe(given[0]);
      expect(remarks).toEqual([]);
    },
  );

  it('is scaled only if it is a byte larger than the limit of the gateway', async () => {
    const bytes = await noise(300, 200).png().toBuffer();
    const photo = attached('image/png', bytes, 'a.png');
    expect((await fit([photo], { maxImageBytes: bytes.length })).attachments[0]).toBe(photo);
    const { made } = await fitOne(photo, { maxImageBytes: bytes.length - 1 });
    expect(made.size).toBeLessThan(bytes.length);
  });
});

describe('image that is too large', () => {
  let noisy: Buffer;
  beforeAll(async () => {
    noisy = await noise(2700, 2500).png().toBuffer();
  });

  it('becomes smaller and stays a PNG, with a remark for the caller', async () => {
    expect(noisy.length).toBeGreaterThan(19 * MiB);
    const { made, remarks, head } = await fitOne(attached('image/png', noisy, 'noise.png'), {
      maxFrameBytes: 100 * MiB,
    });
    expect(made).toMatchObject({ kind: 'image', mimeType: 'image/png', name: 'noise.png' });
    expect(made.size).toBeLessThanOrEqual(6 * MiB);
    expect(made.size).toBeGreaterThan(3 * MiB);
    expect(head.format).toBe('png');
    expect(head.width / head.height).toBeCloseTo(2700 / 2500, 2);
    expect(remarks).toHaveLength(1);
    expect(remarks[0]).toMatch(
      /^noise\.png was scaled down from 2700×2500 \(19\.\d MB\) to \d+×\d+ \([345](?:\.\d)? MB\): the gateway accepts images up to 6 MB\.$/,
    );
    expect(remarks[0]).toContain(`${head.width}×${head.height}`);
  });

  it('keeps the first frame of an animation', async () => {
    const frames = await Promise.all(
      ['#f00', '#0f0', '#00f'].map((background) =>
        sharp({ create: { width: 400, height: 300, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const bytes = await sharp(frames, { join: { animated: true } })
      .gif({ delay: [50, 50, 50] })
      .toBuffer();
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'gif', pages: 3 });
    // Only all frames together are too large, as with films that are sent as GIF.
    const film = attached('image/gif', Buffer.concat([bytes, Buffer.alloc(3 * bytes.length)]), 'party.gif');
    const { made, remarks, bytes: after, head } = await fitOne(film, { maxImageBytes: 3 * bytes.length });
    expect(made).toMatchObject({ mimeType: 'image/png', name: 'party.png' });
    expect(head).toMatchObject({ format: 'png', width: 400, height: 300 });
    expect(head.pages).toBeUndefined();
    expect([...(await sharp(after).removeAlpha().raw().toBuffer()).subarray(0, 3)]).toEqual([255, 0, 0]);
    expect(remarks[0]).toMatch(
      /^party\.gif was compressed from 400×300 \(.*\) to 400×300 \(.*\) and is now party\.png: .*\. Only the first of its 3 frames is kept\.$/,
    );
  });

  it('is refused with a hint if sharp is not installed', async () => {
    const given = attached('image/png', Buffer.alloc(7 * MiB), 'photo.png');
    const { message, hint } = await refusal([given], {}, { nodeOptions: WITHOUT_SHARP });
    expect(message).toBe('photo.png is too large: it is 7 MB, and the gateway accepts images up to 6 MB.');
    expect(hint).toContain('install sharp');
  });
});

describe('child process', () => {
  const given = attached('image/png', Buffer.alloc(7 * MiB), 'photo.png');

  it('does not take the hub down when it crashes', async () => {
    const { message } = await refusal([given], {}, { nodeOptions: CRASHES });
    expect(message).toBe(
      'photo.png has to be scaled down, but cannot be read as an image (its reader was ended by SIGSEGV).',
    );
  });

  it('is trusted only if it exits normally', async () => {
    const bytes = await noise(300, 200).png().toBuffer();
    const image = attached('image/png', bytes, 'a.png');
    const room = { maxImageBytes: bytes.length - 1 };
    expect((await refusal([image], room, { nodeOptions: DIES_WRITING })).message).toContain(
      'its reader was ended by SIGKILL',
    );
  });

  it('is killed when it takes too long', async () => {
    const parts = { nodeOptions: NEVER_BEGINS, limits: { maxScaleMs: 200 } };
    const { message } = await refusal([given], {}, parts);
    expect(message).toBe('photo.png could not be scaled down within 0.2 seconds.');
  });
});

describe('all attachments together', () => {
  it('fit after the largest images are scaled down, and the others stay unchanged', async () => {
    const [small, ...large] = await Promise.all(
      [100, 700, 700].map((edge) => noise(edge, edge).png().toBuffer()),
    );
    const given = [
      attached('image/png', large[0]!, 'a.png'),
      attached('text/plain', Buffer.alloc(1_000, 'x'), 'b.txt'),
      attached('image/png', small!, 'c.png'),
      attached('image/png', large[1]!, 'd.png'),
    ];
    const maxFrameBytes = 2 * MiB;
    const { attachments, remarks } = await fit(given, { maxFrameBytes });
    expect(attachments.map(({ name }) => name)).toEqual(['a.png', 'b.txt', 'c.png', 'd.png']);
    expect(attachments[1]).toBe(given[1]);
    expect(attachments[2]).toBe(given[2]);
    expect(JSON.stringify(attachments).length).toBeLessThan(maxFrameBytes);
    expect(remarks).toHaveLength(2);
    expect(remarks[0]).toMatch(/^a\.png was scaled down .*: the gateway accepts 2 MB in total\.$/);
    expect(remarks[1]).toMatch(/^d\.png /);
  });

  it('are refused without decoding an image if the files alone are too large', async () => {
    const given = [
      attached('image/png', Buffer.alloc(2 * MiB), 'a.png'),
      attached('video/mp4', Buffer.alloc(3 * MiB), 'film.mp4'),
    ];
    const { message } = await refusal(given, { maxFrameBytes: 4 * MiB });
    expect(message).toContain('The largest is film.mp4 (3 MB).');
  });
});

describe('cancelled order', () => {
  it('waits neither for a running nor for a queued image', async () => {
    const bytes = await noise(1_500, 1_500).png().toBuffer();
    const given = [attached('image/png', bytes, 'a.png')];
    const room = { ...ROOM, maxImageBytes: 1_000_000 };
    const controller = new AbortController();
    const running = fitAttachments(given, room, controller.signal, { nodeOptions: NEVER_BEGINS });
    const waiting = fitAttachments(given, room, controller.signal);
    const another = fitAttachments(given, room, NEVER_ABORTED);
    await setImmediate();
    const reason = new Error('cancelled');
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(fitAttachments(given, room, controller.signal)).rejects.toBe(reason);
    expect((await another).remarks).toHaveLength(1);
  });
});
