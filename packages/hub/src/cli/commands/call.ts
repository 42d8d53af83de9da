/** `pincer call`: calls one tool. Each import here delays every call from a script, so keep them few. */
import { isatty } from 'node:tty';
import { AGENT_SOURCE, DEVICE_SOURCE } from '../../core/caller.ts';
import { messageOf, PincerError } from '../../core/errors.ts';
import { isRecord } from '../../lib/record.ts';
import { fromByteText, type ByteText, parseBytes } from '../../core/wire/byte-text.ts';
import { isRunByOpenClaw, orderToItself } from '../../core/run-by-openclaw.ts';
import { buildArguments } from '../call/arguments.ts';
import { findTool } from '../call/find-tool.ts';
import type { SavedFile } from '../call/save-media.ts';
import { sendCall, type Progress } from '../call/send.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { catchInterrupt } from '../terminal/interrupt.ts';
import { describeFailure } from '../failure.ts';
import { openHub, type HubClient } from '../../control/client/hub-client.ts';
import { note, print, printJsonText, ERASE_LINE } from '../terminal/output.ts';
import { visible, visibleBlock } from '../../core/visible.ts';
import { fit } from '../render/columns.ts';
import { closest } from '../../lib/text.ts';
import { asSchema, objectParts } from '../../core/schema/json-schema.ts';
import type { ValueIssue } from '../../core/schema/check-run.ts';
import { createValueCheck } from '../../core/schema/check-value.ts';
import { defineCommand, parseTimeout } from '../command.ts';
import { findMember, readMembers } from '../../core/wire/members.ts';
import { formatBytes } from '../render/text.ts';

export const command = defineCommand({
  usage: 'SERVER.TOOL key=value …',
  description: 'Calls a tool and prints its result. Starts a hub in the background if none is running.',
  arguments: [
    ['[server.tool]', 'the server and its tool, such as github.create_issue'],
    ['[arguments...]', "key=value, converted to the type in the tool's schema; key:=JSON passes JSON"],
  ],
  options: {
    '--args <json>': 'all arguments as one JSON object; - reads the object from stdin',
    '--timeout <ms>': {
      help: "how long to wait, in milliseconds; overrides the server's requestTimeoutMs",
      parse: parseTimeout,
    },
    '--out <folder>':
      'save images, audio and files of the result in this folder, or a single one as this file',
    '--no-check': "send the arguments even if they do not match the tool's schema",
  },
  refuse({ kind, word }) {
    if (kind === 'missing-value') return usage(`Option ${word} needs a value.`);
    const near = closest(word, ['--args', '--timeout', '--out', '--no-check', '--json', '--debug', '--help']);
    return usage(`Unknown option ${word}.`, near && `Did you mean ${near}?`);
  },
  run: ({ words: [target, pairs], flags, foreign = [] }, context) =>
    call(readCall(target, [...pairs, ...foreign], flags), context),
});

const STDOUT = 1;
const STDERR = 2;

/** A call that takes longer may be waiting for a person. */
const SLOW_MS = 1_000;

interface CallOptions {
  readonly server: string;
  readonly tool: string;
  /** `key=value` and `key:=JSON` words, unparsed. */
  readonly pairs: readonly string[];
  /** JSON text of all arguments; `-` means stdin. */
  readonly args: string | undefined;
  readonly timeoutMs: number | undefined;
  /** Folder for images, audio and files of the result. */
  readonly out: string | undefined;
  /** Sends the arguments even if they do not match the tool's schema. */
  readonly isUnchecked: boolean;
}

interface CallFlags {
  readonly args: string | undefined;
  readonly timeout: number | undefined;
  readonly out: string | undefined;
  readonly check: boolean;
}

export function readCall(
  target: string | undefined,
  pairs: readonly string[],
  { args, timeout: timeoutMs, out, check }: CallFlags,
): CallOptions {
  if (target === undefined) throw usage('The tool is missing.');
  const dot = target.indexOf('.');
  if (dot < 1 || dot === target.length - 1)
    throw usage(`"${target}" is not SERVER.TOOL.`, dottedName(target) ?? 'List the tools: pincer tools');
  if (args !== undefined && pairs.length > 0)
    throw usage('Pass arguments either as key=value or with --args, not both.');
  return {
    server: target.slice(0, dot),
    tool: target.slice(dot + 1),
    pairs,
    args,
    timeoutMs,
    out,
    isUnchecked: !check,
  };
}

