import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { ProgramEnd, ProgramRun } from '../../core/program.ts';
import { placePrograms } from '../../../../../test/kit/device/placed-programs.ts';
import { recordedPorts, runCommand, type Machine } from '../../../../../test/kit/device-ports.ts';
import { Base64, type CommandContext, type MediaItem } from '../registry/capability.ts';
import { createTtsCapability, type TtsParts } from './capability.ts';
import { verifies } from '../../../../../test/verifies.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-tts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const install = (...names: string[]): void => placePrograms(folder, ...names);

/** A second of silence: 8000 bytes a second. */
const WAV = Buffer.concat([
  Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1'),
  Buffer.from([16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0]),
  Buffer.from('data', 'latin1'),
  Buffer.from([0x40, 0x1f, 0, 0]),
  Buffer.alloc(8_000, 128),
]);

const fileOf = ({ args, env }: ProgramRun): string | undefined =>
  env['PINCER_SPEECH_FILE'] ?? args.find((arg) => arg.endsWith('.wav'));
const isPlayer = ({ command }: ProgramRun): boolean => command.endsWith('play');

/** Programs that write a file write `WAV`. */
const makesFiles =
  (
    after?: (run: ProgramRun) => Partial<ProgramEnd> | Promise<Partial<ProgramEnd>>,
  ): NonNullable<Machine['answer']> =>
  (run) => {
    const file = fileOf(run);
    if (file !== undefined && !isPlayer(run)) writeFileSync(file, WAV);
    return after?.(run) ?? {};
  };

function on(machine: Machine, parts: Partial<TtsParts> = {}) {
  const env = { PATH: folder, PULSE_SERVER: 'unix:/x', API_KEY: 'secret', ...machine.env };
  const ports = recordedPorts({ home: folder, answer: makesFiles(), ...machine, env });
  const capability = createTtsCapability(ports, {
    limits: DEFAULT_LIMITS,
    provider: () => undefined,
    ...parts,
  });
  const command = capability.commands.get('tts.speak')!;
  return {
    ports,
    capability,
    speak: (args: object, context?: Partial<CommandContext>) => runCommand(command, args, context),
    media: (payload: object): readonly MediaItem[] => command.media!(payload as Record<string, unknown>),
    status: () => runCommand(capability.commands.get('tts.status')),
    lines: () => ports.runs.map(({ command, args }) => [command, ...args].join(' ')),
  };
}

