/** `npm run bench:openclaw`: MCP in the real OpenClaw, by its own client and by our plugin. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { startScriptedModel } from '../../test/kit/openclaw/model.ts';
import { installOpenClaw, OPENCLAW } from '../../test/openclaw/install.ts';
import { buildPincer } from '../prepare.ts';
import { BENCH_FOLDER, ROOT_FOLDER } from '../process/folders.ts';
import { runBench } from '../process/run-bench.ts';
import { machineFacts, sourceState } from '../report/machine.ts';
import { openclawReport, type OpenClawResult, summarise } from './report.ts';
import { CONVERSATIONS, measureRound, type Round } from './round.ts';
import { prepareVariant, type Variant, VARIANTS } from './variants.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: VARIANTS.join(',') },
    built: { type: 'boolean', default: false },
  },
});

function save(result: OpenClawResult): string {
  const folder = join(BENCH_FOLDER, 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `openclaw-${result.date.slice(0, 10)}-${result.commit}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return relative(ROOT_FOLDER, file);
}

async function measure(variants: readonly Variant[]): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    // Each round starts with another variant, so that a busy minute affects all alike.
    const first = round % variants.length;
    for (const variant of [...variants.slice(first), ...variants.slice(0, first)]) {
      console.error(`${variant.name}, round ${round}/${values.rounds}`);
      rounds.push(await measureRound(variant, round));
    }
  }
  return rounds;
}

async function main(): Promise<void> {
  await installOpenClaw();
  if (!values.built) buildPincer();
  const loadAverageBefore = loadavg();
  await using model = await startScriptedModel();
  const variants: Variant[] = [];
  for (const name of VARIANTS.filter((one) => values.only.split(',').includes(one)))
    variants.push(await prepareVariant(name, model.url));
  const rounds = await measure(variants);
  const manifest = readFileSync(join(dirname(OPENCLAW), 'package.json'), 'utf8');
  const result: OpenClawResult = {
    date: new Date().toISOString(),
    ...sourceState(),
    machine: machineFacts(loadAverageBefore),
    openclaw: (JSON.parse(manifest) as { version: string }).version,
    conversations: CONVERSATIONS,
    summary: summarise(rounds),
    rounds,
  };
  console.log(openclawReport(result));
  console.error(`\nAll rounds: ${save(result)}`);
}

await runBench(main);
