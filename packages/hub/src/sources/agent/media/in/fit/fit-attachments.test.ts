import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp as Image } from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { PincerError } from '../../../../../core/errors.ts';
import type { Attachment } from '../read-media.ts';
import { fitAttachments, type FitParts } from './fit-attachments.ts';
import type { Room } from './plan.ts';

const MiB = 1024 * 1024;
const ROOM: Room = {
  maxImageBytes: 6 * MiB,
  maxBytes: 19_464_192,
  maxFrameBytes: 25 * MiB,
  messageBytes: 100,
};
const NOBODY = new AbortController().signal;

const attached = (mimeType: string, bytes: Buffer, name: string): Attachment => ({
  kind: mimeType.startsWith('image/') ? 'image' : 'file',
  mimeType,
  name,
  size: bytes.length,
  data: bytes.toString('base64'),
});
/** What nobody can compress. */
const noise = (width: number, height: number, channels: 3 | 4 = 3): Image =>
  sharp(randomBytes(width * height * channels), { raw: { width, height, channels } });

const fit = (attachments: readonly Attachment[], room: Partial<Room> = {}, parts: FitParts = {}) =>
  fitAttachments(attachments, { ...ROOM, ...room }, NOBODY, parts);

/** The one that was sent, as it is now. */
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