describe('tts.speak', () => {
  it('writes a file from the text on stdin, and plays it', async () => {
    install('espeak-ng', 'aplay');
    const { speak, ports, lines } = on({});
    expect(await speak({ text: ' --help $(id) ', voiceId: 'en-us+f3' })).toEqual({
      spoken: true,
      provider: 'espeak-ng',
      requestedProvider: 'espeak-ng',
      fellBack: false,
      contentType: 'audio/wav',
      durationMs: 1_000,
    });
    const file = fileOf(ports.runs[0]!)!;
    expect(lines()).toEqual([`espeak-ng --stdin -w ${file} -v en-us+f3`, `aplay -q ${file}`]);
    expect(ports.runs[0]!.input?.toString()).toBe('--help $(id)');
    expect(JSON.stringify(ports.runs.map(({ env }) => env))).not.toContain('secret');
    expect(existsSync(dirname(file))).toBe(false);
  });

  it('returns the sound if requested, as not spoken', async () => {
    install('espeak-ng');
    const { speak, media, ports } = on({ env: { PULSE_SERVER: undefined } });
    const result = await speak({ text: 'hello', output: 'return' });
    expect(result).toMatchObject({
      spoken: false,
      durationMs: 1_000,
      format: 'wav',
      base64: WAV.toString('base64'),
    });
    const data = new Base64(WAV);
    expect(media({ base64: data })).toEqual([{ type: 'audio', data, mimeType: 'audio/wav' }]);
    expect(media({ spoken: true })).toEqual([]);
    expect(ports.runs).toHaveLength(1);
  });

  it('fails if the player fails', async () => {
    install('espeak-ng', 'paplay');
    const stderr = Buffer.from('Connection failure: /run/user/0/pulse');
    const { speak } = on({ answer: makesFiles((run) => (isPlayer(run) ? { exitCode: 1, stderr } : {})) });
    const failed = await speak({ text: 'x' }).catch((error: unknown) => error as Error);
    expect(failed).toMatchObject({ message: 'Speak failed' });
    expect(JSON.stringify(failed)).not.toContain('/run/user');
  });

  it('fails if the engine wrote no sound', async () => {
    install('espeak-ng', 'aplay');
    const { speak, ports } = on({ answer: () => ({}) });
    await expect(speak({ text: 'x' })).rejects.toThrow('Speak failed');
    expect(ports.runs).toHaveLength(1);
  });

  it.each([
    [{}, 'Missing required text'],
    [{ text: 7 }, 'Missing required text'],
    [{ text: ' \n' }, 'Missing required text'],
    [{ text: 'x'.repeat(5_001) }, 'TTS text exceeds 5000 characters.'],
    [{ text: 'x', provider: 'elevenlabs' }, 'TTS speak not available'],
    [{ text: 'x', provider: 'windows' }, 'TTS speak not available'],
    [{ text: 'x', voiceId: '../../x' }, 'Speak failed'],
    [{ text: 'x', voiceId: '-w' }, 'Speak failed'],
  ])('refuses invalid arguments: %#', async (args, text) => {
    install('espeak-ng', 'aplay');
    const { speak, ports } = on({});
    await expect(speak(args)).rejects.toThrow(text);
    expect(ports.runs).toEqual([]);
  });

  it.each([
    ['there is no engine', [], {}, 'Install espeak-ng.'],
    [
      'there is no sound device',
      ['espeak-ng', 'aplay', 'spd-say'],
      { PULSE_SERVER: undefined },
      'output "return"',
    ],
    ['there is no player', ['espeak-ng'], {}, 'alsa-utils'],
  ])('names the next step if %s', async (_why, programs, env, hint) => {
    install(...programs);
    const { speak, ports } = on({ env });
    await expect(speak({ text: 'x' })).rejects.toMatchObject({
      message: 'TTS speak not available',
      hint: expect.stringContaining(hint) as string,
      notExecuted: true,
    });
    expect(ports.runs).toEqual([]);
  });

  it('uses the speech dispatcher if there is no other engine, and can stop it', async () => {
    install('spd-say');
    const stop = new AbortController();
    const { speak, lines } = on({
      answer: ({ args }) => (args[0] === '--wait' ? (stop.abort(), { kind: 'aborted' }) : {}),
    });
    await expect(speak({ text: '-x' }, { signal: stop.signal })).rejects.toThrow('Speak canceled');
    expect(lines()).toEqual(['spd-say --wait -- -x', 'spd-say --cancel']);
    await expect(speak({ text: 'x', output: 'return' })).rejects.toThrow('TTS speak not available');
  });

  it('uses Piper if it has a voice', async () => {
    install('piper', 'espeak-ng', 'aplay');
    mkdirSync(join(folder, 'voices'));
    writeFileSync(join(folder, 'voices', 'en_US-amy.onnx'), '');
    const { speak, ports, lines } = on({});
    expect(await speak({ text: 'a\nb' })).toMatchObject({ provider: 'piper', spoken: true });
    const voice = join(folder, 'voices', 'en_US-amy.onnx');
    expect(lines()[0]).toBe(
      `${join(folder, 'piper')} --model ${voice} --output_file ${fileOf(ports.runs[0]!)}`,
    );
    expect(ports.runs[0]!.input?.toString()).toBe('a b\n');
    await expect(speak({ text: 'x', model: '../en_US-amy' })).rejects.toMatchObject({
      message: 'Speak failed',
      hint: expect.stringContaining('voice') as string,
    });
    expect(await speak({ text: 'x', provider: ' Espeak-NG ' })).toMatchObject({ provider: 'espeak-ng' });
  });

  it('falls back from the configured provider, but not from the requested one', async () => {
    install('espeak-ng', 'aplay');
    const { speak } = on({}, { provider: () => 'piper' });
    expect(await speak({ text: 'x' })).toMatchObject({
      provider: 'espeak-ng',
      requestedProvider: 'piper',
      fellBack: true,
    });
    await expect(speak({ text: 'x', provider: 'piper' })).rejects.toThrow('TTS speak not available');
  });

  it('runs say on macOS, with the text on stdin', async () => {
    verifies('000-summary-other-systems');
    const { speak, ports, lines } = on({ platform: 'darwin' });
    expect(await speak({ text: '-x', voiceId: 'Bad News' })).toMatchObject({
      spoken: true,
      provider: 'macos',
    });
    expect(await speak({ text: 'x', output: 'return' })).toMatchObject({ spoken: false, format: 'wav' });
    expect(lines()).toEqual([
      '/usr/bin/say -v Bad News -f -',
      `/usr/bin/say -o ${fileOf(ports.runs[1]!)} --file-format=WAVE --data-format=LEI16@22050 -f -`,
    ]);
    await expect(speak({ text: 'x', voiceId: '?' })).rejects.toThrow('Speak failed');
  });

  it('runs a fixed script on Windows, with the text on stdin and the rest as variables', async () => {
    verifies('000-summary-other-systems');
    const { speak, ports } = on({ platform: 'win32' });
    expect(await speak({ text: "'; rm", voiceId: 'Zira' })).toMatchObject({
      spoken: true,
      provider: 'windows',
    });
    const { args, env, input } = ports.runs[0]!;
    expect(input?.toString()).toBe("'; rm");
    expect(env).toMatchObject({ PINCER_SPEECH_VOICE: 'Zira' });
    expect(env).not.toHaveProperty('PINCER_SPEECH_FILE');
    const script = Buffer.from(args.at(-1)!, 'base64').toString('utf16le');
    expect(script).toContain('SetOutputToDefaultAudioDevice');
    expect(script).not.toContain('rm');
    expect(await speak({ text: 'x', output: 'return' })).toMatchObject({
      spoken: false,
      base64: expect.any(String) as string,
    });
  });
});

