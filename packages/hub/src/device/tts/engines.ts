/** Speech engines of this machine, the best first, and which one is used. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { powershell } from '../../core/powershell.ts';
import type { CommandLine } from '../../core/program.ts';
import type { Environment } from '../../lib/process.ts';
import { findProgram } from '../programs/find-program.ts';

export interface Engine {
  /** The name for callers. */
  readonly provider: string;
  readonly readiness: EngineReadiness;
  /** The hint if it is not ready. */
  readonly hint: string;
  /** Writes a WAV file. Absent if it can only play. */
  toFile?(speech: Speech, file: string): SpeechRun;
  /** Plays without a player. */
  aloud?(speech: Speech): SpeechRun;
  /** A command that stops it. */
  readonly silence?: SpeechRun;
}

/** The name that other nodes use in `tts.status`. */
type EngineReadiness = 'ready' | 'needs-voice' | 'unavailable';

export interface Speech {
  readonly text: string;
  readonly voice?: string | undefined;
}

/** A program to run. The text goes to its stdin if the program can read it there. */
export interface SpeechRun extends CommandLine {
  readonly input?: Buffer;
  /** Variables in addition to those of the desktop. */
  readonly variables?: Readonly<Record<string, string>>;
}

interface Where {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  /** The state folder; voices of Piper are in its `voices`. */
  readonly home: string;
}

export function enginesOf(where: Where): readonly Engine[] {
  const { platform, env } = where;
  if (platform === 'darwin') return [piper(where), apple, elevenLabs];
  if (platform === 'win32') return [piper(where), windows(env), elevenLabs];
  return [piper(where), espeak(where), speechDispatcher(where), elevenLabs];
}

/** A voice is one word that is neither a flag nor a path. */
const PLAIN_VOICE = /^[A-Za-z0-9][A-Za-z0-9+_.-]{0,63}$/;

const withVoice = (flag: string, { voice }: Speech): readonly string[] =>
  voice === undefined ? [] : [flag, voice];

function piper({ platform, env, home }: Where): Engine {
  const folder = join(home, 'voices');
  const command = findProgram('piper', env, platform);
  const voices = voicesIn(folder);
  const readiness = command === undefined ? 'unavailable' : voices.length === 0 ? 'needs-voice' : 'ready';
  return {
    provider: 'piper',
    readiness,
    hint:
      command === undefined
        ? 'Install Piper (pip install piper-tts).'
        : 'Put a voice (`NAME.onnx` and `NAME.onnx.json`) into the folder `voices` of the state folder.',
    toFile({ text, voice }, file) {
      const known = voice === undefined ? voices[0] : voices.find((name) => name === voice);
      if (known === undefined) throw new Error('unknown voice');
      return {
        command: command ?? 'piper',
        args: ['--model', join(folder, `${known}.onnx`), '--output_file', file],
        // Piper would overwrite the file with each line.
        input: Buffer.from(`${text.replaceAll(/\s*[\r\n]+\s*/g, ' ')}\n`),
      };
    },
  };
}

function voicesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.onnx'))
      .map((name) => name.slice(0, -'.onnx'.length))
      .toSorted();
  } catch {
    return [];
  }
}

function espeak({ platform, env }: Where): Engine {
  const name = ['espeak-ng', 'espeak'].find((each) => findProgram(each, env, platform) !== undefined);
  return {
    provider: 'espeak-ng',
    readiness: name === undefined ? 'unavailable' : 'ready',
    hint: 'Install espeak-ng.',
    // Uses a player: espeak-ng reports success even if nothing was audible.
    toFile: (speech, file) => ({
      command: name ?? 'espeak-ng',
      args: ['--stdin', '-w', file, ...withVoice('-v', plain(speech))],
      input: Buffer.from(speech.text),
    }),
  };
}

