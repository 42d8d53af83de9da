/** Finds the installed OpenClaw, checks its version, and runs its commands. */
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { hasCode, PincerError } from '../../core/errors.ts';
import { launchable } from '../../owner/launcher.ts';

export interface OpenClawOptions {
  /** The program or its `openclaw.mjs`; absent: `openclaw` in PATH. */
  readonly openclaw?: string | undefined;
  readonly profile?: string | undefined;
}

export interface OpenClaw {
  /** The command as shown to people. */
  readonly shown: string;
  readonly version: string;
  run(args: readonly string[], options?: { readonly isTerminal?: boolean }): Promise<Ran>;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Same as in the plugin's package.json. */
const OLDEST = '2026.9.0';

/** Throws OPENCLAW_UNUSABLE if OpenClaw is missing or too old. */
export async function findOpenClaw(options: OpenClawOptions): Promise<OpenClaw> {
  const { openclaw, profile } = options;
  const isScript = openclaw !== undefined && /\.[cm]?js$/.test(openclaw);
  const path = openclaw === undefined ? 'openclaw' : resolve(openclaw);
  const [program, ...first] = isScript ? [process.execPath, path] : [path];
  const shown = [openclaw ?? 'openclaw', ...(profile === undefined ? [] : ['--profile', profile])].join(' ');
  const { code, stdout, stderr } = await runProgram(program, [...first, '--version']).catch(
    (error: unknown) => {
      throw hasCode(error, 'ENOENT') || hasCode(error, 'EACCES') ? notFound(openclaw) : error;
    },
  );
  const version = /\d{4}\.\d+\.\d+/.exec(stdout)?.[0];
  if (code !== 0 || version === undefined)
    throw new PincerError('OPENCLAW_UNUSABLE', `${shown} --version failed: ${lastLine(stderr || stdout)}`, {
      hint: 'Check that this is OpenClaw, or name another program: --openclaw PATH',
    });
  if (isOlder(version, OLDEST))
    throw new PincerError(
      'OPENCLAW_UNUSABLE',
      `OpenClaw ${version} is too old: the plugin needs ${OLDEST} or newer.`,
      {
        hint: 'Update it: openclaw update. Or name another program: --openclaw PATH',
      },
    );
  const before = profile === undefined ? first : [...first, '--profile', profile];
  return {
    shown,
    version,
    run: (args, { isTerminal = false } = {}) => runProgram(program, [...before, ...args], isTerminal),
  };
}

/**
 * Runs a program in the home folder, so that files of the current folder, such as .npmrc, have no effect. `isTerminal`:
 * it uses the terminal directly, and its output is not collected.
 */
export async function runProgram(command: string, args: readonly string[], isTerminal = false): Promise<Ran> {
  const asked = { command, args, cwd: homedir(), env: process.env as Record<string, string> };
  const launch = process.platform === 'win32' ? launchable(asked) : asked;
  if (typeof launch === 'string') throw new PincerError('OPENCLAW_UNUSABLE', `${launch}.`);
  const child = spawn(launch.command, [...launch.args], {
    cwd: homedir(),
    stdio: isTerminal ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const ended = Promise.withResolvers<number>();
  child.once('error', ended.reject);
  child.once('close', (code) => ended.resolve(code ?? 1));
  const [code, stdout, stderr] = await Promise.all([
    ended.promise,
    readAll(child.stdout),
    readAll(child.stderr),
  ]);
  return { code, stdout, stderr };
}

const readAll = async (stream: Readable | null): Promise<string> => (stream === null ? '' : text(stream));

export const lastLine = (output: string): string => output.trim().split('\n').at(-1) || 'no output.';

function isOlder(version: string, oldest: string): boolean {
  const [a, b] = [version, oldest].map((each) => each.split('.').map(Number));
  const at = a!.findIndex((part, index) => part !== b![index]);
  return at !== -1 && a![at]! < b![at]!;
}

const notFound = (openclaw: string | undefined): PincerError =>
  new PincerError(
    'OPENCLAW_UNUSABLE',
    openclaw === undefined ? 'openclaw was not found in PATH.' : `There is no program at ${openclaw}.`,
    { hint: 'Install OpenClaw: npm install --global openclaw. Or name its path: --openclaw PATH' },
  );