describe('turns', () => {
  /** A player that plays until it is stopped. */
  const endless = makesFiles(async (run) => {
    if (!isPlayer(run)) return {};
    if (!run.signal.aborted) await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
    return { kind: 'aborted', exitCode: null };
  });

  it('plays one text at a time, and reports progress', async () => {
    install('espeak-ng', 'aplay');
    let playing = 0;
    let most = 0;
    const totals: (number | undefined)[] = [];
    const { speak } = on({
      answer: makesFiles(async (run) => {
        if (!isPlayer(run)) return {};
        most = Math.max(most, ++playing);
        await sleep(20);
        playing--;
        return {};
      }),
    });
    const context = { progress: (_done: number, total?: number) => void totals.push(total) };
    await Promise.all([speak({ text: 'a' }, context), speak({ text: 'b' }, context)]);
    expect(most).toBe(1);
    expect(totals).toEqual([1_000, 1_000]);
  });

  it('stops current and waiting texts on interrupt', async () => {
    install('espeak-ng', 'aplay');
    const { speak, ports, capability } = on({ answer: endless });
    const first = expect(speak({ text: 'a' })).rejects.toThrow('Speak canceled');
    const second = expect(speak({ text: 'b' })).rejects.toThrow('Speak canceled');
    await expect.poll(() => ports.runs.length).toBe(2);
    const third = expect(speak({ text: 'c', interrupt: true })).rejects.toThrow('Speak canceled');
    await Promise.all([first, second]);
    await expect.poll(() => ports.runs.length).toBe(4);
    await capability.close?.();
    await third;
    expect(ports.runs.filter(isPlayer)).toHaveLength(2);
  });

  it('does not wait for a cancelled text', async () => {
    install('espeak-ng', 'aplay');
    const { speak, ports } = on({ answer: endless });
    const stop = new AbortController();
    const first = expect(speak({ text: 'a' }, { signal: stop.signal })).rejects.toThrow('Speak canceled');
    await expect.poll(() => ports.runs.length).toBe(2);
    stop.abort();
    await first;
    await expect(speak({ text: 'b' }, { signal: AbortSignal.abort() })).rejects.toThrow('Speak canceled');
  });

  it('limits the waiting texts, and makes room on interrupt', async () => {
    install('espeak-ng', 'aplay');
    const { speak, ports, capability } = on({ answer: endless });
    const waiting = Array.from({ length: 16 }, () => speak({ text: 'a' }).catch((error: unknown) => error));
    await expect(speak({ text: 'b' })).rejects.toMatchObject({ message: 'Speak failed', notExecuted: true });
    const interrupting = speak({ text: 'c', interrupt: true }).catch((error: unknown) => error);
    await Promise.all(waiting);
    await expect.poll(() => ports.runs.filter(isPlayer).length).toBe(2);
    await capability.close?.();
    expect(await interrupting).toMatchObject({ message: 'Speak canceled', notExecuted: false });
  });
});

