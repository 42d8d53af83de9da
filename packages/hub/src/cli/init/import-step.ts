/** The first step of `pincer init`: servers that other programs have. */
import { homedir } from 'node:os';
import { visible } from '../../core/visible.ts';
import { openVault } from '../../owner/vault.ts';
import type { Context } from '../context.ts';
import { gather } from '../import/gather.ts';
import { placeHere } from '../clients/place-here.ts';
import { planImport, type PlannedServer } from '../import/plan.ts';
import { remarksOf, shownLaunch } from '../import/remarks.ts';
import { surroundingsOf } from '../import/surroundings.ts';
import { writePlan } from '../import/write.ts';
import { columns } from '../render/columns.ts';
import { plural } from '../../lib/plural.ts';
import { shortener } from '../render/text.ts';
import type { Style } from '../terminal/style.ts';
import type { Guide } from './guide.ts';
import { numbered } from './numbered.ts';

/** Names of those that were added. */
export async function importStep(guide: Guide, context: Context, style: Style): Promise<readonly string[]> {
  const { home } = context;
  const vault = openVault(home, process.env);
  const plan = planImport(gather(placeHere()), surroundingsOf(context, process.env, vault));
  const { add, skipped, problems } = plan;
  for (const { error } of problems) guide.say(`${style.yellow('!')} ${visible(error.message)}\n`);
  if (add.length === 0) {
    guide.say('No servers of other programs to import.\n');
    return [];
  }
  guide.say(`${style.bold('Servers that other programs have here')}\n\n${renderServers(add, style)}\n`);
  const off = add.filter(({ config }) => config.enabled === false).length;
  if (off > 0) guide.say(`  ${style.yellow('!')} comes switched off; later: pincer set NAME enabled true\n`);
  if (skipped.length > 0) guide.say(`  ${skipped.length} left out; pincer import says why.\n`);
  const chosen = (await guide.choose('Import them?', add.length)).map((index) => add[index]!);
  writePlan(chosen, home, vault);
  const secrets = new Set(chosen.flatMap(({ kept }) => kept.map(({ secret }) => secret))).size;
  if (chosen.length > 0)
    guide.say(
      `${plural(chosen.length, 'server')} added${secrets === 0 ? '' : `, ${plural(secrets, 'secret')} in the vault`}.\n`,
    );
  return chosen.map(({ name }) => name);
}

function renderServers(add: readonly PlannedServer[], style: Style): string {
  const table = columns(
    add.map((server, index) =>
      numbered(
        [
          style.bold(server.name),
          server.config.url === undefined ? 'stdio' : 'http',
          style.dim(server.origin.client.title),
          visible(shownLaunch(server)),
        ],
        index,
        server.config.enabled === false ? style.yellow('!') : ' ',
      ),
    ),
  );
  const options = { isWritten: false, shorten: shortener(homedir(), process.cwd()) };
  const lines = add.flatMap((server, index) => [
    table[index]!,
    ...remarksOf(server, options).map((remark) => `       ${visible(remark)}`),
  ]);
  return `${lines.join('\n')}\n`;
}
