/** `pincer call`: one tool, once. Everything it loads is on the clock of every call from a script. */
import { isatty } from 'node:tty';
import { messageOf, PincerError } from '../../core/errors.ts';
import { isRecord } from '../../core/is-record.ts';
import { fromByteText } from '../../core/wire/byte-text.ts';
import { buildArguments } from '../call/arguments.ts';
import { findTool } from '../call/find-tool.ts';
import { parseCall, type CallOptions } from '../call/options.ts';
import { createProgressLine } from '../call/progress-line.ts';
import { sendCall } from '../call/send.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { describeFailure } from '../failure.ts';
import { openHub, type HubClient } from '../hub-client.ts';
import { note, print } from '../output.ts';
import { renderResult, type RenderedResult } from '../render/result.ts';
import { visibleBlock } from '../../core/visible.ts';

const STDOUT = 1;
const STDERR = 2;

export const callFromWords = (words: readonly string[], context: Context): Promise<ExitCode> =>
  call(parseCall(words), context);

export async function call(options: CallOptions, context: Context): Promise<ExitCode> {
  const { server, tool, timeoutMs } = options;
  const given = options.args === undefined ? undefined : checkArgs(await readArgs(options.args));
  const hub = await openHub(context);
  const argumentsText = given ?? (await typedArguments(hub, options));
  const progressLine = isatty(STDERR) ? createProgressLine(process.stderr) : undefined;
  const onProgress = progressLine?.show;
  const result = await sendCall(hub, { server, tool, argumentsText, timeoutMs, onProgress }).finally(
    progressLine?.clear,
  );
  const rendered = renderResult(result);
  if (context.json) print(jsonDocument(fromByteText(result), rendered));
  else {
    // A terminal obeys what it is shown; the next program in a pipe gets every byte.
    print(isatty(STDOUT) ? visibleBlock(rendered.text) : rendered.text);
    if (rendered.isError) note(`${server}.${tool} reported an error.\n`);
  }
  return rendered.isError ? EXIT.toolError : EXIT.ok;
}

async function typedArguments(hub: HubClient, { server, tool, pairs }: CallOptions): Promise<string> {
  const { definition } = await findTool(hub, server, tool);
  return buildArguments(pairs, definition.inputSchema, `${server}.${tool}`);
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
function jsonDocument(result: string, { isError, text }: RenderedResult): string {
  if (!isError) return `{"ok":true,"result":${result}}\n`;
  const failure = new PincerError('TOOL_ERROR', text.trim(), { data: { outcome: 'tool_error' } });
  return `{"ok":false,"error":${JSON.stringify(describeFailure(failure))},"result":${result}}\n`;
}
