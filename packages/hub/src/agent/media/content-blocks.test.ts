import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { contentBlocks, type MediaLinks, type ReplyMedia, type ReplyWay } from './content-blocks.ts';

const MiB = 1024 * 1024;
const item = (size: number, mimeType = 'application/pdf', name = 'a.pdf'): ReplyMedia => ({
  mimeType,
  name,
  content: { bytes: Buffer.alloc(size, 'x') },
});
const way = (more: Partial<ReplyWay> = {}): ReplyWay => ({
  limits: DEFAULT_LIMITS,
  isLine: false,
  links: undefined,
  ...more,
});
const kinds = (media: ReplyMedia[], more?: Partial<ReplyWay>, text = ''): string[] =>
  contentBlocks({ text, media }, way(more)).map(({ type }) => type);
const texts = (media: ReplyMedia[], more?: Partial<ReplyWay>): string[] =>
  contentBlocks({ text: '', media }, way(more)).flatMap((block) => (block.type === 'text' ? block.text : []));

function links(): MediaLinks & { kept: string[] } {
  const kept: string[] = [];
  return { kept, link: ({ name }) => `pincer://media/${kept.push(name)}` };
}

describe('contentBlocks', () => {
  it('returns text, images, audio and files as the specification defines them', () => {
    verifies('001-receive-text', '001-receive-image', '001-receive-audio', '001-receive-resource');
    const data = Buffer.from('xxx').toString('base64');
    const media = [item(3, 'image/png', 'i.png'), item(3, 'audio/mpeg', 's.mp3'), item(3)];
    expect(contentBlocks({ text: 'Here', media }, way())).toEqual([
      { type: 'text', text: 'Here' },
      { type: 'image', data, mimeType: 'image/png' },
      { type: 'audio', data, mimeType: 'audio/mpeg' },
      { type: 'resource', resource: { uri: 'attachment://a.pdf', mimeType: 'application/pdf', blob: data } },
    ]);
  });

  it('returns no block for an empty answer', () => {
    expect(contentBlocks({ text: '', media: [] }, way())).toEqual([]);
  });

  it('gives each file a unique name without a path', () => {
    const media = [
      item(1),
      item(1),
      item(1, 'text/plain', '../ü b.txt'),
      { ...item(1, 'text/csv'), name: undefined },
    ];
    const uris = contentBlocks({ text: '', media }, way()).flatMap((block) =>
      block.type === 'resource' ? block.resource.uri : [],
    );
    expect(uris).toEqual([
      'attachment://a.pdf',
      'attachment://a-2.pdf',
      'attachment://%C3%BC%20b.txt',
      'attachment://file.csv',
    ]);
  });

  it('returns images of types that models do not know as files', () => {
    expect(kinds([item(1, 'image/svg+xml', 'a.svg')])).toEqual(['resource']);
  });

  it('notes missing media in their place', () => {
    const missing: ReplyMedia = {
      mimeType: 'image/png',
      name: 'a.png',
      content: { missing: 'the file is gone' },
    };
    const unread: ReplyMedia = { mimeType: 'image/png', name: 'b.png', content: { size: 130 * MiB } };
    expect(texts([missing, unread])).toEqual([
      '[a.png is missing: the file is gone]',
      '[b.png is missing: it is 130 MB, and at most 100 MB of an answer are kept]',
    ]);
  });
});

describe('limits of an answer', () => {
  it('are those of the limits table', () => {
    expect(DEFAULT_LIMITS).toMatchObject({
      maxReplyItemBytes: 20_971_520,
      maxReplyBytes: 52_428_800,
      maxReplyLineBytes: 10_485_760,
    });
  });

  it('allow 20 MB per item, and not a byte more', () => {
    expect(kinds([item(20 * MiB - 1)])).toEqual(['resource']);
    expect(kinds([item(20 * MiB)])).toEqual(['resource']);
    expect(texts([item(20 * MiB + 1)])).toEqual([
      '[a.pdf is missing: it is 20.1 MB, and the limit per file is 20 MB]',
    ]);
  });

  it('allow 50 MB per answer with its text, and not a byte more', () => {
    const all = (last: number) => [item(20 * MiB), item(20 * MiB), item(last)];
    const kept = ['text', 'resource', 'resource'];
    expect(kinds(all(10 * MiB - 5), {}, 'text')).toEqual([...kept, 'resource']);
    expect(kinds(all(10 * MiB - 4), {}, 'text')).toEqual([...kept, 'resource']);
    expect(kinds(all(10 * MiB - 3), {}, 'text')).toEqual([...kept, 'text']);
  });

  it('leave room for a smaller item after one that did not fit', () => {
    expect(kinds([item(20 * MiB), item(20 * MiB), item(20 * MiB), item(1)])).toEqual([
      'resource',
      'resource',
      'text',
      'resource',
    ]);
  });
});

