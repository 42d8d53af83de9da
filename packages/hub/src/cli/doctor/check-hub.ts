/** Checks the running hub and its servers. */
import { PincerError, type ErrorCode } from '../../core/errors.ts';
import { VERSION } from '../../lib/version.ts';
import { ask, type HubClient, probeAll, type Probed } from '../../control/client/hub-client.ts';
import type { HubStatus, ServerReport } from '../../control/contract/status.ts';
import { plural } from '../../lib/text.ts';
import { stateWord } from '../../control/client/state-word.ts';
import { serverRows, type ServerRow } from '../servers/rows.ts';
import type { OutlinedServer } from '../servers/outline.ts';
import { error, ok, warn, type Finding } from './finding.ts';
import { countOffer } from '../render/server-list.ts';
import { renderSpan } from '../render/time.ts';

interface HubFindings {
  readonly findings: readonly Finding[];
  readonly status: HubStatus | undefined;
}

export async function checkHub(hub: HubClient | undefined): Promise<HubFindings> {
  if (hub === undefined)
    return {
      findings: [ok('hub', 'No hub is running. `pincer up` or any call starts one.')],
      status: undefined,
    };
  const { pid, version, endpoints, mode } = hub.hubFile;
  try {
    const status = await ask(hub, 'GET status');
    const where = `process ${pid}, ${endpoints.mcp}, in the ${mode}`;
    const finding =
      version === VERSION
        ? ok('hub', `The hub is running: ${where}, version ${version}.`)
        : warn(
            'hub',
            `The hub has version ${version}, but this command has ${VERSION}: ${where}.`,
            `Restart the hub: kill ${pid}, then pincer up`,
          );
    return { findings: [finding, ...waiting(status)], status };
  } catch (failure) {
    const { code, message, hint } = PincerError.from(failure);
    return { findings: [error(code, 'hub', message, hint)], status: undefined };
  }
}

/** Problems that the hub reports: an invalid configuration, and waiting approvals. */
function waiting({ configProblem, approvals = 0 }: HubStatus): Finding[] {
  const stale =
    configProblem === undefined
      ? []
      : [
          error(
            'CONFIG_INVALID',
            'hub',
            `The hub still uses the previous configuration: ${configProblem}`,
            'Correct the file, then apply it: pincer reload',
          ),
        ];
  const text = `${plural(approvals, 'call')} ${approvals === 1 ? 'waits' : 'wait'} for your approval.`;
  return approvals === 0 ? stale : [...stale, warn('hub', text, 'See them: pincer approvals')];
}

/** `wrong`: misconfigured servers, which have findings already. */
export const checkServers = (
  outline: readonly OutlinedServer[],
  status: HubStatus | undefined,
  wrong: ReadonlySet<string> = new Set(),
): Finding[] =>
  serverRows(outline, status)
    .filter(
      ({ name, state, isMisconfigured }) =>
        !wrong.has(name) || (state !== 'idle' && isMisconfigured !== true),
    )
    .map(checkServer);

function checkServer(row: ServerRow): Finding {
  const path = `servers.${row.name}`;
  const word = stateWord(row.state, row.transport, row.pid);
  if (row.state === 'not-loaded')
    return warn(path, `${word}: the hub has not loaded this server yet.`, 'Load it: pincer reload');
  if (row.error === undefined) return ok(path, `${word}.`);
  const message = `${word}: ${row.error.message}`;
  if (row.state === 'ready') return warn(path, message, row.error.hint);
  return error(row.error.code as ErrorCode, path, message, row.error.hint);
}

/** Connects to every server that is switched on. */
export async function probeServers(hub: HubClient, servers: readonly ServerReport[]): Promise<Finding[]> {
  const names = servers.filter(({ state }) => state !== 'disabled').map(({ name }) => name);
  return (await probeAll(hub, names)).map(findingOf);
}

function findingOf({ name, report, failure }: Probed): Finding {
  const path = `servers.${name}`;
  if (failure !== undefined) return error(failure.code, path, failure.message, failure.hint);
  return ok(path, `Answers in ${renderSpan(report!.ms)}: ${countOffer(report!)}.`);
}
