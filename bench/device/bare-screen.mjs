// The backend alone: takes a PNG of the first screen for each line on stdin, and answers with its own time.
import { createInterface } from 'node:readline';
import { Monitor } from 'node-screenshots';

for await (const _ of createInterface({ input: process.stdin })) {
  const began = performance.now();
  const image = await Monitor.all()[0].captureImage();
  const png = await image.toPng();
  process.stdout.write(`${JSON.stringify({ ms: performance.now() - began, bytes: png.length })}\n`);
}
