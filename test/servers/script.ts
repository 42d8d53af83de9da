/**
 * The steps that a server performs before it answers, as text: `log,wait5,elicit+sample,progress`.
 *
 * - `wait5`: waits for 5 ms
 * - `progress`, `log` (a warning), `debug` (a log message of that level)
 * - `sample`, `elicit`, `roots`, or several at once with `+`: asks the client and waits for the answers
 * - `latelog5`, `lateroots5`: the same 5 ms later, without waiting; only the legacy era allows that
 * - `stubborn`: ignores cancellations from here on
 *
 * In the legacy era a trailing `^` sends a message on the channel that belongs to no call.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject, type JsonValue } from './json.ts';
import { notificationMessage, RpcError } from './outbound.ts';
import type { PlainResult, RawResult, ToolContext } from './tool.ts';

export interface Script {
  marker: string;
  script: string;
  /** Builds the result; the text is that of `ScriptResult`. */
  finish: (text: string) => object;
}

/** The result of a script, as JSON text. */
export interface ScriptResult {
  server: string;
  marker: string;
  /** The client's answers to the questions, in the order of the script. */
  answers: JsonValue[];
}

/** Kept between the rounds of the modern era. */
interface State {
  marker: string;
  /** The step that asks. */
  at: number;
  answers: JsonValue[];
}

const QUESTIONS: Record<string, { method: string; ability: string; params: (marker: string) => JsonObject }> =
  {
    elicit: {
      method: 'elicitation/create',
      ability: 'elicitation',
      params: (marker) => ({
        mode: 'form',
        message: `Who? ${marker}`,
        requestedSchema: { type: 'object', properties: { by: { type: 'string' } }, required: ['by'] },
      }),
    },
    sample: {
      method: 'sampling/createMessage',
      ability: 'sampling',
      params: (marker) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `Who? ${marker}` } }],
        maxTokens: 10,
      }),
    },
    roots: {
      method: 'roots/list',
      ability: 'roots',
      params: (marker) => ({ _meta: { 'test/marker': marker } }),
    },
  };

export async function runScript(context: ToolContext, script: Script): Promise<PlainResult | RawResult> {
  const { caller } = context;
  const { marker } = script;
  const steps = script.script.split(',').filter((step) => step !== '');
  const resumed = caller.era === 'modern' ? resume(context, marker) : undefined;
  const answers = resumed?.answers ?? [];
  let { signal }: { signal: AbortSignal | undefined } = context;
  for (const [at, step] of steps.entries()) {
    if (at <= (resumed?.at ?? -1)) continue;
    const [, what = '', ms, isPushed] = /^([a-z+]+)(\d*)(\^?)$/.exec(step) ?? [];
    if (what === 'wait') await sleep(Number(ms), undefined, signal && { signal });
    else if (what === 'stubborn') signal = undefined;
    else if (what === 'progress') context.progress(at + 1, steps.length, marker);
    else if (what === 'log' || what === 'debug')
      log(
        context,
        { marker, level: what === 'log' ? 'warning' : what },
        isPushed === '^' ? context.push : context.send,
      );
    else if (what.startsWith('late')) {
      if (caller.era === 'legacy') setTimeout(() => doLate(context, what, marker), Number(ms)).unref();
    } else if (caller.era === 'legacy') {
      const way = isPushed === '^' ? 'push' : 'send';
      answers.push(...(await Promise.all(what.split('+').map((each) => ask(context, each, marker, way)))));
    } else {
      const wanted = what.split('+').filter((each) => isDeclared(context, questionOf(each).ability));
      if (wanted.length === what.split('+').length) return required(wanted, { marker, at, answers });
      answers.push('not declared');
    }
  }
  const result: ScriptResult = { server: context.server.flags.name, marker, answers };
  return script.finish(JSON.stringify(result)) as PlainResult;
}

function questionOf(what: string): (typeof QUESTIONS)[string] {
  const question = QUESTIONS[what];
  if (question === undefined) throw new RpcError({ code: -32602, message: `no step of a script: ${what}` });
  return question;
}

// oxlint-disable-next-line max-params -- one question
async function ask(
  context: ToolContext,
  what: string,
  marker: string,
  way: 'send' | 'push',
): Promise<JsonValue> {
  const { method, params } = questionOf(what);
  return await context.ask(method, params(marker), way);
}

function doLate(context: ToolContext, what: string, marker: string): void {
  if (what === 'latelog') log(context, { marker, level: 'warning' }, context.push);
  else void ask(context, what.slice('late'.length), marker, 'push').catch(() => undefined);
}

function isDeclared({ caller }: ToolContext, ability: string): boolean {
  const capabilities = isObject(caller.client) ? caller.client['capabilities'] : undefined;
  return isObject(capabilities) && isObject(capabilities[ability]);
}

/** A legacy client always gets the message; a modern one only if its request set a log level. */
function log(
  { caller }: ToolContext,
  { marker, level }: { marker: string; level: string },
  send: (message: string) => void,
): void {
  if (caller.era === 'modern' && caller.logLevel === undefined) return;
  send(notificationMessage('notifications/message', { level, logger: 'talk', data: { marker } }));
}

function required(wanted: readonly string[], state: State): RawResult {
  const inputRequests = Object.fromEntries(
    wanted.map((each) => [
      each,
      { method: questionOf(each).method, params: questionOf(each).params(state.marker) },
    ]),
  );
  const result = { resultType: 'input_required', inputRequests, requestState: JSON.stringify(state) };
  return { rawResult: JSON.stringify(result) };
}

/** Returns where the last round ended, with the answers received since. */
function resume({ rawParams }: ToolContext, marker: string): State | undefined {
  const { requestState, inputResponses } = JSON.parse(rawParams) as {
    requestState?: string;
    inputResponses?: JsonObject;
  };
  if (requestState === undefined) return undefined;
  const state = JSON.parse(requestState) as State;
  if (state.marker !== marker) throw new RpcError({ code: -32602, message: `state of ${state.marker}` });
  const answers = Object.values(inputResponses ?? {}).map((result) => ({ result }));
  return { ...state, answers: [...state.answers, ...answers] };
}