/** Converts a name as on `/mcp`, which joins server and tool by `__` and has no dots in names of this machine. */
function dottedName(target: string): string | undefined {
  const [, server, tool] = /^(.+?)__(.+)$/.exec(target) ?? [];
  if (server === undefined || tool === undefined) return undefined;
  return `Did you mean ${server}.${server === DEVICE_SOURCE ? tool.replaceAll('_', '.') : tool}?`;
}

const usage = (message: string, hint?: string): PincerError =>
  new PincerError('USAGE', message, {
    hint: hint ?? 'Write `pincer call SERVER.TOOL key=value …`, or `--args JSON`.',
  });

async function call(options: CallOptions, context: Context): Promise<ExitCode> {
  const { server, tool, timeoutMs } = options;
  if (server === AGENT_SOURCE && isRunByOpenClaw(process.env)) throw orderToItself();
  const given = options.args === undefined ? undefined : checkArgs(await readArgs(options.args));
  using interrupt = catchInterrupt();
  const { signal } = interrupt;
  const hub = await openHub(context, signal);
  const argumentsText = await checkedArguments(hub, options, { given, signal });
  const progressLine = isatty(STDERR) ? createProgressLine(process.stderr) : undefined;
  const onProgress = progressLine?.show;
  const mark = crypto.randomUUID();
  const ended = new AbortController();
  if (isatty(STDERR)) explainWait(hub, mark, ended.signal);
  const call = { server, tool, argumentsText, timeoutMs, signal, mark, onProgress };
  const result = await sendCall(hub, call).finally(() => {
    ended.abort();
    progressLine?.clear();
  });
  const rendered = renderResult(result);
  const saved = options.out === undefined ? undefined : await save(result, options.out, tool);
  if (context.json) printJsonText(jsonDocument(fromByteText(result), rendered, saved));
  else {
    // Escape control characters only for a terminal. A program in a pipe gets the exact bytes.
    print(isatty(STDOUT) ? visibleBlock(rendered.text) : rendered.text);
    if (rendered.isError) note(`${visible(`${server}.${tool}`)} reported an error.\n`);
    for (const { path, mimeType, bytes } of saved ?? [])
      note(`Saved ${path} (${formatFile(mimeType, bytes)})\n`);
    if (rendered.hasMedia && saved === undefined && isatty(STDERR)) note('To save it, add --out FOLDER\n');
  }
  return rendered.isError ? EXIT.toolError : EXIT.ok;
}

/** Returns the arguments as JSON text, checked against the tool's schema. */
async function checkedArguments(
  hub: HubClient,
  { server, tool, pairs, isUnchecked, timeoutMs }: CallOptions,
  { given, signal }: { readonly given: string | undefined; readonly signal: AbortSignal },
): Promise<string> {
  if (given !== undefined && isUnchecked) return given;
  const { definition } = await findTool(hub, { server, tool, timeoutMs, signal });
  const target = `${server}.${tool}`;
  const text = given ?? buildArguments(pairs, definition.inputSchema, target, isUnchecked);
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
    hint: `Quote it as one word, such as --args '{"message":"hi"}', or pipe it in: --args -`,
  });

/** Inserts the text of the result unparsed, so that no number is rounded. */
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

/** For terminals that do not report their width. */
const DEFAULT_COLUMNS = 80;

interface ProgressLine {
  readonly show: (progress: Progress) => void;
  readonly clear: () => void;
}

/** Shows progress in one line on stderr, which is erased when the call ends. */
function createProgressLine(stream: NodeJS.WriteStream): ProgressLine {
  let isShown = false;
  return {
    show(progress) {
      isShown = true;
      stream.write(`${ERASE_LINE}${renderProgress(progress, stream.columns || DEFAULT_COLUMNS)}`);
    },
    clear() {
      if (isShown) stream.write(ERASE_LINE);
    },
  };
}

/** One line, no wider than the terminal. */
export function renderProgress({ progress, total, message }: Progress, columns: number): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  const share = total !== undefined && total > 0 ? ` ${Math.floor((progress / total) * 100)} %` : '';
  const line = `${count}${share}${message === undefined ? '' : ` ${visible(message)}`}`;
  return fit(line, columns - 1);
}

