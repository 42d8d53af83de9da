/** `pincer call`: one tool, once. Everything it loads is on the clock of every call from a script. */
import { isatty } from 'node:tty';
import { AGENT_SOURCE } from '../../core/caller.ts';
import { messageOf, PincerError } from '../../core/errors.ts';
import { isRecord } from '../../core/is-record.ts';
import { fromByteText, type ByteText } from '../../core/wire/byte-text.ts';
import { isRunByOpenClaw, orderToItself } from '../../core/run-by-openclaw.ts';
import { buildArguments } from '../call/arguments.ts';
import { assertFits, slipsIn } from '../call/assert-fits.ts';
import { findTool } from '../call/find-tool.ts';
import { parseCall, type CallOptions } from '../call/options.ts';
import { createProgressLine } from '../call/progress-line.ts';
import type { SavedFile } from '../call/save-media.ts';
import { sendCall } from '../call/send.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { describeFailure } from '../failure.ts';
import { openHub, type HubClient } from '../../client/hub-client.ts';
import { note, print, printJsonText } from '../terminal/output.ts';
import { formatFile, renderResult, type RenderedResult } from '../render/result.ts';
import { visible, visibleBlock } from '../../core/visible.ts';

const STDOUT = 1;
const STDERR = 2;

/** A call that takes longer may be waiting for a person. */
const SLOW_MS = 1_000;

export const callFromWords = (words: readonly string[], context: Context): Promise<ExitCode> =>
  call(parseCall(words), context);

export async function call(options: CallOptions, context: Context): Promise<ExitCode> {
  const { server, tool, timeoutMs } = options;
  if (server === AGENT_SOURCE && isRunByOpenClaw(process.env)) throw orderToItself();
  const given = options.args === undefined ? undefined : checkArgs(await readArgs(options.args));
  const hub = await openHub(context);
  const argumentsText = await checkedArguments(hub, options, given);
  const progressLine = isatty(STDERR) ? createProgressLine(process.stderr) : undefined;
  const onProgress = progressLine?.show;
  const mark = crypto.randomUUID();
  const ended = new AbortController();
  if (isatty(STDERR)) explainWait(hub, mark, ended.signal);
  const result = await sendCall(hub, { server, tool, argumentsText, timeoutMs, mark, onProgress }).finally(
    () => {
      ended.abort();
      progressLine?.clear();
    },
  );
  const rendered = renderResult(result);
  const saved = options.out === undefined ? undefined : await save(result, options.out, tool);
  if (context.json) printJsonText(jsonDocument(fromByteText(result), rendered, saved));
  else {
    // A terminal obeys what it is shown; the next program in a pipe gets every byte.
    print(isatty(STDOUT) ? visibleBlock(rendered.text) : rendered.text);
    if (rendered.isError) note(`${visible(`${server}.${tool}`)} reported an error.\n`);
    for (const { path, mimeType, bytes } of saved ?? [])
      note(`Saved ${path} (${formatFile(mimeType, bytes)})\n`);
    if (rendered.hasMedia && saved === undefined && isatty(STDERR)) note('--out FOLDER saves it.\n');
  }
  return rendered.isError ? EXIT.toolError : EXIT.ok;
}

/** JSON of an object that the tool takes, as far as its definition says. */
async function checkedArguments(
  hub: HubClient,
  { server, tool, pairs, isUnchecked }: CallOptions,
  given: string | undefined,
): Promise<string> {
  if (given !== undefined && isUnchecked) return given;
  const { definition } = await findTool(hub, server, tool);
  const target = `${server}.${tool}`;
  const text = given ?? buildArguments(pairs, definition.inputSchema, target);
  if (isUnchecked) return text;
  assertFits(text, definition.inputSchema, target);
  for (const slip of slipsIn(text, definition.inputSchema, target)) note(`${visible(slip)}\n`);
  return text;
}

function explainWait(hub: HubClient, mark: string, ended: AbortSignal): void {
  const timer = setTimeout(() => {
    void import('../call/approval-notice.ts').then(({ noteApproval }) => noteApproval(hub, mark, ended));
  }, SLOW_MS);
  ended.addEventListener('abort', () => clearTimeout(timer));
}

async function save(result: ByteText, folder: string, tool: string): Promise<SavedFile[]> {
  const { saveMedia } = await import('../call/save-media.ts');
  return saveMedia(result, folder, tool);
}

async function readArgs(args: string): Promise<string> {
  if (args !== '-') return args;
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function checkArgs(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidArgs(`--args is not JSON: ${messageOf(error)}.`);
  }
  if (isRecord(value)) return text;
  throw invalidArgs('--args is not a JSON object.');
}

const invalidArgs = (message: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', message, {
    hint: `Write it as one quoted word, such as --args '{"message":"hi"}', or pipe it to --args -`,
  });

/** The result's own text, not a copy of it: no number is rounded on the way. */
function jsonDocument(
  result: string,
  { isError, text }: RenderedResult,
  saved?: readonly SavedFile[],
): string {
  const files = saved === undefined ? '' : `,"saved":${JSON.stringify(saved)}`;
  if (!isError) return `{"ok":true,"result":${result}${files}}\n`;
  const failure = new PincerError('TOOL_ERROR', text.trim(), { data: { outcome: 'tool_error' } });
  return `{"ok":false,"error":${JSON.stringify(describeFailure(failure))},"result":${result}${files}}\n`;
}
