/** `pincer status`: the hub, or one server, in detail. Connects to none. */
import type { DeviceReport, NodeReport } from '../../client/device-report.ts';
import { ask } from '../../client/hub-client.ts';
import { readConfigFile } from '../../config/read-file.ts';
import { PincerError } from '../../core/errors.ts';
import { valueAt } from '../../core/value-at.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { describeHub } from '../hub/describe-hub.ts';
import type { ServerReport } from '../../client/status.ts';
import { lookAround, warnOfConfig, type Look } from '../servers/look.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { renderHubStatus } from '../render/hub-status.ts';
import { renderServerStatus } from '../render/server-status.ts';
import { stateWord } from '../../client/state-word.ts';
import { widthOfStream } from '../render/columns.ts';
import { serverRows, type ServerRow } from '../servers/rows.ts';
import { unknownServer } from '../servers/unknown-server.ts';
import { styleFor } from '../terminal/style.ts';

export interface StatusFlags {
  readonly stderr: boolean;
}

export async function status(
  name: string | undefined,
  flags: StatusFlags,
  context: Context,
): Promise<ExitCode> {
  const look = await lookAround(context);
  const rows = serverRows(look.outline, look.status);
  if (name === undefined) showHub(look, { rows, node: await nodeOf(look, context) }, context);
  else showServer(name, { look, rows, flags }, context);
  if (!context.json) {
    if (look.status === undefined) note('No hub runs, so this is the configuration alone.\n');
    warnOfConfig(look);
  }
  return EXIT.ok;
}

/** A look at all of the machine takes a while: it is taken only where there may be a node to tell of. */
async function nodeOf({ hub }: Look, { home }: Context): Promise<NodeReport | undefined> {
  if (hub === undefined) return undefined;
  // `pincer node` is one, whatever the configuration says.
  if (!isNodeMode(home) && hub.hubFile.endpoints.device !== undefined) return undefined;
  return (await ask<DeviceReport>(hub, 'GET device')).node;
}

function isNodeMode(home: string): boolean {
  try {
    return valueAt(readConfigFile(configPath(home)), ['device', 'nodeMode']) === true;
  } catch {
    // The hub goes on with the one before, which may have said so.
    return true;
  }
}

interface ShownHub {
  readonly rows: readonly ServerRow[];
  readonly node: NodeReport | undefined;
}

function showHub(look: Look, { rows, node }: ShownHub, { json }: Context): void {
  const { hub, status: known, configProblem } = look;
  if (json) {
    const servers = rows.map((row) => ({ ...row, word: stateWord(row.state, row.transport) }));
    printJson({
      ok: true,
      hub:
        hub === undefined
          ? null
          : { ...describeHub(hub.hubFile), attached: known?.attached, callsInFlight: known?.callsInFlight },
      configProblem: configProblem ?? null,
      held: known?.held ?? [],
      approvals: known?.approvals ?? 0,
      proxy: known?.proxy ?? null,
      node: node ?? null,
      servers,
    });
    return;
  }
  const { stdout } = process;
  const facts = { hubFile: hub?.hubFile, status: known, rows, node };
  print(renderHubStatus(facts, { style: styleFor(stdout), now: Date.now(), width: widthOfStream(stdout) }));
}

interface Shown {
  readonly look: Look;
  readonly rows: readonly ServerRow[];
  readonly flags: StatusFlags;
}

function showServer(name: string, { look, rows, flags }: Shown, { json }: Context): void {
  const row = rows.find((each) => each.name === name);
  if (row === undefined && look.status?.proxy?.apps.some((app) => app.name === name) === true)
    throw new PincerError('SERVER_UNKNOWN', `"${name}" is an app and no server.`, {
      hint: `See its sessions: pincer sessions --app ${name}`,
    });
  if (row === undefined)
    throw unknownServer(
      name,
      rows.map((each) => each.name),
    );
  const known = look.status?.servers.find((each) => each.name === name);
  const server: ServerReport = known ?? { ...row, tools: row.tools ?? 0 };
  const held = (look.status?.held ?? []).filter((tool) => tool.server === name);
  const word = stateWord(server.state, server.transport);
  if (json)
    printJson({ ok: true, server: { ...server, word, held: held.map(({ tool, why }) => ({ tool, why })) } });
  else {
    const options = {
      style: styleFor(process.stdout),
      now: Date.now(),
      held: held.length,
      allOfStderr: flags.stderr,
    };
    print(renderServerStatus(server, options));
  }
}
