import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { PincerError } from '../../core/errors.ts';
import { FILE_TYPES } from './media-types.ts';
import type { Attachment } from './read-attachments.ts';
import type { Transcriber } from './transcribe.ts';
import { withTranscripts } from './transcribe.ts';

const NEVER_ABORTED = new AbortController().signal;
const attached = (mimeType: string, name: string): Attachment => ({
  kind: mimeType.startsWith('image/') ? 'image' : 'file',
  mimeType,
  name,
  size: 3,
  data: 'QUJD',
});
const saying = (transcribe: Transcriber['transcribe']): Transcriber => ({ transcribe });

describe('withTranscripts', () => {
  it('changes nothing without a transcriber', async () => {
    verifies('001-file-audio-no-provider');
    const given = [attached('audio/mpeg', 'a.mp3'), attached('image/png', 'b.png')];
    const { attachments, remarks } = await withTranscripts(given, undefined, NEVER_ABORTED);
    expect(attachments).toEqual(given);
    expect(attachments[0]).toBe(given[0]);
    expect(remarks).toEqual([]);
  });

  it('adds a transcript behind each speech attachment only', async () => {
    verifies('001-file-audio-transcribed');
    const given = [...FILE_TYPES].map(([type, ending]) => attached(type, `x.${ending}`));
    const transcribed: string[] = [];
    const transcriber = saying(async ({ name }) => {
      transcribed.push(name);
      return `what ${name} says: Grüße`;
    });
    const { attachments, remarks } = await withTranscripts(given, transcriber, NEVER_ABORTED);
    const speech = given.filter(({ mimeType }) => mimeType.startsWith('audio/'));
    expect(speech).toHaveLength(7);
    expect(transcribed).toEqual(speech.map(({ name }) => name));
    expect(attachments.filter((each) => given.includes(each))).toEqual(given);
    expect(attachments).toHaveLength(given.length + 7);
    for (const each of speech) {
      const text = Buffer.from(`what ${each.name} says: Grüße`);
      expect(attachments[attachments.indexOf(each) + 1]).toEqual({
        kind: 'file',
        mimeType: 'text/plain',
        name: `${each.name}.transcript.txt`,
        size: text.length,
        data: text.toString('base64'),
      });
    }
    expect(remarks).toEqual([]);
  });

  it('reports why a transcript is missing, and keeps the attachment', async () => {
    const given = [
      attached('audio/mpeg', 'a.mp3'),
      attached('audio/wav', 'b.wav'),
      attached('audio/ogg', 'c.ogg'),
    ];
    const transcriber = saying(async ({ name }) => {
      if (name === 'a.mp3')
        throw new PincerError('SERVER_UNREACHABLE', 'Deepgram cannot be reached (ENOTFOUND).');
      if (name === 'b.wav') throw new TypeError('secret');
      return 'hello';
    });
    const { attachments, remarks } = await withTranscripts(given, transcriber, NEVER_ABORTED);
    expect(attachments.map(({ name }) => name)).toEqual(['a.mp3', 'b.wav', 'c.ogg', 'c.ogg.transcript.txt']);
    expect(remarks).toEqual([
      'a.mp3 has no transcript: Deepgram cannot be reached (ENOTFOUND).',
      'b.wav has no transcript: the transcription failed.',
    ]);
  });

  it('reports that there was no speech', async () => {
    const { attachments, remarks } = await withTranscripts(
      [attached('audio/flac', 'birds.flac')],
      saying(async () => ''),
      NEVER_ABORTED,
    );
    expect(attachments).toHaveLength(1);
    expect(remarks).toEqual(['birds.flac has no transcript: no speech was found.']);
  });

  it('limits the name of a transcript', async () => {
    const given = [attached('audio/mpeg', `${'😀'.repeat(98)}.mp3`)];
    const { attachments } = await withTranscripts(
      given,
      saying(async () => 'hello'),
      NEVER_ABORTED,
    );
    const { name } = attachments[1]!;
    expect(name.length).toBeLessThanOrEqual(200);
    expect(name).toMatch(/😀\.transcript\.txt$/u);
  });

  it('rejects when the order is cancelled', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const transcriber = saying(async () => {
      controller.abort(reason);
      throw new Error('cut off');
    });
    const given = [attached('audio/mpeg', 'a.mp3')];
    await expect(withTranscripts(given, transcriber, controller.signal)).rejects.toBe(reason);
  });
});