describe('an item above the limits', () => {
  it('becomes a link if the caller can read it', () => {
    verifies('001-limit-response-item', '001-limit-response-total');
    const kept = links();
    expect(
      kinds([item(20 * MiB), item(20 * MiB + 1), item(20 * MiB), item(10 * MiB + 1)], { links: kept }),
    ).toEqual(['resource', 'resource_link', 'resource', 'resource_link']);
    expect(kept.kept).toEqual(['a-2.pdf', 'a-4.pdf']);
  });
});

describe('answer on one line', () => {
  const lineOf = (media: ReplyMedia[], text: string, more: Partial<ReplyWay>): string =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: { content: contentBlocks({ text, media }, way({ isLine: true, ...more })) },
    });

  it('links to items that do not fit, and includes the others', () => {
    verifies('001-limit-stdio-reply');
    const kept = links();
    const media = [item(7 * MiB, 'image/png', 'a.png'), item(1 * MiB), item(1, 'audio/mpeg', 'b.mp3')];
    expect(contentBlocks({ text: '', media }, way({ isLine: true, links: kept }))).toMatchObject([
      { type: 'image' },
      {
        type: 'resource_link',
        uri: 'pincer://media/1',
        name: 'a.pdf',
        mimeType: 'application/pdf',
        size: MiB,
      },
      { type: 'audio' },
    ]);
    expect(kept.kept).toEqual(['a.pdf']);
  });

  it('uses the line to its limit, and never exceeds it', () => {
    verifies('001-limit-stdio-reply');
    const most = 100_000;
    const limits = { ...DEFAULT_LIMITS, maxReplyLineBytes: most };
    let inline = 0;
    for (let size = 62_000; size < 64_000; size += 7) {
      const line = lineOf([item(size)], 'ä"\n'.repeat(10), { limits, links: links() });
      expect(line.length).toBeLessThanOrEqual(most);
      if (line.includes('"resource"')) inline = size;
    }
    expect(inline).toBeGreaterThan(62_000);
    expect(inline).toBeLessThan(64_000);
  });

  it.each(['x', 'ä"\n', '\u{1f600}', '\u0001'])(
    'has the beginning of a text that does not fit: %j',
    (piece) => {
      const limits = { ...DEFAULT_LIMITS, maxReplyLineBytes: 100_000 };
      const text = piece.repeat(100_000);
      const kept: Buffer[] = [];
      const link: MediaLinks['link'] = ({ bytes }) => `pincer://media/${kept.push(bytes)}`;
      const line = lineOf([item(10)], text, { limits, links: { link } });
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(100_000);
      const { content } = (JSON.parse(line) as { result: { content: { text: string }[] } }).result;
      const size = Buffer.byteLength(text);
      expect(content).toMatchObject([
        {
          type: 'text',
          text: expect.stringMatching(/\n\n\[This is the beginning\. .* is in answer\.txt\]$/),
        },
        { type: 'resource_link', uri: 'pincer://media/1', name: 'answer.txt', mimeType: 'text/plain', size },
        { type: 'resource' },
      ]);
      const [begun] = content[0]!.text.split('\n\n[This');
      expect(text.startsWith(begun!)).toBe(true);
      expect(begun!.length).toBeGreaterThan(5_000);
      expect(begun!.isWellFormed()).toBe(true);
      expect(kept.map(String)).toEqual([text]);
    },
  );

  it('notes how much text is missing if the caller cannot read links', () => {
    const limits = { ...DEFAULT_LIMITS, maxReplyLineBytes: 100_000 };
    const blocks = contentBlocks({ text: 'x'.repeat(MiB), media: [] }, way({ isLine: true, limits }));
    expect(blocks).toEqual([
      {
        type: 'text',
        text: expect.stringMatching(/^x+\n\n\[9\d\d.* KB more are missing: .* 97\.7 KB\]$/),
      },
    ]);
  });

  it('has the whole text if it fits', () => {
    const limits = { ...DEFAULT_LIMITS, maxReplyLineBytes: 100_000 };
    const text = 'x'.repeat(80_000);
    expect(contentBlocks({ text, media: [] }, way({ isLine: true, limits }))).toEqual([
      { type: 'text', text },
    ]);
    expect(contentBlocks({ text: text + text, media: [] }, way({ limits }))).toHaveLength(1);
    const tiny = { ...DEFAULT_LIMITS, maxReplyLineBytes: 1 };
    expect(contentBlocks({ text: 'Yes.', media: [] }, way({ isLine: true, limits: tiny }))).toEqual([
      { type: 'text', text: 'Yes.' },
    ]);
  });

  it('notes a missing item if the caller cannot read links', () => {
    expect(texts([item(8 * MiB)], { isLine: true })).toEqual([
      '[a.pdf is missing: it is 8 MB, and the limit per line to this client is 10 MB]',
    ]);
  });

  it('is not limited for clients without a line limit', () => {
    expect(kinds([item(20 * MiB)], { links: links() })).toEqual(['resource']);
  });
});