function speechDispatcher({ platform, env }: Where): Engine {
  const isInstalled = findProgram('spd-say', env, platform) !== undefined;
  return {
    provider: 'spd-say',
    readiness: isInstalled ? 'ready' : 'unavailable',
    hint: 'Install speech-dispatcher.',
    aloud: (speech) => ({
      command: 'spd-say',
      args: ['--wait', ...withVoice('-y', plain(speech)), '--', speech.text.replaceAll('\0', ' ')],
    }),
    silence: { command: 'spd-say', args: ['--cancel'] },
  };
}

function plain(speech: Speech): Speech {
  if (speech.voice !== undefined && !PLAIN_VOICE.test(speech.voice)) throw new Error('invalid voice');
  return speech;
}

/** `say -v ?` would list the voices. */
const appleVoice = (speech: Speech): readonly string[] => {
  if (speech.voice?.startsWith('?')) throw new Error('invalid voice');
  return withVoice('-v', speech);
};

const apple: Engine = {
  provider: 'macos',
  readiness: 'ready',
  hint: '',
  toFile: (speech, file) => ({
    command: '/usr/bin/say',
    args: [...appleVoice(speech), '-o', file, '--file-format=WAVE', '--data-format=LEI16@22050', '-f', '-'],
    input: Buffer.from(speech.text),
  }),
  aloud: (speech) => ({
    command: '/usr/bin/say',
    args: [...appleVoice(speech), '-f', '-'],
    input: Buffer.from(speech.text),
  }),
};

function windows(env: Environment): Engine {
  const run = ({ text, voice }: Speech, file?: string): SpeechRun => ({
    ...powershell(SPEAK, env),
    input: Buffer.from(text),
    variables: {
      ...(voice === undefined ? {} : { PINCER_SPEECH_VOICE: voice.replaceAll('\0', '') }),
      ...(file === undefined ? {} : { PINCER_SPEECH_FILE: file }),
    },
  });
  return {
    provider: 'windows',
    readiness: 'ready',
    hint: '',
    toFile: run,
    aloud: (speech) => run(speech),
  };
}

const SPEAK = String.raw`$ErrorActionPreference = 'Stop'
Add-Type -AssemblyName System.Speech
$in = [IO.StreamReader]::new([Console]::OpenStandardInput(), [Text.UTF8Encoding]::new($false))
$text = $in.ReadToEnd()
$speech = [System.Speech.Synthesis.SpeechSynthesizer]::new()
if ($env:PINCER_SPEECH_VOICE) { $speech.SelectVoice($env:PINCER_SPEECH_VOICE) }
if ($env:PINCER_SPEECH_FILE) { $speech.SetOutputToWaveFile($env:PINCER_SPEECH_FILE) } else { $speech.SetOutputToDefaultAudioDevice() }
$speech.Speak($text)
$speech.Dispose()`;

/** Other nodes offer ElevenLabs. Here texts stay on the machine. */
const elevenLabs: Engine = {
  provider: 'elevenlabs',
  readiness: 'unavailable',
  hint: 'Pincer does not send texts to ElevenLabs.',
};

export interface Choice {
  /** Undefined if no engine can. */
  readonly engine: Engine | undefined;
  /** The requested engine, else the configured one, else the best. */
  readonly requested: string | undefined;
  readonly fellBack: boolean;
}

interface EngineRequest {
  /** Requested by the call. No other engine replaces it. */
  readonly provider?: string | undefined;
  /** Configured by the person. Another engine may replace it. */
  readonly configured?: string | undefined;
  /** Whether an engine can do it. */
  can(engine: Engine): boolean;
}

export function chooseEngine(
  engines: readonly Engine[],
  { provider, configured, can }: EngineRequest,
): Choice {
  const usable = engines.filter((engine) => engine.readiness === 'ready' && can(engine));
  const named = (name: string): Engine | undefined => usable.find((engine) => engine.provider === name);
  if (provider !== undefined) return { engine: named(provider), requested: provider, fellBack: false };
  const [first] = usable;
  const preferred = configured === undefined ? undefined : named(configured);
  const engine = preferred ?? first;
  return {
    engine,
    requested: configured ?? engine?.provider,
    fellBack: configured !== undefined && engine !== undefined && preferred === undefined,
  };
}
