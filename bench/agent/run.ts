/** `npm run bench:agent`: the overhead of Pincer when an MCP client asks an agent of OpenClaw. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { installOpenClaw, OPENCLAW } from '../../test/openclaw/install.ts';
import { buildPincer } from '../prepare.ts';
import { BENCH_FOLDER, ROOT_FOLDER } from '../process/folders.ts';
import { runBench } from '../process/run-bench.ts';
import { machineFacts, sourceState } from '../report/machine.ts';
import { measureImages } from './images.ts';
import { agentReport, type AgentResult, summarise } from './report.ts';
import { measureStarts } from './starts.ts';
import { measureEmptyTurns, measureRealTurns } from './turns.ts';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '60' },
    'empty-turns': { type: 'string', default: '300' },
    starts: { type: 'string', default: '20' },
    images: { type: 'string', default: '9' },
    built: { type: 'boolean', default: false },
  },
});

function save(result: AgentResult): string {
  const folder = join(BENCH_FOLDER, 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `agent-${result.date.slice(0, 10)}-${result.commit}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return relative(ROOT_FOLDER, file);
}

async function main(): Promise<void> {
  await installOpenClaw();
  if (!values.built) buildPincer();
  const loadAverageBefore = loadavg();
  console.error('starts');
  const starts = await measureStarts(Number(values.starts));
  console.error('images');
  const imagesMs = await measureImages(Number(values.images));
  console.error('turns on a gateway that answers at once');
  const emptyTurns = await measureEmptyTurns(Number(values['empty-turns']));
  console.error('turns on OpenClaw');
  const turns = await measureRealTurns(Number(values.turns));
  const measured = { turns, emptyTurns, starts, imagesMs };
  const manifest = readFileSync(join(dirname(OPENCLAW), 'package.json'), 'utf8');
  const result: AgentResult = {
    date: new Date().toISOString(),
    ...sourceState(),
    machine: machineFacts(loadAverageBefore),
    openclaw: (JSON.parse(manifest) as { version: string }).version,
    summary: summarise(measured),
    ...measured,
  };
  console.log(agentReport(result));
  console.error(`\nAll rounds: ${save(result)}`);
}

await runBench(main);