describe('configurable limits', () => {
  const bounded = (limits: object, machine: Machine = {}) =>
    on(machine, { limits: { ...DEFAULT_LIMITS, ...limits } });

  it('apply to the text, and the description states them', async () => {
    install('espeak-ng', 'aplay');
    const { speak, capability } = bounded({ maxSpeechChars: 3 });
    await expect(speak({ text: 'tea!' })).rejects.toThrow('TTS text exceeds 3 characters.');
    expect(await speak({ text: 'tea' })).toMatchObject({ spoken: true });
    expect(capability.commands.get('tts.speak')!.description).toContain('text (at most 3 characters)');
  });

  it('apply to waiting texts, the sound and the time', async () => {
    install('espeak-ng', 'aplay');
    await expect(bounded({ maxSpeechBytes: WAV.length - 1 }).speak({ text: 'x' })).rejects.toMatchObject({
      message: 'Speak failed',
      hint: 'The text takes too long to speak.',
    });
    const { speak, ports } = bounded({ maxSpeeches: 1, makeSpeechMs: 77 });
    const first = speak({ text: 'a' });
    await expect(speak({ text: 'b' })).rejects.toMatchObject({
      hint: expect.stringContaining('1 texts are waiting') as string,
    });
    await first;
    expect(ports.runs[0]!.timeoutMs).toBe(77);
    const aloud = bounded({ maxSpeakMs: 88 }, { platform: 'darwin' });
    await aloud.speak({ text: 'a' });
    expect(aloud.ports.runs[0]!.timeoutMs).toBe(88);
  });
});

describe('the providers', () => {
  it('are listed in tts.status, with ElevenLabs as unavailable', async () => {
    install('piper', 'espeak-ng');
    const { status, capability } = on({ env: { PULSE_SERVER: undefined } }, { provider: () => 'piper' });
    expect(await status()).toEqual({
      configuredProvider: 'piper',
      effectiveProvider: 'espeak-ng',
      willFallBack: true,
      providers: [
        { provider: 'piper', readiness: 'needs-voice', isReady: false },
        { provider: 'espeak-ng', readiness: 'ready', isReady: true },
        { provider: 'spd-say', readiness: 'unavailable', isReady: false },
        { provider: 'elevenlabs', readiness: 'unavailable', isReady: false },
      ],
      canPlay: false,
      playReason: 'there is no sound device',
    });
    expect(await capability.readiness?.()).toContainEqual({
      commands: ['tts.speak'],
      available: true,
      backend: 'espeak-ng (only as audio content: there is no sound device)',
    });
  });

  it('are not reported as configured if the person has set none', async () => {
    install('espeak-ng', 'aplay');
    expect(await on({}).status()).toMatchObject({
      configuredProvider: null,
      effectiveProvider: 'espeak-ng',
      willFallBack: false,
    });
  });

  it('are listed if the requested one is unknown', async () => {
    install('piper', 'espeak-ng', 'aplay');
    await expect(on({}).speak({ text: 'x', provider: 'zzz' })).rejects.toMatchObject({
      message: 'TTS speak not available',
      hint: 'Unknown provider. Ready: espeak-ng.',
    });
  });

  it('are unavailable if nothing is installed', async () => {
    const { speak, status, capability } = on({});
    await expect(speak({ text: 'x', provider: 'zzz' })).rejects.toMatchObject({ hint: 'Install espeak-ng.' });
    expect(await status()).toMatchObject({
      configuredProvider: null,
      effectiveProvider: null,
      canPlay: false,
    });
    expect(await capability.readiness?.()).toContainEqual(
      expect.objectContaining({ available: false, hint: 'Install espeak-ng.' }),
    );
  });

  it.each([
    ['linux', 'espeak-ng, played by aplay'],
    ['darwin', 'macos'],
    ['win32', 'windows'],
  ] as const)('are described for people: %s', async (platform, backend) => {
    install('espeak-ng', 'aplay');
    expect(await on({ platform }).capability.readiness?.()).toContainEqual({
      commands: ['tts.speak'],
      available: true,
      backend,
    });
  });
});
