/** Has one image scaled down by a process of its own, and listens to what that says. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../../../lib/environment.ts';
import { safeFolder } from '../../../../lib/safe-folder.ts';
import { withWholePaths } from '../../../../lib/search-path.ts';
import type { Attachment } from '../read-media.ts';
import { refuse, unreadable, type ScaleOrder } from './scale-image.ts';
import type { Source, Step } from './steps.ts';
import type { FitLimits } from './fit-attachments.ts';

/** What it says of the image, before the image itself. */
export type Told =
  | { readonly kind: 'scaled'; readonly before: Source; readonly after: Step }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'no-sharp' };

export interface ScaledInChild {
  /** Base64. */
  readonly data: string;
  readonly before: Source;
  readonly after: Step;
}

export interface ChildParts {
  readonly limits: FitLimits;
  /** Options of Node for it. */
  readonly nodeOptions: readonly string[];
}

const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './scale-child.ts' : './scale-child.js', import.meta.url),
);
/** What it takes to start a program at all; nothing else of ours is any of its business. */
const INHERITED = ['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SYSTEMROOT'];

/** Undefined: sharp is not installed, or not for this machine. Rejects with the signal's reason when that is aborted. */
export async function scaleInChild(
  image: Attachment,
  maxBytes: number,
  { limits, nodeOptions }: ChildParts,
  signal: AbortSignal,
): Promise<ScaledInChild | undefined> {
  const order: ScaleOrder = { name: image.name, maxBytes, limits };
  const late = AbortSignal.timeout(limits.maxScaleMs);
  const child = spawn(process.execPath, [...nodeOptions, PROGRAM], {
    cwd: safeFolder(),
    env: environmentOf(process.env),
    stdio: ['pipe', 'pipe', 'ignore'],
    signal: AbortSignal.any([signal, late]),
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  const said: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => said.push(part));
  // It may have said all that it has to say before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify(order)}\n`);
  child.stdin.end(Buffer.from(image.data, 'base64'));
  const failure = await failureOf(child);
  signal.throwIfAborted();
  if (late.aborted)
    throw refuse(`${image.name} could not be scaled down within ${limits.maxScaleMs / 1000} seconds.`);
  // Whatever it has said by then may not be all of it.
  if (failure !== undefined) throw unreadable(image.name, new Error(`its reader ${failure}`));
  return resultOf(Buffer.concat(said));
}

/** One line, and behind it the image. */
function resultOf(said: Buffer): ScaledInChild | undefined {
  const line = said.indexOf('\n');
  const told = JSON.parse(said.toString('utf8', 0, line)) as Told;
  switch (told.kind) {
    case 'scaled':
      return { data: said.toString('base64', line + 1), before: told.before, after: told.after };
    case 'refused':
      throw refuse(told.message);
    case 'no-sharp':
      return undefined;
  }
}

/** Undefined: it has done what it was asked, or has said why not. */
const failureOf = (child: ChildProcess): Promise<string | undefined> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve(`cannot be started: ${error.message}`));
    child.once('close', (code, killer) => {
      if (code === 0) resolve(undefined);
      else resolve(killer === null ? `exited with code ${code}` : `was ended by ${killer}`);
    });
  });

/** All of them are folders, or lists of such. */
const environmentOf = (env: Environment): Environment =>
  Object.fromEntries(
    INHERITED.flatMap((name) =>
      env[name] === undefined ? [] : [[name, withWholePaths(env[name], process.platform)]],
    ),
  );
