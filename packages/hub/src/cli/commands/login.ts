/** `pincer login`: signs in to a server, with a browser on this machine or another one. */
import { ask, openHub, type HubClient } from '../../control/client/hub-client.ts';
import { PincerError } from '../../core/errors.ts';
import { openBrowser } from '../../servers/oauth/flow/open-browser.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { describeFailure } from '../failure.ts';
import type { SignedIn } from '../../control/contract/people.ts';
import { renderSignedIn, renderSignInLink } from '../render/sign-in.ts';
import { assertUsable } from '../servers/unknown-server.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { catchInterrupt } from '../terminal/interrupt.ts';
import { isInteractive, openPerson, type Person } from '../terminal/person.ts';
import { styleFor } from '../terminal/style.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: 'NAME [--no-browser] [--code CODE]',
  description:
    'Opens the sign-in page of a server in your browser, prints its link, and waits until you have signed in.',
  arguments: ['<name>'],
  options: {
    '--no-browser': 'only print the link',
    '--code <code>':
      'finish a sign-in with its code, or with the URL of the page that your browser could not open',
    '--scope <scope>': {
      help: 'request this scope instead of those that the server asks for; repeatable',
      many: true,
    },
    '--caller <token>': 'name of the token to sign in for, if each caller signs in separately',
  },
  run: ({ words: [name], flags: { scope: scopes, ...flags } }, context) =>
    login({ name, scopes, ...flags }, context),
});

interface LoginOptions {
  readonly name: string;
  readonly browser: boolean;
  readonly code: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly caller: string | undefined;
}

async function login(options: LoginOptions, context: Context): Promise<ExitCode> {
  const { name, caller } = options;
  const hub = await openHub(context);
  const { servers } = await ask(hub, 'GET status');
  assertUsable(name, servers);
  const signedIn =
    options.code === undefined
      ? await signInUnlessInterrupted(hub, options, context)
      : await bringCode(hub, { server: name, code: options.code, caller });
  const probed = await ask(hub, 'POST probe', { body: { name } }).catch((error: unknown) =>
    PincerError.from(error),
  );
  const problem = PincerError.is(probed) ? probed : undefined;
  const tools = PincerError.is(probed) ? undefined : probed.tools.length;
  if (context.json)
    printJson({
      ok: true,
      server: name,
      signedIn,
      tools,
      ...(problem && { problem: describeFailure(problem) }),
    });
  else print(renderSignedIn(name, { ...signedIn, tools, problem }, styleFor(process.stdout), Date.now()));
  return EXIT.ok;
}

async function bringCode(
  hub: HubClient,
  body: { readonly server: string; readonly code: string; readonly caller: string | undefined },
): Promise<SignedIn> {
  return (await ask(hub, 'POST sign-in/code', { body })).signedIn;
}

/** Ctrl+C cancels the sign-in at the hub, so that a browser that returns later has no effect. */
async function signInUnlessInterrupted(
  hub: HubClient,
  options: LoginOptions,
  context: Context,
): Promise<SignedIn> {
  const { name: server, caller } = options;
  using interrupt = catchInterrupt();
  const cancelled = new Promise<never>((_resolve, reject) => {
    interrupt.signal.addEventListener('abort', () => {
      const request = ask(hub, 'POST sign-in/cancel', { body: { server, caller } });
      void request.catch(() => undefined).then(() => reject(signInCancelled()));
    });
  });
  return await Promise.race([signIn(hub, options, context), cancelled]).catch((error: unknown) => {
    throw interrupt.signal.aborted ? signInCancelled() : error;
  });
}

const signInCancelled = (): PincerError =>
  new PincerError('CALL_CANCELLED', 'Cancelled. You were not signed in.');

async function signIn(hub: HubClient, options: LoginOptions, context: Context): Promise<SignedIn> {
  const { name, scopes, caller } = options;
  const body = { server: name, openBrowser: false, scopes, caller };
  const { link, userCode, state } = await ask(hub, 'POST sign-in', { body });
  if (link !== undefined) {
    // Open the browser here, not in the hub: the person is at this terminal.
    const isOpen = options.browser && (await openBrowser(link));
    note(renderSignInLink({ name, link, userCode, isOpen }));
  }
  const waiting = waitForEnd(hub, state);
  const canPaste = link !== undefined && userCode === undefined && !context.json && isInteractive();
  if (!canPaste) return waiting;
  using person = openPerson();
  return await Promise.race([waiting, askForCode(person, hub, options)]);
}

async function waitForEnd(hub: HubClient, state: string): Promise<SignedIn> {
  for (;;) {
    const end = await ask(hub, 'POST sign-in/wait', {
      body: { state },
    });
    if (end.signedIn !== undefined) return end.signedIn;
    if (!end.isUnderWay)
      throw new PincerError('SIGN_IN_FAILED', 'The hub no longer knows this sign-in.', {
        hint: 'Start again: pincer login NAME',
      });
  }
}

/** Reads pasted codes until one is accepted, and prints why each other one was not. */
async function askForCode(person: Person, hub: HubClient, { name, caller }: LoginOptions): Promise<SignedIn> {
  for (;;) {
    const code = await person.ask('');
    // The input has ended, but the browser may still finish the sign-in.
    if (code === undefined) return new Promise(() => undefined);
    if (code === '') continue;
    try {
      return await bringCode(hub, { server: name, code, caller });
    } catch (error) {
      const { message, hint } = PincerError.from(error);
      note(`${message}${hint === undefined ? '' : ` ${hint}`}\n`);
    }
  }
}
