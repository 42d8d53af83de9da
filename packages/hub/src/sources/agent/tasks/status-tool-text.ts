/** What a model reads about an order that it has to come back for. */
import type { KeptOrder } from './kept-order.ts';
import { lastSaid } from './said.ts';

const MAX_SAID_CHARS = 16_000;

export function stillWorking(order: KeptOrder): string {
  const said = saidIn(order);
  return paragraphs(
    order.isCancelled
      ? 'OpenClaw is stopping its work on this order.'
      : 'OpenClaw is still working on this order.',
    order.questions.open.size > 0 ? 'It waits for the answer to a question. order_status asks it.' : '',
    said === '' ? '' : `So far it has said:\n${said}`,
    `Call order_status with ${JSON.stringify({ orderId: order.id })} to get the answer. Do not send the message again: the order is not lost.`,
  );
}

export const stopped = (said: string): string =>
  paragraphs('OpenClaw has stopped its work on this order.', said === '' ? '' : `It had said:\n${said}`);

export const hasEnded = ({ id }: KeptOrder): string =>
  `OpenClaw had ended its work on this order before. Call order_status with ${JSON.stringify({ orderId: id })} to get the answer.`;

export const noSuchOrder = (id: string): string =>
  `There is no order ${JSON.stringify(id.slice(0, 100))}. Its id may be mistyped, or its answer is no longer kept. What became of it, OpenClaw may say if you ask with the same sessionKey.`;

export const saidIn = ({ progress }: KeptOrder): string =>
  progress === undefined ? '' : lastSaid(progress(), MAX_SAID_CHARS);

const paragraphs = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');
