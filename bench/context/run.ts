/** `npm run bench:context`: the cost of tools for a model over whole tasks, listed and searched. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { jsonBytes } from '../../packages/hub/src/core/wire/byte-text.ts';
import { estimateTokens } from '../../packages/hub/src/mcp/tool-surface.ts';
import { buildPincer, installPeers } from '../prepare.ts';
import { BENCH_FOLDER, removeTemporaryFolders, ROOT_FOLDER } from '../process/folders.ts';
import { endEverything, endEverythingOnSignals } from '../process/running.ts';
import { sourceState } from '../report/machine.ts';
import { real, synthetic, type CatalogKind } from './catalogs.ts';
import { startHub } from './hub.ts';
import { modelView, play, type Way } from './play.ts';
import { contextReport, type ContextResult, type Measured } from './report.ts';
import { loadTokenizer, type Tokenizer } from './tokenizer.ts';

const CATALOGS: readonly CatalogKind[] = [
  synthetic(20),
  real,
  synthetic(100),
  synthetic(200),
  synthetic(500),
];
/** A bare agent, and an agent with its own tools that has worked for a while. */
const BASES = [2_000, 20_000];

async function measure(kind: CatalogKind, tokenizer: Tokenizer): Promise<Measured> {
  await using catalog = await kind.open();
  await using full = await startHub(catalog.servers, 'full');
  await using search = await startHub(catalog.servers, 'search');
  const all = await full.tools();
  const few = await search.tools();
  const converse = async (way: Way) => {
    const hub = way === 'full' ? full : search;
    const tools = tokenizer.count(modelView(way === 'full' ? all : few));
    const conversations = [];
    for (const task of catalog.tasks)
      conversations.push(await play(task, { hub, way, toolTokens: tools, tokenizer }));
    return conversations;
  };
  return {
    catalog: kind.name,
    toolCount: all.length,
    estimate: estimateTokens(
      all.map((tool) => ({ exposed: tool.name, definition: { raw: jsonBytes(tool) } })),
    ),
    conversations: {
      full: await converse('full'),
      search: await converse('search'),
      careful: await converse('careful'),
      clumsy: await converse('clumsy'),
    },
  };
}

function save(result: ContextResult): string {
  const folder = join(BENCH_FOLDER, 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `context-${result.date.slice(0, 10)}-${result.commit}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return relative(ROOT_FOLDER, file);
}

async function main(): Promise<void> {
  installPeers();
  buildPincer();
  const tokenizer = await loadTokenizer();
  const catalogs: Measured[] = [];
  for (const kind of CATALOGS) {
    console.error(kind.name);
    catalogs.push(await measure(kind, tokenizer));
  }
  const result = {
    date: new Date().toISOString(),
    ...sourceState(),
    tokenizer: tokenizer.name,
    bases: BASES,
    catalogs,
  };
  console.log(contextReport(result));
  console.error(`\nAll turns: ${save(result)}`);
}

endEverythingOnSignals(removeTemporaryFolders);
try {
  await main();
} finally {
  await endEverything();
}
