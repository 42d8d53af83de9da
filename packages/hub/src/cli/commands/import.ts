/** `pincer import`: the servers of other MCP clients. Shows what it would do; with `--write` it does it. Connects to none. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { IMPORT_CLIENTS } from '../../config/import/clients.ts';
import type { ClientId } from '../../config/import/types.ts';
import { findHub } from '../../owner/attach.ts';
import { configPath } from '../../owner/state-folder.ts';
import { openVault } from '../../owner/vault.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { describePlan } from '../import/describe.ts';
import { gather, gatherFrom, type Gathered } from '../import/gather.ts';
import { namedClient } from '../clients/named-client.ts';
import { placeHere } from '../clients/place-here.ts';
import { planImport, type Plan } from '../import/plan.ts';
import { renderPlan } from '../import/render.ts';
import { surroundingsOf } from '../import/surroundings.ts';
import { writePlan } from '../import/write.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { shortener } from '../render/short-path.ts';
import { styleFor } from '../terminal/style.ts';

export interface ImportOptions {
  readonly client: string | undefined;
  readonly from: string | undefined;
  readonly write: boolean;
}

export function importServers({ client, from, write }: ImportOptions, context: Context): ExitCode {
  const { home, json } = context;
  const place = placeHere();
  const only = client === undefined ? undefined : namedClient(client, IMPORT_CLIENTS).id;
  const gathered = from === undefined ? gather(place, only) : gatherFrom(resolve(from), place, only);
  refuseIfAllBroken(gathered, only);
  const vault = openVault(home, process.env);
  const plan = planImport(gathered, surroundingsOf(context, process.env, vault));
  if (write) writePlan(plan.add, home, vault);
  if (json) printJson({ ok: true, written: write, file: configPath(home), ...describePlan(plan) });
  else show(plan, gathered, { client, from, write }, context);
  return EXIT.ok;
}

function show(plan: Plan, { files }: Gathered, options: ImportOptions, { home }: Context): void {
  const { write, from, client } = options;
  const shorten = shortener(homedir(), process.cwd());
  print(renderPlan(plan, { style: styleFor(process.stdout), isWritten: write, shorten }));
  const count = plan.add.length;
  if (files.length === 0 && plan.problems.length === 0) note('No other MCP client was found here.\n');
  else if (count === 0) note('There is nothing to add.\n');
  else if (write) {
    note(`Saved in ${configPath(home)}; the other programs keep their own entries.\n`);
    if (plan.add.some(({ config }) => config.enabled === false))
      note('Those with ! wait for what they need; then: pincer set NAME enabled true\n');
    if (findHub(home) !== undefined) note('Let the hub that runs take them: pincer reload\n');
  } else {
    const words = ['pincer import', client, from && `--from ${from}`, '--write'].filter(Boolean);
    note(`Nothing was written. To add ${count === 1 ? 'it' : 'them'}: ${words.join(' ')}\n`);
  }
}

/** Somebody who asked for one client wants to hear that it failed. */
function refuseIfAllBroken({ files, problems }: Gathered, only: ClientId | undefined): void {
  if (only !== undefined && files.length === 0 && problems[0] !== undefined) throw problems[0].error;
}
