/** Builds the error for a call with an unknown server or tool, with the name that was probably meant. Loaded on demand. */
import { AGENT_SOURCE, DEVICE_SOURCE } from '../../core/caller.ts';
import { closest } from '../../lib/text.ts';
import { PincerError } from '../../core/errors.ts';
import { ask, type HubClient } from '../../control/client/hub-client.ts';
import type { CapabilityReport } from '../../control/contract/machine.ts';
import { resolveStateFolder } from '../../owner/state-folder.ts';
import { notOfferedByHub, notOfferedError } from '../servers/not-offered.ts';
import { unknownServer, usable } from '../servers/unknown-server.ts';
import { agentNotOffered } from '../servers/views.ts';

export async function explainServer(hub: HubClient, server: string, tool?: string): Promise<PincerError> {
  if (server === AGENT_SOURCE) return agentNotOffered();
  const { isOffered, capabilities } = await ask(hub, 'GET device');
  if (server === DEVICE_SOURCE && !isOffered) {
    const { env } = process;
    return notOfferedError(notOfferedByHub(resolveStateFolder(env), env));
  }
  const meant = commandMeant(server, tool, capabilities ?? []);
  if (meant !== undefined)
    return new PincerError('SERVER_UNKNOWN', `No server "${server}" is configured.`, {
      hint: meant,
      data: NOT_RUN,
    });
  const status = await ask(hub, 'GET status');
  return unknownServer(
    server,
    usable(status).map(({ name }) => name),
    tool,
  );
}

/** Suggests `device.screen.capture` for `screen.capture`: names at `/` have no `device` prefix. */
function commandMeant(
  category: string,
  rest: string | undefined,
  capabilities: readonly CapabilityReport[],
): string | undefined {
  const found = capabilities.find((each) => each.category === category);
  if (found === undefined) return undefined;
  if (rest === undefined)
    return `It is a capability of this machine. List its tools: pincer tools ${DEVICE_SOURCE}`;
  const name = `${category}.${rest}`;
  const commands = found.states.flatMap((state) => state.commands);
  return `Did you mean ${DEVICE_SOURCE}.${closest(name, commands) ?? name}?`;
}

/** A tool may be unknown because its server is not connected. */
export async function explainTool(
  hub: HubClient,
  server: string,
  tool: string,
  known: readonly string[],
): Promise<PincerError> {
  if (server === DEVICE_SOURCE) {
    const off = await explainCommand(hub, tool);
    if (off !== undefined) return off;
  }
  if (known.length === 0) {
    const { servers, proxy } = await ask(hub, 'GET status');
    if (proxy?.apps.some(({ name, bridges }) => name === server && bridges === 0) === true)
      return new PincerError('BRIDGE_NOT_CONNECTED', `The app "${server}" is not connected.`, {
        hint: 'The call did not run. Start the app, then check that it is connected: pincer sessions',
        data: NOT_RUN,
      });
    const status = servers.find(({ name }) => name === server);
    if (status?.error !== undefined) {
      const { message, hint } = status.error;
      return new PincerError('SERVER_UNREACHABLE', message, { hint, data: NOT_RUN });
    }
  }
  const near = closest(tool, known);
  const hint =
    near === undefined ? `List its tools: pincer tools ${server}` : `Did you mean ${server}.${near}?`;
  return new PincerError('TOOL_UNKNOWN', `Server "${server}" has no tool "${tool}".`, {
    hint,
    data: NOT_RUN,
  });
}

/** Explains why a command of this machine is not offered. Returns undefined if there is no such command. */
async function explainCommand(hub: HubClient, command: string): Promise<PincerError | undefined> {
  const { capabilities = [] } = await ask(hub, 'GET device');
  const state = capabilities
    .flatMap((capability) => capability.states)
    .find(({ commands }) => commands.includes(command));
  if (state?.enabled === false)
    return new PincerError('TOOL_UNKNOWN', `${command} is switched off on this machine.`, {
      hint: `Switch it on: pincer device on ${state.switch}`,
      data: NOT_RUN,
    });
  if (state?.available === false)
    return new PincerError('TOOL_UNKNOWN', `${command} cannot work on this machine: ${state.reason}.`, {
      hint: state.hint,
      data: NOT_RUN,
    });
  if (state !== undefined)
    return new PincerError('TOOL_UNKNOWN', `${command} was not available on this machine until now.`, {
      hint: 'The missing program is installed now. Call it again.',
      data: NOT_RUN,
    });
  return undefined;
}

const NOT_RUN = { outcome: 'not_executed' };
