/** `node bench/line-reader.ts`: how long the line reader takes for one 21 MB line in 64 KB chunks. */
import { LineReader } from '../packages/hub/src/core/wire/line-reader.ts';
import { parseMessage } from '../packages/hub/src/core/wire/message.ts';

const LINE_BYTES = 21_000_000;
const CHUNK_BYTES = 65_536;
const ROUNDS = 9;

const head = '{"jsonrpc":"2.0","id":1,"result":{"data":"';
const line = Buffer.from(`${head}${'A'.repeat(LINE_BYTES - head.length - 4)}"}}\n`, 'latin1');

function median(values: number[]): string {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!.toFixed(1);
}

const read: number[] = [];
const parsed: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  let text = '';
  const lines = new LineReader({
    maxBytes: LINE_BYTES * 2,
    onLine: (whole) => (text = whole),
    onOverflow: () => process.exit(1),
  });
  const begun = performance.now();
  for (let at = 0; at < line.length; at += CHUNK_BYTES)
    lines.push(line.subarray(at, at + CHUNK_BYTES).toString('latin1'));
  if (text.length !== line.length - 1) throw new Error('the line is incomplete');
  const arrived = performance.now();
  parseMessage(text);
  read.push(arrived - begun);
  parsed.push(performance.now() - arrived);
}
console.log(`a 21 MB line: read in ${median(read)} ms, parsed in ${median(parsed)} ms (median of ${ROUNDS})`);
