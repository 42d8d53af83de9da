/** All that Pincer itself can do on a machine. One that is added here is on every surface. */
import { deviceSchema, type DeviceConfig } from '../config/device-schema.ts';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import { writeFileAtomically } from '../owner/state-folder.ts';
import { createAppCapability } from './app/capability.ts';
import type { AppParts } from './app/parts.ts';
import { createBrowser } from './browser/browser.ts';
import { createCameraCapability } from './camera/capability.ts';
import { createCanvasCapability, type CanvasAction } from './canvas/capability.ts';
import { createClipboardCapability } from './clipboard/capability.ts';
import { createLocationCapability } from './location/capability.ts';
import { createDeviceCapability } from './machine/capability.ts';
import type { DevicePorts } from './ports.ts';
import { defineCapability, type Capability, type Command, type Readiness } from './registry/capability.ts';
import { createScreenCapability } from './screen/capability.ts';
import { createTtsCapability } from './tts/capability.ts';
import { systemCommands, type AllowedForGood, type SystemCommands } from './system/commands.ts';
import { z } from 'zod';
import { desktopProgram } from '../core/desktop-program.ts';
import { findProgram } from './programs/find-program.ts';
import { endedWell, failureOfProgram } from './programs/program-failure.ts';
import { flag, optionalText, text } from './registry/arguments.ts';
import { CommandFailure } from './registry/failure.ts';
import { noticeOf } from './notify/notice.ts';

export interface CapabilityParts extends DevicePorts {
  settings(): DeviceConfig;
  readonly app: AppParts;
  onAction?(action: CanvasAction, message: string): void;
  readonly limits: Limits;
}

export interface BuiltIn {
  readonly capabilities: readonly Capability[];
  /** A program that a person has allowed for good: the subject of an approval of `system.run`. */
  allowAlways(plan: AllowedForGood): void;
  /** Ends what several of them share, after each of them has been closed. */
  close(): Promise<void>;
}

export function builtIn(parts: CapabilityParts): BuiltIn {
  const { limits, settings, onAction } = parts;
  const { args: extraArgs, allow } = settings().browser;
  const browser = createBrowser(parts, { limits, extraArgs, allow });
  const system = systemCommands(parts, { limits, writeFile: writeFileAtomically });
  const capabilities = [
    createSystemCapability(parts, system),
    createScreenCapability(parts, { limits }),
    createCanvasCapability(parts, { limits, browser, allow, onAction }),
    createCameraCapability(parts, { limits, browser }),
    createLocationCapability(parts, { browser, fixed: () => settings().position }),
    createTtsCapability(parts, { limits, provider: () => settings().speech.provider }),
    createDeviceCapability(parts),
    createClipboardCapability(parts, { limits }),
    createAppCapability(parts, parts.app),
  ];
  return { capabilities, allowAlways: (plan) => system.allowAlways(plan), close: () => browser.close() };
}

function createSystemCapability(ports: DevicePorts, system: SystemCommands): Capability {
  const notify = notifyCommands(ports);
  return defineCapability({
    category: 'system',
    commands: { ...system.commands, ...notify.commands },
    readiness: async () => [...(await system.readiness()), ...notify.readiness()],
  });
}

/** For documentation: definitions that can never run. */
export const allCapabilities = (): readonly Capability[] =>
  builtIn({
    platform: 'linux',
    env: {},
    clock: { now: () => 0, elapsed: () => 0 },
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    run: () => Promise.reject(new Error('Nothing is run by whoever only reads of it.')),
    home: '/nowhere',
    settings: () => deviceSchema.parse({}),
    app: { gateway: nothing, settings: { get: nothing, set: () => Promise.resolve() } },
    limits: DEFAULT_LIMITS,
  }).capabilities;

function nothing(): undefined {}

interface NotifyCommands {
  readonly commands: { readonly 'system.notify': Command<typeof INPUT> };
  readiness(): Readiness[];
}