/** More issues than this usually have one cause. */
const MAX_SHOWN = 8;

/** Throws if the arguments (JSON text) do not match the tool's schema. */
function assertFits(argumentsText: string, inputSchema: unknown, target: string): void {
  const issues = createValueCheck(asSchema(inputSchema))(JSON.parse(argumentsText));
  if (issues.length === 0) return;
  const lines = issues.slice(0, MAX_SHOWN).map(describe);
  const more = issues.length > MAX_SHOWN ? [`and ${issues.length - MAX_SHOWN} more`] : [];
  const text =
    lines.length === 1
      ? `${lines[0]}.`
      : [`${target} does not accept these arguments:`, ...lines, ...more].join('\n  ');
  const meant = issues.find((issue) => issue.meant !== undefined);
  const server = target.slice(0, target.indexOf('.'));
  throw new PincerError('ARGUMENT_INVALID', text, {
    hint:
      meant === undefined
        ? `Nothing was sent. \`pincer tools ${server}\` shows what each tool takes; --no-check sends it anyway.`
        : `Did you mean ${meant.meant}?`,
    data: { outcome: 'not_executed' },
  });
}

/** Returns a warning for each key that the schema allows but does not name, if it is similar to a named one. */
export function slipsIn(argumentsText: string, inputSchema: unknown, target: string): string[] {
  const known = Object.keys(objectParts(asSchema(inputSchema)).properties);
  return Object.keys(JSON.parse(argumentsText) as object)
    .filter((key) => !known.includes(key))
    .flatMap((key) => {
      const near = closest(key, known);
      return near === undefined ? [] : [`${target} has no argument "${key}". Did you mean ${near}?`];
    });
}

const describe = ({ path, message }: ValueIssue): string =>
  path === '' ? `The arguments object ${message}` : `Argument "${path}" ${message}`;

interface RenderedResult {
  readonly text: string;
  readonly isError: boolean;
  /** Whether it contains something that a terminal cannot show. */
  readonly hasMedia: boolean;
}

interface Block {
  readonly type?: unknown;
  readonly [key: string]: unknown;
}

/** Keeps text unchanged, shows other blocks as a line each, and structured content if there is no text. */
export function renderResult(result: ByteText): RenderedResult {
  const members = readMembers(result);
  const raw = findMember(members, 'content');
  const content = raw === undefined ? [] : parseBytes(raw);
  const blocks = Array.isArray(content) ? (content as Block[]) : [];
  const lines = blocks.map((block) => renderBlock(block));
  const structured = findMember(members, 'structuredContent');
  const hasText = blocks.some(({ type }) => type === 'text');
  if (structured !== undefined && !hasText) lines.push(indentJson(fromByteText(structured)));
  return {
    text: lines.map((line) => (line === '' || line.endsWith('\n') ? line : `${line}\n`)).join(''),
    isError: findMember(members, 'isError') === 'true',
    hasMedia: blocks.some(({ type }) => type === 'image' || type === 'audio' || type === 'resource'),
  };
}

function renderBlock(block: Block): string {
  if (block.type === 'text') return String(block['text']);
  const inner = block['resource'];
  const facts = (typeof inner === 'object' && inner !== null ? inner : block) as Block;
  const words = [block.type, facts['name'], facts['uri'], facts['mimeType'], sizeOf(facts)];
  return `[${visible(words.filter((word) => typeof word === 'string').join(' '))}]`;
}

function sizeOf({ data, blob, text }: Block): string | undefined {
  if (typeof text === 'string') return formatBytes(Buffer.byteLength(text));
  const base64 = data ?? blob;
  return typeof base64 === 'string' ? formatBytes(Buffer.byteLength(base64, 'base64')) : undefined;
}

/** `image/png, 12.3 KB`. */
const formatFile = (mimeType: string, bytes: number): string =>
  visible([mimeType, formatBytes(bytes)].filter((part) => part !== '').join(', '));

/** Available in V8 since 11.4, but not yet in TypeScript's library. */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

const Json = JSON as unknown as JsonWithSource;

/** Indents JSON text and keeps numbers exactly as written. */
export const indentJson = (text: string): string =>
  JSON.stringify(
    Json.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined ? Json.rawJSON(source) : value,
    ),
    undefined,
    2,
  );