/** Runs before the process that scales does anything else. */
const first = (code: string): string[] => ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
const WITHOUT_SHARP = first(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      return next(name === 'sharp' ? 'sharp-of-nobody' : name, context);
    },
  });`);
const CRASHES = first(`process.kill(process.pid, 'SIGSEGV');`);
const NEVER_BEGINS = first(`setInterval(() => {}, 1_000); await new Promise(() => {});`);

describe('what fits', () => {
  it.each([ROOM.maxImageBytes - 1, ROOM.maxImageBytes])(
    'is the very same text, and nothing reads it: %i bytes',
    async (size) => {
      // No image at all, which nobody finds out.
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

  it('is scaled when it is one byte larger than the gateway takes, and not before', async () => {
    const bytes = await noise(300, 200).png().toBuffer();
    const photo = attached('image/png', bytes, 'a.png');
    expect((await fit([photo], { maxImageBytes: bytes.length })).attachments[0]).toBe(photo);
    const { made } = await fitOne(photo, { maxImageBytes: bytes.length - 1 });
    expect(made.size).toBeLessThan(bytes.length);
  });
});

describe('an image that is too large', () => {
  let noisy: Buffer;
  beforeAll(async () => {
    noisy = await noise(2700, 2500).png().toBuffer();
  });

  it('becomes smaller and stays a PNG, and the caller is told', async () => {
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
      /^noise\.png was scaled down from 2700×2500 \(19\.\d MB\) to \d+×\d+ \([345](?:\.\d)? MB\): the gateway takes images up to 6 MB\.$/,
    );
    expect(remarks[0]).toContain(`${head.width}×${head.height}`);
  });

  it('is turned the way that it is looked at, and says nothing of where it was taken', async () => {
    // Taken with the camera on its side: left is red, right is blue, and the top of the scene is at the left.
    const half = { width: 600, height: 800, channels: 3 } as const;
    const blue = await sharp({ create: { ...half, background: '#00f' } })
      .png()
      .toBuffer();
    const bytes = await sharp({ create: { ...half, width: 1200, background: '#f00' } })
      .composite([{ input: blue, left: 600, top: 0 }])
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100 })
      .toBuffer();
    const {
      made,
      remarks,
      bytes: after,
      head,
    } = await fitOne(attached('image/jpeg', bytes, 'side.jpg'), {
      maxImageBytes: bytes.length - 1,
    });
    expect(made.mimeType).toBe('image/jpeg');
    expect(head.height).toBeGreaterThan(head.width);
    expect(head.orientation).toBeUndefined();
    expect(head.exif).toBeUndefined();
    expect(remarks[0]).toContain('from 800×1200');
    const { data, info } = await sharp(after).raw().toBuffer({ resolveWithObject: true });
    const pixel = (x: number, y: number) => data.subarray((y * info.width + x) * 3).subarray(0, 3);
    const [top, bottom] = [pixel(5, 5), pixel(5, info.height - 5)];
    expect(top[0]).toBeGreaterThan(200);
    expect(top[2]).toBeLessThan(50);
    expect(bottom[0]).toBeLessThan(50);
    expect(bottom[2]).toBeGreaterThan(200);
  });

  it('is the first frame of what moves', async () => {
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
    // So that only all frames together are too large, as with films that are sent as GIF.
    const film = attached('image/gif', Buffer.concat([bytes, Buffer.alloc(3 * bytes.length)]), 'party.gif');
    const { made, remarks, bytes: after, head } = await fitOne(film, { maxImageBytes: 3 * bytes.length });
    expect(made).toMatchObject({ mimeType: 'image/png', name: 'party.png' });
    expect(head).toMatchObject({ format: 'png', width: 400, height: 300 });
    expect(head.pages).toBeUndefined();
    expect([...(await sharp(after).removeAlpha().raw().toBuffer()).subarray(0, 3)]).toEqual([255, 0, 0]);
    expect(remarks[0]).toMatch(
      /^party\.gif was compressed from 400×300 \(.*\) to 400×300 \(.*\) and is party\.png now: .*\. Of its 3 frames, the first is left\.$/,
    );
  });

  it('stays transparent where it was', async () => {
    const bytes = await noise(600, 400, 4).webp({ lossless: true }).toBuffer();
    const { made, head } = await fitOne(attached('image/webp', bytes, 'logo.webp'), {
      maxImageBytes: bytes.length / 2,
    });
    expect(made).toMatchObject({ mimeType: 'image/webp', name: 'logo.webp' });
    expect(head).toMatchObject({ format: 'webp', hasAlpha: true });
  });

  it.each([
    [3, 'image/jpeg', 'dots.jpg'],
    [4, 'image/webp', 'dots.webp'],
  ] as const)('is another type where a PNG would grow: %i channels', async (channels, mimeType, name) => {
    // Dots of two colours, one bit each: between them there are hundreds.
    const [width, height] = [800, 600];
    const raw = randomBytes(width * height * channels);
    for (let at = 0; at < raw.length; at += channels) raw.fill(raw[at]! > 127 ? 255 : 0, at, at + channels);
    const bytes = await sharp(raw, { raw: { width, height, channels } })
      .png({ palette: true, colours: 2, dither: 0 })
      .toBuffer();
    const { made, head, remarks } = await fitOne(attached('image/png', bytes, 'dots.png'), {
      maxImageBytes: bytes.length - 1,
    });
    expect(made).toMatchObject({ mimeType, name });
    expect(`image/${head.format}`).toBe(mimeType);
    expect(remarks[0]).toContain(`and is ${name} now`);
  });

  it('is refused when it says that it has more pixels than anybody needs, before they are made', async () => {
    const bomb = blackPng(30_000, 30_000);
    expect(bomb.length).toBeLessThan(MiB);
    const { message, hint } = await refusal([attached('image/png', bomb, 'bomb.png')], {
      maxImageBytes: bomb.length - 1,
    });
    expect(message).toBe(
      'bomb.png has 30000×30000 pixels, and no image of more than 64 million can be scaled down here.',
    );
    expect(hint).toContain('Send a smaller one');
  });

  it.each([0, 1])('has at most so many pixels: limit plus %i', async (over) => {
    const bytes = await noise(100, 100).png().toBuffer();
    const given = attached('image/png', bytes, 'a.png');
    const room = { maxImageBytes: bytes.length - 1 };
    const parts = { limits: { maxImagePixels: 100 * 100 - over } };
    if (over === 0) expect((await fitOne(given, room, parts)).remarks).toHaveLength(1);
    else expect((await refusal([given], room, parts)).message).toContain('100×100 pixels');
  });

  it.each([
    ['which is none', Buffer.from('\x89PNG\r\n\x1a\n'.padEnd(5_000, 'x'), 'latin1')],
    ['which ends in the middle', undefined],
    [
      'which is of another kind',
      Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${' '.repeat(5_000)}</svg>`),
    ],
  ])('is refused by its name, %s', async (_, bytes) => {
    const given = attached('image/png', bytes ?? noisy.subarray(0, noisy.length / 2), 'broken.png');
    const { message } = await refusal([given], { maxImageBytes: 4_000, maxFrameBytes: 100 * MiB });
    expect(message).toMatch(/^broken\.png has to be scaled down and cannot be read as an image \(.+\)\.$/);
    expect(message).not.toContain('\n');
  });

  it('is refused when no try was enough', async () => {
    const bytes = await noise(60, 60).png().toBuffer();
    const { message } = await refusal([attached('image/png', bytes, 'a.png')], { maxImageBytes: 10 });
    expect(message).toBe('a.png cannot be made smaller than 10 bytes.');
  });

  it('is refused with what to do where sharp is not installed', async () => {
    const given = attached('image/png', Buffer.alloc(7 * MiB), 'photo.png');
    const { message, hint } = await refusal([given], {}, { nodeOptions: WITHOUT_SHARP });
    expect(message).toBe('photo.png is too large: it is 7 MB, and the gateway takes images up to 6 MB.');
    expect(hint).toContain('install sharp');
  });
});

