/** `tts.*`: speaks a text, or returns it as sound. */
import { z } from 'zod';
import type { Limits } from '../../core/limits.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { flag, optionalText, text } from '../registry/arguments.ts';
import {
  Base64,
  defineCapability,
  type Capability,
  type Readiness,
  CommandFailure,
} from '../registry/capability.ts';
import { chooseEngine, type Choice, type Engine, enginesOf } from './engines.ts';
import { playerOf, type NoPlayer, type Player } from './players.ts';
import { makeSound, playSpeech, speakAloud, type Context, type SpeakLimits, createTurns } from './speak.ts';

export type SpeechLimits = SpeakLimits & Pick<Limits, 'maxSpeechChars' | 'maxSpeeches'>;

export interface TtsParts {
  readonly limits: SpeechLimits;
  /** The configured provider, read at each call. Undefined: the best engine. */
  provider(): string | undefined;
}

const WAV = 'audio/wav';

const speakInput = (maxChars: number) =>
  z.object({
    text: z
      .string({ error: 'Missing required text' })
      .meta({ minLength: 1, maxLength: maxChars })
      .describe('The text to speak.'),
    provider: optionalText(
      'piper, espeak-ng, spd-say, macos or windows. If absent, the configured provider, else the best one.',
    ),
    voiceId: optionalText('A voice of that provider.'),
    model: optionalText('Another name of voiceId.'),
    interrupt: flag(false, 'Stops texts that are being spoken. Otherwise this text waits for them.'),
    output: text(
      'play',
      '"play": plays the sound on this machine. "return": returns it as audio content, without playing.',
      ['play', 'return'],
    ),
  });

const SPEAK_OUTPUT = z.object({
  spoken: z.boolean().describe('Whether the sound was played.'),
  provider: z.string(),
  requestedProvider: z.string(),
  fellBack: z.boolean(),
  contentType: z.string().nullable(),
  durationMs: z.number(),
  format: z.literal('wav').optional(),
  base64: z.string().optional(),
});

const STATUS_OUTPUT = z.object({
  configuredProvider: z
    .string()
    .nullable()
    .describe('The provider that the person at this machine has set, or null.'),
  effectiveProvider: z.string().nullable(),
  willFallBack: z.boolean(),
  providers: z.array(z.object({ provider: z.string(), readiness: z.string(), isReady: z.boolean() })),
  canPlay: z.boolean(),
  playReason: z.string().optional(),
});

