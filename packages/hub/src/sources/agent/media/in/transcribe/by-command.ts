/** Speech that a program on this machine turns into text, such as whisper.cpp. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../../../core/environment.ts';
import { PincerError } from '../../../../../core/errors.ts';
import { PROGRAM_LIMITS } from '../../../local/limits.ts';
import { runProgram, type Ran } from '../../../local/run-program.ts';
import { FILE_TYPES } from '../../media-types.ts';
import type { Attachment } from '../read-media.ts';
import type { TranscriptLimits } from './limits.ts';
import type { Transcriber } from './transcriber.ts';

export interface CommandParts {
  readonly command: readonly string[];
  readonly timeoutMs: number;
  readonly env: Environment;
  readonly limits: TranscriptLimits;
}

/** Stands for the path of the file with the speech. */
const FILE_WORD = '{file}';
/** From SIGTERM to SIGKILL: there is nothing that it would have to bring to an end. */
const TERM_MS = 500;

export const byCommand = (parts: CommandParts): Transcriber => ({
  async transcribe(audio, signal) {
    // Only its owner may look into it.
    const folder = await mkdtemp(join(tmpdir(), 'pincer-audio-'));
    try {
      return await run(audio, folder, parts, signal);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

async function run(
  { mimeType, data }: Attachment,
  folder: string,
  parts: CommandParts,
  signal: AbortSignal,
): Promise<string> {
  const file = join(folder, `audio.${FILE_TYPES.get(mimeType) ?? 'bin'}`);
  await writeFile(file, data, { encoding: 'base64', mode: 0o600, flag: 'wx' });
  const [program = '', ...args] = parts.command;
  const { maxTranscriptBytes: maxOutputBytes } = parts.limits;
  const ran = await runProgram({
    command: [program, ...args.map((word) => word.replaceAll(FILE_WORD, () => file))],
    // What some of them write beside the file is gone with it.
    cwd: folder,
    env: parts.env,
    signal,
    timeoutMs: parts.timeoutMs,
    limits: { ...PROGRAM_LIMITS, maxOutputBytes, termMs: TERM_MS },
  }).catch((cause: unknown) => {
    throw new PincerError('SERVER_UNREACHABLE', 'The program that transcribes cannot be started.', {
      hint: 'See agent.transcription.command in the configuration.',
      cause,
    });
  });
  signal.throwIfAborted();
  return textOf(ran, parts);
}

function textOf({ cut, exitCode, stdout, lastWords }: Ran, { timeoutMs, limits }: CommandParts): string {
  if (cut === 'timeout')
    throw new PincerError(
      'CALL_TIMEOUT',
      `The program that transcribes took longer than ${timeoutMs / 1000} seconds.`,
      { hint: 'Raise agent.transcription.timeoutMs, or use a smaller model.', lastWords },
    );
  if (cut === 'output')
    throw new PincerError(
      'SERVER_PROTOCOL',
      `The program that transcribes wrote more than ${limits.maxTranscriptBytes} bytes.`,
    );
  if (exitCode !== 0)
    throw new PincerError('TOOL_ERROR', `The program that transcribes ended with code ${exitCode}.`, {
      lastWords,
    });
  return stdout.trim();
}
