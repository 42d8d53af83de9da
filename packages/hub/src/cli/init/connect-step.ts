/** The second step of `pincer init`: programs that could use Pincer. */
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import { applyClient } from '../connect/apply.ts';
import { factsOf } from '../connect/facts.ts';
import { findClients } from '../connect/find.ts';
import type { Context } from '../context.ts';
import { ownPorts } from '../clients/own-ports.ts';
import { placeHere } from '../clients/place-here.ts';
import { columns } from '../render/columns.ts';
import { shortener } from '../render/text.ts';
import type { Style } from '../terminal/style.ts';
import type { Guide } from './guide.ts';
import { numbered } from './numbered.ts';

export interface ConnectedClient {
  readonly client: string;
  readonly title: string;
  readonly file: string;
}

/** By a program that they start: that works whether a hub runs or not, and needs no token. */
export async function connectStep(guide: Guide, context: Context, style: Style): Promise<ConnectedClient[]> {
  const place = placeHere();
  const shorten = shortener(place.home, place.cwd);
  const self = { ports: ownPorts(context.home, process.env), entry: context.entry };
  const found = findClients(place, self).filter(({ isFound }) => isFound);
  const known = found.filter(({ entries }) => entries !== undefined && entries.length > 0);
  const open = found.filter(({ entries }) => entries?.length === 0);
  if (known.length > 0)
    guide.say(`Connected already: ${known.map(({ client }) => client.title).join(', ')}.\n`);
  if (open.length === 0) {
    if (known.length === 0)
      guide.say('No program was found that could use Pincer; pincer connect lists them.\n');
    return [];
  }
  const rows = open.map(({ client, file }, index) =>
    numbered([style.bold(client.title), style.dim(visible(shorten(file)))], index),
  );
  guide.say(`${style.bold('Programs that could use Pincer')}\n\n${columns(rows).join('\n')}\n\n`);
  const chosen = (await guide.choose('Connect them?', open.length)).map((index) => open[index]!);
  return chosen.flatMap(({ client, file }) => {
    try {
      const { backup } = applyClient(client, factsOf(undefined, context, process.env), {
        mode: 'stdio',
        place,
      });
      const kept = backup === undefined ? '' : ` What was there before: ${shorten(backup)}`;
      guide.say(`${style.green('●')} ${client.title} is connected.${kept}\n`);
      return [{ client: client.id, title: client.title, file }];
    } catch (error) {
      // One file that cannot be edited stops no other.
      const { message } = PincerError.from(error);
      guide.say(
        `${style.red('✗')} ${visible(message)}\n  pincer connect ${client.id} shows what to paste.\n`,
      );
      return [];
    }
  });
}
