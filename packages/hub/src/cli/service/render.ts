import { visible } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';
import type { ServiceManager } from './manager.ts';
import { commandText } from './run-command.ts';

export interface ServiceStatus {
  readonly manager: string;
  readonly name: string;
  readonly file: string;
  readonly installed: boolean;
  /** The file is what would be written now. */
  readonly current: boolean;
  readonly running: boolean;
  readonly pid: number | undefined;
  readonly endpoint: string | undefined;
  readonly detail: string | undefined;
}

/** Everything that `install` would do. */
export const renderDryRun = ({ files, install }: ServiceManager, style: Style): string =>
  [
    ...files.flatMap(({ path, text }) => [style.dim(`# ${path}`), text.trimEnd(), '']),
    style.dim('# then'),
    ...install.map(commandText),
    '',
  ].join('\n');

export function renderStatus(status: ServiceStatus, style: Style): string {
  const { manager, name, file, installed, current, running, pid, endpoint, detail } = status;
  if (!installed) return `Pincer is not a service here.\n${style.bold('hint:')} pincer service install\n`;
  const state = running ? `${style.green('●')} Running` : `${style.red('✗')} Not running`;
  const row = (label: string, value: string): string => `  ${style.dim(label.padEnd(8))} ${visible(value)}`;
  return [
    `${state}${pid === undefined ? '' : `, process ${pid}`}`,
    row(manager, `${name}${detail === undefined || detail === '' ? '' : ` (${detail})`}`),
    row('File', file),
    ...(endpoint === undefined ? [] : [row('MCP', endpoint)]),
    ...(current
      ? []
      : ['', 'Node, Pincer or the environment has moved since: pincer service install writes it anew.']),
    '',
  ].join('\n');
}