const NAME = 'system.notify';
const MAX_RUN_MS = 10_000;
const MAX_OUTPUT_BYTES = 16 * 1024;

const INPUT = z.object({
  title: text('', 'First line. "OpenClaw" if absent or blank, where anything else is said.'),
  body: text('', 'The text below it. It is shown as it is, without markup.'),
  subtitle: optionalText('Between title and body.'),
  sound: flag(true, 'Whether it may be heard.'),
  priority: text('active', 'A passive one is silent.', ['passive', 'active', 'timeSensitive']),
});
const OUTPUT = z.object({ sent: z.literal(true), ok: z.literal(true) });

const NO_PROGRAM = 'Install notify-send (Debian and Ubuntu: libnotify-bin, Fedora: libnotify).';
const NO_DESKTOP =
  'Pincer sees no desktop: start it in a desktop session, or set DBUS_SESSION_BUS_ADDRESS to the bus of one.';
const NO_DAEMON =
  'Nothing here shows notifications: start a desktop, or install a notification daemon such as dunst, for the session bus that Pincer runs in.';
const NO_SESSION = 'Notifications are shown to somebody who is signed in: start Pincer in their session.';

/** `system.notify`: a notification on the desktop of whoever sits in front of this machine. */
export function notifyCommands(ports: DevicePorts): NotifyCommands {
  const { platform, env, run } = ports;

  /** Undefined: there is something to try. */
  function missing(): { reason: string; hint: string } | undefined {
    if (platform === 'darwin' || platform === 'win32') return undefined;
    if (findProgram('notify-send', env, platform) === undefined)
      return { reason: 'notify-send is not installed', hint: NO_PROGRAM };
    if (desktopProgram({ title: NAME, body: '' }, platform, env) === undefined)
      return { reason: 'there is no desktop session', hint: NO_DESKTOP };
    return undefined;
  }

  const notify: Command<typeof INPUT> = {
    description:
      'Shows a notification on the desktop of this machine. Arguments: title, body, subtitle, sound (true), priority (passive, active, timeSensitive). Gives back {sent: true, ok: true} once the desktop has taken it; where there is none, it fails and says what is missing.',
    input: INPUT,
    output: OUTPUT,
    example: { title: 'Tea', body: 'It is ready.' },
    annotations: { title: 'Show a notification', readOnlyHint: false, destructiveHint: false },
    async run(args, { signal }) {
      const notice = noticeOf(args);
      if (notice === undefined)
        throw new CommandFailure('INVALID_REQUEST: empty notification', {
          code: 'INVALID_REQUEST',
          hint: 'Give a title or a body.',
          notExecuted: true,
        });
      const lack = missing();
      const program = desktopProgram(notice, platform, env);
      if (lack !== undefined || program === undefined)
        throw new CommandFailure('Notifications not available', {
          code: 'NOTIFICATIONS_UNAVAILABLE',
          hint: lack?.hint ?? NO_DESKTOP,
          notExecuted: true,
        });
      const command = findProgram(program.command, env, platform) ?? program.command;
      const end = await run({
        ...program,
        command,
        signal,
        timeoutMs: MAX_RUN_MS,
        maxBytes: MAX_OUTPUT_BYTES,
        whenFull: 'drop',
      });
      if (endedWell(end)) return { sent: true, ok: true };
      throw failureOfProgram(command, end, {
        text: 'Notification failed',
        code: 'NOTIFICATIONS_UNAVAILABLE',
        hint: platform === 'darwin' || platform === 'win32' ? NO_SESSION : NO_DAEMON,
      });
    },
  };

  return {
    commands: { [NAME]: notify },
    readiness() {
      const lack = missing();
      if (lack !== undefined) return [{ commands: [NAME], available: false, ...lack }];
      return [{ commands: [NAME], available: true, backend: BACKEND.get(platform) ?? 'notify-send' }];
    },
  };
}

const BACKEND: ReadonlyMap<NodeJS.Platform, string> = new Map([
  ['darwin', 'osascript'],
  ['win32', 'PowerShell (toast)'],
]);
