/** The scale test in tables. */
import { formatTable } from '../report/table.ts';
import type { ScaleResult } from './scale.ts';
import { TOOLS_PER_SESSION } from './tools.ts';

const MEGABYTE = 1024 * 1024;
const MOST_RSS = 400 * MEGABYTE;
const MOST_SWEEP_MS = 300;

const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(0);
const seconds = (ms: number): string => (ms / 1000).toFixed(1);

const highest = ({ restedRssBytes, collectedRssBytes, lastRssBytes }: ScaleResult): number =>
  Math.max(restedRssBytes, collectedRssBytes, lastRssBytes);

function memoryTable(rows: readonly ScaleResult[]): string {
  const head = [
    '',
    'tools',
    'joined s',
    'RSS empty MB',
    'rested',
    'collected',
    'after pings',
    'CPU ms/sweep',
    'sweeps',
  ];
  return formatTable([
    head,
    ...rows.map((row) => [
      row.name,
      row.tools,
      seconds(row.joinMs),
      megabytes(row.emptyRssBytes),
      megabytes(row.restedRssBytes),
      megabytes(row.collectedRssBytes),
      megabytes(row.lastRssBytes),
      row.cpuMsPerSweep.toFixed(0),
      row.sweeps.toFixed(2),
    ]),
  ]);
}

function backTable(rows: readonly ScaleResult[]): string {
  const head = [
    'killed and started again',
    'tools',
    'answers after s',
    'all bridges after s',
    'CPU s',
    'RSS MB',
  ];
  const lines = rows.flatMap(({ name, tools, comingBack: back }) =>
    back === undefined
      ? []
      : [
          [
            name,
            tools,
            seconds(back.answersMs),
            seconds(back.allOpenMs),
            seconds(back.cpuMs),
            megabytes(back.rssBytes),
          ],
        ],
  );
  return formatTable([head, ...lines]);
}

function promises(rows: readonly ScaleResult[]): string {
  return rows
    .filter(({ name }) => name === 'pincer')
    .flatMap((row) => [
      `${highest(row) <= MOST_RSS ? 'kept  ' : 'MISSED'} ${row.tools} tools: at most ${megabytes(MOST_RSS)} MB (${megabytes(highest(row))})`,
      `${row.cpuMsPerSweep <= MOST_SWEEP_MS ? 'kept  ' : 'MISSED'} ${row.tools} tools: at most ${MOST_SWEEP_MS} ms of CPU time to ping all (${row.cpuMsPerSweep.toFixed(0)})`,
    ])
    .join('\n');
}

export function scaleReport(rows: readonly ScaleResult[]): string[] {
  if (rows.length === 0) return [];
  const { sessions } = rows[0]!;
  return [
    `${sessions} apps connected, ${TOOLS_PER_SESSION} tools each`,
    memoryTable(rows),
    backTable(rows),
    promises(rows),
  ];
}
