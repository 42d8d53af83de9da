import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import type { Attachment } from './read-attachments.ts';
import { createTranscriber } from './transcribe.ts';

/** For temporary files of these tests. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-transcribe-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const NEVER_ABORTED = new AbortController().signal;
const MAX = 1_000;
const SPEECH = Buffer.from([0xff, 0xfb, 0, 1, 2, 3, 0xc3, 0x28]);
const audio: Attachment = {
  kind: 'file',
  mimeType: 'audio/mpeg',
  name: 'voice.mp3',
  size: SPEECH.length,
  data: SPEECH.toString('base64'),
};

/** A program that gets the file as its last argument. */
function running(code: string, settings: { args?: string[]; timeoutMs?: number } = {}) {
  const warned: unknown[] = [];
  const transcriber = createTranscriber(
    {
      command: [process.execPath, '-e', code, ...(settings.args ?? ['{file}'])],
      timeoutMs: settings.timeoutMs ?? 30_000,
    },
    {
      env: { ONLY: 'this' },
      log: { warn: (message, fields) => warned.push([message, fields]) },
      limits: { maxTranscriptBytes: MAX },
    },
  );
  return {
    warned,
    transcribe: (signal = NEVER_ABORTED) => transcriber.transcribe(audio, signal),
    refusal: async (): Promise<PincerError> => {
      const error: unknown = await transcriber
        .transcribe(audio, NEVER_ABORTED)
        .catch((reason: unknown) => reason);
      if (!PincerError.is(error)) throw new Error('it was not refused');
      return error;
    },
  };
}

const READ = `
  const { readFileSync, statSync, readdirSync } = require('node:fs');
  const { dirname, basename } = require('node:path');
  const file = process.argv.at(-1);`;

describe('transcription program', () => {
  it('gets the speech in a file that only its owner can read', async () => {
    const { transcribe } = running(`${READ}
      console.log(JSON.stringify({
        hex: readFileSync(file).toString('hex'),
        name: basename(file),
        modes: [statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o777],
        beside: readdirSync(dirname(file)),
        isHere: process.cwd() === require('node:fs').realpathSync(dirname(file)),
        file,
        environment: Object.keys(process.env),
        input: readFileSync(0, 'utf8'),
      }));`);
    const seen = JSON.parse(await transcribe()) as { file: string };
    expect(seen).toMatchObject({
      hex: SPEECH.toString('hex'),
      name: 'audio.mp3',
      modes: [0o600, 0o700],
      beside: ['audio.mp3'],
      isHere: true,
      environment: ['ONLY'],
      input: '',
    });
    expect(seen.file.startsWith(folder)).toBe(true);
    expect(existsSync(seen.file)).toBe(false);
  });

  it('gets its arguments unchanged, without a shell', async () => {
    const args = ['$HOME;`id`', '--in={file}', '{file}{file}', '$& %20'];
    const { transcribe } = running(`console.log(JSON.stringify(process.argv.slice(1)))`, { args });
    const seen = JSON.parse(await transcribe()) as string[];
    const file = seen[1]!.slice('--in='.length);
    expect(file).toMatch(/audio\.mp3$/);
    expect(seen).toEqual(['$HOME;`id`', `--in=${file}`, `${file}${file}`, '$& %20']);
  });

  it.each([
    ['  Guten Morgen, 世界.\\n\\n', 'Guten Morgen, 世界.'],
    ['\\n', ''],
  ])('writes the text to stdout: %j', async (written, text) => {
    const { transcribe, warned } = running(
      `process.stderr.write('loading'); process.stdout.write('${written}')`,
    );
    expect(await transcribe()).toBe(text);
    expect(warned).toEqual([]);
  });

  it.each([MAX - 1, MAX])('may write %i bytes', async (count) => {
    expect(await running(`process.stdout.write('x'.repeat(${count}))`).transcribe()).toHaveLength(count);
  });

  it('may not write one byte more', async () => {
    const { message } = await running(`process.stdout.write('x'.repeat(${MAX + 1}))`).refusal();
    expect(message).toBe('The transcription program wrote more than 1000 bytes.');
  });

  it('is reported with its exit code if it fails; only the owner sees its stderr', async () => {
    const { refusal, warned } = running(`console.error('no model at /home/me/x.bin'); process.exitCode = 3`);
    const { code, message, hint } = await refusal();
    expect(code).toBe('TOOL_ERROR');
    expect(message).toBe('The transcription program ended with code 3.');
    expect(hint).toBeUndefined();
    expect(warned).toEqual([
      [
        'speech could not be transcribed',
        { reason: message, hint: expect.stringContaining('no model at /home/me/x.bin') as string },
      ],
    ]);
  });

  it('is reported if it is missing', async () => {
    const transcriber = createTranscriber(
      { command: ['/nowhere/whisper', '{file}'], timeoutMs: 1_000 },
      { env: {}, log: { warn: () => undefined } },
    );
    await expect(transcriber.transcribe(audio, NEVER_ABORTED)).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      hint: 'See agent.transcription.command in the configuration.',
    });
  });

  it('is killed when it takes too long, and leaves nothing behind', async () => {
    const { code, message } = await running(`setInterval(() => {}, 1_000)`, { timeoutMs: 300 }).refusal();
    expect(code).toBe('CALL_TIMEOUT');
    expect(message).toBe('The transcription program took longer than 0.3 seconds.');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is killed when the order is cancelled', async () => {
    const controller = new AbortController();
    const { transcribe, warned } = running(`setInterval(() => {}, 1_000)`);
    const transcript = transcribe(controller.signal);
    await delay(100);
    const reason = new Error('cancelled');
    controller.abort(reason);
    await expect(transcript).rejects.toBe(reason);
    expect(warned).toEqual([]);
  });
});
