/** `pincer device`: shows the capabilities of this machine, and switches them on or off. */
import type { DeviceReport } from '../../control/contract/machine.ts';
import { ask, findHubClient, type HubClient } from '../../control/client/hub-client.ts';
import { CAPABILITY_SWITCHES, isDeviceOffered } from '../../config/device-schema.ts';
import { closest } from '../../lib/text.ts';
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import { readinessHere } from '../../device/readiness.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { widthOfStream } from '../render/columns.ts';
import { obstacles, renderCapabilities, renderNode } from '../render/device.ts';
import { notOfferedByHub, type NotOffered } from '../servers/not-offered.ts';
import { changeConfig } from '../settings/change-config.ts';
import { loadConfigHere } from '../settings/load-config-here.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { styleFor } from '../terminal/style.ts';
import { defineCommand, defineSubcommand } from '../command.ts';

export const command = defineCommand({
  usage: '[on|off NAME...]',
  description:
    'Shows what this machine offers as tools (screen, camera, location, clipboard and more): whether each capability is switched on, and which program does the work or is missing.',
  commands: {
    on: defineSubcommand({
      usage: 'NAME...',
      summary: 'switch capabilities on',
      description: 'Switches capabilities on. Screen, camera, location and clipboard are off by default.',
      arguments: ['[name...]'],
      run: ({ words: [names] }, context) => switchDevice(names, true, context),
    }),
    off: defineSubcommand({
      usage: 'NAME...',
      summary: 'switch capabilities off',
      description: 'Switches capabilities off, so that no client is offered them.',
      arguments: ['[name...]'],
      run: ({ words: [names] }, context) => switchDevice(names, false, context),
    }),
  },
  run: (_given, context) => device(context),
});

/** Switches for all capabilities at once: `nodeMode` for a gateway, `mcpServer` for MCP clients at `/`. */
const MODES: readonly string[] = ['nodeMode', 'mcpServer'];
const SWITCHES: readonly string[] = [...CAPABILITY_SWITCHES, ...MODES];

async function device(context: Context): Promise<ExitCode> {
  const { home, json } = context;
  const hub = findHubClient(context);
  const report = await reportOf(hub, context);
  const { isOffered, capabilities = [], node } = report;
  const endpoint = hub?.hubFile.endpoints.device ?? null;
  if (json) {
    printJson({ ok: true, endpoint, ...report });
    return EXIT.ok;
  }
  if (!isOffered) {
    note(sentences(notOfferedByHub(home, process.env)));
    return EXIT.ok;
  }
  const { stdout } = process;
  print(renderCapabilities(capabilities, { style: styleFor(stdout), width: widthOfStream(stdout) }));
  note(`MCP: ${stateOfEndpoint(endpoint, report)}\n`);
  if (node !== undefined) note(`Node: ${renderNode(node)}\n`);
  if (hub === undefined) note('No hub is running. This is what a hub started from here would find.\n');
  return EXIT.ok;
}

/** Uses the same state words as the app that Pincer replaces. */
function stateOfEndpoint(endpoint: string | null, { mcpServer }: DeviceReport): string {
  if (mcpServer === false) return 'Disabled. Switch it on: pincer device on mcpServer';
  if (endpoint === null) return 'Stopped. Start it: pincer up';
  return `Listening at ${endpoint}, with the token in mcp-token.txt; and at /mcp as device__*.`;
}

const sentences = ({ why, hint }: NotOffered): string => `${why}\n${hint}\n`;

const reportOf = (hub: HubClient | undefined, context: Context): Promise<DeviceReport> =>
  hub === undefined ? inspectHere(context) : ask(hub, 'GET device');

async function inspectHere({ home }: Context): Promise<DeviceReport> {
  const { env } = process;
  const config = loadConfigHere(home);
  const capabilities = await readinessHere({ home, env, config });
  const { mcpServer, nodeMode } = config.device;
  return { isOffered: isDeviceOffered(config.device, env), mcpServer, nodeMode, capabilities };
}

async function switchDevice(names: readonly string[], isOn: boolean, context: Context): Promise<ExitCode> {
  if (names.length === 0)
    throw new PincerError('USAGE', 'The name of a capability is missing.', {
      hint: `Choose from: ${SWITCHES.join(', ')}.`,
    });
  for (const name of names) assertSwitch(name);
  const { reload } = await changeConfig(context, () =>
    names.map((name) => ({
      path: MODES.includes(name) ? ['device', name] : ['device', 'capabilities', name],
      value: isOn,
    })),
  );
  if (context.json)
    printJson({ ok: true, capabilities: names, enabled: isOn, isApplied: reload !== undefined });
  else {
    print(`${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} ${isOn ? 'on' : 'off'}.\n`);
    note(
      reload === undefined
        ? 'No hub is running. The change applies when one starts: pincer up\n'
        : 'The running hub has applied it.\n',
    );
    if (isOn) await noteObstacles(names, context);
  }
  return EXIT.ok;
}

/** Says why a capability that was just switched on cannot be used yet. */
async function noteObstacles(names: readonly string[], context: Context): Promise<void> {
  const { isOffered, capabilities = [] } = await reportOf(findHubClient(context), context);
  if (!isOffered) return note(sentences(notOfferedByHub(context.home, process.env)));
  const states = capabilities
    .flatMap((capability) => capability.states)
    .filter((state) => names.includes(state.switch));
  for (const line of obstacles(states.filter(({ available }) => !available)))
    note(`It cannot work yet. ${line}\n`);
  for (const line of obstacles(states.filter(({ available }) => available)))
    note(`It might not work. ${line}\n`);
}

function assertSwitch(name: string): void {
  if (SWITCHES.includes(name)) return;
  const near = closest(name, SWITCHES);
  throw new PincerError('ARGUMENT_INVALID', `There is no capability "${visible(name)}".`, {
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}Choose from: ${SWITCHES.join(', ')}.`,
  });
}
