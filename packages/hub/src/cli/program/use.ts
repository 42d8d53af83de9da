import { Argument, type Command } from 'commander';
import type { CallFlags } from '../call/options.ts';
import type { LogsFlags } from '../commands/logs.ts';
import type { Registration } from './registration.ts';
import { addDeviceCommands } from './device.ts';
import { addSessionCommands } from './sessions.ts';

interface ApprovalFlags {
  readonly watch?: boolean;
  readonly always?: boolean;
  readonly yes?: boolean;
}

/** For help, and for `pincer --json call …`; main.ts takes the short way where `call` comes first. */
export function addUseCommands(program: Command, registration: Registration): void {
  const { context, foreign, end } = registration;
  program
    .command('call')
    .usage('SERVER.TOOL key=value …')
    .summary('call a tool')
    .description('Calls a tool and prints its result. Starts a hub in the background if none runs.')
    .argument('<server.tool>', 'split at the first dot')
    .argument('[arguments...]', 'key=value, typed by what the tool takes; key:=JSON forces JSON')
    .option('--args <json>', 'all arguments as one JSON object; - reads it from stdin')
    .option('--timeout <ms>', 'wait this long, also longer than the server may take otherwise')
    .option('--out <folder>', 'save pictures, sounds and files of the result here; a file for a single one')
    .option('--no-check', 'send the arguments though the tool may not take them')
    .action(async (target: string, pairs: string[], flags: CallFlags) => {
      const { call } = await import('../commands/call.ts');
      const { toOptions } = await import('../call/options.ts');
      end(await call(toOptions(target, [...pairs, ...(foreign ?? [])], flags), context));
    });
  program
    .command('approvals')
    .usage('[show ID | allow ID … | deny ID …] [--yes] [--always] [--watch]')
    .summary('calls that wait for you')
    .description(
      'Calls that wait for your approval. An approval lets one call run; the beginning of an id will do.',
    )
    .addArgument(new Argument('[verb]').choices(['show', 'allow', 'deny']))
    .argument('[ids...]')
    .option('--yes', 'allow without asking; the call is printed in full all the same')
    .option('--always', 'allow the same program, arguments and folder for good (system.run)')
    .option('--watch', 'follow them as they come; on a terminal, answer them here')
    .action(
      async (
        verb: 'show' | 'allow' | 'deny' | undefined,
        ids: string[],
        { watch, always, yes }: ApprovalFlags,
      ) => {
        const approvals = await import('../commands/approvals.ts');
        if (verb === 'show') return end(await approvals.showApproval(ids, context));
        if (verb !== undefined) {
          const decision = verb === 'allow' ? 'allowed' : 'denied';
          const options = { decision, always: always === true, isYes: yes === true } as const;
          return end(await approvals.decideApprovals(options, ids, context));
        }
        end(
          watch === true ? await approvals.watchApprovals(context) : await approvals.listApprovals(context),
        );
      },
    );
  program
    .command('accept')
    .usage('[SERVER[.TOOL]] [--yes]')
    .summary('tools that have changed, or are new')
    .description(
      'Shows what has changed in tools that are held since, and accepts it when you say so. Without a name, lists what is held.',
    )
    .argument('[server.tool]', 'a server, or one of its tools')
    .option('--yes', 'accept without asking')
    .action(async (target: string | undefined, { yes }: { yes?: boolean }) => {
      const { accept } = await import('../commands/accept.ts');
      end(await accept(target, yes === true, context));
    });
  addDeviceCommands(program, registration);
  addSessionCommands(program, registration);
  program
    .command('logs')
    .usage('[--server S] [--caller C] [--outcome O] [--since 1h] [--follow]')
    .summary('finished calls')
    .description('Finished calls, the newest last. Needs no hub.')
    .option('--server <name>', 'of this server')
    .option('--caller <name>', 'of this token')
    .option('--outcome <outcome>', 'ok, tool_error, not_executed or outcome_unknown')
    .option('--method <method>', 'such as tools/call, prompts/get or sessions/create')
    .option('--session <id>', "of this session: a client's, or an app's")
    .option('--since <time>', 'a span such as 15m, 1h, 7d, or a date')
    .option('--limit <n>', 'at most so many; otherwise 50')
    .option('--follow', 'go on with those that come')
    .option('--arguments', 'with their arguments, redacted')
    .option('--sizes', 'with the sizes of arguments and answers')
    .option('--ndjson', 'one JSON object per line')
    .action(async (flags: LogsFlags) => {
      const { logs } = await import('../commands/logs.ts');
      end(await logs(flags, context));
    });
}
