/** `/mcp …` and `mcp_manage`: one handler, whoever asks. */
import { closest, PincerError, visible } from 'pincer/client';
import type { Sender } from '../entries/per-caller.ts';
import { accept } from './commands/accept.ts';
import { approvals } from './commands/approvals.ts';
import { auth } from './commands/auth.ts';
import { connect } from './commands/connect.ts';
import { disconnect } from './commands/disconnect.ts';
import { createHelp } from './commands/help.ts';
import { MOVED } from './commands/moved.ts';
import { refresh } from './commands/refresh.ts';
import { servers } from './commands/servers.ts';
import { status } from './commands/status.ts';
import { tools } from './commands/tools.ts';
import { readArguments } from './input/read-arguments.ts';
import { splitWords } from './input/split-words.ts';
import { cut, renderAnswer, type Answer } from './render/answer.ts';
import { renderFailure } from './render/failure.ts';
import { createShownDefinitions } from './shown-definitions.ts';
import { createShownQuestions } from './shown-questions.ts';
import type { ManageContext, Subcommand } from './subcommand.ts';

export type ManageParts = Pick<ManageContext, 'hub' | 'notices' | 'entries' | 'settle' | 'now'>;

export interface ManageRequest {
  /** What stands after `/mcp`. */
  readonly text: string;
  /** It is certain that the owner typed this. */
  readonly mayChange: boolean;
  /** For the wording alone: it proves nothing. */
  readonly by: 'command' | 'model' | 'skill';
  readonly sender?: Sender | undefined;
}

export type Manage = (request: ManageRequest) => Promise<string>;

const LISTED = [servers, tools, connect, disconnect, auth, status, refresh, approvals, accept];
const ALL: readonly Subcommand[] = [...LISTED, createHelp(LISTED), ...MOVED];
const MAX_REPEATED = 120;

export function createManage(parts: ManageParts): Manage {
  const shown = createShownDefinitions();
  const shownQuestions = createShownQuestions();

  async function answer(request: ManageRequest): Promise<Answer> {
    const [name = 'help', ...words] = splitWords(request.text);
    const subcommand = findSubcommand(name);
    const given = readArguments(words, subcommand);
    if (!request.mayChange && subcommand.changes(given)) throw ownersOnly(request);
    return subcommand.run(given, {
      ...parts,
      shown: request.mayChange ? shown : undefined,
      shownQuestions: request.mayChange ? shownQuestions : undefined,
      sender: request.sender,
    });
  }

  return async (request) => {
    const reader = request.by === 'model' ? 'model' : 'person';
    return renderAnswer(await answer(request).catch(renderFailure), reader);
  };
}

function findSubcommand(name: string): Subcommand {
  const lower = name.toLowerCase();
  const found = ALL.find((each) => each.name === lower);
  if (found !== undefined) return found;
  const near = closest(
    lower,
    LISTED.map((each) => each.name),
  );
  throw new PincerError('USAGE', `/mcp has no "${cut(name, MAX_REPEATED)}".`, {
    hint: near === undefined ? 'Type /mcp help.' : `Did you mean /mcp ${near}?`,
  });
}

function ownersOnly({ text, by }: ManageRequest): PincerError {
  const command = `/mcp ${cut(visible(text.trim()), MAX_REPEATED)}`;
  if (by === 'command')
    return new PincerError('POLICY_DENIED', 'Only the owner of this OpenClaw may do that.', {
      hint: 'The owner is who connects with operator.admin, or is listed in commands.ownerAllowFrom.',
    });
  const hint = by === 'model' ? `Ask them to type: ${command}` : `Type: ${command}`;
  return new PincerError('POLICY_DENIED', 'Only the owner can do that, by typing the command.', { hint });
}
