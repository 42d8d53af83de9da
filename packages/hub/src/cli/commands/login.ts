/** `pincer login`: somebody signs in to a server, with a browser here or elsewhere. */
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
import { isSomebodyThere, openPerson, type Person } from '../terminal/person.ts';
import { styleFor } from '../terminal/style.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: 'NAME [--no-browser] [--code CODE]',
  description:
    'Opens the page of a server where you sign in, and waits until you have. The link is printed, too.',
  arguments: ['<name>'],
  options: {
    '--no-browser': 'print the link and open nothing',
    '--code <code>': 'the code, or the address of the page that your browser could not reach',
    '--scope <scope>': { help: 'ask for this right instead of those the server wants', many: true },
    '--caller <token>': 'for whom, where everyone signs in for themselves: the name of a token',
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

/** Ctrl+C: a browser that comes back later signs nobody in. */
async function signInUnlessInterrupted(
  hub: HubClient,
  options: LoginOptions,
  context: Context,
): Promise<SignedIn> {
  const { name: server, caller } = options;
  using interrupt = catchInterrupt();
  const cancelled = new Promise<never>((_resolve, reject) => {
    interrupt.signal.addEventListener('abort', () => {
      const told = ask(hub, 'POST sign-in/cancel', { body: { server, caller } });
      void told.catch(() => undefined).then(() => reject(nobodySignedIn()));
    });
  });
  return await Promise.race([signIn(hub, options, context), cancelled]).catch((error: unknown) => {
    throw interrupt.signal.aborted ? nobodySignedIn() : error;
  });
}

const nobodySignedIn = (): PincerError =>
  new PincerError('CALL_CANCELLED', 'Cancelled. Nobody was signed in.');

async function signIn(hub: HubClient, options: LoginOptions, context: Context): Promise<SignedIn> {
  const { name, scopes, caller } = options;
  const body = { server: name, openBrowser: false, scopes, caller };
  const { link, userCode, state } = await ask(hub, 'POST sign-in', { body });
  if (link !== undefined) {
    // Here, not in the hub: this is where the person sits.
    const isOpen = options.browser && (await openBrowser(link));
    note(renderSignInLink({ name, link, userCode, isOpen }));
  }
  const waiting = waitForEnd(hub, state);
  const canPaste = link !== undefined && userCode === undefined && !context.json && isSomebodyThere();
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
      throw new PincerError('SIGN_IN_FAILED', 'The hub knows nothing of this sign-in any more.', {
        hint: 'Begin anew: `pincer login`.',
      });
  }
}

/** For as long as the person pastes things; what is wrong with one is said, and the next is awaited. */
async function askForCode(person: Person, hub: HubClient, { name, caller }: LoginOptions): Promise<SignedIn> {
  for (;;) {
    const code = await person.ask('');
    // Nothing more will be typed: the browser may still come back.
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