export function createTtsCapability(ports: DevicePorts, parts: TtsParts): Capability {
  const { platform, env } = ports;
  const { limits } = parts;
  const { maxSpeechChars } = limits;
  const around = { ...ports, limits };
  const turns = createTurns(limits.maxSpeeches);
  const player = (): Player | NoPlayer => playerOf(platform, env);
  const canBeHeard = (engine: Engine): boolean => {
    const found = player();
    return engine.aloud === undefined
      ? canBeMade(engine) && 'play' in found
      : 'play' in found || !found.isMute;
  };
  const canBeMade = (engine: Engine): boolean => engine.toFile !== undefined;

  /** Throws a failure that names what is missing. */
  function choose(
    provider: string | undefined,
    can: (engine: Engine) => boolean,
  ): Choice & { engine: Engine } {
    const engines = enginesOf(ports);
    const choice = chooseEngine(engines, { provider, configured: parts.provider(), can });
    if (choice.engine !== undefined) return { ...choice, engine: choice.engine };
    const hint = hintFor(engines, provider, player());
    throw new CommandFailure('TTS speak not available', { hint, notExecuted: true });
  }

  async function play(engine: Engine, speech: { text: string; voice: string | undefined }, context: Context) {
    const found = player();
    if (engine.aloud === undefined && 'play' in found)
      return {
        contentType: WAV,
        durationMs: await playSpeech(engine, found, speech, { ports: around, context }),
      };
    return { contentType: null, durationMs: await speakAloud(engine, speech, around, context) };
  }

  return defineCapability({
    category: 'tts',
    commands: {
      'tts.speak': {
        description: `Speaks a text on this machine. Arguments: text (at most ${maxSpeechChars} characters), provider, voiceId, model, interrupt (false), output ("play", or "return" to get the sound as audio content instead). Returns {spoken, provider, requestedProvider, fellBack, contentType, durationMs}, and with "return" {format: "wav", base64}. spoken is true only if the sound was played.`,
        input: speakInput(maxSpeechChars),
        output: SPEAK_OUTPUT,
        example: { text: 'Tea is ready.', output: 'return' },
        annotations: { title: 'Speak', readOnlyHint: false, destructiveHint: false },
        bulky: ['base64'],
        media: (payload) =>
          'base64' in payload && payload.base64 instanceof Base64
            ? [{ type: 'audio', data: payload.base64, mimeType: WAV }]
            : [],
        async run({ text, provider, voiceId, model, interrupt, output }, { signal, progress }) {
          const speech = { text: checked(text, maxSpeechChars), voice: named(voiceId) ?? named(model) };
          const isReturned = output === 'return';
          const { engine, requested, fellBack } = choose(
            named(provider)?.toLowerCase(),
            isReturned ? canBeMade : canBeHeard,
          );
          const by = { provider: engine.provider, requestedProvider: requested ?? engine.provider, fellBack };
          if (isReturned) {
            const { wav, durationMs } = await makeSound(engine, speech, around, signal);
            const sound = { contentType: WAV, durationMs, format: 'wav', base64: new Base64(wav) };
            return { spoken: false, ...by, ...sound };
          }
          const played = await turns.take({ interrupt, signal }, (mine) =>
            play(engine, speech, { signal: mine, progress }),
          );
          return { spoken: true, ...by, ...played };
        },
      },
      'tts.status': {
        description:
          'Lists the speech providers of this machine. No arguments. Returns {configuredProvider, effectiveProvider, willFallBack, providers: [{provider, readiness, isReady}], canPlay, playReason}.',
        input: z.object({}),
        output: STATUS_OUTPUT,
        annotations: { title: 'Status of speech', readOnlyHint: true },
        run() {
          const engines = enginesOf(ports);
          const configured = parts.provider();
          const { engine, fellBack } = chooseEngine(engines, { configured, can: canBeMadeOrHeard });
          const found = player();
          const canPlay = engine !== undefined && canBeHeard(engine);
          return {
            configuredProvider: configured ?? null,
            effectiveProvider: engine?.provider ?? null,
            willFallBack: fellBack,
            providers: engines.map(({ provider, readiness }) => ({
              provider,
              readiness,
              isReady: readiness === 'ready',
            })),
            canPlay,
            ...(canPlay || 'play' in found ? {} : { playReason: found.reason }),
          };
        },
      },
    },
    readiness: () => Promise.resolve([readiness(), BUILT_IN]),
    close: () => turns.close(),
  });

  function canBeMadeOrHeard(engine: Engine): boolean {
    return canBeMade(engine) || canBeHeard(engine);
  }

  function readiness(): Readiness {
    const commands = ['tts.speak'];
    const engines = enginesOf(ports);
    const configured = parts.provider();
    const found = player();
    const { engine } = chooseEngine(engines, { configured, can: canBeMadeOrHeard });
    if (engine === undefined)
      return {
        commands,
        available: false,
        reason: 'no speech engine is ready',
        hint: hintFor(engines, undefined, found),
      };
    if (!canBeHeard(engine) && !('play' in found))
      return {
        commands,
        available: true,
        backend: `${engine.provider} (only as audio content: ${found.reason})`,
      };
    const by = engine.aloud === undefined && 'play' in found ? `, played by ${found.name}` : '';
    return { commands, available: true, backend: engine.provider + by };
  }
}

const BUILT_IN: Readiness = { commands: ['tts.status'], available: true, backend: 'built in' };

function checked(given: string, maxChars: number): string {
  const text = given.toWellFormed().trim();
  if (text === '') throw new CommandFailure('Missing required text', { notExecuted: true });
  if (text.length > maxChars)
    throw new CommandFailure(`TTS text exceeds ${maxChars} characters.`, { notExecuted: true });
  return text;
}

const named = (name: string | undefined): string | undefined => name?.trim() || undefined;

function hintFor(
  engines: readonly Engine[],
  provider: string | undefined,
  player: Player | NoPlayer,
): string {
  const ready = engines.filter(({ readiness }) => readiness === 'ready');
  const asked = engines.find((engine) => engine.provider === provider);
  if (asked !== undefined && asked.readiness !== 'ready') return asked.hint;
  if (provider !== undefined && asked === undefined && ready.length > 0)
    return `Unknown provider. Ready: ${ready.map((engine) => engine.provider).join(', ')}.`;
  if (ready.length > 0)
    return 'hint' in player
      ? player.hint
      : 'This provider cannot return the sound. Choose another provider, or leave it out.';
  // With output "return", this engine needs no player.
  return engines.find((engine) => engine.provider === 'espeak-ng')?.hint ?? '';
}
