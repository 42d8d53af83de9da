/** What the app answers, as frames on one bridge. */
import type { Bridge } from './bridge.ts';
import type { WayBack } from './calls.ts';
import { isLonger } from './utf8.ts';
import { MAX_JOINED_BYTES } from './wire.ts';

/** With room for the frame around it. What is larger fails here: its caller is told at once, not after its deadline. */
const MAX_CONTENT_BYTES = MAX_JOINED_BYTES - 4_096;

export function wayBack(bridge: Bridge, sessionId: string): WayBack {
  const head = (type: string, requestId: string): string =>
    `{"type":"${type}","mcpSessionId":${JSON.stringify(sessionId)},"request_id":${JSON.stringify(requestId)}`;
  const failed: WayBack['failed'] = (requestId, error) =>
    void bridge.send(`${head('invoke_result', requestId)},"ok":false,"error":${JSON.stringify(error)}}`);
  return {
    failed,
    done(requestId, content) {
      if (content !== undefined && isLonger(content, MAX_CONTENT_BYTES))
        return failed(
          requestId,
          'The result of the tool is larger than 64 MiB, which is more than can be sent.',
        );
      const said = content === undefined ? '' : `,"content":${content}`;
      bridge.send(`${head('invoke_result', requestId)},"ok":true${said}}`);
    },
    progress(requestId, word) {
      bridge.send(`${head('progress', requestId)},${JSON.stringify(word).slice(1)}`);
    },
  };
}