describe('the process that scales', () => {
  const given = attached('image/png', Buffer.alloc(7 * MiB), 'photo.png');

  it('takes nobody else with it when it crashes', async () => {
    const { message } = await refusal([given], {}, { nodeOptions: CRASHES });
    expect(message).toBe(
      'photo.png has to be scaled down and cannot be read as an image (its reader was ended by SIGSEGV).',
    );
  });

  it('is ended when it takes too long', async () => {
    const parts = { nodeOptions: NEVER_BEGINS, limits: { maxScaleMs: 200 } };
    const { message } = await refusal([given], {}, parts);
    expect(message).toBe('photo.png could not be scaled down within 0.2 seconds.');
  });
});

describe('all together', () => {
  it('fit after the largest images were made smaller; others stay as they are', async () => {
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
    expect(remarks[0]).toMatch(/^a\.png was scaled down .*: the gateway takes 2 MB in all\.$/);
    expect(remarks[1]).toMatch(/^d\.png /);
  });

  it('are refused without a look at any image when files alone are too much', async () => {
    const given = [
      attached('image/png', Buffer.alloc(2 * MiB), 'a.png'),
      attached('video/mp4', Buffer.alloc(3 * MiB), 'film.mp4'),
    ];
    const { message } = await refusal(given, { maxFrameBytes: 4 * MiB });
    expect(message).toContain('The largest is film.mp4 (3 MB).');
  });
});

describe('who does not want it any more', () => {
  it('waits neither for an image under way nor for others before it', async () => {
    const bytes = await noise(1_500, 1_500).png().toBuffer();
    const given = [attached('image/png', bytes, 'a.png')];
    const room = { ...ROOM, maxImageBytes: 1_000_000 };
    const controller = new AbortController();
    const running = fitAttachments(given, room, controller.signal, { nodeOptions: NEVER_BEGINS });
    const waiting = fitAttachments(given, room, controller.signal);
    const another = fitAttachments(given, room, NOBODY);
    await setImmediate();
    const reason = new Error('cancelled');
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(fitAttachments(given, room, controller.signal)).rejects.toBe(reason);
    expect((await another).remarks).toHaveLength(1);
  });
});

/** One bit for each pixel, all of them zero: a hundred thousand bytes can be a picture of a billion pixels. */
function blackPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const pixels = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
