/** Tells a legacy client of a task between its requests: its progress token is good for as long as the task runs. */
import type { SourceRequest } from '../../../core/request.ts';
import { detached } from '../../../core/wire/byte-text.ts';
import { tellProgress } from './progress.ts';
import type { KeptOrder } from './kept-order.ts';
import { legacyTask, related } from './task-result.ts';

export function tellLater(order: KeptOrder, { client, meta }: Pick<SourceRequest, 'client' | 'meta'>): void {
  const tellStatus = (): void => client.notify('notifications/tasks/status', legacyTask(order));
  const progress = tellProgress(
    { meta: meta.map(({ key, raw }) => ({ key, raw: detached(raw) })) },
    { notify: (method, params) => client.notify(method, related(params, order.id)) },
  );
  order.watch({
    onProgress: (read) => progress.tell(read),
    onQuestions: tellStatus,
    onEnd() {
      progress.stop();
      tellStatus();
    },
  });
}
