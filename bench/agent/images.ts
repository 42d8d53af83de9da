/** Measures from the last byte of an order with a 15 MB image in the pipe to the last byte of its frame at a gateway. */
import { agentProgram } from '../../test/kit/agent-server.ts';
import { callText, INITIALIZE, INITIALIZED, parseAnswer, textOf } from '../../test/kit/messages.ts';
import { openOrderGateway } from '../../test/kit/openclaw/order-gateway.ts';
import { openStdio } from '../../test/kit/stdio.ts';
import { temporaryFolder } from '../process/folders.ts';
import { cleanEnv, forget, refuseWhenEnding, remember } from '../process/running.ts';

const IMAGE_BYTES = 15 * 1024 * 1024;
const WARM_UP = 2;

export async function measureImages(count: number): Promise<number[]> {
  refuseWhenEnding();
  await using gateway = await openOrderGateway();
  const folder = temporaryFolder('images');
  const { command, args, env } = agentProgram(folder, gateway.url);
  await using server = openStdio({ command, args, env: cleanEnv(folder, env) });
  remember(server.pid);
  await server.ask(INITIALIZE);
  server.send(INITIALIZED);
  const image = Buffer.alloc(IMAGE_BYTES, 1);
  image.write('\x89PNG\r\n\x1a\n', 'latin1');
  const images = `[{"data":"${image.toString('base64')}","mimeType":"image/png"}]`;
  const taken: number[] = [];
  for (let id = 1; id <= WARM_UP + count; id += 1) {
    const line = Buffer.from(
      `${callText('order_openclaw', { id: String(id), args: `{"message":"look","images":${images}}` })}\n`,
    );
    const arriving = gateway.next();
    await server.written(line);
    const written = performance.now();
    const { atMs } = await arriving;
    if (textOf(parseAnswer(await server.take())) !== 'done') throw new Error('an image was not taken');
    if (id > WARM_UP) taken.push(atMs - written);
  }
  forget(server.pid);
  return taken;
}
